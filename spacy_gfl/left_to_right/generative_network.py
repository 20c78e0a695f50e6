"""A parser that predicts the next word from the tree so far.

What it knows before word w+1 is summed up as for the choices, of the encoder's and the
decoder's states at word w, what the deepest node d of the chain spans, the labels of
the three deepest nodes, and the last action:

    h = tanh(W1 s_d + W2 d_w + W3 x_w + W4 [l_d, l_d-1, l_d-2, new, parent, depth])

and a word's probability is the adaptive softmax of h (Grave et al. 2017). A word that
the vocabulary lacks has the probability of its class and of its spelling (`spelling`).
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.attach_juxtapose.actions import ActionBatch
from spacy_gfl.attach_juxtapose.config import (
    DEPTH_WIDTH,
    LABEL_WIDTH,
    LABELS_READ,
    AttachJuxtaposeConfig,
)
from spacy_gfl.attach_juxtapose.pointer_network import AttachJuxtaposeNetwork
from spacy_gfl.attach_juxtapose.search_steps import (
    EncodedSpans,
    SearchWeights,
    State,
    Steps,
)
from spacy_gfl.decoding.network import Hypothesis
from spacy_gfl.decoding.tasks import SearchTask
from spacy_gfl.layers.padding import is_word
from spacy_gfl.layers.precision import in_force
from spacy_gfl.layers.process import on_device
from spacy_gfl.left_to_right.generative_config import GenerativeConfig
from spacy_gfl.left_to_right.growth import grow
from spacy_gfl.left_to_right.spelling import Spelled, Spelling
from spacy_gfl.left_to_right.word_codec import CLASSES, NextWords, WordedActions

#: Words of which each has a score of its own, and those of the second group, whose
#: scores are of a quarter of the width.
CUTOFFS = (2_000, 8_000)


class WordWeights(NamedTuple):
    """The weights that predict a word.

    Attributes:
        tables: Shares of the labels that are read, one table after the other, and of
            depths, `(rows, hidden width)`.
        softmax: The softmax over words.
    """

    tables: Tensor
    softmax: nn.AdaptiveLogSoftmaxWithLoss


class WordedSpans(NamedTuple):
    """Sentences that the encoder has read, with the words that are to be predicted.

    Attributes:
        words, fences: As of `EncodedSpans`.
        next_words: The number of each word and of the end, `(batch, words + 1)`.
        spelled: The log-probability of each word's spelling, given its class; 0 for
            words that have a number, `(batch, words + 1)`.
    """

    words: Tensor
    fences: Tensor
    next_words: Tensor
    spelled: Tensor


class GenerativeNetwork(AttachJuxtaposeNetwork):
    """An LSTM that reads from left to right, and predicts actions and words.

    Args:
        n_words: How many words, classes of words and ends there are.
        **settings: Those of `AttachJuxtaposeNetwork`, of `GenerativeConfig`.
    """

    config: GenerativeConfig
    config_type: ClassVar[type[AttachJuxtaposeConfig]] = GenerativeConfig
    n_parts: ClassVar[int] = 4

    def __init__(self, *, n_words: int, **settings: Any) -> None:
        super().__init__(**settings)
        self.settings["n_words"] = n_words
        hidden = self.config.hidden_width
        cutoffs = [cutoff for cutoff in CUTOFFS if cutoff < n_words] or [n_words - 1]
        self.word_labels = nn.Linear(LABEL_WIDTH, LABELS_READ * hidden, bias=False)
        self.word_depth = nn.Linear(DEPTH_WIDTH, hidden, bias=False)
        self.next_word = nn.AdaptiveLogSoftmaxWithLoss(hidden, n_words, cutoffs)
        width = self.config.spelling_width
        self.spelling = Spelling(len(CLASSES), width) if width else None

    def loss(
        self, encoded: EncodedSpans, targets: Sequence[Any], dropout: float
    ) -> Tensor:
        actions = [target.actions for target in targets]
        batch = ActionBatch.of(actions, encoded.words)
        sums = self._sums(encoded, batch, dropout)
        loss = self._action_losses(encoded, sums, batch, dropout).sum()
        loss = loss + self._tag_loss(encoded, batch)
        of_words = self._word_log_probs(encoded, sums, targets, dropout).sum()
        if self.spelling is not None:
            spelled = [word for target in targets for word in target.words.spelled]
            of_words = of_words + self._spelled(spelled, dropout).sum()
        return loss - self.config.word_loss * of_words

    def _spelled(self, words: Sequence[Spelled], dropout: float = 0.0) -> Tensor:
        """The log-probability of words' spelling, `(words,)`; 0 without a model."""
        if self.spelling is None:
            return self.score.new_zeros(len(words))
        kinds, forms = [word.kind for word in words], [word.form for word in words]
        return self.spelling(kinds, forms, dropout)

    def action_log_probs(
        self, encoded: EncodedSpans, targets: Sequence[Any]
    ) -> list[Tensor]:
        return super().action_log_probs(encoded, [one.actions for one in targets])

    def _word_log_probs(
        self,
        encoded: EncodedSpans,
        sums: Tensor,
        targets: Sequence[WordedActions],
        dropout: float,
    ) -> Tensor:
        """The log-probability of each word and end, given the gold tree before it."""
        known = sums[:, :, -self.config.hidden_width :]
        fences = encoded.fences[:, :, -self.config.hidden_width :]
        n_words = sums.shape[1]
        # One place more than words; before the first word nothing is known.
        numbers = [one.words.numbers for one in targets]
        sizes = torch.tensor(list(map(len, numbers)), device="cpu")
        words, read, starts, places = on_device(
            sums.device,
            numpy.concatenate(numbers),
            *map(numpy.concatenate, list(zip(*targets, strict=True))[2:]),
            is_word(sizes, n_words + 1).flatten().nonzero().squeeze(1),
        )
        sentences = places.div(n_words + 1, rounding_mode="floor")
        known = functional.pad(known, (0, 0, 1, 0)).flatten(0, 1)
        known = known.index_select(0, places)
        spans = fences.flatten(0, 1).index_select(0, sentences * n_words + starts)
        is_first = (places % (n_words + 1) == 0).unsqueeze(1)
        weights = self.word_weights()
        hidden = known - spans.masked_fill(is_first, 0.0) + self._read(read, weights)
        hidden = functional.dropout(hidden.tanh(), dropout, self.training)
        return weights.softmax(hidden, words).output

    def _read(self, read: Tensor, weights: WordWeights) -> Tensor:
        rows = read + (self.n_labels + 2) * torch.arange(
            read.shape[1], device=read.device
        )
        return functional.embedding_bag(rows, weights.tables, mode="sum")

    def word_weights(self) -> WordWeights:
        """The weights that predict words, multiplied out."""
        label = self.label.weight
        parts = self.word_labels.weight.split(self.config.hidden_width)
        shares = [label @ part.t() for part in parts]
        depths = self.depth.weight @ self.word_depth.weight.t()
        return WordWeights(torch.cat([*shares, depths]), self.next_word)

    def with_words(
        self, encoded: EncodedSpans, words: Sequence[NextWords]
    ) -> EncodedSpans:
        numbers = [torch.from_numpy(of_one.numbers) for of_one in words]
        padded = nn.utils.rnn.pad_sequence(numbers, batch_first=True)
        [padded] = on_device(encoded.words.device, padded)
        spelled = encoded.words.new_zeros(padded.shape)
        in_sentences = [
            (i, word) for i, one in enumerate(words) for word in one.spelled
        ]
        if in_sentences:
            rows, unknown = zip(*in_sentences, strict=True)
            places = [word.place for word in unknown]
            spelled[list(rows), places] = self._spelled(unknown)
        # What reads words of sentences reads these in their place.
        worded: Any = WordedSpans(encoded.words, encoded.fences, padded, spelled)
        return worded

    def decoder_of(self, encoded: EncodedSpans) -> Steps:
        if not isinstance(encoded, WordedSpans):
            return super().decoder_of(encoded)
        weights = self.cached(("search", in_force()), self.search_weights)
        words = self.cached("words", self.word_weights)
        return GenerativeSteps(weights, words, encoded)

    def find(
        self, encoded: EncodedSpans, lengths: Sequence[int], task: SearchTask
    ) -> list[list[Hypothesis]]:
        is_plain = task.n_best == 1 and not task.n_samples and task.constraints is None
        if not (task.notes_growth and is_plain):
            return super().find(encoded, lengths, task)
        # Columns per word need the whole beam: one search gives trees and columns.
        growths = grow(self, encoded, lengths, task.beam_width)
        return [[growth.best()] for growth in growths]

    def _one_by_one(
        self, encoded: EncodedSpans, lengths: Sequence[int], task: SearchTask
    ) -> bool:
        return False


