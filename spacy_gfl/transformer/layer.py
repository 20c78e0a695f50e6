"""A pretrained transformer as a layer of word vectors, fine-tuned with the parser."""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d
from thinc.util import get_torch_default_device

from spacy_gfl.model.shim import NetworkShim, vectors_of_docs

if TYPE_CHECKING:
    from spacy_gfl.transformer.pretrained_encoder import TransformerEncoder


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
    """A pretrained transformer: a token's vector is the mean over its word pieces.

    It reads one sentence at a time: a tree depends on nothing beside its sentence. A
    longer sentence than `window` is read in several, and words in two of them get the
    mean of both. The Penn Treebank's quotation marks (`` and '') are read as those of
    text. Products are in the precision of the parser's own. It is saved with its
    tokenizer, as weights, sizes and settings: no code, no names of files.

    Args:
        name: A folder, or a model on Hugging Face's hub, with config.json,
            tokenizer.json and weights of BERT, ALBERT, CamemBERT, MPNet, RoBERTa or
            XLM-R. Only initialisation reads it.
        revision: Branch or commit on the hub.
        n_layers: Keep this many of the first layers, by default all.
        trim_pieces: Keep only word pieces of the training corpus, and single characters
            (WordPiece and Unigram).
        window: Tokens to read at once. 256 tokens of most texts fit into 512 word
            pieces.
        overlap: Tokens that a window shares with the one before.
        dropout: Probability of dropping a value in training.
        learn_rate_factor: Multiplies the optimizer's learning rate.

    Returns:
        A layer that takes Docs and gives one array `(tokens, its width)` a Doc.

    Raises:
        ImportError: If the extra [transformers] is not installed.
        ValueError: If a window would not reach beyond the one before, or for a dropout
            that is no probability.
    """
    if not 0 <= overlap < window:
        raise ValueError(
            f"overlap ({overlap}) must be at least 0 and below window ({window})."
        )
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must be in [0, 1), not {dropout}.")
    encoders = import_encoders()
    read = partial(encoders.read_encoder, name, revision, n_layers, dropout)
    return Model(
        "transformer",
        # Bound, not attributes: saved attributes would win over a config's settings.
        partial(forward, window=window, overlap=overlap),
        init=partial(init, read=read),
        dims={"nO": None},
        shims=[
            NetworkShim(
                build=encoders.TransformerEncoder,
                learn_rate_factor=learn_rate_factor,
                checks=False,
            )
        ],
        attrs={
            # As of a layer of words: None waits for `choose` to be shown all Docs.
            "keys": None if trim_pieces else [],
            "choose": partial(choose, read=read),
        },
    )


def import_encoders() -> ModuleType:
    """The module that reads encoders, which the extra brings what it needs.

    The layer itself needs none of it: spaCy loads every entry point when it lists a
    registry, as `spacy package` does, whatever pipeline is packaged.

    Raises:
        ImportError: If the extra is not installed.
    """
    try:
        return import_module("spacy_gfl.transformer.pretrained_files")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"A transformer needs the extra [transformers], and {error.name} is "
            'missing: pip install "spacy-gfl[transformers]".'
        ) from None


def init(
    model: Model,
    X: list[Doc] | None = None,
    Y: list[Floats2d] | None = None,
    *,
    read: Callable[[], "TransformerEncoder"],
) -> Model:
    """Read the encoder, unless `choose` has, which trims it."""
    if cast(NetworkShim, model.shims[0]).network is None:
        hold(model, read())
    return model


def choose(
    model: Model, docs: Iterable[Doc], *, read: Callable[[], "TransformerEncoder"]
) -> None:
    """Read the encoder with the pieces alone that occur in Docs."""
    encoder = read()
    used: set[int] = set()
    for doc in docs:
        # One window a sentence: where windows end changes no pieces.
        used.update(*encoder.read([doc], len(doc) + 1, 0).windows)
    hold(model, encoder.trimmed(used))
    model.attrs["keys"] = []


def hold(model: Model, encoder: "TransformerEncoder") -> None:
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
        raise KeyError("The transformer is not initialised.")
    batch = shim.network.read(docs, window, overlap)
    return vectors_of_docs(model, docs, (batch,), is_train)
