"""EVALB's arithmetic on pairs of trees, each a line of brackets.

EVALB (Sekine and Collins) is the program behind every published bracket score.
What it counts, it counts here, rule by rule, with two differences: no number of
errors stops the scoring, and lines may have any length.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from spacy_gfl.evaluation.lines import BracketLine, put_back_quotations
from spacy_gfl.evaluation.parameters import COLLINS, Parameters
from spacy_gfl.trees.tree import Constituent

# What follows a label proper: function tags and indices. EVALB cuts at the first -
# or = wherever it stands, where `trees.labels.split_label` keeps -LRB- whole.
_FUNCTION = re.compile(r"[-=].*", re.DOTALL)


class Status(IntEnum):
    """What became of a sentence; errors and skips leave all totals."""

    VALID = 0
    ERROR = 1
    SKIP = 2


class Comparison(NamedTuple):
    """Two multisets of brackets of one sentence, compared.

    Attributes:
        matched: The labels of each gold bracket and the predicted one that met it.
        unlabelled: How many brackets agree in extent.
        crossing: How many predicted brackets cross a gold one.
    """

    matched: tuple[tuple[str, str], ...]
    unlabelled: int
    crossing: int


@dataclass(frozen=True)
class SentenceScore:
    """One row of EVALB's table, and what it takes to aggregate it otherwise.

    Numbers of brackets are as EVALB prints them: all 0 where words differ, yet
    counted where only the bracketing is unbalanced.

    Attributes:
        length: Words of the gold sentence, punctuation included, traces not.
        status: What became of the sentence.
        matched: Brackets that agree.
        gold: Brackets in gold.
        predicted: Predicted brackets.
        crossing: Predicted brackets that cross a gold one.
        words: Words that were not deleted.
        correct_tags: Those of them that are tagged as gold.
        unlabelled: Brackets that agree in extent.
        matched_labels: Labels (gold, predicted) of every matched bracket.
        gold_labels: The labels of all gold brackets that count, whatever the status
            is.
        predicted_labels: The same of the predicted brackets.
        gold_words: Words of the gold sentence that were not deleted.
        messages: What EVALB says of the sentence on the standard error stream.
    """

    length: int
    status: Status
    matched: int = 0
    gold: int = 0
    predicted: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    unlabelled: int = 0
    matched_labels: tuple[tuple[str, str], ...] = ()
    gold_labels: tuple[str, ...] = ()
    predicted_labels: tuple[str, ...] = ()
    gold_words: int = 0
    messages: tuple[str, ...] = ()


def counted_brackets(
    brackets: Iterable[tuple[str, int, int]], parameters: Parameters = COLLINS
) -> list[Constituent]:
    """Leave out empty and deleted brackets, and cut the labels of the others.

    Args:
        brackets: Label, start and end of each.
        parameters: Which brackets count.

    Returns:
        Those that count. Labels are cut at the first `-` or `=`: `NP-SBJ=2` is `NP`.
    """
    kept = []
    for label, start, end in brackets:
        label = _FUNCTION.sub("", label)
        if start != end and not parameters.deletes_bracket(label):
            kept.append(Constituent(label, start, end))
    return kept


def compare_brackets(
    gold: Sequence[Constituent],
    predicted: Sequence[Constituent],
    parameters: Parameters = COLLINS,
) -> Comparison:
    """Compare the brackets that count, as multisets.

    A predicted bracket meets at most one gold bracket.
    """
    unused: dict[tuple[int, int], list[str]] = defaultdict(list)
    for label, start, end in predicted:
        unused[start, end].append(label)
    unlabelled = 0
    for extent, number in Counter((start, end) for _, start, end in gold).items():
        unlabelled += min(number, len(unused.get(extent, ())))
    matched = []
    for label, start, end in gold:
        candidates = unused.get((start, end), [])
        for at, other in enumerate(candidates):
            if not parameters.labelled or parameters.same_label(label, other):
                matched.append((label, candidates.pop(at)))
                break
    extents = {(start, end) for _, start, end in gold}
    crossing = sum(_crosses(bracket, extents) for bracket in predicted)
    return Comparison(tuple(matched), unlabelled, crossing)


def _crosses(bracket: Constituent, extents: Iterable[tuple[int, int]]) -> bool:
    _, start, end = bracket
    return any(a < start < b < end or start < a < end < b for a, b in extents)


def score_pair(
    gold_text: str, predicted_text: str, parameters: Parameters = COLLINS
) -> SentenceScore:
    """Score one predicted line against its gold line."""
    gold = BracketLine.read(gold_text, parameters)
    predicted = BracketLine.read(predicted_text, parameters)
    messages = [*gold.messages, *predicted.messages]
    comparable = bool(predicted.words)
    if comparable and len(gold.words) != len(predicted.words):
        put_back_quotations(gold, predicted, parameters)
    if comparable:
        mismatch = _mismatch(gold, predicted, parameters)
        messages.extend(mismatch)
        comparable = not mismatch
    status = Status.ERROR if messages else Status.VALID
    if not predicted.words:
        status = Status.SKIP
    gold_brackets = counted_brackets(gold.brackets(), parameters)
    predicted_brackets = counted_brackets(predicted.brackets(), parameters)
    score = SentenceScore(
        length=gold.length,
        status=status,
        gold_labels=_labels(gold_brackets),
        predicted_labels=_labels(predicted_brackets),
        gold_words=len(gold.words),
        messages=tuple(messages),
    )
    if not comparable:
        return score
    found = compare_brackets(gold_brackets, predicted_brackets, parameters)
    return replace(
        score,
        matched=len(found.matched),
        gold=len(gold_brackets),
        predicted=len(predicted_brackets),
        crossing=found.crossing,
        words=len(gold.words),
        correct_tags=sum(map(parameters.same_label, gold.tags, predicted.tags)),
        unlabelled=found.unlabelled,
        matched_labels=found.matched,
    )


def _labels(brackets: Iterable[Constituent]) -> tuple[str, ...]:
    return tuple(bracket.label for bracket in brackets)


def _mismatch(
    gold: BracketLine, predicted: BracketLine, parameters: Parameters
) -> list[str]:
    """What keeps the words of two lines from being compared, if anything."""
    if len(gold.words) != len(predicted.words):
        return [f"Length unmatch ({len(gold.words)}|{len(predicted.words)})"]
    for word, other in zip(gold.words, predicted.words, strict=True):
        if not parameters.same_word(word, other):
            return [f"Words unmatch ({word}|{other})"]
    return []


def score_lines(
    gold: Iterable[str], predicted: Iterable[str], parameters: Parameters = COLLINS
) -> list[SentenceScore]:
    """Score line i of the predictions against line i of gold.

    Raises:
        ValueError: There are more lines of one than of the other.
    """
    gold, predicted = list(gold), list(predicted)
    if len(gold) != len(predicted):
        raise ValueError(
            f"There are {len(gold)} gold trees but {len(predicted)} predicted ones."
        )
    return [
        score_pair(line, other, parameters)
        for line, other in zip(gold, predicted, strict=True)
    ]
