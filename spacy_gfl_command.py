"""The program `spacy-gfl`, which starts before spaCy and torch load."""

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib.metadata import version
from typing import Any


def versions() -> str:
    """The version of the package, and of those that decide what it does."""
    others = ", ".join(f"{name} {version(name)}" for name in ("spacy", "torch"))
    return f"spacy-gfl {version('spacy-gfl')} ({others})"


def _end(*_: Any) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        # The command line itself says what is wrong with standard output.
        with suppress(OSError):
            print(versions(), flush=True)
            return
    # Nothing is begun while modules load, some of which would swallow an exception. In
    # the background of a shell, the signal stays ignored.
    if is_heard := signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    # What modules define is never garbage: to look for some in spaCy and torch while
    # they load, and whenever all objects are visited, takes a fifth of a short command.
    gc.disable()
    # Importing anything of the package installs spaCy's attributes, and so loads it.
    try:
        from spacy_gfl.tools.cli import main as run
    except MemoryError:
        sys.exit("Error: There is too little memory to load spaCy and PyTorch.")
    except ImportError as error:
        sys.exit(f"Error: spaCy and PyTorch cannot be loaded: {error}.")
    gc.freeze()
    gc.enable()
    if is_heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
