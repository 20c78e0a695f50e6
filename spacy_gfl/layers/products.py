"""The precision of products: float32, or bfloat16 where that is faster."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from spacy_gfl.layers.forks import one_thread_after_fork

if TYPE_CHECKING:
    import torch

#: bfloat16 has 16 bits, of which 8 are float32's exponent. "auto" takes it where the
#: processor multiplies it faster than float32.
Precision = Literal["auto", "fp32", "bf16"]
#: Instructions for products of bfloat16, by PyTorch's names: x86's, and ARM's.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")
#: How much faster a product must be for "auto" to take bfloat16. Processors are far
#: from it: with AMX it is four times as fast, with AMD's AVX512-BF16 twice, and with
#: Intel's without AMX half as fast.
_GAIN = 1.25
#: Products that are timed in each precision, of which the fastest counts.
_ROUNDS = 5
#: The precision in force, thread by thread.
_here = threading.local()


@contextlib.contextmanager
def multiplying_in(setting: "Precision", device: "torch.device") -> Iterator[None]:
    """Let layers of this thread that know no precision compute in one for a while."""
    before = in_force()
    _here.precision = resolve_precision(setting, device)
    try:
        yield
    finally:
        _here.precision = before


def in_force() -> str:
    """The name of the precision in force."""
    return getattr(_here, "precision", "fp32")


def resolve_precision(setting: Precision, device: "torch.device | None" = None) -> str:
    """The precision that a setting stands for on a device: fp32 or bf16.

    Args:
        setting: "auto" is bf16 on a CPU that multiplies it faster, else fp32.
        device: Where a network is; if not given, what thinc has chosen in this thread.
    """
    if setting != "auto":
        return setting
    from thinc.util import get_torch_default_device

    on_cpu = (device or get_torch_default_device()).type == "cpu"
    return "bf16" if on_cpu and bfloat16_is_faster() else "fp32"


@cache
def bfloat16_is_faster() -> bool:
    """Whether the processor multiplies matrices of bfloat16 faster than of float32.

    Without instructions for it, it does not. Where there are some, two small products
    are timed, once a process, which takes some 10 ms: an Intel processor whose AMX is
    switched off has instructions that take twice as long as float32's.
    """
    import torch  # takes longer to import than all else here

    # oneDNN says of any processor with AVX512 that it supports bfloat16. A PyTorch that
    # cannot tell instructions is taken to have none.
    known: Mapping[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return (
        torch.backends.mkldnn.is_available()
        and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        and any(known.get(name) for name in _INSTRUCTIONS)
        and _seconds(torch.float32) > _GAIN * _seconds(torch.bfloat16)
    )


def _seconds(dtype: "torch.dtype") -> float:
    """What one step's product of a batch takes: 128 sentences and 1,024 sums of 256."""
    import torch

    with one_thread_after_fork(), torch.inference_mode():
        states = torch.ones(128, 256, dtype=dtype)
        weights = torch.ones(1024, 256, dtype=dtype)
        times = []
        for _ in range(_ROUNDS):
            start = perf_counter()
            torch.nn.functional.linear(states, weights)
            times.append(perf_counter() - start)
    return min(times)
