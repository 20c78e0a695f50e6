"""The command line: one module a command, joined in `spacy_gfl.cli.app`."""

from spacy_gfl.cli.analyse import analyse_command
from spacy_gfl.cli.app import main
from spacy_gfl.cli.convert import convert_command
from spacy_gfl.cli.draw import draw_command
from spacy_gfl.cli.ensemble import ensemble_command
from spacy_gfl.cli.evaluate import evaluate_command
from spacy_gfl.cli.parse import parse_command
from spacy_gfl.cli.search import search_command
from spacy_gfl.cli.silver import silver_command

__all__ = [
    "analyse_command",
    "convert_command",
    "draw_command",
    "ensemble_command",
    "evaluate_command",
    "main",
    "parse_command",
    "search_command",
    "silver_command",
]
