"""Trees in other notations than brackets: JSON lines, CoNLL columns, LaTeX."""

from pathlib import Path
from typing import Callable, Dict, Iterable

from spacy.tokens import Doc

from spacy_gfl.formats.conll import (
    doc_to_conll,
    docs_from_conll,
    parse_bits,
    read_conll,
    tree_to_conll,
    trees_from_conll,
    write_conll,
)
from spacy_gfl.formats.errors import FormatError
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
    escape_latex,
    latex_document,
    tree_to_latex,
    write_latex,
)

__all__ = [
    "WRITERS",
    "FormatError",
    "doc_from_json",
    "doc_to_conll",
    "doc_to_json",
    "doc_to_latex",
    "docs_from_conll",
    "escape_latex",
    "latex_document",
    "parse_bits",
    "read_conll",
    "read_json_lines",
    "sentences_to_json",
    "tree_to_conll",
    "tree_to_json",
    "tree_to_latex",
    "trees_from_conll",
    "trees_from_json",
    "write_conll",
    "write_json_lines",
    "write_latex",
]

#: What writes Docs to a file whose name ends so.
WRITERS: Dict[str, Callable[[Path, Iterable[Doc]], None]] = {
    ".conll": write_conll,
    ".jsonl": write_json_lines,
    ".tex": write_latex,
}
