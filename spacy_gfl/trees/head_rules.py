"""Head rules: which child of a constituent is its head.

"collins" is the table of Collins, *Head-Driven Statistical Models for Natural
Language Parsing* (1999), appendix A, with its rules for noun phrases and for
coordination. "semantic" makes content words heads, as Stanford dependencies have
them (de Marneffe, MacCartney and Manning 2006, section 2): the main verb instead
of its auxiliaries, the predicate instead of the copula, the clause instead of
its complementizer, the first of several conjuncts; a preposition stays the head
of its phrase. The semantic table is this project's own, made to these principles
and for trees without function tags; `head_past_auxiliaries` has its rule for verbs.

Three things go beyond Collins, whose trees had no punctuation and only his
labels: punctuation is a head only where there is nothing else; NX and NML follow
the rule of NP; a constituent of a label without a rule is headed by its leftmost
child.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from spacy_gfl.trees.labels import TAGS
from spacy_gfl.trees.tree import MISSING_TAG

PUNCTUATION_TAGS = frozenset(
    {",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"}
)
CONJUNCTIONS = frozenset({"CC", "CONJP"})
# Words that need no tag to be told apart.
_CLOSED_CLASS = {
    **dict.fromkeys(("and", "or", "nor", "but", "&"), "CC"),
    **dict.fromkeys(("the", "a", "an"), "DT"),
    **dict.fromkeys(("not", "n't"), "RB"),
    "to": "TO",
}


class Candidate(NamedTuple):
    """A child of a constituent, as rules see it.

    Attributes:
        label: Its label without function tags, or the word's tag; XX for a word
            without tag that cannot be told by itself.
        functions: The function tags, "-TMP-1" of "NP-TMP-1".
        word: The word, in lower case; of a constituent its head word.
        is_word: Whether it is a word.
    """

    label: str
    functions: str
    word: str
    is_word: bool

    def is_punctuation(self) -> bool:
        """Whether it is a word with the tag of a punctuation mark."""
        return self.is_word and self.label in PUNCTUATION_TAGS


class Phrase(NamedTuple):
    """What a rule sees of a constituent.

    Attributes:
        label: Its label without function tags.
        children: Its children, left to right.
        is_existential: Whether it is a verb phrase, or part of one, after the
            existential *there* (tag EX).
    """

    label: str
    children: Sequence[Candidate]
    is_existential: bool = False


class Step(NamedTuple):
    """One search among the children.

    Attributes:
        direction: "left" looks from the left end on, "right" from the right end.
        labels: What is looked for.
        in_order: Whether the labels are tried one after the other, rather than
            the first child taken that has any of them.
    """

    direction: str
    labels: tuple[str, ...]
    in_order: bool = True


@dataclass(frozen=True)
class HeadRules:
    """Rules that find the head child of a constituent.

    Attributes:
        table: For a label its steps, tried in turn. If none finds a child, the
            head is the outermost child in the direction of the last step that is
            not punctuation; for a label that is not in the table, the leftmost.
        first_conjunct: Whether the head of a coordination is the first conjunct,
            rather than the one before the conjunction (Collins).
        special: Tried before the table: the index of the head among the children,
            None where the table is to decide.
        untagged: Labels whose words without tag are never heads by a tag's rule.
    """

    table: Mapping[str, tuple[Step, ...]]
    first_conjunct: bool = False
    special: Callable[[Phrase], int | None] | None = None
    untagged: frozenset[str] = frozenset({"S"})

    def find(self, phrase: Phrase) -> int:
        """Find the head of a constituent.

        Args:
            phrase: The constituent; it has children.

        Returns:
            The index of the head among the children.
        """
        head = self.special(phrase) if self.special else None
        if head is None:
            head = self._search(phrase)
        return self._conjunct(phrase.children, head)

    def _search(self, phrase: Phrase) -> int:
        steps = self.table.get(phrase.label, _LEFTMOST)
        knows_tags = phrase.label not in self.untagged
        for step in steps:
            head = _take(phrase.children, step, knows_tags)
            if head is not None:
                return head
        order = _ordered(phrase.children, steps[-1].direction)
        first = order[0]
        children = phrase.children
        return next((i for i in order if not children[i].is_punctuation()), first)

    def _conjunct(self, children: Sequence[Candidate], head: int) -> int:
        """The head of a coordination, given one that stands in it."""
        if head < 2 or children[head - 1].label not in CONJUNCTIONS:
            return head
        before = _previous(children, head - 1)
        if before is None:
            return head
        while self.first_conjunct:
            # a, b and c: on to the left while commas separate the like.
            further = _previous(children, before)
            if further is None or further == before - 1:
                break
            if children[further].label[:2] != children[before].label[:2]:
                break
            before = further
        return before


_LEFTMOST = (Step("left", ()),)


def _previous(children: Sequence[Candidate], index: int) -> int | None:
    """The child before this one that is not punctuation."""
    before = range(index - 1, -1, -1)
    return next((i for i in before if not children[i].is_punctuation()), None)


def _ordered(children: Sequence[Candidate], direction: str) -> Sequence[int]:
    order = range(len(children))
    return order if direction == "left" else order[::-1]


def _take(children: Sequence[Candidate], step: Step, knows_tags: bool) -> int | None:
    """The first child a step finds. A word without tag passes for any tag."""
    order = _ordered(children, step.direction)
    choices = [(label,) for label in step.labels] if step.in_order else [step.labels]
    for labels in choices:
        any_tag = knows_tags and any(label in TAGS for label in labels)
        for i in order:
            label = children[i].label
            if label in labels or (any_tag and label == MISSING_TAG):
                return i
    return None


@lru_cache(maxsize=4096)
def tag_of(word: str, tag: str) -> str:
    """Find the tag of a word that may have none.

    Args:
        word: The word.
        tag: Its tag, or XX.

    Returns:
        The tag; where it is XX, that of a word that can be told by itself.
    """
    if tag != MISSING_TAG:
        return tag
    if all(unicodedata.category(character).startswith("P") for character in word):
        return "CC" if word == "&" else ":"
    return _CLOSED_CLASS.get(word.lower().replace("’", "'"), MISSING_TAG)


def _steps(*steps: tuple[str, str]) -> tuple[Step, ...]:
    """Steps written as (direction, labels); `left|` takes any of the labels."""
    return tuple(
        Step(direction.rstrip("|"), tuple(labels.split()), "|" not in direction)
        for direction, labels in steps
    )


_COLLINS_NP = _steps(
    ("right|", "NN NNP NNPS NNS NX NML POS JJR"),
    ("left", "NP"),
    ("right|", "$ ADJP PRN"),
    ("right", "CD"),
    ("right|", "JJ JJS RB QP"),
    ("right", ""),
)

COLLINS_TABLE: Mapping[str, tuple[Step, ...]] = {
    "ADJP": _steps(
        ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB")
    ),
    "ADVP": _steps(("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN")),
    "CONJP": _steps(("right", "CC RB IN")),
    "FRAG": _steps(("right", "")),
    "INTJ": _steps(("left", "")),
    "LST": _steps(("right", "LS :")),
    "NAC": _steps(
        ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW")
    ),
    "NML": _COLLINS_NP,
    "NP": _COLLINS_NP,
    "NX": _COLLINS_NP,
    "PP": _steps(("right", "IN TO VBG VBN RP FW")),
    "PRN": _steps(("left", "")),
    "PRT": _steps(("right", "RP")),
    "QP": _steps(("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS")),
    "RRC": _steps(("right", "VP NP ADVP ADJP PP")),
    "S": _steps(("left", "TO IN VP S SBAR ADJP UCP NP")),
    "SBAR": _steps(("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG")),
    "SBARQ": _steps(("left", "SQ S SINV SBARQ FRAG")),
    "SINV": _steps(("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP")),
    "SQ": _steps(("left", "VBZ VBD VBP VB MD VP SQ")),
    "UCP": _steps(("right", "")),
    "VP": _steps(("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP")),
    "WHADJP": _steps(("left", "CC WRB JJ ADJP")),
    "WHADVP": _steps(("right", "CC WRB")),
    "WHNP": _steps(("left", "WDT WP WP$ WHADJP WHPP WHNP")),
    "WHPP": _steps(("right", "IN TO FW")),
}

_SEMANTIC_NP = _steps(
    ("right|", "NN NNS NNP NNPS NX NML FW"),
    ("left", "NP PRP WP EX"),
    ("right", "$ CD QP"),
    ("right|", "JJ JJR JJS ADJP VBN VBG"),
    ("right|", "DT PDT PRP$ RB ADVP"),
    ("right", ""),
)

SEMANTIC_TABLE: Mapping[str, tuple[Step, ...]] = {
    **COLLINS_TABLE,
    "ADJP": _steps(
        ("right", "$"),
        ("right|", "JJ JJR JJS VBN VBG NN NNS FW"),
        ("left", "ADJP QP CD"),
        ("right|", "RB RBR RBS ADVP DT"),
        ("left", "NP"),
    ),
    "ADVP": _steps(
        ("right|", "RB RBR RBS FW WRB JJ JJR JJS"),
        ("left", "ADVP"),
        ("right|", "IN RP CD NN NP DT"),
    ),
    "FRAG": _steps(("left", "VP S SQ SBARQ SINV SBAR FRAG NP ADJP ADVP PP")),
    "NML": _SEMANTIC_NP,
    "NP": _SEMANTIC_NP,
    "NX": _SEMANTIC_NP,
    "PP": _steps(("right", "IN TO VBG VBN RP FW"), ("left", "PP")),
    "PRN": _steps(("left", "VP S SQ SINV SBAR NP ADJP PP ADVP INTJ")),
    "QP": _steps(("right", "$"), ("right|", "NNS NN CD"), ("right|", "JJ DT PDT RB")),
    "S": _steps(("left", "VP S SBAR ADJP UCP FRAG"), ("right", "NP")),
    "SBAR": _steps(("left", "S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT")),
    "SINV": _steps(("left", "VP VBZ VBD VBP VB MD S SINV ADJP NP")),
    "SQ": _steps(("left", "VP SQ VBZ VBD VBP VB MD ADJP NP")),
    "UCP": _steps(("left", "")),
    "WHADJP": _steps(("right|", "JJ JJR ADJP"), ("right|", "RB WHADVP"), ("right", "")),
    "WHADVP": _steps(("right|", "WRB WHADVP RB JJ")),
    "WHNP": _steps(
        ("right|", "NN NNS NNP NNPS NX NML"),
        ("left", "WHNP NP WP"),
        ("right", "$ CD"),
        ("right|", "JJ JJR JJS RB QP"),
        ("left", "WHPP WHADJP WP$ WDT"),
    ),
}

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


def head_past_auxiliaries(phrase: Phrase) -> int | None:
    """Find the head of a verb phrase or clause whose first verb is an auxiliary.

    A VP, SQ or SINV with an auxiliary is headed by the verb phrase that the
    auxiliary goes with. One with a form of *be* alone is headed by its adjectival
    or nominal predicate; before a prepositional phrase, an adverb or a clause (*is
    in the garden*), after the existential *there*, and where the only noun phrase
    is the subject (*who is the president?*), *be* is the head. An NP that is marked
    as an adverbial (-TMP, -ADV) is no predicate.

    Args:
        phrase: The constituent.

    Returns:
        The index of the head among the children, None if the table is to decide.
    """
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


def _is_verb(child: Candidate) -> bool:
    if not child.is_word:
        return False
    if child.label in _AUXILIARY_TAGS or child.label in _VERB_TAGS:
        return True
    return child.label == MISSING_TAG


def _is_auxiliary(child: Candidate) -> bool:
    return child.label in _AUXILIARY_TAGS or child.word in _AUXILIARIES


def _is_nominal(child: Candidate) -> bool:
    is_adverbial = any(name in child.functions for name in _ADVERBIAL_FUNCTIONS)
    return child.label in _NOUNS and not is_adverbial


def _is_existential(phrase: Phrase) -> bool:
    return phrase.is_existential or any(
        child.label == "NP" and child.word == "there" for child in phrase.children
    )


RULES: Mapping[str, HeadRules] = {
    "collins": HeadRules(COLLINS_TABLE),
    "semantic": HeadRules(
        SEMANTIC_TABLE, first_conjunct=True, special=head_past_auxiliaries
    ),
}
