"""The LSTM cell, in the paper's form and in the usual one."""

import torch
from torch import Tensor, nn

CELLS = ("paper", "standard")

#: A layer's hidden vector h and its memory m, each `(batch, width)`.
State = tuple[Tensor, Tensor]


class LSTMCell(nn.Module):
    """One step of a layer of LSTM units (Vinyals et al. 2015, section 2).

        i = sigm(W1 x + W2 h)    i' = tanh(W3 x + W4 h)
        f = sigm(W5 x + W6 h)    o  = sigm(W7 x + W8 h)
        m' = m * f + i * i'      h' = m' * o

    The usual cell has `h' = tanh(m') * o`. The eight matrices are kept as two,
    with the rows of i, f, i', o in this order (as in `torch.nn.LSTM`).

    Args:
        input_width: Width of the input vectors x.
        width: Number of units.
        variant: "paper" or "standard".
        bias: Whether to add a bias to the four sums. The paper writes none; f's
            starts at 1.

    Raises:
        ValueError: For a variant that does not exist.
    """

    def __init__(
        self, input_width: int, width: int, variant: str = "paper", bias: bool = False
    ) -> None:
        super().__init__()
        if variant not in CELLS:
            raise ValueError(f"cell must be one of {', '.join(CELLS)}, not {variant!r}")
        self.input_width = input_width
        self.width = width
        self.variant = variant
        self.input_weight = nn.Parameter(torch.empty(4 * width, input_width))
        self.hidden_weight = nn.Parameter(torch.empty(4 * width, width))
        self.bias = nn.Parameter(torch.zeros(4 * width)) if bias else None
        # Gate by gate: the scale is that of one matrix, not of four stacked ones.
        for gate in self.input_weight.data.chunk(4):
            nn.init.xavier_uniform_(gate)
        for gate in self.hidden_weight.data.chunk(4):
            nn.init.orthogonal_(gate)
        if self.bias is not None:
            self.bias.data[width : 2 * width] = 1.0

    def project(self, inputs: Tensor) -> Tensor:
        """The inputs' share of the four sums, `(..., 4 * width)`."""
        return nn.functional.linear(inputs, self.input_weight, self.bias)

    def forward(self, inputs: Tensor, state: State) -> State:
        """One step on inputs `(batch, input_width)`."""
        return self.step(self.project(inputs), state)

    def step(self, projected: Tensor, state: State) -> State:
        """One step on inputs that `project` has seen, `(batch, 4 * width)`."""
        hidden, memory = state
        sums = torch.addmm(projected, hidden, self.hidden_weight.t())
        i, f, candidate, o = sums.chunk(4, dim=1)
        memory = memory * f.sigmoid() + i.sigmoid() * candidate.tanh()
        exposed = memory if self.variant == "paper" else memory.tanh()
        return exposed * o.sigmoid(), memory
