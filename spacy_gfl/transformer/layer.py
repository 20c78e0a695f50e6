"""A pretrained transformer as a layer of word vectors, fine-tuned with the parser."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from curated_transformers.repository import (
    FsspecRepository,
    HfHubRepository,
    ModelRepository,
)
from fsspec.implementations.local import LocalFileSystem
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d
from thinc.util import get_torch_default_device

from spacy_gfl.model.shim import NetworkShim, vectors_of_docs
from spacy_gfl.model.weights import build_filled
from spacy_gfl.transformer.encoder import ENCODERS, SIZES, Encoder


def build_transformer(
    name: str,
    revision: str = "main",
    n_layers: int | None = None,
    trim_pieces: bool = False,
    window: int = 256,
    overlap: int = 64,
    dropout: float = 0.1,
    learn_rate_factor: float = 1.0,
) -> Model[list[Doc], list[Floats2d]]:
    """A pretrained transformer, whose vector of a token is the mean of its pieces'.

    It reads one sentence at a time: a tree depends on nothing beside its sentence. A
    longer sentence than `window` is read in several, and words in two of them get the
    mean of both. The Penn Treebank's quotation marks (`` and '') are read as those of
    text. Products are in the precision of the parser's own. It is saved with its
    tokenizer, as weights, sizes and settings: no code, no names of files.

    Args:
        name: A folder, or the name of a model on Hugging Face's hub, with config.json,
            tokenizer.json and weights of BERT, ALBERT, CamemBERT, MPNet, RoBERTa or
            XLM-R. Looked at in initialisation only.
        revision: Branch or commit of a model on the hub.
        n_layers: Keep the first so many layers; all if not given.
        trim_pieces: Keep the pieces of words that occur in the training corpus, and
            single characters (WordPiece and Unigram).
        window: Tokens that it reads at once, at most. A transformer of 512 word pieces
            reads 256 tokens of most texts.
        overlap: Tokens that a window shares with the one before it.
        dropout: Probability of dropping a value in training.
        learn_rate_factor: How many times the optimizer's learning rate it takes.

    Returns:
        A layer that takes Docs and gives one array `(tokens, its width)` a Doc.

    Raises:
        ValueError: If a window would not reach beyond the one before, or for a dropout
            that is no probability.
    """
    if not 0 <= overlap < window:
        raise ValueError(
            f"overlap ({overlap}) must be at least 0 and below window ({window})."
        )
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must be in [0, 1), not {dropout}.")
    read = partial(read_encoder, name, revision, n_layers, dropout)
    return Model(
        "transformer",
        # Bound, not attributes: saved attributes would win over a config's settings.
        partial(forward, window=window, overlap=overlap),
        init=partial(init, read=read),
        dims={"nO": None},
        shims=[
            NetworkShim(
                build=Encoder, learn_rate_factor=learn_rate_factor, checks=False
            )
        ],
        attrs={
            # As of a layer of words: None waits for `choose` to be shown all Docs.
            "keys": None if trim_pieces else [],
            "choose": partial(choose, read=read),
        },
    )


def read_encoder(
    name: str, revision: str, n_layers: int | None, dropout: float
) -> Encoder:
    """Read an encoder from a folder or from Hugging Face's hub.

    Raises:
        OSError: If there is neither, or a file is missing.
        ValueError: If there is no encoder of a known kind in it.
    """
    is_folder = Path(name).is_dir()
    repository = (
        FsspecRepository(LocalFileSystem(), name)
        if is_folder
        else HfHubRepository(name, revision=revision)
    )
    files = ModelRepository(repository)
    try:
        found = files.model_config()
    except (OSError, ValueError) as error:
        if is_folder:
            raise
        raise OSError(
            f"There is no folder {name}, and no model of this name could be read from "
            f"Hugging Face's hub: {error}"
        ) from error
    config = {size: found[size] for size in SIZES if size in found}
    if n_layers is None:
        n_layers = int(found["num_hidden_layers"])
    settings = {
        "config": config,
        "n_layers": n_layers,
        "tokenizer": repository.json_file("tokenizer.json"),
        "dropout": dropout,
    }
    state: dict[str, Any] = {}
    parts, kind = files.model_checkpoints()
    for part in kind.loader(parts):
        state.update(part)
    return encoder_of(settings, state)


def encoder_of(settings: dict[str, Any], state: Mapping[str, Any]) -> Encoder:
    """An encoder of its settings and of weights as Hugging Face names them.

    Layers beyond `n_layers` and all that is no encoder (a pooler) are left out.
    """
    kind = settings["config"].get("model_type")
    if kind not in ENCODERS:
        known = ", ".join(ENCODERS)
        raise ValueError(f"{kind} is no kind of encoder that can be read: {known}.")
    layers = [f"layers.{i}." for i in range(settings["n_layers"])]
    kept = ("embeddings.", "groups.", "distances.", *layers)
    weights = {
        f"encoder.{name}": weight
        for name, weight in ENCODERS[kind].state_dict_from_hf(state).items()
        if name.startswith(kept) and not name.endswith("_ids")
    }
    return cast(Encoder, build_filled(Encoder, settings, weights))


def init(
    model: Model,
    X: list[Doc] | None = None,
    Y: list[Floats2d] | None = None,
    *,
    read: Callable[[], Encoder],
) -> Model:
    """Read the encoder, unless `choose` has, which trims it."""
    if cast(NetworkShim, model.shims[0]).network is None:
        hold(model, read())
    return model


def choose(model: Model, docs: Iterable[Doc], *, read: Callable[[], Encoder]) -> None:
    """Read the encoder with the pieces alone that occur in Docs."""
    encoder = read()
    used: set[int] = set()
    for doc in docs:
        # One window a sentence: where windows end changes no pieces.
        used.update(*encoder.read([doc], len(doc) + 1, 0).windows)
    hold(model, encoder.trimmed(used))
    model.attrs["keys"] = []


def hold(model: Model, encoder: Encoder) -> None:
    """Give the layer its encoder."""
    model.set_dim("nO", encoder.width)
    cast(NetworkShim, model.shims[0]).network = encoder.to(get_torch_default_device())


def forward(
    model: Model[list[Doc], list[Floats2d]],
    docs: list[Doc],
    is_train: bool,
    *,
    window: int,
    overlap: int,
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Read the pieces of all sentences at once.

    Raises:
        KeyError: If the layer is not initialised; spaCy reports it as E109.
    """
    shim = cast(NetworkShim, model.shims[0])
    if shim.network is None:
        raise KeyError("the transformer is not initialised")
    batch = shim.network.read(docs, window, overlap)
    return vectors_of_docs(model, docs, (batch,), is_train)
