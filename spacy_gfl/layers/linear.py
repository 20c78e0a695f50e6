"""Linear maps in the precision that is in force (`precision`).

Weights stay as they are; what a precision makes of them is made once (`WeightCache`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.layers.precision import in_force
from spacy_gfl.layers.weight_cache import WeightCache

Array = numpy.ndarray[Any, Any]
#: From `(..., inputs)` to `(..., outputs)`.
LinearMap = Callable[[Tensor], Tensor]

#: Steps of a row's largest value, on either side of zero.
STEPS = 127.0
#: Rows that are multiplied at a time in int8.
_ROWS = 512
#: Products of fewer inputs are noise in PyTorch's own int8.
_LEAST_INPUTS = 4


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
    return _MAPS[in_force() if weight.numel() else "fp32"](weight, bias, bounded)


def _fp32_map(weight: Tensor, bias: Tensor | None, bounded: bool) -> LinearMap:
    return partial(functional.linear, weight=weight, bias=bias)


def _bf16_map(weight: Tensor, bias: Tensor | None, bounded: bool) -> LinearMap:
    weight = weight.bfloat16()
    bias = None if bias is None else bias.bfloat16()

    def multiply(inputs: Tensor) -> Tensor:
        product = functional.linear(inputs.bfloat16(), weight, bias)
        # What follows has this precision too.
        stays = torch.is_autocast_enabled(inputs.device.type)
        return product if stays else product.float()

    return multiply


def to_int8(values: Tensor) -> Tensor:
    """Values, which are lost, as whole numbers row by row, as `torch._int_mm` reads."""
    return values.round_().to(torch.int8, memory_format=torch.contiguous_format)


def int8_sums(rows: Tensor, steps: Tensor) -> Tensor:
    """The product of two matrices of whole numbers, exactly."""
    if len(steps) < _LEAST_INPUTS:
        return rows.int() @ steps.int()
    return torch._int_mm(rows, steps)


class Int8Map:
    """A linear map of int8; `fine` rounds inputs to 254 times as many steps."""

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None,
        bounded: bool = False,
        fine: bool = False,
    ) -> None:
        scales = (weight.abs().amax(1) / STEPS).clamp_(min=1e-30)
        self.steps = to_int8(weight / scales[:, None]).t()
        self.scales = scales / STEPS if bounded else scales
        self.bias = bias
        self.bounded = bounded
        self.fine = fine

    def __call__(self, inputs: Tensor) -> Tensor:
        rows = inputs.reshape(-1, inputs.shape[-1])
        outputs = rows.new_empty(len(rows), len(self.scales))
        scratch = rows.new_empty(min(_ROWS, len(rows)), rows.shape[1])
        # So few at a time that what is made of them stays in the processor's cache.
        for part, result in zip(rows.split(_ROWS), outputs.split(_ROWS), strict=True):
            self._multiply(part, scratch[: len(part)], result)
        return outputs.view(*inputs.shape[:-1], len(self.scales))

    def _multiply(self, rows: Tensor, scratch: Tensor, result: Tensor) -> None:
        if self.bounded:
            # Where a row has NaN or infinity, so have all its sums, here and below.
            steps = to_int8(torch.mul(rows, STEPS, out=scratch))
            result.copy_(int8_sums(steps, self.steps))
            result.add_(rows.sum(1, keepdim=True).mul_(0.0))
        else:
            largest = torch.abs(rows, out=scratch).amax(1, keepdim=True)
            scales = largest.clamp_(min=1e-30).div_(STEPS)
            steps = to_int8(torch.div(rows, scales, out=scratch))
            result.copy_(int8_sums(steps, self.steps)).mul_(scales)
            if self.fine:
                # What rounding left, at most half a step, is multiplied too.
                rest = torch.div(rows, scales, out=scratch).sub_(steps)
                finer = int8_sums(to_int8(rest.mul_(2 * STEPS)), self.steps)
                result.addcmul_(finer, scales, value=0.5 / STEPS)
        if self.bias is None:
            result.mul_(self.scales)
        else:
            torch.addcmul(self.bias, result, self.scales, out=result)


_MAPS: dict[str, Callable[[Tensor, Tensor | None, bool], LinearMap]] = {
    "fp32": _fp32_map,
    "bf16": _bf16_map,
    "int8": Int8Map,
}


def row_map(weight: Tensor) -> Callable[[Array], Array]:
    """`linear_map` of one row at a time whose values are from -1 to 1, on a CPU.

    NumPy's product of a vector with a matrix takes half the time of PyTorch's.
    """
    if in_force() == "int8" and weight.numel():
        product = Int8Map(weight, None, True)
        scales = product.scales.numpy()

        def multiply(row: Array) -> Array:
            if not numpy.isfinite(row.sum()):
                return numpy.full(len(scales), numpy.nan, dtype=scales.dtype)
            steps = numpy.rint(row * STEPS).astype("int8")
            sums = int8_sums(torch.from_numpy(steps.reshape(1, -1)), product.steps)
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
