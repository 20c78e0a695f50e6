"""An observer that says how probable constituents are (`search.probabilities`)."""

import math
from collections.abc import Sequence

from spacy.tokens import Doc

from spacy_gfl.pipe.observers import Observed
from spacy_gfl.pipe.parses import Parse
from spacy_gfl.pipe.posteriors import occurrences, posteriors


def observe_probabilities(
    parser: Observed, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]]
) -> list[dict[str, list[float]]]:
    """How probable each constituent of each Doc is, NaN where no trees were drawn."""
    return [
        {"probabilities": [p for parse in in_doc for p in _probabilities(parse)]}
        for in_doc in parses
    ]


def _probabilities(parse: Parse) -> list[float]:
    nodes = occurrences(parse.constituents)
    if not nodes or not parse.drawn:
        # A tree without constituents has a span that says so.
        return [math.nan] * (len(nodes) or int(len(parse.words) > 0))
    known = posteriors(parse.drawn)
    return [known.get(node, 0.0) for node in nodes]
