"""The registered models: they join Docs to tensors."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple, cast

import numpy
import torch
from spacy import registry
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, PyTorchWrapper_v3
from thinc.types import Floats2d
from thinc.util import get_torch_default_device, torch2xp, xp2torch

from spacy_gfl.neural.cell import CELLS
from spacy_gfl.neural.seq2seq import Seq2SeqParser
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.parser.shim import ParserShim


@dataclass
class ParserInput:
    """The sentences of a batch of Docs.

    docs: Given to the tok2vec layer as they are.
    words: For each sentence the indices of its words among all the Docs' tokens.
    targets: For each sentence the symbols to learn; None in prediction.
    options: Keyword arguments of the module's forward: how to search.
    """

    docs: List[Doc]
    words: List[List[int]]
    targets: Optional[List[List[int]]] = None
    options: Dict[str, Any] = field(default_factory=dict)


@registry.architectures("spacy_gfl.Seq2Seq.v1")
def build_seq2seq(
    tok2vec: Model[List[Doc], List[Floats2d]],
    width: int = 256,
    depth: int = 3,
    dropout: Optional[float] = None,
    attention: bool = True,
    reverse_input: bool = True,
    input_feeding: bool = True,
    cell: str = "standard",
    bias: bool = True,
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 4096,
) -> Model[ParserInput, Any]:
    """LSTM+A, the parser of *Grammar as a Foreign Language* (Vinyals et al. 2015).

    tok2vec: Gives word vectors, `(tokens, any width)` a Doc.
    width: Units a layer. depth: Layers of the encoder, and of the decoder.
    dropout: Probability of dropping a value between two layers (the paper's +D).
        Without a number it follows `[training] dropout`.
    attention: Without it, the paper's baseline LSTM.
    reverse_input: Read sentences from their last word to the first.
    input_feeding: Feed the attention's result to the next step.
    cell: "standard" (h = tanh(m) * o) or "paper" (h = m * o). The paper's has no
        bound: with input feeding its gradients explode (docs/results.md).
    bias: Give the cells biases; the paper writes none.
    max_gradient_norm: Clip gradients by their global norm; 0 never. Set the
        optimizer's own `grad_clip` to 0, which clips tensor by tensor.
    train_batch_words: Padded words that one pass of training works on at most;
        larger batches are summed up pass by pass.

    In training the model returns the summed cross-entropy (0-d, nats), in
    prediction one `neural.search.Found` a sentence.
    Raises ValueError for a cell that does not exist or a size below 1.
    """
    if cell not in CELLS:
        raise ValueError(f"cell must be one of {', '.join(CELLS)}, not {cell!r}.")
    if width < 1 or depth < 1:
        raise ValueError(f"width ({width}) and depth ({depth}) must be at least 1.")
    shape = {
        "width": width,
        "depth": depth,
        "cell": cell,
        "bias": bias,
        "attention": attention,
        "input_feeding": input_feeding,
        "reverse_input": reverse_input,
    }
    network = PyTorchWrapper_v3(
        None,  # type: ignore[arg-type]  # the sizes are known in init_parser
        convert_inputs=convert_inputs,
        convert_outputs=convert_outputs,
    )
    network.shims[:] = [
        ParserShim(build=Seq2SeqParser, max_gradient_norm=max_gradient_norm)
    ]
    network.attrs["dropout_rate"] = 0.0
    network.attrs["fixed_dropout"] = dropout
    network.attrs["train_batch_words"] = train_batch_words
    return Model(
        "constituency_parser",
        forward,
        init=init_parser,
        layers=[tok2vec, network],
        refs={"tok2vec": tok2vec, "network": network},
        attrs={"shape": shape},
    )


def init_parser(
    model: Model,
    X: Optional[ParserInput] = None,
    Y: Optional[SymbolLinearization] = None,
) -> Model:
    """Build the module once its sizes are known.

    X: A few Docs, to initialise tok2vec. Y: The output vocabulary.
    Does nothing the second time.
    """
    tok2vec, network = model.get_ref("tok2vec"), model.get_ref("network")
    shim = network.shims[0]
    if shim._model is not None:
        return model
    docs = None if X is None else X.docs
    tok2vec.initialize(X=docs)
    if Y is None:
        return model
    width = tok2vec.maybe_get_dim("nO")
    if width is None and docs:
        # A transformer's listener learns its width from the transformer only.
        width = tok2vec.predict(docs)[0].shape[1]
    if width is None:
        raise ValueError("The width of the tok2vec layer's output is not known.")
    module = Seq2SeqParser(
        input_width=width,
        symbol_kinds=Y.kinds,
        symbol_labels=Y.label_ids,
        longest_opening_run=Y.longest_opening_run,
        **model.attrs["shape"],
    )
    shim._model = module.to(get_torch_default_device())
    return model


def forward(
    model: Model[ParserInput, Any], batch: ParserInput, is_train: bool
) -> Tuple[Any, Callable[[Any], List[Doc]]]:
    """Word vectors for all Docs at once, then the network on their sentences."""
    tok2vec, network = model.get_ref("tok2vec"), model.get_ref("network")
    vectors, backprop_tok2vec = tok2vec(batch.docs, is_train)
    tokens = model.ops.flatten(vectors)
    xp = model.ops.xp
    rows = xp.asarray([i for words in batch.words for i in words], dtype="int64")
    result, backprop_network = network((tokens[rows], batch), is_train)

    def backprop(d_result: Any) -> List[Doc]:
        d_words = backprop_network(d_result)
        d_tokens = xp.zeros(tokens.shape, dtype="float32")
        # The shim leaves an update with other gradients out, so must tok2vec.
        if xp.isfinite(d_words).all():
            d_tokens[rows] = d_words
        lengths = model.ops.asarray1i([len(doc) for doc in batch.docs])
        return backprop_tok2vec(model.ops.unflatten(d_tokens, lengths))

    return result, backprop


def convert_inputs(
    model: Model, inputs: Tuple[Floats2d, ParserInput], is_train: bool
) -> Tuple[ArgsKwargs, Callable[[ArgsKwargs], Floats2d]]:
    """Word vectors become a tensor; everything else goes in as it is.

    Raises KeyError, which spaCy reports as E109, if the model is not initialised.
    """
    vectors, batch = inputs
    shim = cast(ParserShim, model.shims[0])
    if shim._model is None:
        raise KeyError("the constituency parser's network is not initialised")
    tensor = xp2torch(vectors, requires_grad=is_train, device=shim.device)
    options = dict(batch.options)
    if is_train:
        fixed = model.attrs["fixed_dropout"]
        rate = model.attrs["dropout_rate"] if fixed is None else fixed
        options.update(dropout=rate, batch_words=model.attrs["train_batch_words"])
    options["lengths"] = [len(words) for words in batch.words]
    if batch.targets is not None:
        # Arrays, because the shim walks through lists in search of tensors.
        options["targets"] = [numpy.array(symbols) for symbols in batch.targets]

    def backprop(d_inputs: ArgsKwargs) -> Floats2d:
        gradient = d_inputs.args[0]
        if gradient is None:
            return model.ops.alloc2f(*vectors.shape)
        return cast(Floats2d, torch2xp(gradient))

    return ArgsKwargs(args=(tensor,), kwargs=options), backprop


def convert_outputs(
    model: Model, inputs_and_result: Tuple[Any, Any], is_train: bool
) -> Tuple[Any, Callable[[Any], ArgsKwargs]]:
    """The loss becomes an array; parses and attention are no tensors to thinc."""
    _, result = inputs_and_result
    if not is_train:
        return result, lambda d_result: ArgsKwargs(args=(), kwargs={})

    def backprop(d_loss: Any) -> ArgsKwargs:
        gradient = torch.full_like(result, float(d_loss))
        return ArgsKwargs(args=((result,),), kwargs={"grad_tensors": (gradient,)})

    return torch2xp(result.detach()), backprop
