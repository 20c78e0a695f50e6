"""LSTMs and other recurrent layers.

An LSTM is in the precision that is in force (`precision`).
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, cast

import torch
from torch import Tensor, nn

from spacy_gfl.layers.linear import STEPS, Int8Map, int8_sums, linear_map
from spacy_gfl.layers.precision import in_force, multiplying_in
from spacy_gfl.layers.weight_cache import WeightCache

#: Weights around the paper's cell start uniformly in [-START, START] (Sutskever et
#: al. 2014). Nothing bounds its h = m * o: from larger weights gradients explode.
START = 0.08

#: What PyTorch calls an LSTM among its recurrent layers.
_LSTM_MODE = 2

#: A layer's hidden vector h and its memory m, each `(batch, width)`.
State = tuple[Tensor, Tensor]


class LSTM(WeightCache, nn.LSTM):
    """An LSTM layer whose parameters' types are known, batch first.

    Its states depend on a matrix for the input and one for the state before, each
    with the rows of i, f, g, o in this order.
    """

    weight_ih_l0: nn.Parameter
    weight_hh_l0: nn.Parameter
    bias_ih_l0: nn.Parameter
    bias_hh_l0: nn.Parameter

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Read sentences as `torch.nn.LSTM` does, but for the precision of products."""
        if in_force() != "bf16":
            return super().forward(input, hx)
        if hx is None:
            zeros = input.new_zeros(1, len(input), self.hidden_size)
            hx = zeros, zeros
        weights = (
            self._bf16()
            if torch.is_grad_enabled()
            else self.cached("bf16", self._kept_bf16)
        )
        states = tuple(part.bfloat16() for part in hx)
        outputs, *last = _torch_lstm(input.bfloat16(), states, weights, self.training)
        return outputs.float(), tuple(part.float() for part in last)

    def _bf16(self) -> list[Tensor]:
        return [weight.bfloat16() for weight in self.parameters()]

    def _kept_bf16(self) -> list[Tensor]:
        """The weights in bf16, side by side in memory as cuDNN wants them."""
        sizes = self.input_size, self.hidden_size
        layer = nn.LSTM(*sizes, device="meta", dtype=torch.bfloat16)
        layer.to_empty(device=self.bias_ih_l0.device)
        with torch.no_grad():
            for kept, weight in zip(layer.parameters(), self.parameters(), strict=True):
                kept.copy_(weight)
        return [kept.detach() for kept in layer.parameters()]

    def read_packed(self, inputs: Tensor) -> Tensor:
        """The states, `(batch, words, width)`, by weights in oneDNN's order.

        `forward` brings them into it anew at every call, which takes a sixth of all
        that `en_gfl_sm` does with one sentence.
        """
        packed = self.cached(("packed", in_force()), self._packed)
        inputs = inputs.to(packed[0].dtype)
        zeros = inputs.new_zeros(1, len(inputs), self.hidden_size)
        states, *_ = torch.ops.aten.mkldnn_rnn_layer(
            # Steps first, and in this order in memory: it does not look.
            inputs.transpose(0, 1).contiguous(),
            *packed,
            zeros,
            zeros,
            reverse=False,
            batch_sizes=[],
            mode=_LSTM_MODE,
            hidden_size=self.hidden_size,
            num_layers=1,
            has_biases=True,
            bidirectional=False,
            batch_first=False,
            train=False,
        )
        return states.transpose(0, 1).to(self.bias_ih_l0.dtype)

    def _packed(self) -> list[Tensor]:
        weights = self._bf16() if in_force() == "bf16" else list(self.parameters())
        matrices = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(
            *weights[:2],
            hidden_size=self.hidden_size,
            reverse=False,
            has_biases=True,
            batch_first=False,
        )
        return [*matrices, *weights[2:]]

    def _int8_maps(self, of_states: bool) -> tuple[Int8Map, Int8Map]:
        """Maps of the input and of h, for `_read_int8`."""
        # tanh(z) is 2 sigmoid(2 z) - 1, and doubling changes no step.
        doubled = torch.ones_like(self.bias_ih_l0)
        doubled.view(4, -1)[2] = 2.0
        bias = (self.bias_ih_l0 + self.bias_hh_l0) * doubled
        doubled = doubled.unsqueeze(1)
        return (
            Int8Map(self.weight_ih_l0 * doubled, bias, fine=not of_states),
            Int8Map(self.weight_hh_l0 * doubled, None, True),
        )


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


class PaperLSTM(LSTM):
    """An LSTM layer with the paper's h = m * o, step by step: no kernel has it."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Read sentences from the first word on, as `torch.nn.LSTM` does.

        Args:
            input: `(batch, words, input width)`.
            hx: h and m before the first word, `(1, batch, width)` each; None for zeros.

        Returns:
            The states at all words `(batch, words, width)`, and h and m after the last.
        """
        bias = self.bias_ih_l0 + self.bias_hh_l0
        projected = linear_map(self.weight_ih_l0, bias)(input)
        recurrent = linear_map(self.weight_hh_l0)
        if hx is None:
            hidden = memory = input.new_zeros(len(input), self.hidden_size)
        else:
            hidden, memory = hx[0][0], hx[1][0]
        states = []
        for sums in projected.unbind(1):
            sums = sums + recurrent(hidden)
            hidden, memory = lstm_step(sums, memory, bounded=False)
            states.append(hidden)
        last = hidden.unsqueeze(0), memory.unsqueeze(0)
        return torch.stack(states, dim=1), last


