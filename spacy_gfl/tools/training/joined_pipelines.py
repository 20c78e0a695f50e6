"""Trained pipelines made one, whose parser is an ensemble of theirs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from spacy.language import Language
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.util import get_torch_default_device, to_numpy
from torch import nn

from spacy_gfl.model.model import network_shim, vocabulary_checksum
from spacy_gfl.model.weights import SAVED_BITS
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.pipe.pipelines import get_parsers
from spacy_gfl.tools.training.few_bits import save_in_bits

ARCHITECTURE = "spacy_gfl.Ensemble.v1"


def join_pipelines(pipelines: Mapping[str, Language]) -> Language:
    """Make of trained pipelines one whose parser is an ensemble of theirs.

    The first pipeline gives its other components, its vectors and its parser's
    settings. A parser that listens to another component gets a copy of that one's
    layer.

    Args:
        pipelines: Trained pipelines by name, each with one constituency parser. They
            are not to be used afterwards.

    Returns:
        The first pipeline, changed.

    Raises:
        ValueError: If one has no parser or several, or one that is not trained; if
            labels, static vectors or architectures differ, or they predict words.
    """
    parsers = {name: _parser(name, nlp) for name, nlp in pipelines.items()}
    (first, nlp), *others = pipelines.items()
    own = parsers[first]
    if own.codec.predicts_words:
        raise ValueError(
            f"{first} predicts words, so it cannot be in an ensemble: a mean of "
            "several such parsers has no probability of words."
        )
    for name, other in others:
        if parsers[name].label_data != own.label_data:
            raise ValueError(
                f"{name} and {first} have different labels, tags or "
                "architectures. Train the members of an ensemble on the same "
                "trees, or with the same label data (`spacy init labels`)."
            )
        if not _same_vectors(other.vocab, nlp.vocab):
            raise ValueError(
                f"{name} and {first} have different static vectors. Train the "
                "members of an ensemble with the same vectors."
            )
    configs = {
        name: nlp.config.interpolate()["components"][parsers[name].name]
        for name, nlp in pipelines.items()
    }
    config = configs[first]
    members = {str(i): one["model"] for i, one in enumerate(configs.values(), 1)}
    config["model"] = {"@architectures": ARCHITECTURE, "*": members}
    joined: Any = nlp.replace_pipe(own.name, config.pop("factory"), config=config)
    joined.search = own.search
    for name in ("vocabulary", "spans_key", "predict_tags"):
        joined.cfg[name] = own.cfg[name]
    joined.model.attrs["vocabulary"] = vocabulary_checksum(own.cfg["vocabulary"])
    _take_over(joined.model, [parser.model for parser in parsers.values()])
    # These settings were the first member's.
    nlp.meta["performance"] = {}
    return nlp


def _take_over(model: Model, members: Sequence[Model]) -> None:
    """Give an ensemble's model what its members have learnt."""
    layers = model.get_ref("tok2vec").layers
    for layer, member in zip(layers, members, strict=True):
        layer.from_bytes(member.get_ref("tok2vec").to_bytes())
    modules = [network_shim(member).network for member in members]
    shim = network_shim(model)
    module = shim.build(members=[member.settings for member in modules])
    module.load_state_dict(nn.ModuleList(modules).state_dict(prefix="members."))
    save_in_bits(module, max(getattr(member, SAVED_BITS, 32) for member in modules))
    shim.network = module.to(get_torch_default_device())


def _parser(name: str, nlp: Language) -> ConstituencyParser:
    """A pipeline's parser, with a tok2vec of its own."""
    parsers = [*get_parsers(nlp).values()]
    if len(parsers) != 1 or not parsers[0].is_initialized:
        raise ValueError(
            "A member of an ensemble needs exactly one trained constituency "
            f"parser; {name} has "
            f"{len(parsers) or 'none'}{', not trained' if len(parsers) == 1 else ''}."
        )
    for upstream, pipe in nlp.pipeline:
        if parsers[0].name in getattr(pipe, "listening_components", ()):
            nlp.replace_listeners(upstream, parsers[0].name, ["model.tok2vec"])
    return parsers[0]


def _same_vectors(vocab: Vocab, other: Vocab) -> bool:
    ours, theirs = vocab.vectors, other.vectors
    # spaCy's own == would also ask for one order of the keys.
    return (
        ours.shape == theirs.shape
        and ours.key2row == theirs.key2row
        and numpy.array_equal(to_numpy(ours.data), to_numpy(theirs.data))
    )
