"""EVALB's bracket scores of trees on Docs, and spaCy's scorer of them."""

from spacy_gfl.evaluation.evalb import Status, match_brackets
from spacy_gfl.evaluation.parameters import COLLINS, NEW, Parameters
from spacy_gfl.evaluation.summary import evaluate

__all__ = ["COLLINS", "NEW", "Parameters", "Status", "evaluate", "match_brackets"]
