"""How work grows with size, whatever the machine and whatever else it does."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def work(run: Callable[[int], object], size: int) -> int:
    """How many instructions of Python `run(size)` takes, however fast they are.

    From Python 3.12 on, `run` is called twice, since instructions are only seen in
    functions that have been traced before.
    """
    n_done = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal n_done
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        n_done += event == "opcode"
        return count

    before = sys.gettrace()
    for _ in range(1 + (sys.version_info >= (3, 12))):
        n_done = 0
        sys.settrace(count)
        try:
            run(size)
        finally:
            sys.settrace(before)
    return n_done
