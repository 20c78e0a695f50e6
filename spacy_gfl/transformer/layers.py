"""Layers and callbacks to fine-tune a transformer (spacy-transformers)."""

import functools
from collections.abc import Callable, Iterable
from typing import Any, cast

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span
from thinc.api import Model, PyTorchShim, chain

from spacy_gfl.layers.products import Precision, resolve_precision

#: The Penn Treebank's quotation marks, which transformers have not read in text.
PENN_QUOTES = frozenset({"``", "''"})


def sentence_windows(
    window: int = 256, overlap: int = 64
) -> Callable[[Iterable[Doc]], list[list[Span]]]:
    """Windows of tokens that never reach beyond a sentence.

    A transformer that reads one sentence at a time gives the same tree whatever
    stands beside the sentence. Its input is bounded, so it reads longer sentences
    in windows, and words in two of them get the mean of both. The Penn Treebank's
    quotation marks (`` and '') are read as those of text.

    Args:
        window: Tokens of a window at most. A transformer of 512 word pieces reads
            256 tokens of most texts.
        overlap: Tokens that a window shares with the one before it.

    Returns:
        A function that gives each Doc's windows; a Doc without sentence boundaries
        counts as one sentence, as in training.

    Raises:
        ValueError: If a window would not reach beyond the one before.
    """
    if not 0 <= overlap < window:
        raise ValueError(
            f"overlap ({overlap}) must be at least 0 and below window ({window})."
        )
    # A closure could not be pickled, nor could a pipeline with it.
    return functools.partial(_windows, window=window, overlap=overlap)


def _windows(docs: Iterable[Doc], window: int, overlap: int) -> list[list[Span]]:
    found = []
    for doc in docs:
        read = _with_text_quotes(doc)
        sents = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
        found.append(
            [
                read[sent.start + start : min(sent.start + start + window, sent.end)]
                for sent in sents
                for start in range(0, max(1, len(sent) - overlap), window - overlap)
            ]
        )
    return found


def _with_text_quotes(doc: Doc) -> Doc:
    """The Doc, or its words with text's quotation marks for the Penn Treebank's."""
    words = [token.text for token in doc]
    if PENN_QUOTES.isdisjoint(words):
        return doc
    words = ['"' if word in PENN_QUOTES else word for word in words]
    return Doc(doc.vocab, words, spaces=[bool(token.whitespace_) for token in doc])


