"""EVALB's files: lines of brackets, parameters and reports."""

from spacy_gfl.tools.evalb.bracket_lines import read_pair, score_lines, score_pair
from spacy_gfl.tools.evalb.parameter_files import load_parameters

__all__ = ["load_parameters", "read_pair", "score_lines", "score_pair"]
