"""PyTorch in processes that have been forked, as by `nlp.pipe(texts, n_process=2)`."""

import contextlib
import os
from collections.abc import Iterator

_IMPORTING_PROCESS = os.getpid()


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
