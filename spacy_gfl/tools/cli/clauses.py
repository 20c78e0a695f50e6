"""`spacy-gfl clauses`: what the clauses of texts or trees say, as JSON lines."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from spacy_gfl.annotation.sentence_words import sentences
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said
from spacy_gfl.tools.cli.options import (
    OUTPUT,
    Format,
    Model,
    option,
    output_option,
    reads_files,
)
from spacy_gfl.tools.cli.tables import Files, Text, TextFiles
from spacy_gfl.tools.syntax.clauses import statements
from spacy_gfl.tools.syntax.statements import Statement
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import json_text


@app.command("clauses", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files(Format)
def clauses_command(
    files: Files,
    output: Annotated[
        Path | None,
        output_option("The file to write, .jsonl. Without it, lines are printed."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    claims: Annotated[
        bool,
        option(
            "Write only what the text states, or quotes somebody as stating.",
            "--claims",
            group=OUTPUT,
        ),
    ] = False,
    *,
    reading: Reading,
) -> None:
    """Write what clauses say, as sentences that stand alone: one JSON object per line.

    An object has the file, the document (by name or number), the sentence with its
    number, and the clause's place in the sentence, in characters from 0; the statement
    and its kind; contexts in which it may not be true, its source, and a confidence.
    """
    check_output(output, inputs=files, endings=(".jsonl",))
    read = TextFiles(files, reading, model)
    texts = (text for file in read.files for text in read.texts(file))
    lines = (
        json_text(record) + "\n"
        for text in texts
        for record, statement in _records(text)
        if statement.is_claim or not claims
    )
    if output is not None:
        write_text(output, lines)
        return
    for line in lines:
        typer.echo(line, nl=False)


def _records(text: Text) -> Iterator[tuple[dict[str, Any], Statement]]:
    numbers = count(1)
    for doc in text.docs:
        for sent in sentences(doc):
            number, begin = next(numbers), sent.start_char
            for one in statements(sent):
                source = None if one.source is None else one.source.text
                yield (
                    {
                        **text.place,
                        "sentence": number,
                        "text": sent.text,
                        "start": one.span.start_char - begin,
                        "end": one.span.end_char - begin,
                        "kind": one.kind,
                        "statement": one.text,
                        "contexts": list(one.contexts),
                        "source": source,
                        "confidence": one.confidence,
                    },
                    one,
                )
