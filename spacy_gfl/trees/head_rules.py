"""Head rules: which child of a constituent is its head.

"collins" is the table of Collins, *Head-Driven Statistical Models for Natural
Language Parsing* (1999), appendix A, with its rules for noun phrases and for
coordination. "semantic" makes content words heads, as Stanford dependencies have
them (de Marneffe, MacCartney and Manning 2006, section 2): the main verb instead
of its auxiliaries, the predicate instead of the copula, the clause instead of
its complementizer, the first of several conjuncts; a preposition stays the head
of its phrase. The semantic table is this project's own, made to these principles
and for trees without function tags; see `spacy_gfl.trees.semantic_heads` for verbs.

Three things go beyond Collins, whose trees had no punctuation and only his
labels: punctuation is a head only where there is nothing else; NX and NML follow
the rule of NP; a constituent of a label without a rule is headed by its leftmost
child.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Tuple

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


class Child(NamedTuple):
    """A child of a constituent.

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
        return self.is_word and self.label in PUNCTUATION_TAGS


class Phrase(NamedTuple):
    """What a rule sees of a constituent.

    label: Its label without function tags.
    children: Its children, left to right.
    is_existential: Whether it is a verb phrase, or part of one, after the
        existential *there* (tag EX).
    """

    label: str
    children: Sequence[Child]
    is_existential: bool = False


class Step(NamedTuple):
    """One search among the children.

    direction: "left" looks from the left end on, "right" from the right end.
    labels: What is looked for.
    in_order: Whether the labels are tried one after the other, rather than the
        first child taken that has any of them.
    """

    direction: str
    labels: Tuple[str, ...]
    in_order: bool = True


@dataclass(frozen=True)
class HeadRules:
    """Rules that find the head child of a constituent.

    table: For a label its steps, tried in turn. If none finds a child, the head
        is the outermost child in the direction of the last step that is not
        punctuation; for a label that is not in the table, the leftmost.
    first_conjunct: Whether the head of a coordination is the first conjunct,
        rather than the one before the conjunction (Collins).
    special: Tried before the table: the index of the head among the children,
        None where the table is to decide.
    untagged: Labels whose words without tag are never heads by a tag's rule.
    """

    table: Mapping[str, Tuple[Step, ...]]
    first_conjunct: bool = False
    special: Optional[Callable[[Phrase], Optional[int]]] = None
    untagged: frozenset[str] = frozenset({"S"})

    def find(self, phrase: Phrase) -> int:
        """The index of the head among the children of a constituent."""
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

    def _conjunct(self, children: Sequence[Child], head: int) -> int:
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


def _previous(children: Sequence[Child], index: int) -> Optional[int]:
    """The child before this one that is not punctuation."""
    before = range(index - 1, -1, -1)
    return next((i for i in before if not children[i].is_punctuation()), None)


def _ordered(children: Sequence[Child], direction: str) -> Sequence[int]:
    order = range(len(children))
    return order if direction == "left" else order[::-1]


def _take(children: Sequence[Child], step: Step, knows_tags: bool) -> Optional[int]:
    """The first child a step finds. A word without tag passes for any tag."""
    order = _ordered(children, step.direction)
    choices = [(label,) for label in step.labels] if step.in_order else [step.labels]
    for labels in choices:
        any_tag = knows_tags and any(label in _TAGS for label in labels)
        for i in order:
            label = children[i].label
            if label in labels or (any_tag and label == MISSING_TAG):
                return i
    return None


@lru_cache(maxsize=4096)
def tag_of(word: str, tag: str) -> str:
    """The tag; where it is XX, that of a word that can be told by itself."""
    if tag != MISSING_TAG:
        return tag
    if all(unicodedata.category(character).startswith("P") for character in word):
        return "CC" if word == "&" else ":"
    return _CLOSED_CLASS.get(word.lower().replace("’", "'"), MISSING_TAG)


def _steps(*steps: Tuple[str, str]) -> Tuple[Step, ...]:
    """Steps written as (direction, labels); `left|` takes any of the labels."""
    return tuple(
        Step(direction.rstrip("|"), tuple(labels.split()), "|" not in direction)
        for direction, labels in steps
    )


def _tags(tables: Iterable[Mapping[str, Tuple[Step, ...]]]) -> frozenset[str]:
    """The labels in tables that are tags of words."""
    named = {
        label
        for table in tables
        for steps in table.values()
        for step in steps
        for label in step.labels
    }
    phrases = {label for table in tables for label in table} | {"WHNP", "ADJP"}
    return frozenset(named - phrases)


_COLLINS_NP = _steps(
    ("right|", "NN NNP NNPS NNS NX NML POS JJR"),
    ("left", "NP"),
    ("right|", "$ ADJP PRN"),
    ("right", "CD"),
    ("right|", "JJ JJS RB QP"),
    ("right", ""),
)

COLLINS_TABLE: Mapping[str, Tuple[Step, ...]] = {
    "ADJP": _steps(
        (
            "left",
            "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB",
        )
    ),
    "ADVP": _steps(("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN")),
    "CONJP": _steps(("right", "CC RB IN")),
    "FRAG": _steps(("right", "")),
    "INTJ": _steps(("left", "")),
    "LST": _steps(("right", "LS :")),
    "NAC": _steps(
        (
            "left",
            "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW",
        )
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

SEMANTIC_TABLE: Mapping[str, Tuple[Step, ...]] = {
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
    "SBAR": _steps(
        ("left", "S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT"),
    ),
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

_TAGS = _tags([COLLINS_TABLE, SEMANTIC_TABLE])
