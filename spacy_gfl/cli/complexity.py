"""`spacy-gfl complexity`: measures of texts or trees as a table."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import STDIN, check_inputs, check_output, errors_said
from spacy_gfl.cli.options import Model, load_parser, option, output_option
from spacy_gfl.data.conversion import BRACKETED
from spacy_gfl.data.inputs import InputFormat, detect_format, read_docs, read_treebank
from spacy_gfl.formats.files import write_text
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.syntax.complexity import measure
from spacy_gfl.trees.tree import Tree

_TEXTS = (InputFormat.TEXT, InputFormat.LINES, InputFormat.TOKENS)


@app.command("complexity", no_args_is_help=True)
@errors_said()
def complexity_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Texts (.txt; - for standard input), which are parsed, or trees: "
            "brackets, or Docs (.spacy, .jsonl, .conll).",
        ),
    ],
    output: Annotated[
        Path | None,
        output_option("The table to write, .csv or .json. Without it CSV is printed."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    input_format: Annotated[
        InputFormat, option("What is in the files; auto: what their endings say.")
    ] = InputFormat.AUTO,
) -> None:
    """Measure the syntactic complexity of texts: a table, one row a text.

    Columns are the counts and the 14 indices of L2SCA (Lu 2010), depth, branching, and
    Yngve's and Frazier's measures. A file is one text, but each Doc of a file of Docs
    is one.
    """
    check_output(output, inputs=files, endings=(".csv", ".json"))
    check_inputs(file for file in files if str(file) != STDIN)
    load = cache(partial(load_parser, model))
    rows: list[dict[str, str | float]] = [
        {"text": name, **measure(trees)}
        for file in files
        for name, trees in _texts(file, input_format, load)
    ]
    if output is not None and output.suffix.lower() == ".json":
        table = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    else:
        stream = io.StringIO()
        writer = csv.writer(stream)
        writer.writerow(rows[0] if rows else ["text"])
        for row in rows:
            # Counts as they are, ratios with four digits.
            cells = (f"{x:.4f}" if isinstance(x, float) else x for x in row.values())
            writer.writerow(cells)
        table = stream.getvalue()
    if output is None:
        typer.echo(table, nl=False)
    else:
        write_text(output, [table])


def _texts(
    file: Path, input_format: InputFormat, load: Callable[[], Language]
) -> Iterator[tuple[str, list[Tree]]]:
    """The texts in a file: their names and trees."""
    path = None if str(file) == STDIN else file
    if input_format is InputFormat.AUTO:
        input_format = detect_format(path)
    if input_format in _TEXTS:
        nlp = load()
        docs = nlp.pipe(read_docs(nlp, path, input_format))
    else:
        docs = read_treebank(path, Vocab(), input_format)
    found = map(get_trees, docs)
    if input_format in (*_TEXTS, *BRACKETED):
        yield str(file), [tree for trees in found for tree in trees]
    else:
        for number, trees in enumerate(found, start=1):
            yield f"{file}:{number}", trees
