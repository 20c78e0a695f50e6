"""Whether the probabilities of constituents say how often these are right."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from spacy_gfl.annotation.alignment import character_offsets
from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    group_constituents,
    numbers_beside,
)
from spacy_gfl.trees.tree import Constituent


class Judged(NamedTuple):
    """A predicted constituent: its probability, and whether gold has it."""

    probability: float
    right: bool


class Bin(NamedTuple):
    """Constituents of like probability: how many, their mean, the share of right ones.

    Without any, both figures are NaN.
    """

    number: int
    probability: float
    right: float


def judge_probabilities(
    gold: Doc, predicted: Doc, *, spans_key: str = SPANS_KEY
) -> list[Judged]:
    """Judge the constituents of a Doc that have a probability.

    A constituent is right if gold, a Doc of the same text, has its label (as it stands,
    functions and all) over the same characters, white space left out. Of two equal
    constituents, both are right if gold has two. `spans_key` names the predicted trees.

    Raises:
        ValueError: A Doc has no trees.
        TreeError: The tokens of a Doc have been changed since it got its trees.
    """
    unused = Counter(_in_characters(gold, SPANS_KEY))
    nodes, group = _in_characters(predicted, spans_key), predicted.spans[spans_key]
    known = numbers_beside(group, "probabilities", len(group)) or ()
    judged = []
    for node, probability in zip(nodes, known, strict=False):
        if not math.isnan(probability):
            judged.append(Judged(probability, unused[node] > 0))
            unused[node] -= 1
    return judged


def _in_characters(doc: Doc, spans_key: str) -> list[Constituent]:
    """The constituents of a Doc; extents count characters but white space."""
    at, nodes = character_offsets(doc), group_constituents(doc, spans_key)
    return [Constituent(label, at[start], at[end]) for label, start, end in nodes]


def reliability(judged: Iterable[Judged]) -> list[Bin]:
    """Probabilities in ten bins of equal width, [0, 0.1) to [0.9, 1]."""
    bins: list[list[Judged]] = [[] for _ in range(10)]
    for one in judged:
        bins[min(int(one.probability * 10), 9)].append(one)
    return [
        Bin(
            len(members),
            _mean([one.probability for one in members]),
            _mean([one.right for one in members]),
        )
        for members in bins
    ]


def expected_calibration_error(judged: Iterable[Judged]) -> float:
    """How far probabilities are from shares of what is right, on average, 0 to 1.

    The mean over constituents of the absolute difference between their bin's mean
    probability and its share of right ones; NaN without any.
    """
    bins = reliability(judged)
    distances = [
        abs(one.probability - one.right) for one in bins for _ in range(one.number)
    ]
    return _mean(distances)


def brier_score(judged: Iterable[Judged]) -> float:
    """The mean squared difference of probability and truth; NaN without any."""
    return _mean([(one.probability - one.right) ** 2 for one in judged])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
