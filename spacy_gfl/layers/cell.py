"""Cells of recurrent layers: the LSTM, as usual and as in the paper, GRU and RNN."""

import torch
from torch import Tensor, nn

#: The cells that there are, and how many sums each of their units takes.
CELLS = {"lstm": 4, "paper": 4, "gru": 3, "rnn": 1}

#: Weights around the paper's cell start uniformly in [-START, START] (Sutskever et
#: al. 2014). Nothing bounds its h = m * o: from larger weights gradients explode.
START = 0.08

#: A layer's hidden vector h and its memory m, each `(batch, width)`. A cell without a
#: memory leaves m as it is.
State = tuple[Tensor, Tensor]


def cell_name(name: str) -> str:
    """The name of a cell, which may be the one that the usual LSTM had at first.

    Raises:
        ValueError: For a cell that does not exist.
    """
    name = "lstm" if name == "standard" else name
    if name not in CELLS:
        raise ValueError(f"cell must be one of {', '.join(CELLS)}, not {name!r}.")
    return name


def lstm_step(sums: Tensor, memory: Tensor, bounded: bool) -> State:
    """What an LSTM's four sums i, f, i', o `(batch, 4 * width)` make of its memory.

    Args:
        sums: Before the gates' logistic function, and the tanh of i'.
        memory: m, `(batch, width)`.
        bounded: Whether h is made of tanh(m'), or of m' as in the paper.
    """
    i, f, candidate, o = sums.chunk(4, dim=1)
    memory = memory * f.sigmoid() + i.sigmoid() * candidate.tanh()
    return (memory.tanh() if bounded else memory) * o.sigmoid(), memory


class Cell(nn.Module):
    """One step of a layer of units, by default LSTM (Vinyals et al. 2015, section 2).

        i = sigm(W1 x + W2 h)    i' = tanh(W3 x + W4 h)
        f = sigm(W5 x + W6 h)    o  = sigm(W7 x + W8 h)
        m' = m * f + i * i'      h' = m' * o

    The usual LSTM has `h' = tanh(m') * o`. The eight matrices are kept as two,
    with the rows of i, f, i', o in this order (as in `torch.nn.LSTM`). The GRU is
    that of `torch.nn.GRU`, with the rows of r, z, n, and the RNN is Elman's,
    `h' = tanh(W1 x + W2 h)`.

    Args:
        input_width: Width of the input vectors x.
        width: Number of units.
        variant: One of `CELLS`.
        bias: Whether to add a bias to the sums. The paper writes none; that of an
            LSTM's f starts at 1.

    Raises:
        ValueError: For a variant that does not exist.
    """

    def __init__(
        self, input_width: int, width: int, variant: str = "paper", bias: bool = False
    ) -> None:
        super().__init__()
        self.input_width = input_width
        self.width = width
        self.variant = cell_name(variant)
        n_sums = CELLS[self.variant]
        self.input_weight = nn.Parameter(torch.empty(n_sums * width, input_width))
        self.hidden_weight = nn.Parameter(torch.empty(n_sums * width, width))
        self.bias = nn.Parameter(torch.zeros(n_sums * width)) if bias else None
        # Gate by gate: the scale is that of one matrix, not of four stacked ones.
        for gate in self.input_weight.data.chunk(n_sums):
            nn.init.xavier_uniform_(gate)
        for gate in self.hidden_weight.data.chunk(n_sums):
            nn.init.orthogonal_(gate)
        if self.bias is not None and n_sums == CELLS["lstm"]:
            self.bias.data[width : 2 * width] = 1.0

    def project(self, inputs: Tensor) -> Tensor:
        """The inputs' share of the sums, `(..., sums * width)`."""
        return nn.functional.linear(inputs, self.input_weight, self.bias)

    def forward(self, inputs: Tensor, state: State) -> State:
        """One step on inputs `(batch, input_width)`."""
        return self.step(self.project(inputs), state)

    def step(self, projected: Tensor, state: State) -> State:
        """One step on inputs that `project` has seen, `(batch, sums * width)`."""
        hidden, memory = state
        if self.variant == "gru":
            r, z, n = projected.chunk(3, dim=1)
            of_r, of_z, of_n = (hidden @ self.hidden_weight.t()).chunk(3, dim=1)
            n = (n + (r + of_r).sigmoid() * of_n).tanh()
            return torch.lerp(n, hidden, (z + of_z).sigmoid()), memory
        sums = torch.addmm(projected, hidden, self.hidden_weight.t())
        if self.variant == "rnn":
            return sums.tanh(), memory
        return lstm_step(sums, memory, bounded=self.variant == "lstm")
