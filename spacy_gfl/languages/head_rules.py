"""Head rules: which child of a constituent is its head.

"collins" is the table of Collins, *Head-Driven Statistical Models for Natural
Language Parsing* (1999), appendix A, with its rules for noun phrases and for
coordination. "semantic" makes content words heads, by the principles of Stanford
dependencies (de Marneffe, MacCartney and Manning 2006, section 2): the main verb
instead of its auxiliaries, the predicate instead of the copula, the clause instead of
its complementizer, the first of several conjuncts; a preposition stays the head
of its phrase. The table is this project's own, for trees without function tags.

Four things go beyond Collins, whose trees had no punctuation and only his
labels: punctuation is a head only where there is nothing else; CONJP coordinates as
CC does; NX and NML follow the rule of NP; a constituent of a label without a rule is
headed by its leftmost child.

Other languages have tables of their own under the same two names (`LANGUAGES`); a
language without has leftmost heads (`LEFTMOST`).
"""

import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from spacy_gfl.trees.labels import TAGS
from spacy_gfl.trees.tree import MISSING_TAG

PUNCTUATION_TAGS = frozenset(
    # The last two are ICON's and GreynirCorpus's.
    {",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "PUN", "grm"}
)
CONJUNCTIONS = frozenset({"CC", "CONJP", "CCN", "C"})
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
        label: The label without function tags, or a word's tag.
        functions: The function tags, "-TMP-1" of "NP-TMP-1".
        word: The word, or a constituent's head word, in lower case.
        is_word: Whether the child is a word.
    """

    label: str
    functions: str
    word: str
    is_word: bool

    def is_punctuation(self) -> bool:
        return self.is_word and self.label in PUNCTUATION_TAGS


class Phrase(NamedTuple):
    """A constituent as head rules see it.

    Attributes:
        label: The label without function tags.
        children: The children, left to right.
        is_existential: Whether it is a verb phrase, or part of one, after the
            existential *there* (tag EX).
        is_asked: Whether it is a clause after a wh-phrase that may be its predicate
            (*where*, *who*, *how old*), or a verb phrase of such a clause.
    """

    label: str
    children: Sequence[Candidate]
    is_existential: bool = False
    is_asked: bool = False


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

    def order(self, children: Sequence[Candidate]) -> Sequence[int]:
        """The indices of children in the order in which they are looked at."""
        order = range(len(children))
        return order if self.direction == "left" else order[::-1]


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

    Raises:
        ValueError: A label has no steps, or one that goes neither left nor right.
    """

    table: Mapping[str, tuple[Step, ...]]
    first_conjunct: bool = False
    special: Callable[[Phrase], int | None] | None = None

    def __post_init__(self) -> None:
        for label, steps in self.table.items():
            directions = {step.direction for step in steps}
            if not directions or not directions <= {"left", "right"}:
                raise ValueError(f'{label} needs steps "left" or "right", not {steps}')

    def find(self, phrase: Phrase) -> int:
        """Find the head of a constituent that has children: its index among them."""
        head = self.special(phrase) if self.special else None
        if head is None:
            head = self._search(phrase)
        return self._conjunct(phrase.children, head)

    def _search(self, phrase: Phrase) -> int:
        """The first child that a step finds.

        A word without tag passes for any tag, but in a clause (S).
        """
        children = phrase.children
        steps = self.table.get(phrase.label, (Step("left", ()),))
        for step in steps:
            choices = [(x,) for x in step.labels] if step.in_order else [step.labels]
            for labels in choices:
                any_tag = phrase.label != "S" and not TAGS.isdisjoint(labels)
                for i in step.order(children):
                    label = children[i].label
                    if label in labels or (any_tag and label == MISSING_TAG):
                        return i
        order = steps[-1].order(children)
        return next((i for i in order if not children[i].is_punctuation()), order[0])

    def _conjunct(self, children: Sequence[Candidate], head: int) -> int:
        """The head of a coordination, given one that stands in it."""
        if head < 2 or children[head - 1].label not in CONJUNCTIONS:
            return head
        before = _previous(children, head - 1)
        if before is None:
            return head
        while self.first_conjunct:
            # a, b and c; a and b and c: on to the left while these separate the like.
            further = _previous(children, before)
            if further is not None and children[further].label in CONJUNCTIONS:
                further = _previous(children, further)
            elif further == before - 1:
                return before
            if further is None or (
                children[further].label[:2] != children[before].label[:2]
            ):
                return before
            before = further
        return before


def _previous(children: Sequence[Candidate], index: int) -> int | None:
    """The last child before an index that is not punctuation."""
    before = reversed(range(index))
    return next((i for i in before if not children[i].is_punctuation()), None)


@lru_cache(maxsize=4096)
def tag_of(word: str, tag: str) -> str:
    """Find the tag of a word; of one that has none (XX), if the word tells it."""
    if tag != MISSING_TAG:
        return tag
    if all(unicodedata.category(character).startswith("P") for character in word):
        return "CC" if word == "&" else ":"
    return _CLOSED_CLASS.get(word.lower().replace("’", "'"), MISSING_TAG)


def _table(text: str) -> dict[str, tuple[Step, ...]]:
    """Read lines of a label, a direction and labels, a step each.

    `left|` takes any of the labels; a label's lines are tried in turn. NML and NX are
    headed as NP is, where that is in the table.
    """
    table: dict[str, tuple[Step, ...]] = {}
    for line in text.strip().splitlines():
        label, direction, *labels = line.split()
        step = Step(direction.rstrip("|"), tuple(labels), not direction.endswith("|"))
        table[label] = (*table.get(label, ()), step)
    nominal = table.get("NP")
    return {**table, "NML": nominal, "NX": nominal} if nominal else table


#: Leftmost children are heads.
LEFTMOST = HeadRules({})
_COLLINS = """
    ADJP   left   NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
    ADVP   right  RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
    CONJP  right  CC RB IN
    FRAG   right
    INTJ   left
    LST    right  LS :
    NAC    left   NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
    NP     right| NN NNP NNPS NNS NX NML POS JJR
    NP     left   NP
    NP     right| $ ADJP PRN
    NP     right  CD
    NP     right| JJ JJS RB QP
    NP     right
    PP     right  IN TO VBG VBN RP FW
    PRN    left
    PRT    right  RP
    QP     left   $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
    RRC    right  VP NP ADVP ADJP PP
    S      left   TO IN VP S SBAR ADJP UCP NP
    SBAR   left   WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
    SBARQ  left   SQ S SINV SBARQ FRAG
    SINV   left   VBZ VBD VBP VB MD VP S SINV ADJP NP
    SQ     left   VBZ VBD VBP VB MD VP SQ
    UCP    right
    VP     left   TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
    WHADJP left   CC WRB JJ ADJP
    WHADVP right  CC WRB
    WHNP   left   WDT WP WP$ WHADJP WHPP WHNP
    WHPP   right  IN TO FW
"""
_SEMANTIC = """
    ADJP   right  $
    ADJP   right| JJ JJR JJS VBN VBG NN NNS FW
    ADJP   left   ADJP QP CD
    ADJP   right| RB RBR RBS ADVP DT
    ADJP   left   NP
    ADVP   right| RB RBR RBS FW WRB JJ JJR JJS
    ADVP   left   ADVP
    ADVP   right| IN RP CD NN NP DT
    FRAG   left   VP S SQ SBARQ SINV SBAR FRAG NP ADJP ADVP PP
    NP     right| NN NNS NNP NNPS NX NML FW
    NP     left   NP PRP WP EX
    NP     right  $ CD QP
    NP     right| JJ JJR JJS ADJP VBN VBG
    NP     right| DT PDT PRP$ RB ADVP
    NP     right
    PP     right  IN TO VBG VBN RP FW
    PP     left   PP
    PRN    left   VP S SQ SINV SBAR NP ADJP PP ADVP INTJ
    QP     right  $
    QP     right| NNS NN CD
    QP     right| JJ DT PDT RB
    S      left   VP S SBAR ADJP UCP FRAG
    S      right  NP
    SBAR   left   S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT
    SINV   left   VP VBZ VBD VBP VB MD S SINV ADJP NP
    SQ     left   VP
    SQ     left|  S SQ
    SQ     left   VBZ VBD VBP VB MD ADJP NP
    UCP    left
    WHADJP right| JJ JJR ADJP
    WHADJP right| RB WHADVP
    WHADJP right
    WHADVP right| WRB WHADVP RB JJ
    WHNP   right| NN NNS NNP NNPS NX NML
    WHNP   left   WHNP NP WP
    WHNP   right  $ CD
    WHNP   right| JJ JJR JJS RB QP
    WHNP   left   WHPP WHADJP WP$ WDT
"""

_BE = frozenset(
    ["be", "is", "am", "are", "was", "were", "been", "being", "'m", "'re", "'s", "ai"]
)
_OTHER_AUXILIARIES = """
    have has had having 've 'd do does did get gets got getting gotten
    will would wo can could ca may might shall should sha must 'll to
"""
_AUXILIARIES = _BE.union(_OTHER_AUXILIARIES.split())
_AUXILIARY_TAGS = frozenset({"MD", "TO", "AUX", "AUXG"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_ADJECTIVES = frozenset({"ADJP", "UCP", "WHADJP", "JJ", "JJR", "JJS"})
_NOUNS = frozenset({"NP", "WHNP", "NML", "NX", "NN", "NNS", "NNP", "NNPS", "PRP"})
_ADVERBIAL_FUNCTIONS = ("-TMP", "-ADV", "-LOC")
_PLACES = frozenset({"PP", "ADVP", "SBAR"})
_TIME_WORDS = """
    today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday
    sunday minute minutes hour hours morning afternoon evening night day days week weeks
    weekend month months year years
"""
_TIMES = frozenset(_TIME_WORDS.split())


def _head_beside_auxiliary(phrase: Phrase) -> int | None:
    """Find the head of a verb phrase or clause whose first verb is an auxiliary.

    A VP, SQ or SINV with an auxiliary is headed by the verb phrase that the
    auxiliary goes with. One with a form of *be* alone is headed by its adjectival
    or nominal predicate; before a prepositional phrase, an adverb or a clause (*is
    in the garden*), after the existential *there*, and where the only noun phrase
    is the subject (*who is the president?*), *be* is the head. An NP that is marked
    as an adverbial (-TMP, -ADV), or tells the time after one of these (*is in the
    garden this week*) or after a wh-phrase (*where were you last night?*), is no
    predicate.
    """
    if phrase.label not in ("VP", "SQ", "SINV"):
        return None
    children = list(enumerate(phrase.children))
    verb_tags = {*_AUXILIARY_TAGS, *_VERB_TAGS, MISSING_TAG}
    verbs = (i for i, child in children if child.is_word and child.label in verb_tags)
    at = next(verbs, None)
    if at is None:
        return None
    verb, after = phrase.children[at], children[at + 1 :]
    if verb.label not in _AUXILIARY_TAGS and verb.word not in _AUXILIARIES:
        return None
    for i, child in after:
        if child.label == "VP" or (child.is_word and child.label in _VERB_TAGS):
            return i
    is_existential = phrase.is_existential or any(
        child.label == "NP" and child.word == "there" for child in phrase.children
    )
    if verb.word not in _BE or is_existential:
        return None
    adjectives = [i for i, child in after if child.label in _ADJECTIVES]
    nouns = [
        i
        for i, child in after
        if child.label in _NOUNS
        and not any(name in child.functions for name in _ADVERBIAL_FUNCTIONS)
        and not (
            child.word in _TIMES
            and (phrase.is_asked or any(c.label in _PLACES for j, c in after if j < i))
        )
    ]
    if phrase.label == "VP":
        # The first of either kind: what follows it modifies it.
        return min(adjectives + nouns, default=None)
    # In a question the first noun phrase after the verb is the subject.
    return next(iter(adjectives + nouns[1:]), None)


# Indonesian, in ICON's labels: heads stand first. Markers of tense and mood (TAME) go
# with a verb phrase, which is the head.
_INDONESIAN = """
    ADJP   left|  ADJ
    ADJP   left   ADJP VP NP
    ADVP   left|  ADV
    ADVP   left   ADVP
    CONJP  left|  CCN CSN
    CP     left   CSN WHADVP WHNP CP VP S SINV ADJP
    NP     left|  NNO NNP PRN PRI NP
    NP     left   QP NUM KUA
    PP     left   PPO PP
    QP     right| NUM KUA
    RPN    left   PRR RPN
    S      left   VP S SINV CP ADJP
    S      right  NP
    SBARQ  left   S SINV VP ADJP NP
    SINV   left   VP S SINV ADJP NP
    VP     left|  VBT VBI VBP VBL
    VP     left   VP ADJP ADJ NP NNO
    WHNP   left   PRI WHNP NP
"""
_INDONESIAN_SEMANTIC = """
    CP     left   VP S SINV ADJP CP NP
    RPN    left   VP S SINV ADJP UCP VBT VBI VBP ADJ NP PP RPN
    S      left   VP S SINV ADJP CP
    S      right  NP
"""
# Icelandic, in GreynirCorpus's: a finite verb and what it governs are both VP.
_ICELANDIC = """
    ADVP   left|  ao eo
    ADVP   left   ADVP PP P NP
    C      left|  st stt
    CP     left   C CP IP
    IP     left   VP IP NP
    NP     left|  no person sérnafn fyrirtæki entity pfn abfn
    NP     left   NP fn lo to töl tala CP
    P      left   fs P
    PP     left   P PP
    S      left   IP S CP NP
    VP     left   so VP
"""
_ICELANDIC_SEMANTIC = """
    CP     left   IP CP VP NP C
    VP     left   so
    VP     right  VP
"""


def _rules(
    collins: str,
    semantic: str,
    special: Callable[[Phrase], int | None] | None = None,
) -> Mapping[str, HeadRules]:
    """The rules of a language; semantic lines stand for a label's Collins lines."""
    table = _table(collins)
    semantic_table = {**table, **_table(semantic)}
    return {
        "collins": HeadRules(table),
        "semantic": HeadRules(semantic_table, first_conjunct=True, special=special),
    }


#: For each language what each name of rules stands for.
LANGUAGES: Mapping[str, Mapping[str, HeadRules]] = {
    "en": _rules(_COLLINS, _SEMANTIC, _head_beside_auxiliary),
    "id": _rules(_INDONESIAN, _INDONESIAN_SEMANTIC),
    "is": _rules(_ICELANDIC, _ICELANDIC_SEMANTIC),
}
RULES = LANGUAGES["en"]


def rules_for(name: str, lang: str = "en") -> HeadRules:
    """Find the head rules of a language.

    Args:
        name: "collins" or "semantic".
        lang: The language's code. Of one without a table the rules are `LEFTMOST`,
            with a warning.

    Raises:
        ValueError: There are no rules of this name.
    """
    if name not in RULES:
        names = '" or "'.join(RULES)
        raise ValueError(f'head rules are "{names}", not {name!r}')
    if lang not in LANGUAGES:
        warnings.warn(
            f'There are no head rules for the language "{lang}": leftmost children '
            "are heads. Give HeadRules of your own, or see "
            "spacy_gfl.languages.head_rules.LANGUAGES.",
            stacklevel=2,
        )
    return LANGUAGES.get(lang, {}).get(name, LEFTMOST)
