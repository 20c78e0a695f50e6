"""Reading brackets in tests: everything that comes of it at once."""

from collections import Counter
from pathlib import Path

from spacy_gfl import read_trees
from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts, Rejections
from spacy_gfl.tools.treebanks.formats.text_files import read_lines

A, B = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))", "(INTJ (UH Yes))"


def read(text, **settings):
    """What is read from a text: the trees printed, the errors, the tallies."""
    errors, counts = [], ReadCounts()
    lines = text.splitlines(keepends=True)
    rejections = Rejections(counts=counts, on_error=errors.append)
    found = read_trees(lines, rejections=rejections, **settings)
    printed = [tree.brackets() for tree in found]
    assert counts.read == counts.kept + counts.vanished + sum(counts.rejected.values())
    assert counts.kept == len(printed)
    assert counts.rejected == Counter(error.reason for error in errors)
    return printed, errors, counts


def read_tree_file(path, counts=None, **settings):
    """The trees of a file of brackets; tallies are added to `counts`."""
    rejections = Rejections(str(path), counts or ReadCounts())
    return read_trees(read_lines(path), rejections=rejections, **settings)


def places(errors):
    return [(error.reason, error.line, error.column) for error in errors]


ROOT = Path(__file__).resolve().parents[2]
