"""Linear maps and LSTMs in the precision that is in force (`precision`).

Weights stay as they are; what a precision makes of them is made once (`WeightCache`).
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, cast

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.layers.precision import Precision, in_force, multiplying_in
from spacy_gfl.layers.weight_cache import WeightCache

Array = numpy.ndarray[Any, Any]
#: From `(..., inputs)` to `(..., outputs)`.
LinearMap = Callable[[Tensor], Tensor]

#: Steps of a row's largest value, on either side of zero.
_STEPS = 127
#: Rows that are multiplied at a time in int8.
_ROWS = 256
#: What PyTorch calls an LSTM among its recurrent layers.
_LSTM_MODE = 2


def linear_map(
    weight: Tensor, bias: Tensor | None = None, *, bounded: bool = False
) -> LinearMap:
    """A linear map in the precision in force, of weights that are put together.

    Where gradients are needed they go through it.

    Args:
        weight: `(outputs, inputs)`.
        bias: `(outputs,)`, or None.
        bounded: Whether all inputs are from -1 to 1, as an LSTM's h: then nobody has
            to look for the largest.
    """
    return _MAPS[in_force()](weight, bias, bounded)


def _plain_map(weight: Tensor, bias: Tensor | None, bounded: bool) -> LinearMap:
    return partial(functional.linear, weight=weight, bias=bias)


def _rough_map(weight: Tensor, bias: Tensor | None, bounded: bool) -> LinearMap:
    weight = weight.bfloat16()
    bias = None if bias is None else bias.bfloat16()

    def multiply(inputs: Tensor) -> Tensor:
        found = functional.linear(inputs.bfloat16(), weight, bias)
        # What follows has this precision too.
        rough = torch.is_autocast_enabled(inputs.device.type)
        return found if rough else found.float()

    return multiply


def _to_int8(values: Tensor) -> Tensor:
    """Values, which are lost, as whole numbers row by row, as `torch._int_mm` reads."""
    return values.round_().to(torch.int8, memory_format=torch.contiguous_format)


class _WholeMap:
    """A linear map of int8; `fine` rounds inputs to 254 times as many steps."""

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None,
        bounded: bool = False,
        fine: bool = False,
    ) -> None:
        scales = (weight.abs().amax(1) / _STEPS).clamp_(min=1e-30)
        self.steps = _to_int8(weight / scales[:, None]).t()
        self.scales = scales / _STEPS if bounded else scales
        self.bias = bias
        self.bounded = bounded
        self.fine = fine

    def __call__(self, inputs: Tensor) -> Tensor:
        rows = inputs.reshape(-1, inputs.shape[-1])
        found = rows.new_empty(len(rows), len(self.scales))
        # So few at a time that what is made of them stays in the processor's cache.
        for part, result in zip(rows.split(_ROWS), found.split(_ROWS), strict=True):
            self._multiply(part, result)
        return found.view(*inputs.shape[:-1], -1)

    def _multiply(self, rows: Tensor, result: Tensor) -> None:
        if self.bounded:
            sums = torch._int_mm(_to_int8(rows * _STEPS), self.steps)
        else:
            # Where a row has NaN or infinity, so have all its sums.
            scales = rows.abs().amax(1, keepdim=True).clamp_(min=1e-30).div_(_STEPS)
            whole = _to_int8(rows / scales)
            sums = torch.mul(torch._int_mm(whole, self.steps), scales, out=result)
            if self.fine:
                # What rounding left, at most half a step, is multiplied too.
                rest = (rows / scales).sub_(whole).mul_(2 * _STEPS)
                finer = torch._int_mm(_to_int8(rest), self.steps)
                sums.addcmul_(finer, scales, value=0.5 / _STEPS)
        if self.bias is None:
            torch.mul(sums, self.scales, out=result)
        else:
            torch.addcmul(self.bias, sums, self.scales, out=result)


_MAPS: dict[str, Callable[[Tensor, Tensor | None, bool], LinearMap]] = {
    "fp32": _plain_map,
    "bf16": _rough_map,
    "int8": _WholeMap,
}


def row_map(weight: Tensor) -> Callable[[Array], Array]:
    """`linear_map` of one row at a time whose values are from -1 to 1, on a CPU.

    NumPy's product of a vector with a matrix takes half the time of PyTorch's.
    """
    if in_force() == "int8":
        product = _WholeMap(weight, None, True)
        scales = product.scales.numpy()

        def multiply(row: Array) -> Array:
            whole = numpy.rint(row * _STEPS).astype("int8")
            sums = torch._int_mm(torch.from_numpy(whole.reshape(1, -1)), product.steps)
            return sums[0].float().numpy() * scales

        return multiply
    if in_force() == "bf16":
        weight = weight.bfloat16().float()
    matrix = numpy.ascontiguousarray(weight.detach().numpy().T)
    return lambda row: row @ matrix


class Linear(WeightCache, nn.Linear):
    """PyTorch's linear map, in the precision in force."""

    def forward(self, input: Tensor) -> Tensor:
        """From `(..., inputs)` to `(..., outputs)`."""
        name = in_force()
        if name == "fp32":
            return super().forward(input)
        if torch.is_grad_enabled():
            return linear_map(self.weight, self.bias)(input)
        make = partial(linear_map, self.weight, self.bias)
        return self.cached(name, make)(input)


