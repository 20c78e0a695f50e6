"""Tables of texts, CSV or TSV: each row has a text and what else is known of it.

::

    item,condition,text
    1,a,The horse raced past the barn fell.

Cells are parted by commas, semicolons, tabs or vertical bars. A row is a Doc. Its
other cells stand in `doc.user_data["columns"]`, and its name is that in the column
`id`, if there is one.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.tools.treebanks.formats.names import name_document
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError

_COLUMNS = "columns"
_ID = "id"
_DELIMITERS = ",;\t|"
# What Excel writes and reads before the first row.
_DELIMITER_LINE = re.compile(r'"?sep=([^\w\s"]|\t)"?\s*', re.IGNORECASE)
#: Characters that a cell may have: the longest novels have four million.
_LONGEST = 1 << 30


def read_texts(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """Read a Doc per row.

    Raises:
        FormatError: A row has more cells than the first, or is no CSV.
        ValueError: No column has the name of that of texts.
    """
    names, rows = _table(reading)
    if reading.text_column not in names:
        raise ValueError(
            f"{reading.name}: there is no column {reading.text_column!r}; the "
            f"columns are {', '.join(map(repr, names)) or 'none'}. Name the "
            "column of the texts with --text-column."
        )
    for cells in rows:
        doc = nlp.make_doc(cells[reading.text_column])
        doc.user_data[_COLUMNS] = {
            name: cell for name, cell in cells.items() if name != reading.text_column
        }
        if name := cells.get(_ID):
            name_document(doc, name)
        yield doc


def columns_of(reading: Reading) -> list[str]:
    """The names of the columns of a table, [] for an empty file."""
    return _table(reading)[0]


def cells_of(doc: Doc) -> dict[str, str]:
    """The other cells of the row that a Doc is the text of; {} for other Docs."""
    return doc.user_data.get(_COLUMNS, {})


def _table(reading: Reading) -> tuple[list[str], Iterator[dict[str, str]]]:
    """The names of the columns, and the cells of each row by these names."""
    lines = _Lines(reading.lines())
    first = next((line for line in lines if line.strip()), "")
    if marked := _DELIMITER_LINE.fullmatch(first):
        delimiter, first = marked[1], next(lines, "")
    else:
        delimiter = _delimiter(first, reading.text_column)
    # Where spaces follow commas, a quotation mark after them begins a cell.
    has_spaces = bool(re.search(rf"{re.escape(delimiter)} +\S", first))
    rows = _rows(lines, first, delimiter, reading.name, has_spaces=has_spaces)
    names = [name.strip() for name in next(rows, [])]
    for name in filter(None, names):
        if names.count(name) > 1:
            raise ValueError(
                f"{reading.name}: {names.count(name)} columns are {name!r}."
            )
    return names, _cells(names, rows, lines, reading.name)


def _delimiter(first: str, column: str) -> str:
    """What is between cells, by the first row: the column of texts is among them."""

    def fits(delimiter: str) -> tuple[bool, int]:
        names = next(csv.reader([first], delimiter=delimiter), [])
        return column in map(str.strip, names), len(names)

    return max(_DELIMITERS, key=fits)


class _Lines:
    """Lines, counted.

    Attributes:
        number: How many were read.
        are_read: Whether all were read.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.number = 0
        self.are_read = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = next(self._lines)
        except StopIteration:
            self.are_read = True
            raise
        self.number += 1
        return line


def _cells(
    names: list[str], rows: Iterable[list[str]], lines: _Lines, source: str
) -> Iterator[dict[str, str]]:
    for row in rows:
        if len(row) > len(names):
            explanation = (
                f"this row has {len(row)} cells, and the first row has {len(names)}"
            )
            raise FormatError(source, lines.number, explanation)
        if row and (len(row) > 1 or row[0].strip()):
            row += [""] * (len(names) - len(row))
            yield dict(zip(names, row, strict=True))


def _rows(
    lines: _Lines, first: str, delimiter: str, source: str, *, has_spaces: bool
) -> Iterator[list[str]]:
    """The cells of each row; a row may have several lines."""
    for line in chain([first] if first else [], lines):
        begin = lines.number
        reader = csv.reader(
            chain([line], lines),
            delimiter=delimiter,
            skipinitialspace=has_spaces,
            strict=True,
        )
        limit = csv.field_size_limit(_LONGEST)
        try:
            row = next(reader)
        except csv.Error as error:
            if lines.are_read:
                # Only a row that goes on is not over with its line.
                message = "a quotation mark in this row is not closed"
            elif delimiter == "\t" and lines.number == begin:
                # Most programs that part cells by tabs quote none.
                message, row = "", line.rstrip("\r\n").split(delimiter)
            elif "expected after" in str(error):
                message = "a quotation mark within one of its cells is not doubled"
            else:
                message = f"this is not a row of CSV: {error}"
            if message:
                raise FormatError(source, begin, message) from None
        finally:
            csv.field_size_limit(limit)
        yield row
