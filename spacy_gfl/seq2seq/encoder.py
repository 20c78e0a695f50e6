"""The encoder: a stack of recurrent layers that reads a batch of sentences."""

from collections.abc import Iterator, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from spacy_gfl.layers.cell import Cell, State


class LSTMEncoder(nn.Module):
    """Reads the words of a sentence (Vinyals et al. 2015, section 2).

    The first hidden vector of every layer is a parameter, as in the paper. Layers of
    the paper's cell run step by step, others in PyTorch's fused kernels.

    Args:
        input_width: Width of the word vectors.
        width: Units a layer.
        depth: Number of layers.
        cell: One of `cell.CELLS`.
        bias: Whether cells have biases.
    """

    def __init__(
        self,
        input_width: int,
        width: int,
        depth: int,
        cell: str,
        bias: bool,
    ) -> None:
        super().__init__()
        widths = [input_width] + [width] * (depth - 1)
        self.cells = nn.ModuleList(Cell(w, width, cell, bias) for w in widths)
        self.first_hidden = nn.Parameter(torch.zeros(depth, width))

    def forward(
        self, vectors: Tensor, lengths: Tensor, dropout: float = 0.0
    ) -> tuple[Tensor, list[State]]:
        """Encode padded sentences.

        Args:
            vectors: `(batch, words, input_width)`, sentences padded at the end.
            lengths: `(batch,)`, the words of each sentence, the most first.
            dropout: Probability of dropping a value between two layers.

        Returns:
            The top layer's hidden vectors `(batch, words, width)`, which mean
            nothing at padding, and the state of every layer after each sentence's
            last word.

        Raises:
            ValueError: If a sentence is longer than one before it.
        """
        sizes = lengths.tolist()
        if sizes != sorted(sizes, reverse=True):
            raise ValueError(f"The longest sentence must stand first, not {sizes}.")
        finals: list[State] = []
        layer = vectors
        for depth, cell in enumerate(cast(Sequence[Cell], self.cells)):
            if depth > 0:
                layer = nn.functional.dropout(layer, dropout, self.training)
            hidden = self.first_hidden[depth].expand(len(sizes), -1)
            state = (hidden, torch.zeros_like(hidden))
            run = _run if cell.variant == "lstm" else _step_by_step
            layer, final = run(cell, layer, state, sizes)
            finals.append(final)
        return layer, finals


def _run(
    cell: Cell, vectors: Tensor, state: State, sizes: list[int]
) -> tuple[Tensor, State]:
    """A layer's hidden vectors and its final states, by PyTorch's kernel.

    It gives the memory after the last step only, so it runs from one sentence's
    end to the next, with the sentences that go on.
    """
    hidden, memory = state
    weights: list[Tensor] = [cell.input_weight, cell.hidden_weight]
    if cell.bias is not None:
        # PyTorch has two biases, which it adds.
        weights += [cell.bias, torch.zeros_like(cell.bias)]
    if vectors.is_cuda:
        weights = _in_one_piece(weights)
    has_bias, start = cell.bias is not None, 0
    outputs: list[Tensor] = []
    finals: list[State] = []
    for end, n_rows, n_after in _segments(sizes):
        h = hidden[:n_rows].unsqueeze(0).contiguous()
        m = memory[:n_rows].unsqueeze(0)
        layer, h, m = torch.lstm(
            vectors[:n_rows, start:end],
            [h, m],
            weights,
            has_biases=has_bias,
            num_layers=1,
            dropout=0.0,
            train=cell.training,
            bidirectional=False,
            batch_first=True,
        )
        outputs.append(nn.functional.pad(layer, (0, 0, 0, 0, 0, len(sizes) - n_rows)))
        hidden, memory, start = h[0], m[0], end
        finals.append((hidden[n_after:], memory[n_after:]))
    # The sentences that end first stand last.
    last_h, last_m = zip(*reversed(finals), strict=True)
    return torch.cat(outputs, dim=1), (torch.cat(last_h), torch.cat(last_m))


def _in_one_piece(weights: list[Tensor]) -> list[Tensor]:
    """The same weights one after the other in memory, as cuDNN wants them."""
    flat = torch.cat([weight.flatten() for weight in weights])
    parts = flat.split([weight.numel() for weight in weights])
    return [part.view_as(w) for part, w in zip(parts, weights, strict=True)]


def _segments(sizes: list[int]) -> Iterator[tuple[int, int, int]]:
    """From one end of a sentence to the next.

    Args:
        sizes: The words of sentences, the most first.

    Yields:
        The step at which some sentences end, how many take part until then, and how
        many after it.
    """
    n_rows = len(sizes)
    for end in sorted(set(sizes)):
        n_after = sum(size > end for size in sizes)
        yield end, n_rows, n_after
        n_rows = n_after


def _step_by_step(
    cell: Cell, vectors: Tensor, state: State, sizes: list[int]
) -> tuple[Tensor, State]:
    """The same for any cell, a word at a time."""
    projected = cell.project(vectors).unbind(1)
    outputs: list[Tensor] = []
    finals: list[State] = []
    hidden, memory = state
    for end, n_rows, n_after in _segments(sizes):
        for inputs in projected[len(outputs) : end]:
            hidden, memory = cell.step(inputs[:n_rows], (hidden, memory))
            padding = (0, 0, 0, len(sizes) - n_rows)
            outputs.append(nn.functional.pad(hidden, padding))
        finals.append((hidden[n_after:], memory[n_after:]))
        hidden, memory = hidden[:n_after], memory[:n_after]
    last_h, last_m = zip(*reversed(finals), strict=True)
    return torch.stack(outputs, dim=1), (torch.cat(last_h), torch.cat(last_m))
