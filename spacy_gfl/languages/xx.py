"""The common scheme: trees of all languages that have no treebank of their own here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spacy_gfl.languages import en
from spacy_gfl.languages.base import UNIVERSAL, Language, Spacing
from spacy_gfl.languages.head_rules import Candidate, Choice, head_rules
from spacy_gfl.trees.tree import Tree

#: The labels of the scheme.
LABELS = {
    "ADJP": "adjective phrase",
    "ADVP": "adverb phrase",
    "CONJP": "conjunction of several words",
    "FRAG": "fragment, or a passage in another language",
    "INTJ": "interjection",
    "NP": "noun phrase, with all that modifies the noun",
    "PP": "prepositional or postpositional phrase",
    "PRN": "parenthetical",
    "QP": "number with the words that qualify it",
    "S": "clause: a statement, question or command",
    "SBAR": "clause with the word that opens it: a relative or subordinate clause",
    "UCP": "coordination of unlike phrases",
    "VP": "verb phrase: the verbs and what they govern",
    "WHADJP": "interrogative or relative adjective phrase",
    "WHADVP": "interrogative or relative adverb phrase",
    "WHNP": "interrogative or relative noun phrase",
    "WHPP": "interrogative or relative prepositional phrase",
}
# Nouns that stand side by side without a label are headed by the first (UD's flat).
_COLLINS = """
    ADJP   left|  ADJ VERB
    ADJP   left   ADJP ADV NUM NOUN
    ADVP   right| ADV
    ADVP   left   ADVP ADP ADJ NOUN
    CONJP  left
    FRAG   left
    INTJ   left
    NP     left|  NOUN SYM
    NP     left|  PROPN
    NP     left   PRON NP NUM QP X ADJ DET VERB ADJP
    PP     left   ADP PP
    PP     left
    PRN    left   S VP NP
    QP     right| NUM
    QP     left   NOUN
    S      left   VP S VERB AUX SBAR NP ADJP
    SBAR   left   SCONJ ADP ADV PRON WHNP WHPP WHADVP WHADJP S VP
    UCP    left
    VP     left|  AUX VERB
    VP     left   VP S ADJP NP
    WHADJP right  ADJ
    WHADVP right  ADV
    WHNP   right| NOUN PROPN
    WHNP   left   PRON DET
    WHPP   left   ADP
"""
# Of a copula with its subject and predicate, the predicate is the last.
_SEMANTIC = """
    PP     left   VERB VP S NP SBAR ADVP PP ADP
    S      left   VP S
    S      right| VERB
    S      right| NP ADJP PP ADVP
    S      left   AUX
    SBAR   left   S VP SBAR NP ADJP
    VP     right| VERB
    VP     left   VP ADJ ADJP
    VP     right| NP PP S
    VP     left   AUX
    WHPP   left   WHNP NP PRON
"""
#: Where nouns follow what modifies them; the first word heads a name.
NOUNS_LAST = """
    ADJP   right| ADJ VERB
    ADJP   right  ADJP ADV NUM NOUN
    NP     right| NOUN VERB ADJ
    NP     left|  PROPN
    NP     right  PRON NP NUM QP X SYM DET ADJP
"""
#: Where verbs in a row are headed by the first.
VERBS_FIRST = """
    VP     left|  VERB
    VP     left   VP ADJ ADJP
    VP     right| NP PP S
    VP     left   AUX
