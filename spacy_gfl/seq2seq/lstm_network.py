"""The paper's network: an LSTM reads words, an LSTM with attention writes symbols."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from spacy_gfl.decoding.decoder import Decoder, OfSentences, take
from spacy_gfl.decoding.network import Network
from spacy_gfl.decoding.tasks import SearchTask
from spacy_gfl.layers.attention import Source
from spacy_gfl.layers.encoder import build_encoder
from spacy_gfl.layers.lstm import LSTM, START, State
from spacy_gfl.layers.padding import is_word, pad
from spacy_gfl.layers.process import on_device
from spacy_gfl.seq2seq.config import Seq2SeqConfig
from spacy_gfl.seq2seq.grammar import DEEPEST, END, Grammar, TreePrefix, most_symbols
from spacy_gfl.seq2seq.lstm_decoder import DecoderState, LSTMDecoder


class Encoded(NamedTuple):
    """A batch of sentences that the encoder has read.

    Attributes:
        source: What attention looks at; None without it.
        finals: The state of every encoder layer after the last word.
    """

    source: Source | None
    finals: list[State]


class Seq2SeqNetwork(Network[Encoded]):
    """LSTM+A of Vinyals et al. (2015), section 2, with its losses and searches.

    Args:
        input_width: Width of the word vectors.
        symbol_kinds: The kind of each symbol: END, WORD, OPEN or CLOSE (`grammar`).
        symbol_labels: The index of each symbol's label, -1 without one.
        longest_opening_run: The most opening symbols that may follow each other.
        **settings: Those of `Seq2SeqConfig`.
    """

    def __init__(
        self,
        *,
        input_width: int,
        symbol_kinds: Sequence[int],
        symbol_labels: Sequence[int],
        longest_opening_run: int,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.config = config = Seq2SeqConfig(**settings)
        self.settings = {
            "input_width": input_width,
            "symbol_kinds": symbol_kinds,
            "symbol_labels": symbol_labels,
            "longest_opening_run": longest_opening_run,
            **asdict(config),
        }
        self.longest_opening_run = longest_opening_run
        # The paper's h_0 of every layer of the encoder.
        self.first_hidden = nn.Parameter(torch.zeros(config.depth, config.width))
        self.encoder = build_encoder(
            config.encoder or config.cell,
            input_width,
            config.width,
            config.depth,
            False,
        )
        self.decoder = LSTMDecoder(
            len(symbol_kinds),
            config.width,
            config.depth,
            config.cell,
            config.attention,
            config.input_feeding,
        )
        if config.cell == "paper":
            for parameter in self.parameters():
                nn.init.uniform_(parameter, -START, START)
        else:
            # Forget gates start with a bias of 1: this network learns faster so.
            layers = [*self.encoder.modules(), *self.decoder.layers]
            for layer in (one for one in layers if isinstance(one, LSTM)):
                bias = layer.bias_ih_l0
                nn.init.ones_(bias.data[config.width : 2 * config.width])
        # They are no weights: their values must be there before weights are loaded.
        kinds = torch.tensor(symbol_kinds, device="cpu")
        labels = torch.tensor(symbol_labels, device="cpu")
        self.register_buffer("symbol_kinds", kinds, persistent=False)
        self.register_buffer("symbol_labels", labels, persistent=False)

    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> Encoded:
        padded = pad(sentences, reverse=self.config.reverse_input).transpose(0, 1)
        vectors, finals = self.encoder.read_to_ends(
            padded.contiguous(), lengths, self.first_hidden, dropout
        )
        if self.decoder.attention is None:
            return Encoded(None, finals)
        [sizes] = on_device(padded.device, torch.tensor(lengths, device="cpu"))
        mask = is_word(sizes, padded.shape[1])
        return Encoded(self.decoder.attention.source(vectors, mask), finals)

    def _teach(
        self, encoded: Encoded, targets: Sequence[Sequence[int]], dropout: float
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Targets, their logits, and attention weights `(steps, sentences, words)`.

        Targets are packed: sentences stand in the order of their targets' lengths, the
        longest first (`_longest_first`).
        """
        order = _longest_first(targets)
        gold = [torch.as_tensor(targets[i], device="cpu") for i in order]
        # The end symbol, 0, starts.
        packed = nn.utils.rnn.pack_sequence(
            [nn.functional.pad(symbols[:-1], (1, 0)) for symbols in gold]
        )
        written, read, rows = on_device(
            self.decoder.output.weight.device,
            nn.utils.rnn.pack_sequence(gold).data,
            packed.data,
            torch.tensor(order, device="cpu"),
        )
        encoded = take(encoded, rows)
        logits, weights = self.decoder(
            packed._replace(data=read),
            self.decoder.start(encoded.finals),
            encoded.source,
            dropout,
        )
        return written, logits, weights

    def loss(
        self, encoded: Encoded, targets: Sequence[Sequence[int]], dropout: float
    ) -> Tensor:
        gold, logits, _ = self._teach(encoded, targets, dropout)
        return nn.functional.cross_entropy(logits, gold, reduction="sum")

    def attend(
        self, encoded: Encoded, lengths: Sequence[int], targets: Sequence[Sequence[int]]
    ) -> list[Tensor]:
        _, _, weights = self._teach(encoded, targets, dropout=0.0)
        if weights is None:
            raise ValueError(
                "This model has no attention: it was built with attention = false."
            )
        matrices: list[Tensor] = [weights] * len(targets)
        for row, i in enumerate(_longest_first(targets)):
            matrix = weights[: len(targets[i]), row, : lengths[i]]
            matrices[i] = matrix.flip(1) if self.config.reverse_input else matrix
        return matrices

    def decoder_of(self, encoded: Encoded) -> "_Steps":
        return _Steps(self.decoder, encoded)

    def most_choices(self, n_words: int) -> int:
        return most_symbols(n_words)

    def constrain(
        self, decoder: Decoder[Any], lengths: Sequence[int], task: SearchTask
    ) -> Decoder[Any]:
        if not task.constrained:
            return decoder
        kinds, labels = map(self.get_buffer, ("symbol_kinds", "symbol_labels"))
        grammar = Grammar(kinds, labels, self.longest_opening_run)
        return _Trees(decoder, grammar, lengths)


