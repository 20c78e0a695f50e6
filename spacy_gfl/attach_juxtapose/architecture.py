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
    """One action a word: a BiLSTM reads, a pointer says where in the tree it goes.

    The actions are those of Yang and Deng (2020), the pointer is the attention of
    Vinyals et al. (2015), section 2.1.

    Args:
        tok2vec: Gives word vectors, `(tokens, any width)` a Doc.
        width: Units of an encoder layer in one direction.
        depth: Layers of the encoder.
        cell: Of the encoder: "lstm", "paper" (h = m * o, without tanh), "gru", "rnn"
            (Elman's, h' = tanh(W x + U h + b)), or "none" for word vectors that have
            read their sentence, as a transformer's have: a linear map instead of
            recurrent layers.
        bidirectional: Read from both ends. Otherwise from the first word on, and a
            word's place is chosen without knowing what follows.
        decoder_width: Units of the LSTM that remembers the tree.
        hidden_width: Units of the pointer, and of each of the two label choices.
        dropout: Probability of dropping a value of the input and the output of every
            LSTM, one mask a sentence, and in the pointer and the label choices.
            Without a number it follows `[training] dropout`.
        tag_loss: Weight of the cross-entropy of a tagger on the encoder's states; 0
            for no tagger.
        max_depth: The most nodes on the right edge of a tree. Where a gold tree is
            deeper there, attaching a word so deep is not learnt.
        max_gradient_norm: Clip gradients by their global norm; 0 never. Set the
            optimizer's own `grad_clip` to 0, which clips tensor by tensor.
        train_batch_words: Padded words that one pass of training works on at most;
            larger batches are summed up pass by pass.
        learn_rate_factor: How many times the optimizer's learning rate the network
            takes. On a transformer that is fine-tuned at a low rate, 10 to 20.
        look_ahead: Words after a word that an encoder of one direction knows when the
            word's place is chosen.

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
