"""`spacy-gfl predictors`: a table of what trees say of each word."""

from collections.abc import Iterable, Iterator
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import Doc

from spacy_gfl.annotation.sentence_words import word_indices
from spacy_gfl.model.model import require_network
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL, get_parser
from spacy_gfl.tools.cli.app import app
from spacy_gfl.tools.cli.input_files import check_output, errors_said
from spacy_gfl.tools.cli.options import Format, Model, output_option, reads_files
from spacy_gfl.tools.cli.tables import Files, TextFiles, csv_lines
from spacy_gfl.tools.syntax.word_syntax import COUNTS, NOTED, word_syntax
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import beside, write_text

COLUMNS = (
    *("text", "sentence", "position", "word", "tag", *COUNTS, "label", "head"),
    *NOTED,
)
_PARQUET = ".parquet"


@app.command("predictors", no_args_is_help=True)
@errors_said()
@reads_files(Format)
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
    *,
    reading: Reading,
) -> None:
    """Write what trees say of each word: a table, one row per word.

    Columns are those of Doc._.word_syntax: counts of nodes that reading times, brain
    recordings and breaks in speech are related to, and label and head of the smallest
    constituent. Of texts that are parsed, the probability of the tree's action at each
    word, and by a parser that predicts words, as -m en_gfl_inc, surprisal, entropy and
    expected counts. Sentences, positions and heads are counted from 1; a head of 0 is
    none.
    """
    check_output(output, inputs=files, endings=(".csv", _PARQUET))
    read = TextFiles(files, reading, model)
    if read.nlp is not None:
        parser = get_parser(read.nlp)
        # Seq2Seq.v1 and ensembles have no actions of words to say it of.
        network = require_network(parser.model, parser.name)
        parser.search.per_word = network.choices_per_word is not None
    texts = chain.from_iterable(map(read.texts, read.files))
    rows = (row for text in texts for row in _rows(*text))
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
        every = list(rows)
        columns = {name: [row[name] for row in every] for name in COLUMNS}
        with beside(output) as path:
            parquet.write_table(Table.from_pydict(columns), path)
    else:
        write_text(output, csv_lines(rows, COLUMNS))


def _rows(name: str, docs: Iterable[Doc]) -> Iterator[dict[str, Any]]:
    """What the trees of a text say of its words, white space left out."""
    n_sents = 0
    for doc in docs:
        table = word_syntax(doc)
        for sent in doc.sents:
            words = word_indices(sent)
            n_sents += bool(words)
            position = {token: at for at, token in enumerate(words, start=1)}
            for token in words:
                noted = {name: float(table[token][name]) for name in NOTED}
                yield {
                    "text": name,
                    "sentence": n_sents,
                    "position": position[token],
                    "word": doc[token].text,
                    "tag": doc[token].tag_,
                    **{count: int(table[token][count]) for count in COUNTS},
                    "label": str(table[token]["label"]),
                    "head": position.get(int(table[token]["head"]), 0),
                    # Empty where nothing is known.
                    **{k: v if isfinite(v) else None for k, v in noted.items()},
                }
