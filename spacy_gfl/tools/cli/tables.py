"""Tables that commands write: one row per text or word of files."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeAlias
from unicodedata import category, normalize

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.pipe.pipelines import get_parser
from spacy_gfl.tools.cli.input_files import STDIN, shown_name, warn
from spacy_gfl.tools.cli.options import load_parser
from spacy_gfl.tools.treebanks.formats import (
    ENDINGS,
    ending_of,
    find_format,
    lacks_trees,
)
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.inputs import read_docs, read_treebank

Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help="Texts (.txt; - for standard input), which are parsed, or trees: "
        "brackets, or Docs (.spacy, .jsonl, .conll); or folders of these.",
    ),
]
# What a spreadsheet takes for the beginning of a formula, after what it passes over.
_FORMULA = tuple("=+-@\u2212")
_PASSED_OVER = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})


def csv_lines(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    """The lines of a table as CSV: counts as they are, ratios with four digits."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name, "")) for name in columns])
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()
    yield stream.getvalue()


def _cell(value: str | float) -> str | int:
    if isinstance(value, str):
        # A spreadsheet would run it, and reads full-width characters as others.
        begin = next((c for c in value if category(c) not in _PASSED_OVER), "")
        begin = normalize("NFKC", begin)
        is_formula = begin.startswith(_FORMULA) or value.startswith(("\t", "\r"))
        return f"'{value}" if is_formula else value
    return f"{value:.4f}" if isinstance(value, float) else value


class TextFiles:
    """Files of texts or trees, to be read text by text.

    Args:
        paths: Files, and folders of files.
        reading: How they are read.
        model: The pipeline that parses texts, loaded if there are any.
    """

    def __init__(self, paths: Iterable[Path], reading: Reading, model: str) -> None:
        self.files = list(chain.from_iterable(map(_files_at, paths)))
        self._reading = reading
        has_texts = any(_is_text(file, reading.format) for file in self.files)
        self.nlp = load_parser(model) if has_texts else None
        if self.nlp is not None:
            search = get_parser(self.nlp).search
            search.precision = search.exact_precision

    def texts(self, file: Path) -> Iterator[tuple[str, Iterable[Doc]]]:
        """The texts in a file, each with its name and its Docs, which have trees.

        Each Doc of a file of Docs is a text; any other file is one.
        """
        path = None if str(file) == STDIN else file
        row = find_format(path, self._reading.format)
        docs: Iterable[Doc]
        if self.nlp is not None and lacks_trees(row, path):
            docs = self.nlp.pipe(read_docs(self.nlp, path, self._reading))
        else:
            reading = replace(self._reading, format=row.name)
            docs = read_treebank(path, Vocab(), reading)
        if row.docs:
            for number, doc in enumerate(docs, start=1):
                yield f"{name_of(file)}:{number}", [doc]
        else:
            yield name_of(file), docs


def name_of(file: Path) -> str:
    """What a file is called in a table."""
    return "<stdin>" if str(file) == STDIN else shown_name(file)


def _files_at(path: Path) -> list[Path]:
    """A file, or the files of a folder that have a known ending."""
    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    found = [
        file
        for file in files
        if ending_of(file) in ENDINGS
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
    ]
    if not found:
        raise ValueError(
            f"The folder {path} has no texts or treebanks: no file whose name ends in "
            f"{', '.join(sorted(ENDINGS))}."
        )
    if left_out := len(files) - len(found):
        warn(f"{path}: {left_out} files are left out, whose endings tell nothing.")
    return found


def _is_text(file: Path, given: str) -> bool:
    """Whether a file is to be parsed; what cannot be told is said when it is read."""
    path = None if str(file) == STDIN else file
    try:
        return lacks_trees(find_format(path, given), path)
    except ValueError:
        return False
