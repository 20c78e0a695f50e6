"""`spacy-gfl predictors`: a table of what trees say of each word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language

from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import check_output, errors_said
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
from spacy_gfl.formats.files import UTF_8, beside, write_text
from spacy_gfl.formats.reading import AUTO, Reading
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.syntax.word_syntax import COUNTS, word_syntax
from spacy_gfl.trees.schemes import PENN

COLUMNS = ("text", "sentence", "position", "word", "tag", *COUNTS, "label", "head")
_PARQUET = ".parquet"


@app.command("predictors", no_args_is_help=True)
@errors_said()
def predictors_command(
    files: Files,
    output: Annotated[
        Path | None,
        output_option(
            "The table to write, .csv or .parquet (needs pyarrow). Without it CSV is "
            "printed."
        ),
    ] = None,
    model: Model = DEFAULT_MODEL,
    input_format: Format = AUTO,
    scheme: SchemeName = PENN.name,
    encoding: Encoding = UTF_8,
) -> None:
    """Write what trees say of each word: a table, one row per word.

    Columns are the counts of nodes that reading times, brain recordings and breaks in
    speech are related to: opened (top-down), closed (bottom-up), left_corner,
    open_nodes, depth, yngve, break_after; and label and head of the smallest
    constituent. Sentences, positions and heads are counted from 1; a head of 0 is none.
    """
    check_output(output, inputs=files, endings=(".csv", _PARQUET))
    reading = reading_of(input_format, scheme, encoding)
    paths = list(expanded(files))
    has_texts = any(is_text(path, reading.format) for path in paths)
    nlp = load_parser(model) if has_texts else None
    rows = (row for path in paths for row in _rows(path, reading, nlp))
    if output is None:
        for line in csv_lines(rows, COLUMNS):
            typer.echo(line, nl=False)
    elif output.suffix.lower() == _PARQUET:
        try:
            from pyarrow import Table, parquet
        except ImportError:
            raise ValueError(
                f"Writing {_PARQUET} needs pyarrow: pip install pyarrow"
            ) from None
        with beside(output) as path:
            parquet.write_table(Table.from_pylist(list(rows)), path)
    else:
        write_text(output, csv_lines(rows, COLUMNS))


def _rows(
    file: Path, reading: Reading, nlp: Language | None
) -> Iterator[dict[str, Any]]:
    """What the trees of a file say of its words, white space left out."""
    are_texts, docs = read_trees_of(file, reading, nlp)
    name, n_sents = name_of(file), 0
    for number, doc in enumerate(docs, start=1):
        table = word_syntax(doc)
        if are_texts:
            n_sents = 0
        for sent in doc.sents:
            words = [token.i for token in sent if not token.is_space]
            n_sents += bool(words)
            position = {token: at for at, token in enumerate(words, start=1)}
            for token in words:
                counts = {name: int(table[token][name]) for name in COUNTS}
                yield {
                    "text": f"{name}:{number}" if are_texts else name,
                    "sentence": n_sents,
                    "position": position[token],
                    "word": doc[token].text,
                    "tag": doc[token].tag_,
                    **counts,
                    "label": str(table[token]["label"]),
                    "head": position.get(int(table[token]["head"]), 0),
                }
