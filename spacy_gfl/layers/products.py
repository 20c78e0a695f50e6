"""Linear maps and LSTMs in the precision that is in force: this file alone knows which.

What a product takes and gives is in single precision, whatever it is computed in:

- fp32: as PyTorch does, in the precision of the weights.
- bf16: weights and inputs are rounded to bfloat16, whose 16 bits have 8 of exponent.
- int8: each row of weights and each row of inputs is rounded to 127 steps of its
  largest value. Sums are of whole numbers, and so exact: no row depends on others.

Weights stay as they are; what a precision makes of them is made once (`WeightCache`).
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from time import perf_counter
from typing import Any, cast

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.layers.precision import Precision
from spacy_gfl.layers.process import one_thread_after_fork
from spacy_gfl.layers.weight_cache import WeightCache

Array = numpy.ndarray[Any, Any]
#: From `(..., inputs)` to `(..., outputs)`.
LinearMap = Callable[[Tensor], Tensor]

#: Steps of a row's largest value, on either side of zero.
_STEPS = 127
#: How much faster than a finer precision a product must be for "auto" to take it.
_GAIN = 1.25
#: How much slower than in fp32 a product of few words may be, to be timed with more.
_LOSS = 4
#: Products that are timed in each precision, of which the fastest counts.
_ROUNDS = 4
#: Rows that are multiplied at a time in int8.
_ROWS = 256
#: What PyTorch calls an LSTM among its recurrent layers.
_LSTM_MODE = 2


class _Here(threading.local):
    """The setting in force and the kind of device, thread by thread."""

    setting: tuple[str, str] = ("fp32", "cpu")


_here = _Here()


@contextlib.contextmanager
def multiplying_in(setting: Precision, device: torch.device) -> Iterator[None]:
    """Let linear maps and LSTMs of this thread compute in a precision for a while.

    A precision that the processor or PyTorch does not have is single precision, and
    int8 is only for what has no gradients: elsewhere it is as "auto".

    Args:
        setting: The precision. On a CPU, "auto" is the fastest, for which a linear map
            and an LSTM are timed in each once per process (15 ms); where gradients are
            needed, it is bf16 if the processor has instructions for it. On a GPU
            "auto" and "int8" are bf16, and fp32 where gradients are needed.
        device: Where the network is.
    """
    before = _here.setting
    _here.setting = setting, device.type
    try:
        # What other code has said of precisions is not meant for these.
        with torch.autocast(device.type, enabled=False):
            yield
    finally:
        _here.setting = before


def in_force() -> str:
    """The precision in force, which all depends on that is made of weights."""
    setting, device = _here.setting
    if setting == "bf16" and _has_rough_products(device):
        return "bf16"
    if setting in ("fp32", "bf16"):
        return "fp32"
    learns = torch.is_grad_enabled()
    if device != "cpu":
        fast = device == "cuda" and not learns and torch.cuda.is_bf16_supported(False)
        return "bf16" if fast else "fp32"
    if setting == "int8" and not learns:
        return "int8" if _has_whole_products() else "fp32"
    return _fastest(learns)


@cache
def _fastest(learns: bool) -> Precision:
    """The precision that "auto" is: a rougher one only where it is clearly faster.

    To learn, the processor's instructions tell: times vary, and one seed is to give
    the same weights in every process.
    """
    best: Precision = "fp32"
    if not torch.backends.mkldnn.is_available():
        return best
    has_rough = _has_rough_products("cpu")
    if learns:
        return "bf16" if has_rough and _has_rough_instructions() else best
    rougher: list[Precision] = ["bf16"] if has_rough else []
    if _has_whole_products():
        rougher.append("int8")
    bearable = _LOSS * _seconds("fp32", few=True)
    for name in rougher:
        # A precision without the processor's instructions takes up to 50 times as long.
        if _seconds(name, few=True) > bearable:
            continue
        if _seconds(best) > _GAIN * _seconds(name):
            best = name
    return best


def _has_rough_instructions() -> bool:
    """Whether the processor multiplies bfloat16 faster than single precision."""
    # Not all versions of PyTorch can tell.
    asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(getattr(torch.cpu, name, bool)() for name in asked)


def _seconds(setting: Precision, *, few: bool = False) -> float:
    """What an encoder's two layers and a linear map take for 128 words.

    With `few`, what the linear map alone takes for 16 words.
    """
    ones = partial(torch.ones, dtype=torch.float32, device="cpu")
    with (
        one_thread_after_fork(),
        torch.inference_mode(),
        torch.random.fork_rng(devices=[]),
        multiplying_in(setting, torch.device("cpu")),
    ):
        words = ones(4 if few else 32, 4, 256)
        layer = LSTM(256, 256, batch_first=True, device="cpu", dtype=torch.float32)
        product = linear_map(ones(2048, 256))
        times = []
        for _ in range(_ROUNDS):
            start = perf_counter()
            product(words)
            for of_states in () if few else (False, True):
                read([layer], [words], of_states=of_states)
            times.append(perf_counter() - start)
    return min(times)


@cache
def _has_rough_products(device: str) -> bool:
    """Whether an LSTM of bfloat16 runs: oneDNN has none for some processors."""
    if device != "cpu":
        return True
    zeros = partial(torch.zeros, dtype=torch.bfloat16, device=device)
    weights = [zeros(4, 1), zeros(4, 1), zeros(4), zeros(4)]
    with one_thread_after_fork(), torch.inference_mode():
        try:
            _torch_lstm(zeros(1, 1, 1), (zeros(1, 1, 1), zeros(1, 1, 1)), weights)
        except RuntimeError:
            return False
    return True


@cache
def _has_whole_products() -> bool:
    """Whether PyTorch multiplies int8 without an error, largest values and all."""
    with one_thread_after_fork(), torch.inference_mode():
        numbers = torch.arange(64 * 256, dtype=torch.int32, device="cpu")
        numbers = (numbers * 37 % 255 - _STEPS).view(64, 256)
        numbers[:2], numbers[2] = _STEPS, -_STEPS
        small = numbers.to(torch.int8)
        try:
            found = torch._int_mm(small, small.t())
        except (AttributeError, RuntimeError, TypeError):
            return False
        return torch.equal(found, numbers @ numbers.t())


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
