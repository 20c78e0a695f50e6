"""Constituency parsing for spaCy.

Importing the package installs the attributes that read trees off Docs, such as
`span._.parse_string`, and imports neither torch nor a parser. What needs them is
imported when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc, Span

from spacy_gfl import formats
from spacy_gfl.annotation.building import set_trees, trees_to_docs
from spacy_gfl.annotation.extensions import (
    ATTRIBUTES,
    remove_extensions,
    set_extensions,
)
from spacy_gfl.annotation.nodes import NonConstituentException
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.languages.meanings import explain
from spacy_gfl.query.matcher import TreeMatcher
from spacy_gfl.syntax.chunks import chunks
from spacy_gfl.syntax.clauses import clauses
from spacy_gfl.syntax.complexity import complexity
from spacy_gfl.syntax.word_syntax import surprisal, word_syntax
from spacy_gfl.trees.brackets import parse_tree, read_trees
from spacy_gfl.trees.tree import Constituent, Tree, TreeError

if TYPE_CHECKING:
    from spacy_gfl.pictures import render
    from spacy_gfl.pipe.pipelines import get_parser, load_language
    from spacy_gfl.pipe.temperature import fit_temperature

__version__ = "1.0.0"

__all__ = [
    "Constituent",
    "NonConstituentException",
    "Tree",
    "TreeError",
    "TreeMatcher",
    "__version__",
    "explain",
    "fit_temperature",
    "formats",
    "get_parser",
    "get_trees",
    "load_language",
    "parse_tree",
    "read_trees",
    "remove_extensions",
    "render",
    "set_extensions",
    "set_trees",
    "trees_to_docs",
]

# Parsers bring torch; pictures are drawn by few programs.
_LAZY = {
    "fit_temperature": "spacy_gfl.pipe.temperature",
    "get_parser": "spacy_gfl.pipe.pipelines",
    "load_language": "spacy_gfl.pipe.pipelines",
    "render": "spacy_gfl.pictures",
}

ATTRIBUTES += [
    (Doc, "chunks", {"method": chunks}),
    (Span, "chunks", {"method": chunks}),
    (Doc, "clauses", {"getter": clauses}),
    (Span, "clauses", {"getter": clauses}),
    (Doc, "complexity", {"getter": complexity}),
    (Span, "complexity", {"getter": complexity}),
    (Doc, "word_syntax", {"getter": word_syntax}),
    (Span, "word_syntax", {"getter": word_syntax}),
    (Doc, "surprisal", {"getter": surprisal}),
    (Span, "surprisal", {"getter": surprisal}),
]
set_extensions()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
