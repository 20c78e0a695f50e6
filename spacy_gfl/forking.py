"""PyTorch in forked worker processes."""

import os

import torch

_first_pid = os.getpid()


def use_one_thread_if_forked() -> None:
    """Make PyTorch use one thread, if this process is a fork of the first one.

    The OpenMP threads of the parent do not exist in a fork, and whoever waits for
    them waits for ever: `nlp.pipe(docs, n_process=2)` would, after a parse in the
    parent. Several processes of one thread each are what n_process asks for anyway.
    A process that did not fork is left as it is.
    """
    global _first_pid
    if os.getpid() != _first_pid:
        _first_pid = os.getpid()
        torch.set_num_threads(1)
