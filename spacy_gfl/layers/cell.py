"""One step of an LSTM, as usual and as in the paper."""

import torch
from torch import Tensor, nn

#: The usual LSTM, h = tanh(m) * o, and that of the paper, h = m * o.
CELLS = ("lstm", "paper")

#: Weights around the paper's cell start uniformly in [-START, START] (Sutskever et
#: al. 2014). Nothing bounds its h = m * o: from larger weights gradients explode.
START = 0.08

#: A layer's hidden vector h and its memory m, each `(batch, width)`.
State = tuple[Tensor, Tensor]


def lstm_step(sums: Tensor, memory: Tensor, bounded: bool) -> State:
    """An LSTM's h and m after a step.

    Args:
        sums: Of i, f, i', o, before the gates' logistic function and the tanh of i',
            `(batch, 4 * width)`.
        memory: m before the step, `(batch, width)`.
        bounded: Whether h is made of tanh(m), or of m as in the paper.
    """
    i, f, candidate, o = sums.chunk(4, dim=1)
    memory = memory * f.sigmoid() + i.sigmoid() * candidate.tanh()
    return (memory.tanh() if bounded else memory) * o.sigmoid(), memory


class Cell(nn.Module):
    """One step of a layer of LSTM units (Vinyals et al. 2015, section 2).

        i = sigm(W1 x + W2 h)    i' = tanh(W3 x + W4 h)
        f = sigm(W5 x + W6 h)    o  = sigm(W7 x + W8 h)
        m' = m * f + i * i'      h' = m' * o

    The usual LSTM has `h' = tanh(m') * o`. The eight matrices are kept as two, with
    the rows of i, f, i', o in this order (as in `torch.nn.LSTM`).

    Args:
        input_width: Width of the input vectors x.
        width: Number of units.
        variant: One of `CELLS`.
        bias: Whether to add a bias to the sums. The paper writes none; that of f
            starts at 1.

    Raises:
        ValueError: For a variant that does not exist.
    """

    def __init__(self, input_width: int, width: int, variant: str, bias: bool) -> None:
        super().__init__()
        if variant not in CELLS:
            raise ValueError(
                f"cell must be one of {', '.join(CELLS)}, not {variant!r}."
            )
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
        """The inputs' share of the sums, `(..., 4 * width)`."""
        return nn.functional.linear(inputs, self.input_weight, self.bias)

    def forward(self, inputs: Tensor, state: State) -> State:
        """One step on inputs `(batch, input_width)`."""
        return self.step(self.project(inputs), state)

    def step(self, projected: Tensor, state: State) -> State:
        """One step on inputs that `project` has seen, `(batch, 4 * width)`."""
        hidden, memory = state
        sums = torch.addmm(projected, hidden, self.hidden_weight.t())
        return lstm_step(sums, memory, bounded=self.variant == "lstm")
