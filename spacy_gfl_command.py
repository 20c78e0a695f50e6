"""The program `spacy-gfl`, which tells its version before spaCy and torch load."""

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
    # Importing anything of the package installs spaCy's attributes, and so loads it.
    from spacy_gfl.cli import main as run

    run()
