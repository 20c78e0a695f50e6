"""Weights in few bits: how they are rounded, learnt and written."""

import zlib
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from spacy_gfl.model.weights import OTHER_BITS, SAVED_BITS

#: Steps of a weight on either side of zero, at most.
_MOST_STEPS = 127
#: A largest weight counts as this many times the root mean square of its row at most.
_MOST_OF_ROOT = 4
#: A row that has steps of this part of what it would have now, at least, keeps them.
_LIKE = 0.7
#: Numbers of steps that differ by less are equal.
_EQUAL = 1e-3


def save_in_bits(
    module: nn.Module, bits: int, others: Mapping[str, int] | None = None
) -> None:
    """Choose how a module's weights are saved, this time and after every loading.

    Fewer bits make the file smaller. In memory the weights stay as they are, and
    loading gives the module its usual precision.

    Args:
        module: The module of a `NetworkShim`.
        bits: Bits per weight: 32, 16 (float16), or 2 to 8, where matrices are
            quantized (`quantize_rows`) and deflated.
        others: Bits per weight of parameters that differ, by name.

    Raises:
        ValueError: If a number of bits is another.
    """
    for number in (bits, *(others or {}).values()):
        if number not in (32, 16) and not 2 <= number <= 8:
            raise ValueError(
                f"Weights are saved in 32, 16 or 2 to 8 bits, not {number}."
            )
    setattr(module, SAVED_BITS, bits)
    setattr(module, OTHER_BITS, dict(others or {}))


def quantize_rows(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Quantize a matrix: round each row to steps of its largest weight.

    A few weights of a pretrained transformer are many times as large as all others, so
    what counts as the largest in under 8 bits is at most four times the root mean
    square of its row, and outliers have more steps. A matrix that has been quantized
    once is not changed by being quantized again.

    Args:
        matrix: Weights; of more than two dimensions, what is under the first is a row.
        bits: Bits per weight, 2 to 8: there are `2 ** (bits - 1) - 1` steps on either
            side of zero, and at most 127 for outliers.

    Returns:
        How many steps each weight has, as int8 in the shape of the matrix, and the
        step of each row in float32.
    """
    rows = matrix.detach().float().cpu().flatten(1)
    scales = _steps_of_rows(rows, bits)
    # The step of what has been quantized is its smallest weight.
    sizes = rows.abs()
    least = torch.where(sizes > 0, sizes, torch.inf).amin(1)
    [like] = ((least >= _LIKE * scales) & least.isfinite()).nonzero(as_tuple=True)
    counts = sizes[like] / least[like, None]
    is_whole = ((counts - counts.round()).abs() < _EQUAL).all(1)
    like = like[is_whole & (counts.amax(1) < _MOST_STEPS + 0.5)]
    scales[like] = least[like]
    steps = (rows / scales[:, None]).round().to(torch.int8)
    return steps.reshape(matrix.shape), scales


def _steps_of_rows(rows: Tensor, bits: int) -> Tensor:
    """The step of each row of weights, of which none has been quantized."""
    largest = rows.abs().amax(1)
    bound = _MOST_OF_ROOT * rows.square().mean(1).sqrt()
    scales = torch.minimum(largest, bound) / (2 ** (bits - 1) - 1)
    scales = torch.maximum(scales, largest / _MOST_STEPS)
    # Rows of zeros.
    return scales.clamp_(min=torch.finfo(torch.float32).tiny)


def pack_matrix(matrix: Tensor, bits: int) -> dict[str, Any]:
    """A matrix as `model.weights` restores it: its shape, deflated steps, and scales.

    A row's steps are of a bit or more each, so a matrix inflates to eight times its
    bytes at most.
    """
    steps, scales = quantize_rows(matrix, bits)
    # Weights repeat no sequences: looking for them makes 4 bits 13 % longer.
    packer = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    deflated = bytearray(packer.compress(steps.numpy().tobytes()) + packer.flush())
    return {
        "shape": list(steps.shape),
        "deflated": torch.frombuffer(deflated, dtype=torch.uint8),
        "scales": scales,
    }


class Rounded(torch.autograd.Function):
    """A matrix as it is after `quantize_rows`; its gradient is that of the matrix.

    The straight-through estimator of Bengio et al. (2013), section 4.
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, bits: int) -> Tensor:
        """Round to steps of each row's largest weight."""
        scales = _steps_of_rows(matrix, bits)[:, None]
        return (matrix / scales).round_().mul_(scales)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Hand the gradient on."""
        return gradients[0], None
