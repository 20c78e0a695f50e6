"""The program `spacy-gfl`, which starts before spaCy and torch load."""

import gc
import sys
from importlib.metadata import version


def versions() -> str:
    """The version of the package, and of those that decide what it does."""
    others = ", ".join(f"{name} {version(name)}" for name in ("spacy", "torch"))
    return f"spacy-gfl {version('spacy-gfl')} ({others})"


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        print(versions())
        return
    # What modules define is never garbage: to look for some in spaCy and torch while
    # they load, and whenever all objects are visited, takes a fifth of a short command.
    gc.disable()
    # Importing anything of the package installs spaCy's attributes, and so loads it.
    from spacy_gfl.cli import main as run

    gc.freeze()
    gc.enable()
    run()
