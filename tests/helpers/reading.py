"""Reading brackets in tests: everything that comes of it at once."""

from collections import Counter

from spacy_gfl.trees.bracket_errors import ReadCounts
from spacy_gfl.trees.brackets import read_trees

A, B = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))", "(INTJ (UH Yes))"


def read(text, **settings):
    """What is read from a text: the trees printed, the errors, the tallies."""
    errors, counts = [], ReadCounts()
    lines = text.splitlines(keepends=True)
    found = read_trees(lines, counts=counts, on_error=errors.append, **settings)
    printed = [tree.brackets() for tree in found]
    assert counts.read == counts.kept + counts.vanished + sum(counts.rejected.values())
    assert counts.kept == len(printed)
    assert counts.rejected == Counter(error.reason for error in errors)
    return printed, errors, counts


def places(errors):
    return [(type(error), error.line, error.column) for error in errors]