"""
#: Where clauses end with their predicate, too, whichever head is looked for.
PREDICATES_LAST = VERBS_FIRST + "    S      right| VP S VERB NP ADJP"


def first_clauses(_: Tree) -> Choice:
    """Find the first of clauses side by side, wherever predicates stand in them."""

    def choose(at: int, label: str, candidates: Sequence[Candidate]) -> int | None:
        labels = [candidate.label for candidate in candidates]
        is_row = label == "S" and {*labels} <= {"S", "PUNCT"}
        return labels.index("S") if is_row and "S" in labels else None

    return choose


def main_verbs(_: Tree) -> Choice:
    """Find the verb phrase beside the subject: *(VP Vendré) , (VP dijo) (NP ella)*."""

    def choose(at: int, label: str, candidates: Sequence[Candidate]) -> int | None:
        labels = [candidate.label for candidate in candidates]
        phrases = [i for i, name in enumerate(labels) if name == "VP"]
        if label != "S" or len(phrases) < 2 or "CCONJ" in labels:
            return None
        beside = [i for i in phrases if "NP" in labels[max(0, i - 1) : i + 2]]
        return beside[0] if len(beside) == 1 else None

    return choose


def predicates(tree: Tree) -> Choice:
    """Find predicates beside a verb phrase of a copula alone: *(NP Çay) (VP idi)*."""
    children = tree.children()

    def is_copula(at: int) -> bool:
        _, start, end = tree.constituents[at]
        tags = {*tree.tags[start:end]}
        return "AUX" in tags and tags <= {"AUX", "ADV", "PART", "PUNCT"}

    def choose(at: int, label: str, candidates: Sequence[Candidate]) -> int | None:
        labels = [candidate.label for candidate in candidates]
        verbs = [i for i, name in enumerate(labels) if name in ("VP", "S")]
        if label not in ("S", "SBAR") or len(verbs) != 1:
            return None
        [verb] = verbs
        if labels[verb] == "S" or not is_copula(children[at][verb].at):
            return None
        adjectives = [i for i, name in enumerate(labels) if name in ("ADJP", "ADJ")]
        others = [i for i, name in enumerate(labels) if name in ("NP", "PP")]
        after = [i for i in others if i > verb]
        return next(iter([*adjectives, *after, *reversed(others)]), None)

    return choose


def _any_of(*rules: Callable[[Tree], Choice]) -> Callable[[Tree], Choice]:
    """Find what the first of some rules finds."""

    def special(tree: Tree) -> Choice:
        choices = [rule(tree) for rule in rules]

        def choose(at: int, label: str, candidates: Sequence[Candidate]) -> int | None:
            heads = (choice(at, label, candidates) for choice in choices)
            return next((head for head in heads if head is not None), None)

        return choose

    return special


#: What a language of the common scheme does not have from English.
_OWN: dict[str, Any] = {
    "abbreviations": {},
    "tokenizer": {},
    "question_words": "",
    "relative_words": "",
}


def common_language(
    lang: str,
    *,
    heads: str = "",
    semantic: str = "",
    labels: Mapping[str, str] | None = None,
    spacing: Spacing | None = None,
    **own: Any,
) -> Language:
    """A language whose trees are of the common scheme.

    Args:
        lang: spaCy's code.
        heads: Lines as in `head_rules`, all of them of the labels that do not have the
            common rules.
        semantic: Such lines of semantic heads.
        labels: Which words have a label, where that is not as in other languages.
        spacing: The white space between words.
        **own: What else is known of it (`Language`): abbreviations, words that ask.
    """
    meant = {name: f"{LABELS[name]}; {what}" for name, what in (labels or {}).items()}
    given: dict[str, Any] = {**_OWN, **own}
    clauses = [line for line in semantic.splitlines() if line.split()[:1] == ["S"]]
    of_clauses = first_clauses if clauses else main_verbs
    rules = head_rules(
        _changed(_COLLINS, "\n".join([heads, *clauses])),
        _changed(_SEMANTIC, semantic),
        _any_of(predicates, of_clauses),
    )
    collins = replace(rules["collins"], special=of_clauses)
    return replace(
        en.LANGUAGE,
        lang=lang,
        labels={**en.LANGUAGE.labels, **LABELS, **meant},
        tags={**en.LANGUAGE.tags, **dict.fromkeys(sorted(UNIVERSAL), "")},
        punctuation=en.LANGUAGE.punctuation | {"PUNCT"},
        conjunctions=en.LANGUAGE.conjunctions | {"CCONJ"},
        closed_class={},
        heads={**rules, "collins": collins},
        to_common=replace(en.LANGUAGE.to_common, tags={}, govern=True),
        evalb_name="COMMON",
        evalb_deleted=frozenset({"PUNCT"}),
        spacing=spacing or Spacing(),
        **given,
    )


def _changed(table: str, own: str) -> str:
    """Lines of head rules with a language's own in place of those of their labels."""
    lines = [line for line in own.splitlines() if line.strip()]
    labels = {line.split()[0] for line in lines}
    kept = [x for x in table.strip().splitlines() if x.split()[0] not in labels]
    return "\n".join(kept + lines)


LANGUAGE = common_language("xx")
