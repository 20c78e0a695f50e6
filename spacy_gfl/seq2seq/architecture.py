"""`spacy_gfl.Seq2Seq.v1`: the paper's decoder as a model of thinc."""

from dataclasses import asdict
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_gfl.model.model import ModelInput, build_model
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.seq2seq.config import Seq2SeqConfig
from spacy_gfl.seq2seq.lstm_network import Seq2SeqNetwork
from spacy_gfl.seq2seq.symbol_codec import Symbols


def build_seq2seq(
    tok2vec: Model[list[Doc], list[Floats2d]],
    width: int = 256,
    depth: int = 3,
    dropout: float | None = None,
    attention: bool = True,
    reverse_input: bool = True,
    input_feeding: bool = True,
    cell: str = "lstm",
    encoder: str = "",
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 4096,
) -> Model[ModelInput, Any]:
    """LSTM+A, the parser of *Grammar as a Foreign Language* (Vinyals et al. 2015).

    Args:
        tok2vec: Word vectors, `(tokens, any width)` per Doc.
        width: Units per layer.
        depth: Layers of the encoder, and of the decoder.
        dropout: Probability of dropping a value between layers (the paper's +D).
            Without a value, `[training] dropout` applies.
        attention: Attend to words. If false, the model is the paper's baseline LSTM.
        reverse_input: Read sentences backwards.
        input_feeding: Feed the result of the attention into the next step.
        cell: The cell of encoder and decoder: "lstm", or "paper", whose h = m * o has
            no bound, so that gradients may explode.
        encoder: An encoder in place of layers of `cell`: a `cell` of
            AttachJuxtapose.v1, such as "none".
        max_gradient_norm: Clip the global norm of gradients; 0 does not. Set the
            optimizer's own `grad_clip`, which clips tensor by tensor, to 0.
        train_batch_words: Padded words per pass of training. A larger batch takes
            several passes, whose gradients are summed.

    Returns:
        A model that gives in training the summed cross-entropy (0-d, nats), in
        prediction the hypotheses of each sentence.

    Raises:
        ValueError: For another cell or encoder, or a size below 1.
    """
    config = Seq2SeqConfig(
        width=width,
        depth=depth,
        cell=cell,
        encoder=encoder,
        attention=attention,
        input_feeding=input_feeding,
        reverse_input=reverse_input,
    )
    return build_model(
        tok2vec,
        NetworkShim(build=Seq2SeqNetwork, max_gradient_norm=max_gradient_norm),
        asdict(config),
        codec=Symbols,
        dropout=dropout,
        train_batch_words=train_batch_words,
    )
