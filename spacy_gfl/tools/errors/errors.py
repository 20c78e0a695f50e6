"""Where a parser goes wrong: wrong brackets, grouped by their cause and named.

One phrase in the wrong place makes several brackets wrong: missing ones, which gold
alone has, and extra ones, which the prediction alone has. Kummerfeld et al. (2012),
"Parser Showdown at the Wall Street Corral", turn the predicted tree into gold node by
node, and name each step by what moves. Here the brackets themselves are compared:

1. Words i to j have *moved* where brackets of one tree have them at an end, and those
   of the other have not: (L, s, j) and (L, s, i), or (L, i, t) and (L, j, t). A move
   explains each wrong bracket that it turns into one of the other tree, and that one
   too if it was wrong. `(VP met (NP (NP him) (PP at noon)))` for
   `(VP met (NP him) (PP at noon))` is a move of two words: without them the extra NP
   is `(NP him)`, which is there already.
2. A missing and an extra bracket of the same words are one with another label.
3. Whichever move or label explains most goes first, until none explains anything.
4. What is left are nodes that one tree has and the other has not. Those of one kind in
   the same correct constituent are one error, and so is a coordination as a whole.

Every wrong bracket belongs to exactly one error. Labels and tags of the
Penn Treebank, and of treebanks that follow it, decide on the kind.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from spacy_gfl import Constituent
from spacy_gfl.evaluation import COLLINS, Parameters, Status, match_brackets
from spacy_gfl.tools.evalb import read_pair, score_pair


class Kind(str, Enum):
    """The kinds of parse errors."""

    PP = "PP attachment"
    CLAUSE = "Clause attachment"  # verb phrases too, such as a participle's
    NP = "NP attachment"  # an apposition, an object, a conjunct of a list
    MODIFIER = "Modifier attachment"  # an adverb, a particle, an adjective phrase
    PARENTHESIS = "Parenthesis"  # what stands between brackets or dashes
    COORDINATION = "Coordination"  # other conjuncts, or conjuncts of other nodes
    NP_INTERNAL = "NP-internal structure"  # words before the head in other groups
    CLAUSE_INTERNAL = "Clause structure"  # clauses and verb phrases of one tree alone
    LABEL = "Different label"
    UNARY = "Unary chain"  # a node over another one of the same words
    SINGLE_WORD = "Single-word phrase"
    OTHER = "Other"


_CLAUSES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ", "VP", "RRC", "FRAG"})
_PREPOSITIONAL = frozenset({"PP", "WHPP"})
_PARENTHESES = frozenset({"PRN", "-LRB-", "-RRB-"})
_CONJUNCTIONS = frozenset({"CC", "CONJP", "UCP"})
_NP = frozenset({"NP", "WHNP"})
_INSIDE_NP = frozenset({"NML", "NX", "NAC", "QP", "ADJP"})
_ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
_MODIFIERS = frozenset(
    {"ADVP", "ADJP", "PRT", "WHADVP", "WHADJP", "RB", "RBR", "RBS", "RP"}
)
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD", "PRP"})
_VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "TO"})


class Error(NamedTuple):
    """Wrong brackets of one cause, which is about the words `start` up to `end`.

    Missing are brackets of gold, extra ones stand in the prediction instead.
    """

    kind: Kind
    start: int
    end: int
    missing: tuple[Constituent, ...]
    extra: tuple[Constituent, ...]

    @property
    def size(self) -> int:
        """How many brackets are wrong."""
        return len(self.missing) + len(self.extra)


@dataclass(frozen=True)
class Diagnosis:
    """The words and brackets of a sentence that count, and its errors in order."""

    words: list[str]
    gold: list[Constituent]
    predicted: list[Constituent]
    errors: list[Error]

    @property
    def size(self) -> int:
        """How many brackets are wrong."""
        return sum(error.size for error in self.errors)


def diagnose(
    gold_text: str, predicted_text: str, parameters: Parameters = COLLINS
) -> Diagnosis | None:
    """Find the errors in a predicted line of brackets.

    It is None where EVALB cannot compare the lines and counts neither.
    """
    if score_pair(gold_text, predicted_text, parameters).status != Status.VALID:
        return None
    gold, predicted = read_pair(gold_text, predicted_text, parameters)
    wanted = parameters.counted(gold.brackets)
    brackets = parameters.counted(predicted.brackets)
    errors = _find_errors(wanted, brackets, gold.tags, parameters)
    return Diagnosis(gold.words, wanted, brackets, errors)


class _Wrong(NamedTuple):
    """A wrong bracket; copies of one have numbers of their own."""

    label: str
    start: int
    end: int
    is_extra: bool
    number: int


# Words, from which to which, and the wrong brackets that come of them.
_Cause: TypeAlias = tuple[int, int, set[_Wrong]]


class _Repair(NamedTuple):
    """A move of words or, of the same words, another label."""

    start: int
    end: int
    is_move: bool
    crossing: int  # in how many of the two trees the words are no row of whole nodes
    explained: frozenset[_Wrong]  # the wrong brackets that it puts right

    def among(self, left: set[_Wrong]) -> set[_Wrong]:
        """The remaining brackets that the repair explains; none if they are too few."""
        explained = left & self.explained
        doubtful = not self.is_move or self.crossing == 2
        return set() if doubtful and len(explained) < 2 else explained


def _find_errors(
    gold: Sequence[Constituent],
    predicted: Sequence[Constituent],
    tags: Sequence[str],
    parameters: Parameters,
) -> list[Error]:
    """Group the wrong brackets by their cause; each is in exactly one error."""
    _, missing, extra = match_brackets(gold, predicted, parameters)
    trees = (_Brackets(gold, tags), _Brackets(predicted, tags))
    left = {
        _Wrong(*bracket, is_extra, number)
        for is_extra, brackets in ((False, missing), (True, extra))
        for number, bracket in enumerate(brackets)
    }
    repairs = [*_relabellings(left), *_moves(left, trees, parameters)]
    correct = _Brackets([*(Counter(gold) - Counter(missing)).elements()], tags)
    groups: defaultdict[tuple[Kind, tuple[int, int]], list[_Cause]] = defaultdict(list)

    def add(kind: Kind, is_wide: bool, cause: _Cause) -> None:
        start, end, _ = cause
        place = correct.around(start, end)[1:] if is_wide else (start, end)
        groups[kind, place].append(cause)

    def rank(repair: _Repair) -> tuple[int, ...]:
        # What follows is attached to what precedes more often than the reverse.
        start, end, is_move, crossing, _ = repair
        return -len(repair.among(left)), is_move, crossing, -start, end

    while repairs and (explained := (best := min(repairs, key=rank)).among(left)):
        left -= explained
        kind = _kind_of_move(best, explained, trees) if best.is_move else Kind.LABEL
        add(kind, kind == Kind.COORDINATION, (best.start, best.end, explained))
    for node in sorted(left):
        kind = _kind_of_node(node, trees)
        is_wide = kind not in (Kind.UNARY, Kind.SINGLE_WORD)
        add(kind, is_wide, (node.start, node.end, {node}))
    errors = [_error(kind, causes) for (kind, _), causes in groups.items()]
    return sorted(errors, key=lambda error: (error.start, error.end))


def _error(kind: Kind, causes: Sequence[_Cause]) -> Error:
    starts, ends, parts = zip(*causes, strict=True)
    wrong = sorted(set().union(*parts), key=lambda b: (b.start, -b.end, b.number))
    missing, extra = (
        tuple(Constituent(*b[:3]) for b in wrong if b.is_extra == is_extra)
        for is_extra in (False, True)
    )
    return Error(kind, min(starts), max(ends), missing, extra)


def _relabellings(wrong: Collection[_Wrong]) -> Iterator[_Repair]:
    """Pairs of a missing and an extra bracket of the same words."""
    sides: defaultdict[tuple[int, int], tuple[list[_Wrong], list[_Wrong]]]
    sides = defaultdict(lambda: ([], []))
    for bracket in sorted(wrong):
        sides[bracket.start, bracket.end][bracket.is_extra].append(bracket)
    for extent, (missing, extra) in sides.items():
        for pair in zip(missing, extra, strict=False):
            yield _Repair(*extent, False, 0, frozenset(pair))


def _moves(
    wrong: Collection[_Wrong],
    trees: tuple["_Brackets", "_Brackets"],
    parameters: Parameters,
) -> Iterator[_Repair]:
    """Words that end up on the right side of an end of some wrong bracket."""
    explained: defaultdict[tuple[int, int], set[_Wrong]] = defaultdict(set)
    for bracket in wrong:
        label, start, end, is_extra, _ = bracket
        others = trees[not is_extra].brackets
        for mate in set(others):
            one_end = (mate.start == start) != (mate.end == end)
            if one_end and (
                not parameters.labelled or parameters.same_label(mate.label, label)
            ):
                i, j = sorted({start, end} ^ {mate.start, mate.end})
                explained[i, j].add(bracket)
    for (start, end), brackets in explained.items():
        crossing = sum(tree.is_crossed(start, end) for tree in trees)
        yield _Repair(start, end, True, crossing, frozenset(brackets))


class _Brackets:
    """The brackets of a tree, in pre-order, over tagged words."""

    def __init__(self, brackets: Sequence[Constituent], tags: Sequence[str]) -> None:
        self.brackets = brackets
        self.words = [Constituent(tag, i, i + 1) for i, tag in enumerate(tags)]

    def is_crossed(self, start: int, end: int) -> bool:
        """Whether a bracket holds only a part of the words, and other words too."""
        return any(
            a < start < b < end or start < a < end < b for _, a, b in self.brackets
        )

    def around(self, start: int, end: int) -> Constituent:
        """The smallest bracket with all of the words and more; else the root."""
        smallest = Constituent("", 0, len(self.words))
        for bracket in self.brackets:
            _, a, b = bracket
            if a <= start and end <= b and (a, b) != (start, end):
                smallest = bracket
        return smallest

    def row(self, start: int, end: int, *, inner: bool = False) -> list[Constituent]:
        """The greatest brackets within an extent, and the words outside of them.

        Inner ones are not of the whole extent.
        """
        greatest: list[Constituent] = []
        left_out = (start, end) if inner else None
        for bracket in self.brackets:
            _, a, b = bracket
            if start <= a and b <= end and (a, b) != left_out:
                greatest += [*self.words[start:a], bracket]
                start = b
        return greatest + self.words[start:end]

    def beside(self, start: int, end: int) -> set[str]:
        """The names of the sisters right before and after an extent."""
        _, a, b = self.around(start, end)
        row = self.row(a, b, inner=True)
        return {name for name, a, b in row if b == start or a == end}


def _kind_of_move(
    move: _Repair,
    explained: Iterable[_Wrong],
    trees: tuple[_Brackets, _Brackets],
) -> Kind:
    start, end = move.start, move.end
    whole = [t for t in trees if not t.is_crossed(start, end)] or list(trees)
    row = [name for name, _, _ in whole[0].row(start, end)]
    names, labels = set(row), {bracket.label for bracket in explained}
    beside = {name for tree in whole for name in tree.beside(start, end)}
    if names & _PARENTHESES:
        return Kind.PARENTHESIS
    if names <= _MODIFIERS:
        return Kind.MODIFIER
    if _CONJUNCTIONS & {row[0], row[-1], *beside, *labels}:
        return Kind.COORDINATION
    if names & _PREPOSITIONAL:
        return Kind.PP
    if names & _CLAUSES:
        return Kind.CLAUSE
    if labels <= _NP | _INSIDE_NP and not names & _NP:
        return Kind.NP_INTERNAL
    if names <= _MODIFIERS | _ADJECTIVES:
        return Kind.MODIFIER
    if names & (_NP | _INSIDE_NP | _NOUNS):
        return Kind.NP
    return Kind.CLAUSE_INTERNAL if labels & _CLAUSES or names & _VERBS else Kind.OTHER


def _kind_of_node(node: _Wrong, trees: tuple[_Brackets, _Brackets]) -> Kind:
    label, start, end, is_extra, _ = node
    own, other = trees[is_extra], trees[not is_extra]
    names = {name for name, _, _ in own.row(start, end, inner=True)}
    if any((start, end) == (a, b) for _, a, b in other.brackets):
        return Kind.UNARY
    if _CONJUNCTIONS & {label, *names, *own.beside(start, end)}:
        return Kind.COORDINATION
    if end - start == 1:
        return Kind.SINGLE_WORD
    if _PARENTHESES & {label, *names}:
        return Kind.PARENTHESIS
    if label in _PREPOSITIONAL:
        return Kind.PP
    if label in _CLAUSES:
        return Kind.CLAUSE_INTERNAL
    if label in _NP | _INSIDE_NP:
        if names & _PREPOSITIONAL:
            return Kind.PP
        if names & _CLAUSES:
            return Kind.CLAUSE
        return Kind.NP if names & _NP else Kind.NP_INTERNAL
    return Kind.MODIFIER if label in _MODIFIERS else Kind.OTHER
