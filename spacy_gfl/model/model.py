"""The model of every architecture: a tok2vec layer joined to a network of PyTorch.

The tok2vec layer sees a batch of Docs at once; the network gets the rows of their
sentences, and a task (`decoding.network`).
"""

import json
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, cast

import numpy
import torch
from spacy.errors import Errors
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model
from thinc.types import Floats2d, Ints1d
from thinc.util import get_torch_default_device, torch2xp, xp2torch

from spacy_gfl.annotation.sentence_words import unescaped, word_indices
from spacy_gfl.decoding.codec import TreeCodec
from spacy_gfl.decoding.network import Network
from spacy_gfl.decoding.tasks import LossTask, SearchTask, Task
from spacy_gfl.layers.precision import multiplying_in
from spacy_gfl.layers.process import on
from spacy_gfl.model.shim import NetworkShim


@dataclass
class ModelInput:
    """The sentences of a batch of Docs, and what to do with them.

    Attributes:
        docs: Given to the tok2vec layer as they are.
        sents: For each sentence the number of its Doc, and the indices of its words.
        task: What the network is to do; None to initialise.
    """

    docs: list[Doc]
    sents: Sequence[tuple[int, Sequence[int]]]
    task: Task | None = None


def build_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    shim: NetworkShim,
    settings: dict[str, Any],
    *,
    codec: type[TreeCodec],
    dropout: float | None,
    train_batch_words: int,
) -> Model[ModelInput, Any]:
    """Join a tok2vec layer to a network whose sizes are not known yet.

    The shim, still empty, builds the module from `settings`, the width of word vectors
    and the codec's vocabulary. `dropout` and `train_batch_words` are
    settings of the architectures (`architectures`).

    Returns:
        A model that gives in training the summed loss (0-d, nats), in prediction
        what the task asks for, one result a sentence.
    """
    network: Model[Any, Any] = Model(
        "network",
        # As attributes, saved settings would win over those of a config.
        partial(run_network, dropout=dropout, train_batch_words=train_batch_words),
        shims=[shim],
        attrs={"dropout_rate": 0.0},
    )
    return Model(
        "constituency_parser",
        forward,
        init=init_model,
        layers=[tok2vec, network],
        refs={"tok2vec": tok2vec, "network": network},
        # Classes are not saved: that of the config counts.
        attrs={"shape": settings, "tree_codec": codec},
    )


def codec_of(model: Model) -> type[TreeCodec]:
    """The codec that a model takes."""
    return cast(type[TreeCodec], model.attrs["tree_codec"])


def network_shim(model: Model) -> NetworkShim:
    """The shim that holds the network of a parser's model."""
    return cast(NetworkShim, model.get_ref("network").shims[0])


def require_network(model: Model, name: str) -> Network:
    """The network of a parser's model.

    Raises:
        ValueError: If it has not been built (spaCy's E109, of the component `name`).
    """
    network = network_shim(model).network
    if network is None:
        raise ValueError(Errors.E109.format(name=name))
    return cast(Network, network)


def warn_of_unheard(model: Model, docs: Sequence[Doc], name: str) -> None:
    """Warn about Docs that the upstream component has not processed.

    A listener takes zero vectors for a Doc without the output of that component: a
    tensor, or the data of a transformer. `name` is the parser's.
    """
    for node in model.walk():
        if isinstance(node, Tok2VecListener):
            usual, heard = "tok2vec", [bool(doc.tensor.size) for doc in docs]
        elif node.name == "transformer-listener":  # of spacy-transformers
            usual = "transformer"
            heard = [doc.has_extension("trf_data") and doc._.trf_data for doc in docs]
        else:
            continue
        if any(len(doc) and not hears for doc, hears in zip(docs, heard, strict=True)):
            upstream = cast(Tok2VecListener, node).upstream_name
            warnings.warn(
                f"{name} listens to a component "
                f"({usual if upstream == '*' else upstream}) that has not "
                "processed these Docs, or whose output was removed. So it parses "
                f"without word vectors. Run that component before {name}, do not "
                "run a doc_cleaner before you parse the Docs again, or give "
                f"{name} its own copy with nlp.replace_listeners.",
                stacklevel=4,
            )
            return


def init_model(
    model: Model, X: ModelInput | None = None, Y: TreeCodec | None = None
) -> Model:
    """Build the module of a whole model, for the output vocabulary Y, once.

    The Docs of X initialise the tok2vec layer.

    Raises:
        ValueError: If the tok2vec layer does not tell its width.
    """
    tok2vec, shim = model.get_ref("tok2vec"), network_shim(model)
    if shim.network is not None:
        return model
    docs = None if X is None else X.docs
    device = get_torch_default_device()
    with on(device):
        tok2vec.initialize(X=docs)
        if Y is None:
            return model
        width = tok2vec.maybe_get_dim("nO")
        if width is None and docs:
            # A transformer's listener learns its width from the transformer only.
            width = tok2vec.predict(docs)[0].shape[1]
        if width is None:
            raise ValueError("The tok2vec layer has no known output width (nO).")
        module = shim.build(
            input_width=width, **Y.network_settings(), **model.attrs["shape"]
        )
        shim.network = module.to(device)
    model.attrs["vocabulary"] = vocabulary_checksum(Y.to_json())
    return model


