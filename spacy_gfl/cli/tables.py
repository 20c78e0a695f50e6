"""Tables that commands write: one row per text or word of files."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.cli.files import STDIN, shown_name, warn
from spacy_gfl.data.inputs import read_docs, read_treebank
from spacy_gfl.formats import ENDINGS, ending_of, find_format
from spacy_gfl.formats.reading import Reading

Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help="Texts (.txt; - for standard input), which are parsed, or trees: "
        "brackets, or Docs (.spacy, .jsonl, .conll); or folders of these.",
    ),
]
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
        # A spreadsheet would run it.
        return f"'{value}" if value.startswith(_FORMULA) else value
    return f"{value:.4f}" if isinstance(value, float) else value


def expanded(paths: list[Path]) -> Iterator[Path]:
    """Files, and the files in folders that have a known ending."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [
            file
            for file in inside
            if not path.is_dir()
            or (
                (file.is_file() and ending_of(file) in ENDINGS)
                and not any(
                    part.startswith(".") for part in file.relative_to(path).parts
                )
            )
        ]
        if left_out := sum(file.is_file() for file in inside) - len(found):
            warn(f"{path}: {left_out} files are left out, whose endings tell nothing.")
        yield from found


def name_of(file: Path) -> str:
    return "<stdin>" if str(file) == STDIN else shown_name(file)


def is_text(file: Path, given: str) -> bool:
    """Whether a file is to be parsed; what cannot be told is said when it is read."""
    try:
        row = find_format(None if str(file) == STDIN else file, given)
    except ValueError:
        return False
    return not (row.docs or row.trees)


def read_trees_of(
    file: Path, reading: Reading, nlp: Language | None
) -> tuple[bool, Iterator[Doc]]:
    """Docs with trees of a file, and whether each of them is a text of its own.

    Args:
        file: Trees, Docs, or text, which is parsed.
        reading: How it is read.
        nlp: What parses text; None if there is none.
    """
    path = None if str(file) == STDIN else file
    row = find_format(path, reading.format)
    if nlp is not None and not (row.docs or row.trees):
        return bool(row.docs), nlp.pipe(read_docs(nlp, path, reading))
    return bool(row.docs), iter(
        read_treebank(path, Vocab(), replace(reading, format=row.name))
    )
