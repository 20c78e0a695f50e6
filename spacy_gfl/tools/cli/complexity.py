"""`spacy-gfl complexity`: measures of texts or trees as a table."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_gfl.annotation.sentence_words import require_english
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said, explain
from spacy_gfl.tools.cli.options import Format, Model, output_option, reads_files
from spacy_gfl.tools.cli.tables import (
    Files,
    Text,
    TextFiles,
    csv_lines,
    delimiter_of,
    name_of,
)
from spacy_gfl.tools.syntax.complexity import measure
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import json_text
from spacy_gfl.trees.tree import Tree

_ERROR = "error"  # the column that says why a text has no measures


@app.command("complexity", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files(Format)
def complexity_command(
    files: Files,
    output: Annotated[
        Path | None,
        output_option(
            "The table to write: .csv, .tsv or .json. Without it, CSV is printed."
        ),
    ] = None,
    model: Model = DEFAULT_MODEL,
    *,
    reading: Reading,
) -> None:
    """Write a table of the syntactic complexity of texts, with one row per text.

    The columns are the counts and the 14 indices of L2SCA (Lu 2010), depth, branching,
    and Yngve's and Frazier's measures. A file is one text, unless it has records: then
    each Doc, each line (--input-format lines) or each row of a table is one text. The
    other columns of a table are copied. Each text has the name of its document, or
    else its number. If a file cannot be measured, a last column gives the reason.
    """
    check_output(output, inputs=files, endings=(".csv", ".tsv", ".json"))
    measures = [*measure([])]
    read = TextFiles(files, reading, model, measures)
    first: Text | None = None
    rows: list[dict[str, str | float]] = []
    n_errors = 0
    for file in read.files:
        try:
            for text in read.texts(file):
                first = first or text
                trees: list[Tree] = []
                for doc in text.docs:
                    require_english(doc, "Measures of complexity")
                    trees += get_trees(doc)
                rows.append({**text.place, **measure(trees)})
        except (OSError, ValueError) as error:
            rows.append({"file": name_of(file), _ERROR: explain(error)})
            n_errors += 1
    if output is not None and output.suffix.lower() == ".json":
        table = json_text(rows, indent=2) + "\n"
    else:
        columns = [*read.columns(first), *measures, *[_ERROR] * (n_errors > 0)]
        table = "".join(csv_lines(rows, columns, delimiter_of(output)))
    if output is None:
        typer.echo(table, nl=False)
    else:
        write_text(output, [table])
    if n_errors:
        raise ValueError(
            f"{n_errors} of {len(rows)} texts cannot be measured. The table "
            "gives the reasons."
        )
