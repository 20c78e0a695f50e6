"""Matrices in a few bits a weight."""

import torch
from torch import Tensor


def round_rows(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Round each row of a matrix to steps of its largest weight.

    What has been rounded once is not changed by rounding it again.

    Args:
        matrix: Weights; of more than two dimensions, what is under the first is a row.
        bits: Of a weight, 2 to 8: there are `2 ** (bits - 1) - 1` steps on either
            side of zero.

    Returns:
        How many steps each weight has, as int8 in the shape of the matrix, and the
        step of each row in float32.
    """
    rows = matrix.detach().float().cpu().flatten(1)
    scales = rows.abs().amax(1) / (2 ** (bits - 1) - 1)
    # Rows of zeros.
    scales.clamp_(min=torch.finfo(torch.float32).tiny)
    steps = (rows / scales[:, None]).round().to(torch.int8)
    return steps.reshape(matrix.shape), scales


def restore_rows(steps: Tensor, scales: Tensor) -> Tensor:
    """The weights that `round_rows` rounded, in float32.

    Raises:
        RuntimeError: If there are more or fewer rows than steps of rows.
    """
    rows = steps.reshape(len(scales), -1) * scales[:, None]
    return rows.reshape(steps.shape)
