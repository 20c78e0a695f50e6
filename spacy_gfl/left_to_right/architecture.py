"""`spacy_gfl.GenerativeAttachJuxtapose.v1` as a model of thinc."""

from dataclasses import asdict
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_gfl.left_to_right.generative_config import GenerativeConfig
from spacy_gfl.left_to_right.generative_network import GenerativeNetwork
from spacy_gfl.left_to_right.word_codec import WordedAttachJuxtapose
from spacy_gfl.model.model import ModelInput, build_model
from spacy_gfl.model.shim import NetworkShim


def build_generative(
    tok2vec: Model[list[Doc], list[Floats2d]],
    width: int = 384,
    depth: int = 2,
    cell: str = "lstm",
    decoder_width: int = 256,
    hidden_width: int = 256,
    dropout: float | None = None,
    tag_loss: float = 0.5,
    word_loss: float = 1.0,
    spelling_width: int = 192,
    max_depth: int = 64,
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 8192,
) -> Model[ModelInput, Any]:
    """A parser that reads from left to right and predicts words.

    It is `spacy_gfl.AttachJuxtapose.v1` with an encoder that has read no word beyond
    the current one, and a softmax over the next word, given the tree so far: a model of
    sentences and trees, as recurrent neural network grammars are (Dyer et al. 2016).
    `tok2vec` must give each word a vector that no other word has a part in, as
    `spacy_gfl.WordFeatures.v1` does with `lower_capitals = false`.

    Args:
        tok2vec: Word vectors, `(tokens, any width)` per Doc.
        width: Units of an encoder layer.
        depth: Layers of the encoder.
        cell: The encoder's cell: "lstm", "paper" (h = m * o, without tanh), "gru",
            "rnn" (h' = tanh(W x + U h + b)), or "none": a linear map, for word vectors
            that have read their sentence, such as a transformer's.
        decoder_width: Units of the decoder's LSTM.
        hidden_width: Units of the pointer, of each label choice, and of the layer that
            predicts words.
        dropout: Probability of dropping a value before and after each LSTM, in the
            pointer and in the label choices. Without a value, `[training] dropout`
            applies.
        tag_loss: Weight of the tagger's loss; 0 builds no tagger.
        word_loss: Weight of the words' loss, above 0.
        spelling_width: Units of the LSTM that spells words that training has less than
            three times. With 0, such a word has the probability of its class.
        max_depth: The most nodes on the right edge of a tree. Deeper attachments in
            gold trees are not learnt.
        max_gradient_norm: Clip the global norm of gradients; 0 does not. Set the
            optimizer's own `grad_clip`, which clips tensor by tensor, to 0.
        train_batch_words: Padded words per pass of training. A larger batch takes
            several passes, whose gradients are summed.

    Returns:
        A model that gives in training the summed cross-entropy (0-d, nats), in
        prediction the hypotheses of each sentence.

    Raises:
        ValueError: For a cell that does not exist, a size below 1, a max_depth above
            10,000, a word_loss of 0 or less, or a spelling_width below 0.
    """
    config = GenerativeConfig(
        width=width,
        depth=depth,
        cell=cell,
        bidirectional=False,
        decoder_width=decoder_width,
        hidden_width=hidden_width,
        tag_loss=tag_loss,
        max_depth=max_depth,
        word_loss=word_loss,
        spelling_width=spelling_width,
    )
    return build_model(
        tok2vec,
        NetworkShim(build=GenerativeNetwork, max_gradient_norm=max_gradient_norm),
        asdict(config),
        codec=WordedAttachJuxtapose,
        dropout=dropout,
        train_batch_words=train_batch_words,
    )
