"""A transformer's attention in single precision, among products in bfloat16."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode


class SinglePrecisionAttention(TorchFunctionMode):
    """While it is entered, autocast leaves scaled dot-product attention in float32.

    On a CPU PyTorch takes longer for this attention in bfloat16 than in float32, and
    for its gradients up to ten times as long.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call a function of PyTorch; see `torch.overrides.TorchFunctionMode`."""
        kwargs = kwargs or {}
        if func is not functional.scaled_dot_product_attention:
            return func(*args, **kwargs)
        with torch.autocast("cpu", enabled=False):
            named = {name: _single(value) for name, value in kwargs.items()}
            return func(*map(_single, args), **named)


def _single(value: Any) -> Any:
    is_rough = isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16
    return value.float() if is_rough else value