def following(device: torch.device) -> torch.autocast:
    """A context in which layers of another library are in bf16 as a whole, if it is.

    Attention and what stands between linear maps takes as long as these.
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=in_force() == "bf16")


def adopt_linear_maps(module: nn.Module) -> None:
    """Let all linear maps in a module of another library heed the precision in force.

    Their parameters and their names stay.
    """
    for name, child in module.named_children():
        if type(child) is not nn.Linear:
            adopt_linear_maps(child)
            continue
        adopted = Linear(child.in_features, child.out_features, False, device="meta")
        adopted.weight, adopted.bias = child.weight, child.bias
        setattr(module, name, adopted.train(child.training))


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
            self._rough()
            if torch.is_grad_enabled()
            else self.cached("bf16", self._kept_rough)
        )
        states = tuple(part.bfloat16() for part in hx)
        found, *last = _torch_lstm(input.bfloat16(), states, weights, self.training)
        return found.float(), tuple(part.float() for part in last)

    def _rough(self) -> list[Tensor]:
        return [weight.bfloat16() for weight in self.parameters()]

    def _kept_rough(self) -> list[Tensor]:
        """The weights in bf16, side by side in memory as cuDNN wants them."""
        sizes = self.input_size, self.hidden_size
        rough = nn.LSTM(*sizes, device="meta", dtype=torch.bfloat16)
        rough.to_empty(device=self.bias_ih_l0.device)
        with torch.no_grad():
            for kept, weight in zip(rough.parameters(), self.parameters(), strict=True):
                kept.copy_(weight)
        return [kept.detach() for kept in rough.parameters()]

    def read_packed(self, inputs: Tensor) -> Tensor:
        """The states, `(batch, words, width)`, by weights in oneDNN's order.

        `forward` brings them into it anew at every call, which takes as long as all
        words of one sentence.
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
        weights = self._rough() if in_force() == "bf16" else list(self.parameters())
        matrices = torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(
            *weights[:2],
            hidden_size=self.hidden_size,
            reverse=False,
            has_biases=True,
            batch_first=False,
        )
        return [*matrices, *weights[2:]]

    def _whole(self, of_states: bool) -> tuple[_WholeMap, _WholeMap]:
        """Maps of the input and of h, for `_read_whole`."""
        # tanh(z) is 2 sigmoid(2 z) - 1, and doubling changes no step.
        doubled = torch.ones_like(self.bias_ih_l0)
        doubled.view(4, -1)[2] = 2.0
        bias = (self.bias_ih_l0 + self.bias_hh_l0) * doubled
        doubled = doubled.unsqueeze(1)
        return (
            _WholeMap(self.weight_ih_l0 * doubled, bias, fine=not of_states),
            _WholeMap(self.weight_hh_l0 * doubled, None, True),
        )


@cache
def _can_pack(setting: str, dtype: torch.dtype) -> bool:
    """Whether oneDNN's LSTM takes weights that are packed for it.

    These operators are there for PyTorch's compiler. As nobody promises that they
    stay, they are tried before they are used.
    """
    if dtype != torch.float32:
        return False
    device = torch.device("cpu")
    inputs = torch.linspace(-1, 1, 30, dtype=dtype, device=device).view(2, 5, 3)
    # Outside inference mode, where changes of weights are not counted.
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        torch.random.fork_rng(devices=[]),
        multiplying_in(cast(Precision, setting), device),
    ):
        layer = LSTM(3, 4, batch_first=True, device=device, dtype=dtype)
        try:
            found = layer.read_packed(inputs)
        except (AttributeError, RuntimeError, TypeError):
            return False
        return torch.allclose(found, layer(inputs)[0], atol=1e-2)


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
            return _read_whole(cast(Sequence[LSTM], layers), inputs, of_states)
        if inputs[0].device.type == "cpu" and _can_pack(in_force(), inputs[0].dtype):
            return [cast(LSTM, layer).read_packed(vectors) for layer, vectors in pairs]
    return [layer(vectors)[0] for layer, vectors in pairs]


def _read_whole(
    layers: Sequence[LSTM], inputs: Sequence[Tensor], of_states: bool
) -> list[Tensor]:
    """`read` in int8: PyTorch's own such LSTM rounds all sentences by one scale.

    Step by step, all layers at once: what is no product takes as long as products.
    """
    key = "int8", of_states
    maps = [layer.cached(key, partial(layer._whole, of_states)) for layer in layers]
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
            found = torch._int_mm(h, product.steps)
            torch.addcmul(words[word], found, product.scales, out=of_layer)
        sums.sigmoid_()
        memory.mul_(f).sub_(i).addcmul_(i, candidate, value=2.0)
        torch.mul(memory, 2.0, out=shown).sigmoid_().mul_(o)
        # Half of o (2 s - 1), until all are doubled below.
        torch.sub(shown, o, alpha=0.5, out=state)
        hidden.copy_(torch.mul(state, 2.0 * _STEPS, out=shown).round_())
    states.mul_(2.0)
    return [states[:, layer].transpose(0, 1) for layer in range(len(layers))]
