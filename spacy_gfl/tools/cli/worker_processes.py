"""Processes of a pipeline that end with the process that started them."""

import multiprocessing
import os
import threading
import time
from multiprocessing.connection import wait
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

NAME = "ends_with_parent"


class EndsWithParent:
    """A component that leaves Docs as they are, and ends with the process before it.

    A process of `nlp.pipe(n_process=2)` waits for Docs until it is told to end, which
    a killed process tells nobody.
    """

    def __init__(self) -> None:
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_watch)

    def __call__(self, doc: Doc) -> Doc:
        """The Doc."""
        return doc

    def __reduce__(self) -> Any:
        # Where processes are not forked, they unpickle the pipeline.
        return _unpickled, ()


def _unpickled() -> EndsWithParent:
    _watch()
    return EndsWithParent()


def _watch() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # It is not known before the process has begun.
    while (parent := multiprocessing.parent_process()) is None:
        time.sleep(0.1)
    wait([parent.sentinel])
    os._exit(1)


def end_with_this_process(nlp: Language) -> None:
    """Let processes of a pipeline that are started from now on end with this one."""
    if NAME not in nlp.pipe_names:
        Language.component(NAME, func=EndsWithParent())
        nlp.add_pipe(NAME, first=True)
