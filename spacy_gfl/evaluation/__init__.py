"""EVALB's bracket scores, and spaCy's scorer of them."""

from spacy_gfl.evaluation.evalb import Status, match_brackets, score_lines, score_pair
from spacy_gfl.evaluation.parameters import COLLINS, Parameters, load_parameters
from spacy_gfl.evaluation.summary import evaluate
from spacy_gfl.tools.evalb.bracket_lines import read_pair

__all__ = [
    "COLLINS",
    "Parameters",
    "Status",
    "evaluate",
    "load_parameters",
    "match_brackets",
    "read_pair",
    "score_lines",
    "score_pair",
]
