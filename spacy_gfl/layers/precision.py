"""Which precision linear maps and LSTMs compute in: what is asked for, or a table's.

What a product takes and gives is in single precision, whatever it is computed in:

- fp32: as PyTorch does, in the precision of the weights.
- bf16: weights and inputs are rounded to bfloat16, whose 16 bits have 8 of exponent.
- int8: each row of weights and each row of inputs is rounded to 127 steps of its
  largest value. Sums are of whole numbers, and so exact: no row depends on others.

"auto" follows from the processor's instructions, so that two runs of a command give the
same numbers: measurements on each kind of processor fill a table.
"""

import contextlib
import os
import platform
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import torch

#: "auto" is the fastest of the others on the processor that costs no accuracy.
Precision = Literal["auto", "fp32", "bf16", "int8"]


class Row(NamedTuple):
    """What a kind of processor computes in.

    Attributes:
        parsing: What "auto" is where nothing is learnt.
        training: What it is where gradients are needed.
        has: What else than fp32 there is, if it is asked for.
    """

    parsing: Precision = "fp32"
    training: Precision = "fp32"
    has: tuple[Precision, ...] = ()


#: By processor. The figures are sentences of 25 words per second of `en_gfl_sm`,
#: `en_gfl_trf` and `en_gfl_lg`, one thread (making/benchmarks/README.md, "Processors
#: and precisions"): the LSTMs and the transformer come out alike everywhere. An x86
#: processor's rows are in order, and have the names by which ONEDNN_MAX_CPU_ISA bounds
#: its instructions.
PROCESSORS = {
    # AMD Zen 3: fp32 240, 70, 21; bf16 34, 10; int8 11, 3. Nothing multiplies less
    # than 32 bits.
    "AVX2": Row(),
    # Not measured. bf16 has no instructions here, and takes twice as long as fp32 on
    # AMD Zen 4 without them: 136, 39, 12 beside 248, 83, 25.
    "AVX512_CORE": Row(has=("bf16",)),
    # Intel Xeon (Cascade Lake, 2.5 GHz), sentences of 20 to 30 words: fp32 254, 83, 26;
    # int8 302, 93, 31. So little is not worth the trees that come out differently, one
    # in 14 to 30.
    "AVX512_CORE_VNNI": Row(has=("bf16", "int8")),
    # AMD Zen 4: fp32 258, 81, 26; bf16 410, 144, 50; int8 521, 166, 58, which changes
    # six times as many trees as bf16. Training in bf16:
    # making/experiments/training/README.md.
    "AVX512_CORE_BF16": Row("bf16", "bf16", has=("bf16", "int8")),
    # Intel with AMX: products of bf16 take a quarter of the time of fp32.
    "AVX512_CORE_AMX": Row("bf16", "bf16", has=("bf16", "int8")),
    # Not measured.
    "ARM": Row(),
    # NVIDIA H100: making/benchmarks/README.md, "On a GPU".
    "CUDA with bf16": Row("bf16", has=("bf16",)),
    "CUDA": Row(has=("bf16",)),
}


class _Here(threading.local):
    """The setting in force and the kind of device, thread by thread."""

    setting: tuple[Precision, str] = ("fp32", "cpu")


_here = _Here()


@contextlib.contextmanager
def multiplying_in(setting: Precision, device: "torch.device") -> Iterator[None]:
    """Let linear maps and LSTMs of this thread compute in a precision for a while.

    A precision that the processor has not is fp32. Gradients are never in int8, nor is
    a GPU: there it is as "auto".

    Args:
        setting: The precision; "auto" is that of the processor in `PROCESSORS`.
        device: Where the network is.
    """
    before = _here.setting
    _here.setting = setting, device.type
    try:
        yield
    finally:
        _here.setting = before


def in_force() -> Precision:
    """The precision in force, which all depends on that is made of weights."""
    setting, device = _here.setting
    if setting == "fp32":
        return setting
    import torch

    return resolve(setting, processor(device), learns=torch.is_grad_enabled())


def resolve(setting: Precision, processor: str, *, learns: bool) -> Precision:
    """What a setting is on one of `PROCESSORS`, or on another: fp32."""
    row = PROCESSORS.get(processor, Row())
    if setting == "int8" and (learns or processor.startswith("CUDA")):
        setting = "auto"
    if setting == "auto":
        setting = row.training if learns else row.parsing
    return setting if setting in row.has else "fp32"


@cache
def processor(device: str = "cpu") -> str:
    """Which of `PROCESSORS` this one is, "" for one that is not among them.

    Args:
        device: PyTorch's name of the kind of device.
    """
    import torch

    if device == "cuda":
        return "CUDA with bf16" if torch.cuda.is_bf16_supported(False) else "CUDA"
    if device != "cpu":
        return ""
    if platform.machine().lower() in ("aarch64", "arm64"):
        return "ARM"
    if not torch.backends.mkldnn.is_available():
        return ""
    known = [name for name in PROCESSORS if name.startswith("AVX")]
    # Not every version of PyTorch can tell all.
    has = {
        "AVX2": "_is_avx2_supported",
        "AVX512_CORE": "_is_avx512_supported",
        "AVX512_CORE_VNNI": "_is_vnni_supported",
        "AVX512_CORE_BF16": "_is_avx512_bf16_supported",
        "AVX512_CORE_AMX": "_is_amx_tile_supported",
    }
    names = [name for name in known if getattr(torch.cpu, has[name], bool)()]
    if names[-1:] == ["AVX512_CORE_BF16"] and _is_intel():
        # Without AMX an Intel processor takes twice as long in bf16 as in fp32.
        names.pop()
    most = os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper()
    if most in known:
        names = [name for name in names if known.index(name) <= known.index(most)]
    return names[-1] if names else ""


def _is_intel() -> bool:
    """Whether the processor says that Intel has made it."""
    try:
        description = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        description = platform.processor()
    return "GenuineIntel" in description
