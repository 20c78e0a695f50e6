"""`spacy-gfl complexity`: measures of texts or trees as a table."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import check_output, errors_said, explain
from spacy_gfl.cli.options import (
    Encoding,
    Format,
    Model,
    SchemeName,
    load_parser,
    output_option,
    reading_of,
)
from spacy_gfl.cli.tables import (
    Files,
    csv_lines,
    expanded,
    is_text,
    name_of,
    read_trees_of,
)
from spacy_gfl.formats.files import UTF_8, write_text
from spacy_gfl.formats.reading import AUTO, Reading
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.syntax.complexity import measure
from spacy_gfl.trees.schemes import PENN
from spacy_gfl.trees.tree import Tree

_ERROR = "error"  # the column that says why a text has no measures


@app.command("complexity", no_args_is_help=True)
@errors_said()
def complexity_command(
    files: Files,
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
    paths = list(expanded(files))
    has_texts = any(is_text(path, reading.format) for path in paths)
    nlp = load_parser(model) if has_texts else None
    rows: list[dict[str, str | float]] = []
    n_errors = 0
    for file in paths:
        try:
            texts = _texts(file, reading, nlp)
            rows += [{"text": name, **measure(trees)} for name, trees in texts]
        except (OSError, ValueError) as error:
            rows.append({"text": name_of(file), _ERROR: explain(error)})
            n_errors += 1
    if output is not None and output.suffix.lower() == ".json":
        table = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    else:
        columns = ["text", *measure([]), *[_ERROR] * (n_errors > 0)]
        table = "".join(csv_lines(rows, columns))
    if output is None:
        typer.echo(table, nl=False)
    else:
        write_text(output, [table])
    if n_errors:
        raise ValueError(
            f"{n_errors} of {len(rows)} texts cannot be measured; the table says why."
        )


def _texts(
    file: Path, reading: Reading, nlp: Language | None
) -> Iterator[tuple[str, list[Tree]]]:
    """The texts in a file: their names and trees."""
    name = name_of(file)
    are_texts, docs = read_trees_of(file, reading, nlp)
    found = map(get_trees, docs)
    if not are_texts:
        yield name, [tree for trees in found for tree in trees]
    else:
        for number, trees in enumerate(found, start=1):
            yield f"{name}:{number}", trees
