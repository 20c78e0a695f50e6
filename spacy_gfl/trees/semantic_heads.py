"""The semantic head rules for verbs: past auxiliaries and the copula.

A VP, SQ or SINV with an auxiliary is headed by the verb phrase that the
auxiliary goes with. One with a form of *be* alone is headed by its adjectival or
nominal predicate; before a prepositional phrase, an adverb or a clause (*is in
the garden*), after the existential *there*, and where the only noun phrase is the
subject (*who is the president?*), *be* is the head. An NP that is marked as an
adverbial (-TMP, -ADV) is no predicate.
"""

from typing import Optional

from spacy_gfl.trees.head_rules import SEMANTIC_TABLE, Child, HeadRules, Phrase
from spacy_gfl.trees.tree import MISSING_TAG

_BE = frozenset(
    ["be", "is", "am", "are", "was", "were", "been", "being", "'m", "'re", "'s", "ai"]
)
_AUXILIARIES = _BE | frozenset(
    [
        *("have", "has", "had", "having", "'ve", "'d"),
        *("do", "does", "did", "get", "gets", "got", "getting", "gotten"),
        *("will", "would", "wo", "can", "could", "ca", "may", "might"),
        *("shall", "should", "sha", "must", "'ll", "to"),
    ]
)
_AUXILIARY_TAGS = frozenset({"MD", "TO", "AUX", "AUXG"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_ADJECTIVES = frozenset({"ADJP", "UCP", "WHADJP", "JJ", "JJR", "JJS"})
_NOUNS = frozenset({"NP", "WHNP", "NML", "NX", "NN", "NNS", "NNP", "NNPS", "PRP"})
_ADVERBIAL_FUNCTIONS = ("-TMP", "-ADV", "-LOC")


def head_past_auxiliaries(phrase: Phrase) -> Optional[int]:
    """The verb phrase or predicate that goes with the first auxiliary, if any."""
    if phrase.label not in ("VP", "SQ", "SINV"):
        return None
    children = phrase.children
    verb = next((i for i, child in enumerate(children) if _is_verb(child)), None)
    if verb is None or not _is_auxiliary(children[verb]):
        return None
    after = range(verb + 1, len(children))
    for i in after:
        is_main_verb = children[i].is_word and children[i].label in _VERB_TAGS
        if children[i].label == "VP" or is_main_verb:
            return i
    if children[verb].word not in _BE or _is_existential(phrase):
        return None
    adjectives = [i for i in after if children[i].label in _ADJECTIVES]
    nouns = [i for i in after if _is_nominal(children[i])]
    if phrase.label == "VP":
        # The first of either kind: what follows it modifies it.
        return min(adjectives + nouns, default=None)
    # In a question the first noun phrase after the verb is the subject.
    return adjectives[0] if adjectives else next(iter(nouns[1:]), None)


def _is_verb(child: Child) -> bool:
    if not child.is_word:
        return False
    if child.label in _AUXILIARY_TAGS or child.label in _VERB_TAGS:
        return True
    return child.label == MISSING_TAG


def _is_auxiliary(child: Child) -> bool:
    return child.label in _AUXILIARY_TAGS or child.word in _AUXILIARIES


def _is_nominal(child: Child) -> bool:
    is_adverbial = any(name in child.functions for name in _ADVERBIAL_FUNCTIONS)
    return child.label in _NOUNS and not is_adverbial


def _is_existential(phrase: Phrase) -> bool:
    return phrase.is_existential or any(
        child.label == "NP" and child.word == "there" for child in phrase.children
    )


SEMANTIC_RULES = HeadRules(
    SEMANTIC_TABLE, first_conjunct=True, special=head_past_auxiliaries
)
