"""How time grows with size, whatever the machine and whatever else it does."""

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def work(run: Callable[[int], object], size: int) -> int:
    """How many instructions of Python `run(size)` takes, however fast they are."""
    n_done = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n_done
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        n_done += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run(size)
    finally:
        sys.settrace(before)
    return n_done


def slowdown(run: Callable[[int], object], size: int, times: int = 20) -> float:
    """How many times as long `run(times * size)` takes as `run(size)`, `times` times.

    About 1 where time is linear in size, about `times` where it is quadratic. It is
    the process's own time, in which other processes have no part.
    """
    seconds = []
    for n_runs, of_size in ((times, size), (1, times * size)):
        gc.collect()
        start = time.process_time()
        for _ in range(n_runs):
            run(of_size)
        seconds.append(time.process_time() - start)
    return seconds[1] / seconds[0]
