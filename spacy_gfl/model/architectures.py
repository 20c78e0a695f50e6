"""The registered models."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, cast

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.attach_juxtapose.config import AttachJuxtaposeConfig, GenerativeConfig
from spacy_gfl.attach_juxtapose.pointer_network import AttachJuxtaposeNetwork
from spacy_gfl.decoding.network import Network
from spacy_gfl.left_to_right.generative_network import GenerativeNetwork
from spacy_gfl.left_to_right.word_codec import WordedAttachJuxtapose
from spacy_gfl.model.model import ModelInput, build_model, codec_of, network_shim
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.seq2seq.config import Seq2SeqConfig
from spacy_gfl.seq2seq.ensemble_network import NOT_TRAINED, EnsembleNetwork
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
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 4096,
) -> Model[ModelInput, Any]:
    """LSTM+A, the parser of *Grammar as a Foreign Language* (Vinyals et al. 2015).

    Args:
        tok2vec: Gives word vectors, `(tokens, any width)` a Doc.
        width: Units a layer.
        depth: Layers of the encoder, and of the decoder.
        dropout: Probability of dropping a value between two layers (the paper's +D).
            Without a number it follows `[training] dropout`.
        attention: Without it, the paper's baseline LSTM.
        reverse_input: Read sentences from their last word to the first.
        input_feeding: Feed the attention's result to the next step.
        cell: Of encoder and decoder: "lstm", or "paper" (the paper's LSTM has h = m * o
            without tanh, so no bound, and its gradients may explode; see
            experiments/paper/README.md).
        max_gradient_norm: Clip gradients by their global norm; 0 never. Set the
            optimizer's own `grad_clip` to 0, which clips tensor by tensor.
        train_batch_words: Padded words that one pass of training works on at most;
            larger batches are summed up pass by pass.

    Returns:
        A model that gives in training the summed cross-entropy (0-d, nats), in
        prediction the hypotheses of each sentence.

    Raises:
        ValueError: For another cell, or a size below 1.
    """
    config = Seq2SeqConfig(
        width=width,
        depth=depth,
        cell=cell,
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
        cell: Of the encoder: "lstm", "paper" (h = m * o, without tanh), "gru" or
            "rnn" (Elman's, h' = tanh(W x + U h + b)).
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
    max_depth: int = 64,
    max_gradient_norm: float = 5.0,
    train_batch_words: int = 8192,
) -> Model[ModelInput, Any]:
    """A parser that reads from left to right, and predicts words too.

    It is `spacy_gfl.AttachJuxtapose.v1` with an encoder that has read no word beyond
    the current one, and a softmax over the next word, given the tree so far: a model of
    sentences and trees, as recurrent neural network grammars are (Dyer et al. 2016).
    `tok2vec` must give each word a vector that no other word has a part in, as
    `spacy_gfl.WordFeatures.v1` does with `lower_capitals = false`.

    Args:
        tok2vec: Gives word vectors, `(tokens, any width)` a Doc.
        width: Units of an encoder layer.
        depth: Layers of the encoder.
        cell: Of the encoder, as of `spacy_gfl.AttachJuxtapose.v1`.
        decoder_width: Units of the LSTM that remembers the tree.
        hidden_width: Units of the pointer, of each of the two label choices, and of
            what predicts words.
        dropout: As of `spacy_gfl.AttachJuxtapose.v1`.
        tag_loss: Weight of a tagger's cross-entropy; 0 for no tagger.
        word_loss: Weight of the words' cross-entropy, above 0.
        max_depth: The most nodes on the right edge of a tree.
        max_gradient_norm: Clip gradients by their global norm; 0 never.
        train_batch_words: Padded words that one pass of training works on at most.

    Returns:
        A model that gives in training the summed cross-entropy (0-d, nats), in
        prediction the hypotheses of each sentence.

    Raises:
        ValueError: For a cell that does not exist, a size below 1, a max_depth above
            10,000, or a word_loss of 0 or less.
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
    )
    return build_model(
        tok2vec,
        NetworkShim(build=GenerativeNetwork, max_gradient_norm=max_gradient_norm),
        asdict(config),
        codec=WordedAttachJuxtapose,
        dropout=dropout,
        train_batch_words=train_batch_words,
    )


def build_ensemble(*members: Model[ModelInput, Any]) -> Model[ModelInput, Any]:
    """Several trained parsers that write every tree together, in one search.

    At every step, the probability of a choice is the geometric mean of what the members
    give it (their log-probabilities are averaged), divided by the sum
    over all choices. So a tree's probability is one of a distribution over trees.
    `spacy-gfl ensemble` makes pipelines with it; it cannot be trained.

    Args:
        *members: Models of one architecture, each with its own tok2vec. In a config
            they have names: `[components.constituency_parser.model.*.first]`.

    Returns:
        A model that gives what its members would, but for the loss.

    Raises:
        ValueError: If there is none, or they cannot choose together.
    """
    kinds = {codec_of(model).kind for model in members}
    builds = [network_shim(model).build for model in members]
    if any(isinstance(build, partial) for build in builds):
        raise ValueError(
            "A member of the ensemble is an ensemble itself: give the pipelines that "
            "it was made of."
        )
    if len(kinds) != 1:
        raise ValueError(
            "The members of an ensemble must be models of one architecture, not of "
            f"{', '.join(sorted(kinds)) or 'none'}."
        )
    for name in cast(type[Network], builds[0]).common_settings:
        found = {model.attrs["shape"][name] for model in members}
        if len(found) != 1:
            raise ValueError(
                f"The members of an ensemble must have one {name}, not "
                f"{', '.join(map(str, sorted(found)))}."
            )
    layers = [model.get_ref("tok2vec") for model in members]
    joined = build_model(
        Model("side_by_side", _side_by_side, layers=layers),
        NetworkShim(build=partial(EnsembleNetwork, builds[0])),
        dict(members[0].attrs["shape"]),
        codec=codec_of(members[0]),
        dropout=None,
        train_batch_words=0,
    )
    joined.init = _refuse_training
    return joined


def _side_by_side(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[Any], list[Doc]]]:
    """The word vectors of several trained layers, one beside the other."""
    found = [layer.predict(docs) for layer in model.layers]
    rows = [model.ops.xp.hstack(of_doc) for of_doc in zip(*found, strict=True)]
    return rows, lambda gradients: []


def _refuse_training(model: Model, X: Any = None, Y: Any = None) -> Model:
    if Y is not None and network_shim(model).network is None:
        raise ValueError(NOT_TRAINED)
    return model