def vocabulary_checksum(vocabulary: dict[str, Any]) -> int:
    """The CRC-32 of an output vocabulary as plain data.

    A model keeps it in `attrs["vocabulary"]`, so that another model's vocabulary is
    refused in loading.
    """
    return zlib.crc32(json.dumps(vocabulary, sort_keys=True).encode())


def forward(
    model: Model[ModelInput, Any], batch: ModelInput | list[Doc], is_train: bool
) -> tuple[Any, Callable[[Any], list[Doc]]]:
    """Word vectors for all Docs at once, then the network on their sentences."""
    if isinstance(batch, list):
        # `spacy debug model` gives every model a list of Docs.
        whole = [(i, word_indices(doc[:])) for i, doc in enumerate(batch)]
        sents = [(i, words) for i, words in whole if words]
        batch = ModelInput(batch, sents, SearchTask())
    tok2vec, network = model.get_ref("tok2vec"), model.get_ref("network")
    device, xp = network_shim(model).device, model.ops.xp
    # A listener takes none but the Docs that the component upstream has seen.
    listens = any(hasattr(node, "receive") for node in tok2vec.walk())
    docs = batch.docs if listens else list(map(unescaped, batch.docs))
    lengths = list(map(len, batch.docs))
    starts = [0, *accumulate(lengths)]
    places = [starts[i] + at for i, words in batch.sents for at in words]
    rows = xp.asarray(places, dtype="int64")
    precision: Any = getattr(batch.task, "precision", None) or "fp32"
    with on(device):
        with multiplying_in(precision, device):
            vectors, backprop_tok2vec = tok2vec(docs, is_train)
        tokens = model.ops.flatten(vectors)
        result, backprop_network = network((tokens[rows], batch), is_train)

    @on(device)
    def backprop(d_result: Any) -> list[Doc]:
        d_words = backprop_network(d_result)
        learnt = batch.sents and not network_shim(model).left_out
        if not learnt and not listens:
            # There were no trees, or the shim has left the batch out: of zeros, an
            # optimizer would still take a step, by its momentum. What a listener
            # listens to has gradients of others, and is stepped by spaCy anyway.
            return []
        d_tokens = xp.zeros(tokens.shape, dtype="float32")
        d_tokens[rows] = d_words
        # Lengths stay on the CPU, where thinc wants them.
        of_docs = cast(Ints1d, numpy.array(lengths, dtype="int32"))
        return backprop_tok2vec(model.ops.unflatten(d_tokens, of_docs))

    return result, backprop


def run_network(
    model: Model,
    inputs: tuple[Floats2d, ModelInput],
    is_train: bool,
    *,
    dropout: float | None,
    train_batch_words: int,
) -> tuple[Any, Callable[[Any], Floats2d]]:
    """The network's result for word vectors `(words, width)` and a batch.

    In training this is the loss, and the callback gives the vectors' gradient.

    Raises:
        ValueError: If the vectors are not of the width that the network was built for.
    """
    vectors, batch = inputs
    shim = cast(NetworkShim, model.shims[0])
    width = shim.network.settings["input_width"]
    if vectors.shape[1] != width:
        raise ValueError(
            f"The tok2vec layer returns vectors of width {vectors.shape[1]}, but "
            f"the parser's network takes width {width}. Give a listener the "
            "width of the component that it listens to, and train again."
        )
    task = batch.task
    if isinstance(task, LossTask):
        if dropout is None:
            dropout = model.attrs["dropout_rate"]
        task = replace(task, dropout=dropout, batch_words=train_batch_words)
    tensor = xp2torch(vectors, requires_grad=is_train, device=shim.device)
    # Not among the positional arguments: the shim looks for tensors in those.
    kwargs = {"lengths": [len(words) for _, words in batch.sents], "task": task}
    result, backprop_torch = shim(ArgsKwargs((tensor,), kwargs), is_train)
    if not is_train:
        return result, lambda d_result: model.ops.alloc2f(*vectors.shape)

    def backprop(d_loss: Any) -> Floats2d:
        gradients = {"grad_tensors": (torch.full_like(result, float(d_loss)),)}
        [d_vectors] = backprop_torch(ArgsKwargs(((result,),), gradients)).args
        return cast(Floats2d, torch2xp(d_vectors))

    return torch2xp(result.detach()), backprop