def build_compact_transformer(
    name: str,
    get_spans: Callable[[Iterable[Doc]], list[list[Span]]],
    tokenizer_config: dict[str, Any] = {},  # noqa: B006
    transformer_config: dict[str, Any] = {},  # noqa: B006
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = {},  # noqa: B006
    bits: int = 6,
    precision: Precision = "auto",
) -> Model:
    """A transformer like `spacy-transformers.TransformerModel.v3`, saved in less.

    It is saved in a fifth of the bytes: its matrices are quantized, row by row, and
    deflated. In memory weights are float32. A pipeline that was trained with the other
    architecture is loaded with this one by naming it:

        setting = "components.transformer.model.@architectures"
        config = {setting: "spacy_gfl.CompactTransformer.v1"}
        nlp = spacy.load("training/model-best", config=config)

    Args:
        name: Folder or name of a model of Hugging Face, for initialisation.
        get_spans: Which spans of each Doc the transformer reads.
        tokenizer_config: Settings of its tokenizer.
        transformer_config: Settings of the transformer.
        mixed_precision: Whether it computes in half precision on a GPU.
        grad_scaler_config: Settings of the gradient scaler for half precision.
        bits: Bits per weight, 2 to 8: quantized to one of 2 ** bits - 1 values.
        precision: Precision of matrix products on a CPU, in prediction (in training:
            `spacy_gfl.bfloat16_on_cpu.v1`). "auto" is bfloat16 where the processor
            multiplies it faster, often in half the time, and float32 elsewhere;
            "bf16" and "fp32" are used on any processor.

    Returns:
        A model from Docs to their transformer's states.

    Raises:
        ValueError: If the number of bits is another.
        ImportError: Without `spacy-gfl[transformers]`.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"bits must be from 2 to 8, not {bits}.")
    from spacy_transformers.architectures import create_TransformerModel_v3

    from spacy_gfl.transformer.compact_shim import CompactShim

    model = create_TransformerModel_v3(
        name,
        get_spans,
        tokenizer_config=tokenizer_config,
        transformer_config=transformer_config,
        mixed_precision=mixed_precision,
        # spacy-transformers writes into it.
        grad_scaler_config=dict(grad_scaler_config),
    )
    [shim] = model.layers[0].shims
    shim.__class__ = CompactShim
    shim.bits, shim.precision = bits, precision
    model.attrs["replace_listener_cfg"] = _without_listener
    return model


def build_transformer_tok2vec(
    transformer: Model, pooling: Model, grad_factor: float = 1.0
) -> Model:
    """A transformer as a layer of one component, for no other to listen to.

    `nlp.replace_listeners` puts it in a listener's place if the transformer is a
    `spacy_gfl.CompactTransformer.v1`.

    Args:
        transformer: From Docs to their transformer's states.
        pooling: From the vectors of a token's word pieces to one.
        grad_factor: Gradients are multiplied by this factor on their way back.

    Returns:
        A layer that takes Docs and gives one array `(tokens, width)` a Doc.

    Raises:
        ImportError: Without `spacy-gfl[transformers]`.
    """
    from spacy_transformers.layers import split_trf_batch, trfs2arrays

    # Nested as spaCy nests the layers of a listener that it has replaced.
    return chain(
        chain(transformer, split_trf_batch()), trfs2arrays(pooling, grad_factor)
    )


def _without_listener(
    transformer: dict[str, Any], tok2vec: dict[str, Any]
) -> dict[str, Any]:
    """The config of word vectors without a listener, which may be one of layers."""
    if "pooling" in tok2vec:
        return {
            "@architectures": "spacy_gfl.TransformerTok2Vec.v1",
            "transformer": transformer,
            "pooling": tok2vec["pooling"],
            "grad_factor": tok2vec.get("grad_factor", 1.0),
        }
    layers = {
        name: _without_listener(transformer, layer) if "pooling" in layer else layer
        for name, layer in tok2vec["*"].items()
    }
    return {**tok2vec, "*": layers}


def compute_in_bfloat16(
    component: str = "transformer", precision: Precision = "auto"
) -> Callable[[Language], Language]:
    """Multiply matrices in bfloat16 on a CPU while a pipeline is trained.

    For `[initialize] after_init`: while this process trains, the named component's
    PyTorch modules compute their matrix products in bfloat16, but for a parser's own
    (`search.precision`). Where a CPU multiplies bfloat16 twice as fast as float32 a
    step takes half the time. Weights stay in float32.

    Args:
        component: Name of the pipe.
        precision: "auto" takes bfloat16 where the processor multiplies it faster,
            "bf16" takes it on any, and "fp32" on none.

    Returns:
        A callback that takes the pipeline once it is initialised.
    """

    def wrap(nlp: Language) -> Language:
        # Callbacks are registered, and looked up without PyTorch.
        from spacy_gfl.model.shim import NetworkShim

        if resolve_precision(precision) == "fp32":
            return nlp
        model = cast(TrainablePipe, nlp.get_pipe(component)).model
        for shim in (shim for node in model.walk() for shim in node.shims):
            ours = isinstance(shim, NetworkShim)
            if isinstance(shim, PyTorchShim) and not ours and shim._model is not None:
                shim._model.forward = _in_bfloat16(shim._model.forward)
        return nlp

    return wrap


def _in_bfloat16(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A module's forward with autocast; what comes out is in float32 (NumPy's)."""
    import torch

    from spacy_gfl.transformer.single_attention import SinglePrecisionAttention

    def run(*args: Any, **kwargs: Any) -> Any:
        rough = torch.autocast("cpu", dtype=torch.bfloat16)
        with rough, SinglePrecisionAttention():
            output = forward(*args, **kwargs)
        for name, value in output.items():
            if isinstance(value, torch.Tensor):
                output[name] = value.float()
        return output

    return run
