"""The encoder: a stack of LSTM layers that reads a batch of sentences."""

from typing import List, Tuple, cast

import torch
from torch import Tensor, nn

from spacy_gfl.neural.cell import LSTMCell, State


class LSTMEncoder(nn.Module):
    """Reads the words of a sentence (Vinyals et al. 2015, section 2).

    input_width: Width of the word vectors.
    width: Units a layer.
    depth: Number of layers.
    cell: "paper" or "standard" (`LSTMCell`).
    bias: Whether cells have biases.

    The first hidden vector of every layer is a parameter, as in the paper.
    """

    def __init__(
        self, input_width: int, width: int, depth: int, cell: str, bias: bool
    ) -> None:
        super().__init__()
        widths = [input_width] + [width] * (depth - 1)
        self.cells = nn.ModuleList(LSTMCell(w, width, cell, bias) for w in widths)
        self.first_hidden = nn.Parameter(torch.zeros(depth, width))

    def forward(
        self, vectors: Tensor, lengths: Tensor, dropout: float = 0.0
    ) -> Tuple[Tensor, List[State]]:
        """Encode padded sentences.

        vectors: `(batch, words, input_width)`, sentences padded at the end.
        lengths: `(batch,)`, the words of each sentence.
        dropout: Probability of dropping a value between two layers.

        Returns the top layer's hidden vectors `(batch, words, width)` and the
        state of every layer after each sentence's last word.
        """
        batch, n_steps, _ = vectors.shape
        real = torch.arange(n_steps, device=lengths.device) < lengths.unsqueeze(1)
        real = real.unsqueeze(2)
        # Short sentences of a batch sorted by length end long before the last step.
        shortest = int(lengths.min())
        finals: List[State] = []
        layer = vectors
        for depth, cell in enumerate(cast(List[LSTMCell], list(self.cells))):
            if depth > 0:
                layer = nn.functional.dropout(layer, dropout, self.training)
            projected = cell.project(layer).unbind(1)
            hidden = self.first_hidden[depth].expand(batch, -1)
            memory = torch.zeros_like(hidden)
            outputs = []
            for t in range(n_steps):
                h, m = cell.step(projected[t], (hidden, memory))
                if t >= shortest:
                    h = torch.where(real[:, t], h, hidden)
                    m = torch.where(real[:, t], m, memory)
                hidden, memory = h, m
                outputs.append(h)
            layer = torch.stack(outputs, dim=1)
            finals.append((hidden, memory))
        return layer, finals
