"""Whether scores of constituents say how often they are right."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from spacy.tokens import Doc

from spacy_gfl.annotation.alignment import fold
from spacy_gfl.annotation.storage import SPANS_KEY, numbers_beside
from spacy_gfl.trees.tree import Constituent


class Judged(NamedTuple):
    """A predicted constituent: its score, and whether gold has it."""

    score: float
    right: bool


class Bin(NamedTuple):
    """Constituents of like scores.

    Attributes:
        number: How many there are.
        score: Their mean score, NaN of none.
        right: The share of them that is right, NaN of none.
    """

    number: int
    score: float
    right: float


def judge_scores(
    gold: Doc, predicted: Doc, *, spans_key: str = SPANS_KEY, gold_key: str = SPANS_KEY
) -> list[Judged]:
    """Judge the constituents of a Doc that have a score.

    One is right if gold has its label (as it stands, functions and all) over the same
    characters, white space left out. Of two that are the same, both are right if gold
    has two.

    Args:
        gold: A Doc with gold trees.
        predicted: A Doc of the same text with predicted ones.
        spans_key: Where the predicted Doc has its trees, in `doc.spans`.
        gold_key: Where the gold Doc has its trees.
    """
    unused = Counter(_constituents(gold, gold_key))
    group = predicted.spans[spans_key]
    scores = numbers_beside(group, "scores", len(group)) or ()
    judged = []
    for node, score in zip(_constituents(predicted, spans_key), scores, strict=False):
        if not math.isnan(score):
            judged.append(Judged(score, unused[node] > 0))
            unused[node] -= 1
    return judged


def _constituents(doc: Doc, spans_key: str) -> list[Constituent]:
    """The constituents of a Doc; extents count characters but white space."""
    sizes = (len(fold(token.text)) for token in doc)
    at = list(accumulate(sizes, initial=0))
    return [
        Constituent(span.label_, at[span.start], at[span.end])
        for span in doc.spans[spans_key]
    ]


def reliability(judged: Iterable[Judged], n_bins: int = 10) -> list[Bin]:
    """Scores in bins of equal width, [0, 1/n) to [1 - 1/n, 1]."""
    bins: list[list[Judged]] = [[] for _ in range(n_bins)]
    for one in judged:
        bins[min(int(one.score * n_bins), n_bins - 1)].append(one)
    return [
        Bin(
            len(members),
            _mean([one.score for one in members]),
            _mean([one.right for one in members]),
        )
        for members in bins
    ]


def expected_calibration_error(judged: Iterable[Judged], n_bins: int = 10) -> float:
    """How far scores are from shares of what is right, on average, 0 to 1.

    The mean over constituents of the absolute difference between their bin's mean
    score and its share of right ones; NaN of none.
    """
    bins = [one for one in reliability(judged, n_bins) if one.number]
    total = sum(one.number for one in bins)
    if not total:
        return math.nan
    return sum(one.number * abs(one.score - one.right) for one in bins) / total


def brier_score(judged: Iterable[Judged]) -> float:
    """The mean squared difference of score and truth, 0 at best; NaN of none.

    It is least, on average, for scores that are the true probabilities.
    """
    return _mean([(one.score - one.right) ** 2 for one in judged])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
