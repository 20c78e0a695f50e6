"""The decoder: an LSTM with attention that writes symbols."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from spacy_gfl.layers.attention import AdditiveAttention, Memory
from spacy_gfl.layers.cell import Cell, State
from spacy_gfl.layers.nested import take


class DecoderState(NamedTuple):
    """Where a decoder stands; every tensor has one row a hypothesis.

    Attributes:
        layers: h and m of every layer, each `(rows, width)`.
        feed: `[d; d']` of the step before, `(rows, 2 * width)`; None if not fed.
    """

    layers: list[State]
    feed: Tensor | None

    def first(self, n_rows: int) -> "DecoderState":
        """The state of the first rows."""
        layers = [(h[:n_rows], m[:n_rows]) for h, m in self.layers]
        return DecoderState(layers, None if self.feed is None else self.feed[:n_rows])

    def select(self, rows: Tensor) -> "DecoderState":
        """The state of some rows, given by their indices."""
        return DecoderState(*(take(part, rows) for part in self))


class LSTMDecoder(nn.Module):
    """Writes a linearized tree (Vinyals et al. 2015, sections 2 and 2.1).

    Args:
        n_symbols: Size of the output vocabulary. Symbol 0, the end, also starts.
        width: Units a layer.
        depth: Number of layers.
        cell: One of `cell.CELLS`.
        bias: Whether cells have biases.
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
        self.cells = nn.ModuleList(Cell(width, width, cell, bias) for _ in range(depth))
        # The first cell's share of its input that is fed.
        n_sums = len(self._cells[0].hidden_weight)
        self.feed = (
            nn.Linear(2 * width, n_sums, bias=False) if self.input_feeding else None
        )
        self.attention = AdditiveAttention(width) if attention else None
        self.output = nn.Linear(2 * width if attention else width, n_symbols)

    def start(self, finals: Sequence[State]) -> DecoderState:
        """The state before the first symbol: the encoder's final state."""
        hidden = finals[-1][0]
        feed = hidden.new_zeros(len(hidden), 2 * self.width)
        return DecoderState(list(finals), feed if self.input_feeding else None)

    def symbol_table(self) -> Tensor:
        """What every symbol adds to the first layer's sums, `(symbols, sums)`.

        Computed once a search or loss instead of once a step.
        """
        return self._cells[0].project(self.embedding.weight)

    @property
    def _cells(self) -> list[Cell]:
        return cast(list[Cell], list(self.cells))

    def advance(
        self, projected: Tensor, state: DecoderState, dropout: float
    ) -> tuple[Tensor, list[State]]:
        """One step of all layers.

        Args:
            projected: What the last symbols add to the first layer's sums, `(rows,
                sums)`.
            state: Before the step.
            dropout: Probability of dropping a value between two layers.

        Returns:
            d `(rows, width)` and the layers' states.
        """
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
        memory: Memory | None,
        table: Tensor,
    ) -> tuple[Tensor, DecoderState]:
        """Read one symbol a row and score the next.

        Args:
            symbols: `(rows,)`; the rows are the sentences' hypotheses, sentence by
                sentence, the same number each.
            state: Of the rows.
            memory: Of the sentences; None without attention.
            table: What `symbol_table` returns.

        Returns:
            Logits `(rows, symbols)` and the new state.
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
        memory: Memory | None,
        dropout: float = 0.0,
        lengths: Sequence[int] | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Read given symbols (teacher forcing) and score what follows each.

        Args:
            symbols: `(batch, steps)`, the start symbol first.
            state: Before the first symbol.
            memory: Of the sentences; None without attention.
            dropout: Probability of dropping a value between two layers.
            lengths: The symbols of each sentence, the most first. Sentences that
                are over take no part in later steps; their logits there mean
                nothing.

        Returns:
            Logits `(batch, steps, symbols)` and attention weights
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
