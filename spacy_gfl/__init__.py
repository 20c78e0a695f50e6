"""Constituency parsing for spaCy.

The names here need neither torch nor a pipeline: trees as values, trees on Docs,
their pictures, and the attributes that read them, which importing the package
installs.
"""

from typing import TYPE_CHECKING, Any

from spacy_gfl.annotation.extensions import (
    NonConstituentException,
    remove_extensions,
    set_extensions,
)
from spacy_gfl.annotation.heads import span_head
from spacy_gfl.annotation.storage import get_trees, set_trees
from spacy_gfl.formats.conll import (
    doc_to_conll,
    docs_from_conll,
    read_conll,
    tree_to_conll,
    trees_from_conll,
    write_conll,
)
from spacy_gfl.formats.files import FormatError
from spacy_gfl.formats.json_lines import (
    doc_from_json,
    doc_to_json,
    read_json_lines,
    sentences_to_json,
    tree_to_json,
    trees_from_json,
    write_json_lines,
)
from spacy_gfl.formats.latex import (
    doc_to_latex,
    latex_document,
    tree_to_latex,
    write_latex,
)
from spacy_gfl.query.matcher import TreeMatcher
from spacy_gfl.trees.heads import find_head, find_heads
from spacy_gfl.trees.labels import explain
from spacy_gfl.trees.tree import Constituent, Tree, TreeError

if TYPE_CHECKING:
    from spacy_gfl.pictures import render, serve

__version__ = "0.1.0"

__all__ = [
    "Constituent",
    "FormatError",
    "NonConstituentException",
    "Tree",
    "TreeError",
    "TreeMatcher",
    "__version__",
    "doc_from_json",
    "doc_to_conll",
    "doc_to_json",
    "doc_to_latex",
    "docs_from_conll",
    "explain",
    "find_head",
    "find_heads",
    "get_trees",
    "latex_document",
    "read_conll",
    "read_json_lines",
    "remove_extensions",
    "render",
    "sentences_to_json",
    "serve",
    "set_extensions",
    "set_trees",
    "span_head",
    "tree_to_conll",
    "tree_to_json",
    "tree_to_latex",
    "trees_from_conll",
    "trees_from_json",
    "write_conll",
    "write_json_lines",
    "write_latex",
]

set_extensions()


def __getattr__(name: str) -> Any:
    # Pictures bring nltk, which takes longer to import than all else here.
    if name in ("render", "serve"):
        from spacy_gfl import pictures

        return getattr(pictures, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
