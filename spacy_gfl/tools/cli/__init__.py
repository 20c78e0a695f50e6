"""The command line: one module per command, joined in `spacy_gfl.tools.cli.app`."""

from spacy_gfl.tools.cli import (  # noqa: F401
    analyse,
    clauses,
    complexity,
    convert,
    correct,
    download,
    draw,
    ensemble,
    evaluate,
    parse,
    predictors,
    search,
    silver,
)
from spacy_gfl.tools.cli.app import main

__all__ = ["main"]