@cache
def _can_pack() -> bool:
    """Whether oneDNN's LSTM takes weights that are packed for it.

    These operators are there for PyTorch's compiler. As nobody promises that they
    stay, they are tried before they are used.
    """
    inputs = torch.linspace(-1, 1, 30, dtype=torch.float32, device="cpu").view(2, 5, 3)
    # Outside inference mode, where changes of weights are not counted.
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        torch.random.fork_rng(devices=[]),
        multiplying_in("fp32", inputs.device),
    ):
        layer = LSTM(3, 4, batch_first=True, device="cpu", dtype=torch.float32)
        try:
            packed = layer.read_packed(inputs)
        except (AttributeError, RuntimeError, TypeError):
            return False
        return torch.allclose(packed, layer(inputs)[0], atol=1e-5)


def _torch_lstm(
    inputs: Tensor,
    states: tuple[Tensor, ...],
    weights: list[Tensor],
    train: bool = False,
) -> tuple[Tensor, ...]:
    """PyTorch's LSTM with biases, of one layer in one direction, batch first."""
    return torch.lstm(inputs, states, weights, True, 1, 0.0, train, False, True)


def read(
    layers: Sequence[nn.RNNBase], inputs: Sequence[Tensor], *, of_states: bool
) -> list[Tensor]:
    """The states of recurrent layers, each of which reads sentences of its own.

    Args:
        layers: Layers of one kind and width.
        inputs: `(batch, words, input width)` for each layer, of one batch and length.
        of_states: Whether these are states of other layers. Word vectors, whose columns
            differ in size, are rounded to finer steps in int8: otherwise F1 falls by
            0.1 points.

    Returns:
        `(batch, words, width)` of each layer.
    """
    pairs = zip(layers, inputs, strict=True)
    if all(type(layer) is LSTM for layer in layers) and not torch.is_grad_enabled():
        if in_force() == "int8":
            return _read_int8(cast(Sequence[LSTM], layers), inputs, of_states)
        is_usual = inputs[0].dtype == torch.float32 and inputs[0].device.type == "cpu"
        if is_usual and _can_pack():
            return [cast(LSTM, layer).read_packed(vectors) for layer, vectors in pairs]
    return [layer(vectors)[0] for layer, vectors in pairs]


def _read_int8(
    layers: Sequence[LSTM], inputs: Sequence[Tensor], of_states: bool
) -> list[Tensor]:
    """`read` in int8: PyTorch's own such LSTM rounds all sentences by one scale.

    Step by step, all layers at once: what is no product takes as long as products.
    """
    key = "int8", of_states
    maps = [layer.cached(key, partial(layer._int8_maps, of_states)) for layer in layers]
    given, products = zip(*maps, strict=True)
    # Words first, as they are in memory too.
    by_word = [
        product(vectors.transpose(0, 1)).unbind(0)
        for product, vectors in zip(given, inputs, strict=True)
    ]
    n_sents, n_words, _ = inputs[0].shape
    size = len(layers), n_sents, layers[0].hidden_size
    memory, shown = inputs[0].new_zeros(2, *size)
    hidden = memory.to(torch.int8)
    states = memory.new_empty(n_words, *size)
    sums = memory.new_empty(*size[:2], 4 * size[2])
    i, f, candidate, o = sums.chunk(4, dim=2)
    parts = list(zip(sums, hidden, products, by_word, strict=True))
    for word, state in enumerate(states):
        for of_layer, h, product, words in parts:
            of_layer.copy_(int8_sums(h, product.steps))
            torch.addcmul(words[word], of_layer, product.scales, out=of_layer)
        sums.sigmoid_()
        memory.mul_(f).addcmul_(i, candidate, value=2.0).sub_(i)
        # tanh(m) is 1 - 2 sigmoid(-2 m).
        torch.mul(memory, -2.0, out=shown).sigmoid_()
        torch.addcmul(o, o, shown, value=-2.0, out=state)
        hidden.copy_(torch.mul(state, STEPS, out=shown).round_())
    return [states[:, layer].transpose(0, 1) for layer in range(len(layers))]


#: The layers that there are: the usual LSTM, the paper's (h = m * o), GRU, and Elman's
#: RNN (h' = tanh(W x + U h + b)).
LAYERS: dict[str, Callable[..., nn.RNNBase]] = {
    "lstm": LSTM,
    "paper": PaperLSTM,
    "gru": nn.GRU,
    "rnn": nn.RNN,
}


def lstm(input_width: int, width: int) -> LSTM:
    """An LSTM layer with gates of unit gain."""
    return cast(LSTM, recurrent(input_width, width, "lstm"))


def recurrent(input_width: int, width: int, cell: str) -> nn.RNNBase:
    """A recurrent layer, one of `LAYERS`, with gates of unit gain."""
    layer = LAYERS[cell](input_width, width, batch_first=True)
    for name, parameter in layer.named_parameters():
        gates = parameter.data.split(width)
        if name.startswith("weight_ih"):
            for gate in gates:
                nn.init.xavier_uniform_(gate)
        elif name.startswith("weight_hh"):
            for gate in gates:
                nn.init.orthogonal_(gate)
        else:
            # The attach-juxtapose decoder's network learns worse with a bias of 1 for
            # the forget gate (making/experiments/training/README.md).
            nn.init.zeros_(parameter)
        if cell == "paper":
            nn.init.uniform_(parameter, -START, START)
    return layer
