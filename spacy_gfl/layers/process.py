"""PyTorch in a process of others: after forks, with their settings, short of memory.

`nlp.pipe(texts, n_process=2)` forks. What other code of the process has set in PyTorch
for itself is not meant for a pipeline.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    import torch

_IMPORTING_PROCESS = os.getpid()
# PyTorch on a CPU, oneDNN, and CUDA, which have no type of error for it.
_NO_MEMORY = re.compile(r"alloc_cpu|could not create a primitive$|out of memory")


@contextlib.contextmanager
def one_thread_after_fork() -> Iterator[None]:
    """Let PyTorch use one thread for a while, if this process has been forked.

    OpenMP's threads stay behind in a fork: the process would wait for them for ever.
    """
    if os.getpid() == _IMPORTING_PROCESS:
        yield
        return
    import torch  # takes longer to import than all else here

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


@contextlib.contextmanager
def usual_settings(device: "torch.device", *, learns: bool = False) -> Iterator[None]:
    """Let PyTorch work in this thread as if nobody had changed its settings.

    These are the default device, autocast and, if something `learns`, the modes
    without gradients; after a fork, the number of threads too.

    Args:
        device: Where all tensors are to be that do not say where.
        learns: Whether there are to be gradients.
    """
    import torch

    with _modes(device, learns=learns), contextlib.ExitStack() as stack:
        # PyTorch 2.6 does not say what `with torch.device(...)` has set.
        if torch.empty(0).device.type != device.type:
            # Only then, as each call of PyTorch takes longer in such a context.
            stack.enter_context(device)
        yield


@contextlib.contextmanager
def running(device: "torch.device", *, learns: bool = False) -> Iterator[None]:
    """Let modules work in this thread without a default device.

    thinc makes a GPU the default device, and then each call of PyTorch goes through
    Python, which takes as long as the call. Modules at work say of all their tensors
    where these are to be. All other settings are PyTorch's usual ones.

    Args:
        device: Where the modules are.
        learns: Whether there are to be gradients.
    """
    import torch

    with _modes(device, learns=learns), torch._C.DisableTorchFunction():
        yield


@contextlib.contextmanager
def _modes(device: "torch.device", *, learns: bool) -> Iterator[None]:
    """Let PyTorch have its usual threads, autocast and modes in this thread."""
    import torch

    with contextlib.ExitStack() as stack:
        stack.enter_context(one_thread_after_fork())
        stack.enter_context(torch.autocast(device.type, enabled=False))
        if learns:
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
        yield


def on_device(
    device: "torch.device", *arrays: "numpy.ndarray | torch.Tensor"
) -> "list[torch.Tensor]":
    """Arrays of the CPU as tensors of a device; to a GPU they go without a wait."""
    import torch

    tensors = [
        one if isinstance(one, torch.Tensor) else torch.from_numpy(one)
        for one in arrays
    ]
    # A GPU takes memory that stays in its place whenever it comes to it.
    if device.type == "cuda":
        tensors = [one.pin_memory() for one in tensors]
    return [one.to(device, non_blocking=True) for one in tensors]


@contextlib.contextmanager
def building(device: "torch.device") -> Iterator[None]:
    """Let new modules have float32 weights that can learn, whatever the default is."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with usual_settings(device, learns=True):
            yield
    finally:
        torch.set_default_dtype(before)


def lacks_memory(error: BaseException) -> bool:
    """Whether an error says that there is too little memory."""
    is_torch = isinstance(error, RuntimeError) and _NO_MEMORY.search(str(error))
    return isinstance(error, MemoryError) or bool(is_torch)
