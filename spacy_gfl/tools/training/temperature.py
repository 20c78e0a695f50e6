"""Fitting the temperature of probabilities to gold trees."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.alignment import character_offsets
from spacy_gfl.annotation.storage import SPANS_KEY, group_constituents, numbers_beside
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.trees.tree import Constituent


class Judged(NamedTuple):
    """A predicted constituent: its probability, and whether gold has it."""

    probability: float
    right: bool


def fit_temperature(
    parser: ConstituencyParser,
    examples: Iterable[Example],
    temperatures: Sequence[float] = (0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5),
) -> float:
    """Set `search.temperature` so that constituents are right as often as their
    probabilities say: models are surer than they should be.

    Args:
        parser: The trained component.
        examples: Gold trees that the model has not been trained on; those without
            trees are left out. Predicted Docs need sentences, and what the model
            listens to.
        temperatures: Temperatures to try, with one parse of all examples each.

    Returns:
        The temperature with the least Brier score, which is set.

    Raises:
        TypeError: If `parser` is a pipeline.
        ValueError: If there is nothing to judge by, or no temperature to try.
    """
    if isinstance(parser, Language):
        raise TypeError("fit_temperature takes a pipeline's parser: get_parser(nlp).")
    examples = [one for one in examples if one.reference.spans.get(SPANS_KEY)]
    search = parser.search
    parser.search = trial = search.model_copy(update={"probabilities": True})
    losses: dict[float, float] = {}
    try:
        for temperature in temperatures:
            trial.temperature = temperature
            copies = [example.predicted.copy() for example in examples]
            docs = parser.pipe(copies)
            judged = [
                one
                for doc, example in zip(docs, examples, strict=True)
                for one in judge_probabilities(
                    example.reference, doc, spans_key=parser.spans_key
                )
            ]
            losses[temperature] = brier_score(judged)
    finally:
        parser.search = search
    if not losses:
        raise ValueError("fit_temperature needs at least one temperature to try.")
    if any(map(math.isnan, losses.values())):
        raise ValueError(
            "fit_temperature needs examples with gold trees in which the parser "
            "finds constituents."
        )
    search.temperature = min(losses, key=lambda temperature: losses[temperature])
    return search.temperature


def judge_probabilities(
    gold: Doc, predicted: Doc, *, spans_key: str = SPANS_KEY
) -> list[Judged]:
    """Judge the constituents of a Doc that have a probability.

    A constituent is right if gold, a Doc of the same text, has its label (as it stands,
    functions and all) over the same characters, white space left out. Two equal
    constituents are both right if gold has two. `spans_key` names the predicted trees.

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


def brier_score(judged: Sequence[Judged]) -> float:
    """The mean squared difference of probability and truth; NaN without any."""
    squares = [(one.probability - one.right) ** 2 for one in judged]
    return sum(squares) / len(squares) if squares else math.nan