class _State(NamedTuple):
    """The beginnings of linearizations.

    Attributes:
        symbols: The last symbol of each row, `(rows,)`.
        decoder: The decoder before it reads them.
        source: What it looks at: a `Source`, or None.
    """

    symbols: Tensor
    decoder: DecoderState
    source: OfSentences


class _Steps:
    """A batch of sentences, symbol by symbol: a `decoding.decoder.Decoder`."""

    end = END

    def __init__(self, decoder: LSTMDecoder, encoded: Encoded) -> None:
        self.decoder = decoder
        self.encoded = encoded
        self.weights = decoder.weights()

    def start(self) -> _State:
        finals = self.encoded.finals
        hidden = finals[0][0]
        symbols = torch.zeros(len(hidden), dtype=torch.long, device=hidden.device)
        source = OfSentences(self.encoded.source)
        return _State(symbols, self.decoder.start(finals), source)

    def score(self, state: _State) -> tuple[Tensor, _State]:
        logits, decoder = self.decoder.step(
            state.symbols, state.decoder, state.source.part, self.weights
        )
        return logits.float().log_softmax(dim=1), state._replace(decoder=decoder)

    def extend(self, state: _State, choices: Tensor) -> _State:
        return state._replace(symbols=choices)


#: The state of the unconstrained decoder, and what it wrote as the grammar knows it.
_Beginning = tuple[Any, TreePrefix]


class _Trees:
    """A decoder of symbols that writes nothing but trees: a `decoding.decoder.Decoder`.

    It leaves the log-probabilities of what it allows as they are.
    """

    end = END

    def __init__(
        self, decoder: Decoder[Any], grammar: Grammar, lengths: Sequence[int]
    ) -> None:
        self.decoder = decoder
        self.grammar = grammar
        self.lengths = lengths

    def start(self) -> _Beginning:
        n_words = torch.tensor(self.lengths, device=self.grammar.labels.device)
        return self.decoder.start(), TreePrefix.empty(n_words, DEEPEST)

    def score(self, state: _Beginning) -> tuple[Tensor, _Beginning]:
        inner, prefix = state
        log_probs, inner = self.decoder.score(inner)
        allowed = prefix.allowed(self.grammar)
        return log_probs.masked_fill(~allowed, float("-inf")), (inner, prefix)

    def extend(self, state: _Beginning, choices: Tensor) -> _Beginning:
        inner, prefix = state
        inner = self.decoder.extend(inner, choices)
        return inner, prefix.extend(choices, self.grammar)


def _longest_first(targets: Sequence[Sequence[int]]) -> list[int]:
    """The indices of targets in the order of their lengths."""
    return sorted(range(len(targets)), key=lambda i: -len(targets[i]))
