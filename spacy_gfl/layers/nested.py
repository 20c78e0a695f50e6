"""Rows of tensors that are nested in tuples and lists."""

from typing import Any

from torch import Tensor


def take(parts: Any, rows: Tensor) -> Any:
    """Rows of all tensors in tuples and lists; what is no tensor stays as it is."""
    if isinstance(parts, Tensor):
        return parts.index_select(0, rows)
    if isinstance(parts, (tuple, list)):
        return type(parts)(take(part, rows) for part in parts)
    return parts
