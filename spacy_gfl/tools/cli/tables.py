"""Tables that commands write: one row per text or word of files."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias
from unicodedata import category, normalize

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.pipe.pipelines import get_parser
from spacy_gfl.tools.cli.input_files import STDIN, shown_name, warn
from spacy_gfl.tools.cli.options import load_parser
from spacy_gfl.tools.treebanks.formats import (
    ENDINGS,
    FORMATS,
    ending_of,
    find_format,
    lacks_trees,
)
from spacy_gfl.tools.treebanks.formats.names import document_label
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.table_rows import cells_of, columns_of
from spacy_gfl.tools.treebanks.inputs import read_docs, read_treebank

Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help=(
            "Texts (.txt, .csv, .tsv, or - for standard input), which are parsed; "
            "trees (brackets, or Docs in .spacy, .jsonl, .conll); or folders of "
            "these."
        ),
    ),
]
# What a spreadsheet takes for the beginning of a formula, after what it passes over.
_FORMULA = tuple("=+-@\u2212")
_PASSED_OVER = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
# Where a spreadsheet that parts cells with semicolons begins one: it sees no quotation
# mark of a cell that it takes for the middle of another one.
_CELL_ENDS = re.compile(r"([;\t\r\n]+\s*\"*)")


#: The first columns of every table: which text a row is of.
PLACE = ("file", "document")
# What ends a line for some readers, though not in CSV; and what could be an escape.
_LINE_ENDS = re.compile(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|-(?=U\+)")


def csv_lines(
    rows: Iterable[dict[str, Any]], columns: Sequence[str], delimiter: str = ","
) -> Iterator[str]:
    """The lines of a table as CSV: counts as they are, ratios with four digits.

    Characters that end lines elsewhere are written as in brackets: -U+2028-.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name, "")) for name in columns])
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()
    yield stream.getvalue()


def delimiter_of(path: Path | None) -> str:
    """What is between the cells of a table: a tab in .tsv, else a comma."""
    return "\t" if path is not None and path.suffix.lower() == ".tsv" else ","


def _cell(value: str | float) -> str | int:
    if isinstance(value, str):
        parts = map(_guarded, _CELL_ENDS.split(value))
        value = "'" * value.startswith(("\t", "\r")) + "".join(parts)
        return _LINE_ENDS.sub(lambda match: f"-U+{ord(match[0]):04X}-", value)
    return f"{value:.4f}" if isinstance(value, float) else value


def _guarded(text: str) -> str:
    """A text that no spreadsheet runs, which reads full-width characters as others."""
    begin = next((c for c in text if category(c) not in _PASSED_OVER), "")
    return f"'{text}" if normalize("NFKC", begin).startswith(_FORMULA) else text


class Text(NamedTuple):
    """A text of a table.

    Attributes:
        file: The name of the file that it is in.
        document: Its name there, or else its number, from 1.
        cells: What else a table that it is from knows of it.
        docs: Its Docs, which have trees.
    """

    file: str
    document: str
    cells: dict[str, str]
    docs: Iterable[Doc]

    @property
    def place(self) -> dict[str, str]:
        """The first cells of its rows."""
        return {"file": self.file, "document": self.document, **self.cells}


class TextFiles:
    """Files of texts or trees, to be read text by text.

    Args:
        paths: Files, and folders of files.
        reading: How they are read.
        model: The pipeline that parses texts, loaded if there are any.
        own: The columns that the command writes. Columns of given tables that are
            called so get `_given` behind their names.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        reading: Reading,
        model: str,
        own: Collection[str] = (),
    ) -> None:
        self.files = [file for path in paths for file in _files_at(path, reading)]
        self._reading, self._own = reading, {*PLACE, *own}
        has_texts = any(_is_text(file, reading.format) for file in self.files)
        self.nlp = load_parser(model) if has_texts else None
        if self.nlp is not None:
            search = get_parser(self.nlp).search
            search.precision = search.exact_precision

    def columns(self, text: Text | None) -> list[str]:
        """The first columns: `PLACE`, and those of tables among the files.

        Args:
            text: The first text, where it may be of a table on standard input.
        """
        found = dict.fromkeys(text.cells if text else ())
        for file in self.files:
            if str(file) != STDIN and _is_table(file, self._reading):
                names = columns_of(Reading.of(self._reading, file))
                given = (name for name in names if name != self._reading.text_column)
                found.update(dict.fromkeys(map(self._given, given)))
        return [*PLACE, *found]

    def _given(self, name: str) -> str:
        return f"{name}_given" if name in self._own else name

    def texts(self, file: Path) -> Iterator[Text]:
        """The texts in a file.

        Each record of a file of records is a text, such as a Doc, a line or a row; any
        other file is one.
        """
        path = None if str(file) == STDIN else file
        name = name_of(file)
        row = find_format(path, self._reading.format)
        docs: Iterable[Doc]
        if self.nlp is not None and lacks_trees(row, path):
            docs = self.nlp.pipe(read_docs(self.nlp, path, self._reading))
        else:
            reading = replace(self._reading, format=row.name)
            docs = read_treebank(path, Vocab(), reading)
        if not row.has_records:
            yield Text(name, "1", {}, docs)
            return
        for number, doc in enumerate(docs, start=1):
            cells = {self._given(at): cell for at, cell in cells_of(doc).items()}
            yield Text(name, document_label(doc, number), cells, [doc])


def name_of(file: Path) -> str:
    """What a file is called in a table."""
    return "<stdin>" if str(file) == STDIN else shown_name(file)


def _is_table(file: Path, reading: Reading) -> bool:
    """Whether a file is a table of texts, by its ending or by `reading.format`."""
    if reading.format != AUTO:
        return reading.format == "csv"
    return ending_of(file) in FORMATS["csv"].endings


def _has_texts(file: Path, reading: Reading) -> bool:
    """Whether a file of a folder, if it is a table, is one of texts."""
    if not _is_table(file, reading):
        return True
    try:
        return reading.text_column in columns_of(Reading.of(reading, file))
    except (OSError, ValueError):
        return False


def _files_at(path: Path, reading: Reading) -> list[Path]:
    """A file, or the files of a folder that have a known ending."""
    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    known = [
        file
        for file in files
        if ending_of(file) in ENDINGS
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and _has_texts(file, reading)
    ]
    if not known:
        raise ValueError(
            f"The folder {path} has no texts or treebanks: no file has one of "
            f"the endings {', '.join(sorted(ENDINGS))}."
        )
    if left_out := len(files) - len(known):
        warn(f"Left out of {path}: {left_out} files, whose endings name no format.")
    return known


def _is_text(file: Path, given: str) -> bool:
    """Whether a file is text to parse; if that is unclear, reading it raises."""
    path = None if str(file) == STDIN else file
    try:
        return lacks_trees(find_format(path, given), path)
    except ValueError:
        return False
