"""The decoder: an LSTM with attention that writes symbols."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence

from spacy_gfl.layers.attention import AdditiveAttention, Source
from spacy_gfl.layers.linear import LinearMap, linear_map
from spacy_gfl.layers.lstm import LSTM, State, lstm_step, recurrent
from spacy_gfl.layers.padding import is_word


class DecoderState(NamedTuple):
    """Where a decoder stands; every tensor has one row per hypothesis.

    Attributes:
        layers: h and m of every layer, each `(rows, width)`.
        feed: `[d; d']` of the step before, `(rows, 2 * width)`; None if not fed.
    """

    layers: list[State]
    feed: Tensor | None


class Weights(NamedTuple):
    """The weights of the layers, as a step multiplies them.

    Attributes:
        symbols: What every symbol adds to the first layer's sums, `(symbols, sums)`.
        layers: From what each layer reads besides the symbol and its own h, `(rows,
            inputs + width)`, to its sums, in the precision in force.
        biases: `(sums,)` of each layer but the first.
    """

    symbols: Tensor
    layers: list[LinearMap]
    biases: list[Tensor]


class LSTMDecoder(nn.Module):
    """Writes a linearized tree (Vinyals et al. 2015, sections 2 and 2.1).

    Args:
        n_symbols: Size of the output vocabulary. Symbol 0, the end, also starts.
        width: Units per layer.
        depth: Number of layers.
        cell: "lstm" or "paper".
        attention: Whether to look at the words; without, the next symbol depends on
            d alone (the paper's baseline).
        input_feeding: Whether `[d; d']` is fed to the next step; needs attention.
    """

    def __init__(
        self,
        n_symbols: int,
        width: int,
        depth: int,
        cell: str,
        attention: bool,
        input_feeding: bool,
    ) -> None:
        super().__init__()
        self.width = width
        self.bounded = cell == "lstm"
        self.input_feeding = attention and input_feeding
        self.embedding = nn.Embedding(n_symbols, width)
        first = 3 * width if self.input_feeding else width
        self.layers = nn.ModuleList(
            recurrent(n, width, cell) for n in [first] + [width] * (depth - 1)
        )
        self.attention = AdditiveAttention(width) if attention else None
        self.output = nn.Linear(2 * width if attention else width, n_symbols)

    def start(self, finals: Sequence[State]) -> DecoderState:
        """The state before the first symbol: the encoder's final state."""
        hidden = finals[-1][0]
        feed = hidden.new_zeros(len(hidden), 2 * self.width)
        return DecoderState(list(finals), feed if self.input_feeding else None)

    def weights(self) -> Weights:
        """The layers' weights, put together once per search or loss."""
        first, *others = layers = cast(list[LSTM], list(self.layers))
        of_symbols, of_feed = first.weight_ih_l0.tensor_split([self.width], dim=1)
        besides = [of_feed, *(layer.weight_ih_l0 for layer in others)]
        bias, *biases = [layer.bias_ih_l0 + layer.bias_hh_l0 for layer in layers]
        return Weights(
            nn.functional.linear(self.embedding.weight, of_symbols, bias),
            [
                linear_map(torch.cat([weight, layer.weight_hh_l0], dim=1))
                for weight, layer in zip(besides, layers, strict=True)
            ],
            biases,
        )

    def step(
        self,
        symbols: Tensor,
        state: DecoderState,
        source: Source | None,
        weights: Weights,
    ) -> tuple[Tensor, DecoderState]:
        """Read one symbol per row and score the next.

        Args:
            symbols: `(rows,)`; the rows are the sentences' hypotheses, sentence by
                sentence, the same number each.
            state: The state of the rows.
            source: The states of the sentences to attend to; None without attention.
            weights: What `weights` returns.

        Returns:
            Logits `(rows, symbols)` and the new state.
        """
        both, _, state = self._advance(symbols, state, source, weights)
        return self.output(both), state

    def _advance(
        self,
        symbols: Tensor,
        state: DecoderState,
        source: Source | None,
        weights: Weights,
        dropout: float = 0.0,
    ) -> tuple[Tensor, Tensor | None, DecoderState]:
        """`[d; d']` after a step, looks `(sentences, queries, words)`, and the state.

        Without attention it is d alone, and looks nowhere.
        """
        layers: list[State] = []
        add, inputs = weights.symbols[symbols], [state.feed]
        for k, (hidden, cell) in enumerate(state.layers):
            read = [part for part in (*inputs, hidden) if part is not None]
            sums = add + weights.layers[k](torch.cat(read, dim=1))
            layers.append(lstm_step(sums, cell, self.bounded))
            if k < len(weights.biases):
                add = weights.biases[k]
                inputs = [nn.functional.dropout(layers[k][0], dropout, self.training)]
        d = layers[-1][0]
        if self.attention is None or source is None:
            return d, None, DecoderState(layers, None)
        sentences = len(source.vectors)
        attended, looked = self.attention(d.view(sentences, -1, self.width), source)
        both = torch.cat([d, attended.view(-1, self.width)], dim=1)
        return both, looked, DecoderState(layers, both if self.input_feeding else None)

    def forward(
        self,
        symbols: PackedSequence,
        state: DecoderState,
        source: Source | None,
        dropout: float = 0.0,
    ) -> tuple[Tensor, Tensor | None]:
        """Read given symbols (teacher forcing) and score what follows each.

        Args:
            symbols: The symbols of each sentence, the start symbol first; the sentence
                with most symbols stands first.
            state: The state before the first symbol.
            source: The states of the sentences to attend to; None without attention.
            dropout: Probability of dropping a value between two layers.

        Returns:
            Logits `(all steps, symbols)`, in the order of the packed symbols, and
            attention weights `(steps, batch, words)`, which mean nothing where a
            sentence is over; None without attention.
        """
        if self.input_feeding and source is not None:
            both, looked = self._feed(symbols, state, source, dropout)
            return self.output(both), looked
        read = symbols._replace(data=self.embedding(symbols.data))
        vectors, lengths = pad_packed_sequence(read, batch_first=True)
        for layer, (hidden, cell) in zip(self.layers, state.layers, strict=True):
            if layer is not self.layers[0]:
                vectors = nn.functional.dropout(vectors, dropout, self.training)
            before = hidden.unsqueeze(0), cell.unsqueeze(0)
            vectors, _ = layer(vectors, before)
        weights = None
        if self.attention is not None and source is not None:
            attended, looked = self.attention(vectors, source)
            vectors = torch.cat([vectors, attended], dim=2)
            weights = looked.transpose(0, 1)
        real = is_word(lengths.to(vectors.device), vectors.shape[1])
        return self.output(vectors.transpose(0, 1)[real.t()]), weights

    def _feed(
        self,
        symbols: PackedSequence,
        state: DecoderState,
        source: Source,
        dropout: float,
    ) -> tuple[Tensor, Tensor]:
        """`[d; d']` of all steps, and where they look, one step after the other.

        What attention finds at a step is read by the next one.
        """
        weights, read = self.weights(), []
        looked = source.keys.new_zeros(len(symbols.batch_sizes), *source.mask.shape)
        for t, at in enumerate(symbols.data.split(symbols.batch_sizes.tolist())):
            n = len(at)
            state = DecoderState(
                [(hidden[:n], memory[:n]) for hidden, memory in state.layers],
                None if state.feed is None else state.feed[:n],
            )
            rest = Source(*(part[:n] for part in source))
            both, looks, state = self._advance(at, state, rest, weights, dropout)
            read.append(both)
            if looks is not None:
                looked[t, :n] = looks.detach().squeeze(1)
        return torch.cat(read), looked