class GenerativeSteps(Steps):
    """Steps whose hypotheses have the probability of their words too.

    The first choice of a word has the word's log-probability beside its own. The end of
    a sentence is not counted.

    Args:
        weights: The network's weights.
        words: Those that predict words.
        encoded: The sentences, with their words.
    """

    def __init__(
        self, weights: SearchWeights, words: WordWeights, encoded: WordedSpans
    ) -> None:
        spans = EncodedSpans(encoded.words, encoded.fences)
        super().__init__(weights, spans)
        self.word_weights = words
        self.word_fences = encoded.fences.flatten(0, 1)[:, -weights.hidden_width :]
        self.next_words, self.spelled = encoded.next_words, encoded.spelled

    def start(self) -> State:
        """Only the root, and what is known before the first word."""
        state = super().start()
        nothing = state.fed.new_zeros(len(state.fed), self.weights.hidden_width)
        return self._foresee(state._replace(foreseeing=nothing))

    def score(self, state: State) -> tuple[Tensor, State]:
        """Log-probabilities of the next choice, with the word's before the first."""
        log_probs, state = super().score(state)
        if len(state.action) == 0 and state.next_word is not None:
            log_probs = log_probs + state.next_word.unsqueeze(1)
        return log_probs, state

    def _read(self, state: State) -> State:
        state, width = super()._read(state), self.weights.hidden_width
        sums, foreseeing = state.sums.split([3 * width, width], dim=1)
        return state._replace(sums=sums, foreseeing=foreseeing)

    def extend(self, state: State, choices: Tensor) -> State:
        """Take a choice; with the parent label the next word is predicted."""
        state = super().extend(state, choices)
        return state if state.action else self._foresee(state)

    def _foresee(self, state: State) -> State:
        """Note the log-probability of the next word, or of the end."""
        assert state.foreseeing is not None
        deepest = state.labels.gather(1, state.sizes.unsqueeze(1) + self.deepest - 1)
        read = torch.cat([deepest, state.previous], dim=1) + self.read_rows
        sums = functional.embedding_bag(read, self.word_weights.tables, mode="sum")
        sums += state.foreseeing
        if state.word:
            last = (state.sizes - 1).unsqueeze(1)
            starts = state.base + state.starts.gather(1, last).squeeze(1)
            sums -= self.word_fences.index_select(0, starts)
        sentences = state.base.div(self.shape[1], rounding_mode="floor")
        words = self.next_words[sentences, state.word]
        predicted = self.word_weights.softmax(sums.tanh(), words)
        spelled = self.spelled[sentences, state.word]
        return state._replace(next_word=predicted.output + spelled)
