"""`spacy_gfl.Ensemble.v1`: several trained parsers as a model of thinc."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_gfl.decoding.network import Network
from spacy_gfl.model.model import ModelInput, build_model, codec_of, network_shim
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.seq2seq.ensemble_network import NOT_TRAINED, EnsembleNetwork


def build_ensemble(*members: Model[ModelInput, Any]) -> Model[ModelInput, Any]:
    """Several trained parsers that write each tree together, in one search.

    At every step, the probability of a choice is the geometric mean of what the members
    give it (their log-probabilities are averaged), divided by the sum
    over all choices. So a tree's probability is one of a distribution over trees.
    `spacy-gfl ensemble` makes pipelines with it; it cannot be trained.

    Args:
        *members: Models of one architecture, each with its own tok2vec. In a config
            they have names: `[components.constituency_parser.model.*.first]`.

    Returns:
        A model that gives what its members would, but for the loss.

    Raises:
        ValueError: If there is none, or they cannot choose together.
    """
    kinds = {codec_of(model).kind for model in members}
    builds = [network_shim(model).build for model in members]
    if any(isinstance(build, partial) for build in builds):
        raise ValueError(
            "A member of the ensemble is an ensemble itself. Give the pipelines "
            "that it was made from."
        )
    if len(kinds) != 1:
        raise ValueError(
            "The members of an ensemble must have the same architecture, not "
            f"{', '.join(sorted(kinds)) or 'none'}."
        )
    for name in cast(type[Network], builds[0]).common_settings:
        values = {model.attrs["shape"][name] for model in members}
        if len(values) != 1:
            raise ValueError(
                f"The members of an ensemble must have the same {name}, not "
                f"{', '.join(map(str, sorted(values)))}."
            )
    layers = [model.get_ref("tok2vec") for model in members]
    joined = build_model(
        Model("side_by_side", _side_by_side, layers=layers),
        NetworkShim(build=partial(EnsembleNetwork, builds[0])),
        dict(members[0].attrs["shape"]),
        codec=codec_of(members[0]),
        dropout=None,
        train_batch_words=0,
    )
    joined.init = _refuse_training
    return joined


def _side_by_side(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[Any], list[Doc]]]:
    """The word vectors of several trained layers, one beside the other."""
    vectors = [layer.predict(docs) for layer in model.layers]
    rows = [model.ops.xp.hstack(of_doc) for of_doc in zip(*vectors, strict=True)]
    return rows, lambda gradients: []


def _refuse_training(model: Model, X: Any = None, Y: Any = None) -> Model:
    if Y is not None and network_shim(model).network is None:
        raise ValueError(NOT_TRAINED)
    return model
