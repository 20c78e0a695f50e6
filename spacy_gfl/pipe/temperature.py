"""Fitting the temperature of probabilities to gold trees."""

import math
from collections.abc import Iterable, Sequence

from spacy.training import Example

from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.evaluation.calibration import brier_score, judge_probabilities
from spacy_gfl.pipe.component import ConstituencyParser


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
        ValueError: If there is nothing to judge by, or no temperature to try.
    """
    examples = [one for one in examples if one.reference.spans.get(SPANS_KEY)]
    search = parser.search
    parser.search = trial = search.model_copy(update={"probabilities": True})
    losses: dict[float, float] = {}
    try:
        for temperature in temperatures:
            trial.temperature = temperature
            docs = [example.predicted.copy() for example in examples]
            parser.set_annotations(docs, parser.predict(docs))
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
        raise ValueError("fit_temperature needs temperatures to try; there are none.")
    if any(map(math.isnan, losses.values())):
        raise ValueError(
            "A temperature is fitted to examples with gold trees, of which the "
            "parser finds constituents; there are none."
        )
    search.temperature = min(losses, key=lambda temperature: losses[temperature])
    return search.temperature
