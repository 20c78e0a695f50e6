"""Tables of texts, CSV or TSV: each row has a text and what else is known of it.

::

    item,condition,text
    1,a,The horse raced past the barn fell.

A row is a Doc. Its other cells stand in `doc.user_data["columns"]`, and its name is
that in the column `id`, if there is one.
"""

import csv
from collections.abc import Iterable, Iterator
from itertools import chain

from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.tools.treebanks.formats.names import name_document
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError

_COLUMNS = "columns"
_ID = "id"
_DELIMITERS = ",;\t"


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
    lines = iter(reading.lines())
    first = next(lines, "")
    given = _Lines(chain([first], lines))
    reader = csv.reader(given, delimiter=max(_DELIMITERS, key=first.count))
    rows = _checked(reader, given, reading.name)
    names = next(rows, [])
    for name in filter(None, names):
        if names.count(name) > 1:
            raise ValueError(
                f"{reading.name}: {names.count(name)} columns are {name!r}."
            )
    return names, _cells(names, rows, reading.name)


class _Lines:
    """Lines, of which it is known whether all were read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.are_read = False

    def __iter__(self) -> Iterator[str]:
        yield from self._lines
        self.are_read = True


def _cells(
    names: list[str], rows: Iterable[list[str]], source: str
) -> Iterator[dict[str, str]]:
    for number, row in enumerate(rows, start=1):
        if len(row) > len(names):
            explanation = (
                f"this row has {len(row)} cells, and the first row has {len(names)}"
            )
            raise FormatError(source, number + 1, explanation)
        if row:
            row += [""] * (len(names) - len(row))
            yield dict(zip(names, row, strict=True))


def _checked(
    rows: Iterable[list[str]], lines: _Lines, source: str
) -> Iterator[list[str]]:
    n_read = 0
    try:
        for row in rows:
            n_read += 1
            if lines.are_read:
                # Only a row that goes on is not over with its line.
                message = "a quotation mark in this row is not closed"
                raise FormatError(source, n_read, message)
            yield row
    except csv.Error as error:
        raise FormatError(
            source, n_read + 1, f"this is not a row of CSV: {error}"
        ) from None
