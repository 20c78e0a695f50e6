"""Constituency parsing for spaCy.

The names here need neither torch nor a pipeline: trees as values, trees on Docs,
their pictures, and the attributes that read them, which importing the package
installs.
"""

from spacy_gfl.doc_trees import get_trees, set_trees
from spacy_gfl.extensions import (
    NonConstituentException,
    remove_extensions,
    set_extensions,
)
from spacy_gfl.labels import explain
from spacy_gfl.pictures import render, serve
from spacy_gfl.trees import Constituent, Tree, TreeError

__version__ = "0.1.0"

__all__ = [
    "Constituent",
    "NonConstituentException",
    "Tree",
    "TreeError",
    "__version__",
    "explain",
    "get_trees",
    "remove_extensions",
    "render",
    "serve",
    "set_extensions",
    "set_trees",
]

set_extensions()
