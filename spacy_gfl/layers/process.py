"""PyTorch in a process: after forks, with thinc's default device, short of memory.

`nlp.pipe(texts, n_process=2)` forks, and thinc makes a GPU the default device.
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
def on(device: "torch.device") -> Iterator[None]:
    """Let tensors be made on a device, unless they say where they are to be made.

    thinc makes a GPU the default device. After a fork, there is one thread.
    """
    import torch

    with one_thread_after_fork(), contextlib.ExitStack() as stack:
        # PyTorch 2.6 does not say what `with torch.device(...)` has set.
        if torch.empty(0).device.type != device.type:
            # Only then, as each call of PyTorch takes longer in such a context.
            stack.enter_context(device)
        yield


@contextlib.contextmanager
def running() -> Iterator[None]:
    """Let modules work in this thread without a default device.

    thinc makes a GPU the default device, and then each call of PyTorch goes through
    Python, which takes as long as the call. Running modules name the
    device of each of their tensors. After a fork, there is one thread.
    """
    import torch

    with one_thread_after_fork(), torch._C.DisableTorchFunction():
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


def lacks_memory(error: BaseException) -> bool:
    """Whether an error says that there is too little memory."""
    is_torch = isinstance(error, RuntimeError) and _NO_MEMORY.search(str(error))
    return isinstance(error, MemoryError) or bool(is_torch)
