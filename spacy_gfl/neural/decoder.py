"""The decoder: an LSTM with attention that writes symbols."""

from typing import List, NamedTuple, Optional, Sequence, Tuple, cast

import torch
from torch import Tensor, nn

from spacy_gfl.neural.attention import AdditiveAttention, Memory
from spacy_gfl.neural.cell import LSTMCell, State


class DecoderState(NamedTuple):
    """Where a decoder stands; every tensor has one row a hypothesis.

    layers: h and m of every layer, each `(rows, width)`.
    feed: `[d; d']` of the step before, `(rows, 2 * width)`; None if not fed.
    """

    layers: List[State]
    feed: Optional[Tensor]

    def first(self, n_rows: int) -> "DecoderState":
        """The state of the first rows."""
        layers = [(h[:n_rows], m[:n_rows]) for h, m in self.layers]
        return DecoderState(layers, None if self.feed is None else self.feed[:n_rows])

    def select(self, rows: Tensor) -> "DecoderState":
        """The state of some rows, given by their indices."""
        layers = [
            (h.index_select(0, rows), m.index_select(0, rows)) for h, m in self.layers
        ]
        feed = None if self.feed is None else self.feed.index_select(0, rows)
        return DecoderState(layers, feed)


class LSTMDecoder(nn.Module):
    """Writes a linearized tree (Vinyals et al. 2015, sections 2 and 2.1).

    n_symbols: Size of the output vocabulary. Symbol 0, the end, also starts.
    width, depth, cell, bias: As in `LSTMEncoder`.
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
        bias: bool,
        attention: bool,
        input_feeding: bool,
    ) -> None:
        super().__init__()
        self.width = width
        self.input_feeding = attention and input_feeding
        self.embedding = nn.Embedding(n_symbols, width)
        self.cells = nn.ModuleList(
            LSTMCell(width, width, cell, bias) for _ in range(depth)
        )
        # The first cell's share of its input that is fed.
        self.feed = (
            nn.Linear(2 * width, 4 * width, bias=False) if self.input_feeding else None
        )
        self.attention = AdditiveAttention(width) if attention else None
        self.output = nn.Linear(2 * width if attention else width, n_symbols)

    def start(self, finals: Sequence[State]) -> DecoderState:
        """The state before the first symbol: the encoder's final state."""
        hidden = finals[-1][0]
        feed = hidden.new_zeros(len(hidden), 2 * self.width)
        return DecoderState(list(finals), feed if self.input_feeding else None)

    def symbol_table(self) -> Tensor:
        """What every symbol adds to the first layer's sums, `(symbols, 4 * width)`.

        Computed once a search or loss instead of once a step.
        """
        return self._cells[0].project(self.embedding.weight)

    @property
    def _cells(self) -> List[LSTMCell]:
        return cast(List[LSTMCell], list(self.cells))

    def advance(
        self, projected: Tensor, state: DecoderState, dropout: float
    ) -> Tuple[Tensor, List[State]]:
        """One step of all layers; returns d `(rows, width)` and their states."""
        first, *others = self._cells
        if self.feed is not None and state.feed is not None:
            projected = torch.addmm(projected, state.feed, self.feed.weight.t())
        hidden, memory = first.step(projected, state.layers[0])
        layers = [(hidden, memory)]
        for cell, before in zip(others, state.layers[1:], strict=True):
            below = nn.functional.dropout(hidden, dropout, self.training)
            hidden, memory = cell(below, before)
            layers.append((hidden, memory))
        return hidden, layers

    def step(
        self,
        symbols: Tensor,
        state: DecoderState,
        memory: Optional[Memory],
        table: Tensor,
    ) -> Tuple[Tensor, DecoderState]:
        """Read one symbol a row and score the next.

        symbols: `(rows,)`; the rows are the sentences' hypotheses, sentence by
            sentence, the same number each.
        memory: Of the sentences; None without attention.
        table: What `symbol_table` returns.

        Returns logits `(rows, symbols)` and the new state.
        """
        hidden, layers = self.advance(table[symbols], state, dropout=0.0)
        if self.attention is None or memory is None:
            return self.output(hidden), DecoderState(layers, None)
        sentences = len(memory.vectors)
        attended, _ = self.attention(hidden.view(sentences, -1, self.width), memory)
        both = torch.cat([hidden, attended.view(-1, self.width)], dim=1)
        feed = both if self.input_feeding else None
        return self.output(both), DecoderState(layers, feed)

    def forward(
        self,
        symbols: Tensor,
        state: DecoderState,
        memory: Optional[Memory],
        dropout: float = 0.0,
        lengths: Optional[Sequence[int]] = None,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        """Read given symbols (teacher forcing) and score what follows each.

        symbols: `(batch, steps)`, the start symbol first.
        lengths: The symbols of each sentence, the most first. Sentences that are
            over take no part in later steps; their logits there mean nothing.

        Returns logits `(batch, steps, symbols)` and attention weights
        `(batch, steps, words)`, None without attention.
        """
        projected = self.symbol_table()[symbols].unbind(1)
        n_rows, batch, whole = len(symbols), len(symbols), memory
        vectors, weights = [], []
        for t, inputs in enumerate(projected):
            while lengths is not None and lengths[n_rows - 1] <= t:
                n_rows -= 1
            if n_rows < len(state.layers[0][0]):
                state = state.first(n_rows)
                memory = None if memory is None else memory.first(n_rows)
            hidden, layers = self.advance(inputs[:n_rows], state, dropout)
            feed = None
            if self.input_feeding and self.attention is not None and memory is not None:
                attended, looked = self.attention(hidden.unsqueeze(1), memory)
                hidden = feed = torch.cat([hidden, attended.squeeze(1)], dim=1)
                weights.append(_pad_rows(looked, batch))
            vectors.append(_pad_rows(hidden, batch))
            state = DecoderState(layers, feed)
        top = torch.stack(vectors, dim=1)
        if weights:
            return self.output(top), torch.cat(weights, dim=1)
        if self.attention is None or whole is None:
            return self.output(top), None
        attended, looked = self.attention(top, whole)
        return self.output(torch.cat([top, attended], dim=2)), looked


def _pad_rows(rows: Tensor, n_rows: int) -> Tensor:
    """The same with rows of zeros at the end, `(n_rows, ...)`."""
    missing = n_rows - len(rows)
    if missing == 0:
        return rows
    return torch.cat([rows, rows.new_zeros(missing, *rows.shape[1:])])
