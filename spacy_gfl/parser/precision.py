"""The precision of products: float32, or bfloat16 where that is faster."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

#: bfloat16 has 16 bits, of which 8 are float32's exponent. "auto" takes it where the
#: processor multiplies it natively.
Precision = Literal["auto", "fp32", "bf16"]
#: Instructions for products of bfloat16, by PyTorch's names: x86's, and ARM's.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")


def resolve_precision(precision: str) -> str:
    """The precision that a setting stands for on this processor.

    Args:
        precision: "auto", "fp32" or "bf16".

    Returns:
        "fp32" or "bf16".

    Raises:
        ValueError: If it is none of them.
    """
    if precision not in get_args(Precision):
        raise ValueError(f'precision must be auto, fp32 or bf16, not "{precision}".')
    if precision == "auto":
        return "bf16" if multiplies_bfloat16() else "fp32"
    return precision


@cache
def multiplies_bfloat16() -> bool:
    """Whether the processor has instructions for products of bfloat16.

    oneDNN computes without them too, but more slowly than in float32, and says so of
    none: what it supports is any AVX512. An older PyTorch cannot tell, so no.
    """
    import torch  # takes longer to import than all else here

    known: Mapping[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return (
        torch.backends.mkldnn.is_available()
        and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        and any(known.get(name) for name in _INSTRUCTIONS)
    )
