"""Constituency parsing for spaCy.

Importing the package installs the attributes that read trees from Docs, such as
`span._.parse_string`, and lets Docs find noun chunks in their trees. It imports neither
torch nor a parser: each public name is imported when you first use it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spacy_gfl.annotation.extensions import remove_extensions, set_extensions
from spacy_gfl.annotation.noun_chunks import find_noun_chunks_in_trees

if TYPE_CHECKING:
    from spacy_gfl.annotation.building import set_trees, trees_to_docs
    from spacy_gfl.annotation.nodes import NonConstituentException
    from spacy_gfl.annotation.storage import get_trees
    from spacy_gfl.languages.meanings import explain
    from spacy_gfl.left_to_right.steps import steps
    from spacy_gfl.pipe.pipelines import get_parser, load_language
    from spacy_gfl.tools.pictures import render
    from spacy_gfl.tools.query.matcher import TreeMatcher
    from spacy_gfl.tools.training.temperature import fit_temperature
    from spacy_gfl.tools.treebanks import formats
    from spacy_gfl.tools.treebanks.bracket_reader import parse_tree, read_trees
    from spacy_gfl.trees.tree import Constituent, Tree, TreeError

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
    "steps",
    "trees_to_docs",
]

#: The modules of public names that are imported when they are asked for.
_MODULES = {
    "Constituent": "spacy_gfl.trees.tree",
    "NonConstituentException": "spacy_gfl.annotation.nodes",
    "Tree": "spacy_gfl.trees.tree",
    "TreeError": "spacy_gfl.trees.tree",
    "TreeMatcher": "spacy_gfl.tools.query.matcher",
    "explain": "spacy_gfl.languages.meanings",
    "fit_temperature": "spacy_gfl.tools.training.temperature",
    "get_parser": "spacy_gfl.pipe.pipelines",
    "get_trees": "spacy_gfl.annotation.storage",
    "load_language": "spacy_gfl.pipe.pipelines",
    "parse_tree": "spacy_gfl.tools.treebanks.bracket_reader",
    "read_trees": "spacy_gfl.tools.treebanks.bracket_reader",
    "render": "spacy_gfl.tools.pictures",
    "set_trees": "spacy_gfl.annotation.building",
    "steps": "spacy_gfl.left_to_right.steps",
    "trees_to_docs": "spacy_gfl.annotation.building",
}

set_extensions()
find_noun_chunks_in_trees()


def __getattr__(name: str) -> Any:
    if name == "formats":
        return import_module("spacy_gfl.tools.treebanks.formats")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
