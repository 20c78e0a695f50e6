"""`spacy_gfl.AttachJuxtapose.v1`: the default decoder as a model of thinc."""

from dataclasses import asdict
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.attach_juxtapose.config import AttachJuxtaposeConfig
from spacy_gfl.attach_juxtapose.pointer_network import AttachJuxtaposeNetwork
from spacy_gfl.model.model import ModelInput, build_model
from spacy_gfl.model.shim import NetworkShim


def build_attach_juxtapose(
    tok2vec: Model[list[Doc], list[Floats2d]],
    width: int = 256,
    depth: int = 2,
    cell: str = "lstm",
    bidirectional: bool = True,
    decoder_width: int = 256,
    hidden_width: int = 256,
    dropout: float | None = None,
    tag_loss: float = 0.5,
    max_depth: int = 64,
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 8192,
    learn_rate_factor: float = 1.0,
    look_ahead: int = 0,
) -> Model[ModelInput, Any]:
    """The default parser: a BiLSTM reads, a pointer puts each word into the tree.

    The actions are those of Yang and Deng (2020), the pointer is the attention of
    Vinyals et al. (2015), section 2.1.

    Args:
        tok2vec: Word vectors, `(tokens, any width)` per Doc.
        width: Units of an encoder layer in one direction.
        depth: Layers of the encoder.
        cell: The encoder's cell: "lstm", "paper" (h = m * o, without tanh), "gru",
            "rnn" (h' = tanh(W x + U h + b)), or "none": a linear map, for word vectors
            that have read their sentence, such as a transformer's.
        bidirectional: Read in both directions. If false, the decoder does not know what
            follows a word.
        decoder_width: Units of the decoder's LSTM.
        hidden_width: Units of the pointer, and of each label choice.
        dropout: Probability of dropping a value before and after each LSTM, in the
            pointer and in the label choices. Without a value, `[training] dropout`
            applies.
        tag_loss: Weight of the tagger's loss; 0 builds no tagger.
        max_depth: The most nodes on the right edge of a tree. Deeper attachments in
            gold trees are not learnt.
        max_gradient_norm: Clip the global norm of gradients; 0 does not. Set the
            optimizer's own `grad_clip`, which clips tensor by tensor, to 0.
        train_batch_words: Padded words per pass of training. A larger batch takes
            several passes, whose gradients are summed.
        learn_rate_factor: Multiplies the optimizer's learning rate. Use 10 to 20 on a
            transformer that is fine-tuned at a low rate.
        look_ahead: Words after the current one that an encoder of one direction has
            read.

    Returns:
        A model that gives in training the summed cross-entropy (0-d, nats), in
        prediction the hypotheses of each sentence.

    Raises:
        ValueError: For a cell that does not exist, a size below 1, a max_depth above
            10,000, or a look_ahead below 0, or above it in two directions.
    """
    config = AttachJuxtaposeConfig(
        width=width,
        depth=depth,
        cell=cell,
        bidirectional=bidirectional,
        decoder_width=decoder_width,
        hidden_width=hidden_width,
        tag_loss=tag_loss,
        max_depth=max_depth,
        look_ahead=look_ahead,
    )
    return build_model(
        tok2vec,
        NetworkShim(
            build=AttachJuxtaposeNetwork,
            max_gradient_norm=max_gradient_norm,
            learn_rate_factor=learn_rate_factor,
        ),
        asdict(config),
        codec=AttachJuxtapose,
        dropout=dropout,
        train_batch_words=train_batch_words,
    )
