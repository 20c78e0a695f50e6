"""Write a pipeline whose parser has the mean of the weights of several parsers.

    python scripts/mean_weights.py OUT PIPELINE PIPELINE...

The parsers must have gone on from one parser: weights that began elsewhere stand for
other things in other places. Their mean is as fast as one of them, and often better
than each.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy
import spacy
import torch
from spacy.language import Language
from thinc.api import Model

PARSER = "constituency_parser"


def mean_parser(names: Sequence[str]) -> Language:
    """The first pipeline, with the mean of all parsers' weights.

    Raises:
        ValueError: If the parsers are not of one shape.
    """
    pipelines = [spacy.load(name) for name in names]
    models = [nlp.get_pipe(PARSER).model for nlp in pipelines]
    for nodes in zip(*(model.walk() for model in models), strict=True):
        take_mean(nodes)
    return pipelines[0]


def take_mean(nodes: Sequence[Model]) -> None:
    """Give the first of some layers the mean of the weights of all."""
    first, *_ = nodes
    for name in filter(first.has_param, first.param_names):
        weights = [node.get_param(name) for node in nodes]
        if len({array.shape for array in weights}) > 1:
            raise ValueError(f"The parsers differ in the shape of {first.name}.")
        first.set_param(name, numpy.mean(weights, axis=0))
    for shims in zip(*(node.shims for node in nodes), strict=True):
        if shims[0]._model is None:  # A wrapper whose network another node holds.
            continue
        states = [shim._model.state_dict() for shim in shims]
        for key, weights in states[0].items():
            others = [state[key] for state in states]
            if len({tensor.shape for tensor in others}) > 1:
                raise ValueError(f"The parsers differ in the shape of {key}.")
            if weights.is_floating_point():
                weights.copy_(torch.stack(others).mean(dim=0))


def main() -> None:
    """Write the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the pipeline")
    parser.add_argument("pipelines", nargs="+", help="trained pipelines")
    arguments = parser.parse_args()
    mean_parser(arguments.pipelines).to_disk(arguments.out)


if __name__ == "__main__":
    main()
