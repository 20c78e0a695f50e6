"""`spacy-gfl complexity`: measures of texts or trees as a table."""

import codecs
import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import (
    STDIN,
    check_output,
    errors_said,
    explain,
    shown_name,
    warn,
)
from spacy_gfl.cli.options import (
    Encoding,
    Format,
    Model,
    SchemeName,
    load_parser,
    output_option,
    reading_of,
)
from spacy_gfl.data.inputs import read_docs, read_treebank
from spacy_gfl.formats import ENDINGS, ending_of, find_format
from spacy_gfl.formats.files import UTF_8, write_text
from spacy_gfl.formats.reading import AUTO, Reading
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.syntax.complexity import measure
from spacy_gfl.trees.schemes import PENN
from spacy_gfl.trees.tree import Tree

_ERROR = "error"  # the column that says why a text has no measures
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@app.command("complexity", no_args_is_help=True)
@errors_said()
def complexity_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Texts (.txt; - for standard input), which are parsed, or trees: "
            "brackets, or Docs (.spacy, .jsonl, .conll); or folders of these.",
        ),
    ],
    output: Annotated[
        Path | None,
        output_option("The table to write, .csv or .json. Without it CSV is printed."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    input_format: Format = AUTO,
    scheme: SchemeName = PENN.name,
    encoding: Encoding = UTF_8,
) -> None:
    """Measure the syntactic complexity of texts: a table, one row per text.

    Columns are the counts and the 14 indices of L2SCA (Lu 2010), depth, branching, and
    Yngve's and Frazier's measures. A file is one text, but each Doc of a file of Docs
    is one. A file that cannot be measured has a row that says why, in a last column.
    """
    check_output(output, inputs=files, endings=(".csv", ".json"))
    try:
        encoding = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"There is no encoding {encoding}; try cp1252.") from None
    reading = reading_of(input_format, scheme, encoding)
    paths = list(_expanded(files))
    has_texts = any(_is_text(path, reading.format) for path in paths)
    nlp = load_parser(model) if has_texts else None
    rows: list[dict[str, str | float]] = []
    n_errors = 0
    for file in paths:
        try:
            texts = _texts(file, reading, nlp)
            rows += [{"text": name, **measure(trees)} for name, trees in texts]
        except (OSError, ValueError) as error:
            rows.append({"text": _name(file), _ERROR: explain(error)})
            n_errors += 1
    if output is not None and output.suffix.lower() == ".json":
        table = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    else:
        table = _csv(rows, ["text", *measure([]), *[_ERROR] * (n_errors > 0)])
    if output is None:
        typer.echo(table, nl=False)
    else:
        write_text(output, [table])
    if n_errors:
        raise ValueError(
            f"{n_errors} of {len(rows)} texts cannot be measured; the table says why."
        )


def _csv(rows: list[dict[str, str | float]], columns: list[str]) -> str:
    """A table as CSV: counts as they are, ratios with four digits."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name, "")) for name in columns])
    return stream.getvalue()


def _cell(value: str | float) -> str | int:
    if isinstance(value, str):
        # A spreadsheet would run it.
        return f"'{value}" if value.startswith(_FORMULA) else value
    return f"{value:.4f}" if isinstance(value, float) else value


def _expanded(paths: list[Path]) -> Iterator[Path]:
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


def _name(file: Path) -> str:
    return "<stdin>" if str(file) == STDIN else shown_name(file)


def _is_text(file: Path, given: str) -> bool:
    """Whether a file is to be parsed; what cannot be told is said when it is read."""
    try:
        row = find_format(None if str(file) == STDIN else file, given)
    except ValueError:
        return False
    return not (row.docs or row.trees)


def _texts(
    file: Path, reading: Reading, nlp: Language | None
) -> Iterator[tuple[str, list[Tree]]]:
    """The texts in a file: their names and trees."""
    path, name = None if str(file) == STDIN else file, _name(file)
    row = find_format(path, reading.format)
    if nlp is not None and not (row.docs or row.trees):
        docs = nlp.pipe(read_docs(nlp, path, reading))
    else:
        docs = read_treebank(path, Vocab(), replace(reading, format=row.name))
    found = map(get_trees, docs)
    if not row.docs:
        yield name, [tree for trees in found for tree in trees]
    else:
        for number, trees in enumerate(found, start=1):
            yield f"{name}:{number}", trees
