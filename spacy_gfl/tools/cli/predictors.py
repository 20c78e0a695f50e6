"""`spacy-gfl predictors`: a table with what trees tell about each word."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from math import isfinite, prod
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from spacy.tokens import Doc

from spacy_gfl.annotation.sentence_words import is_word, word_indices
from spacy_gfl.model.model import require_network
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL, get_parser
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said, warn
from spacy_gfl.tools.cli.options import (
    OUTPUT,
    Format,
    Model,
    option,
    output_option,
    reads_files,
)
from spacy_gfl.tools.cli.tables import (
    Files,
    Text,
    TextFiles,
    csv_lines,
    delimiter_of,
)
from spacy_gfl.tools.syntax.word_syntax import COUNTS, NOTED, word_syntax
from spacy_gfl.tools.treebanks.formats.atomic_files import beside, write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading

#: The columns after those that say which text a word is in.
COLUMNS = (
    *("sentence", "position", "word_number", "word", "tag"),
    *(*COUNTS, "label", "head", *NOTED),
)
_PARQUET = ".parquet"
# Of the tokens of a word: what is added up, and what holds after the last. The rest is
# that of its first token that is no punctuation.
_ADDED = (
    *("opened", "closed", "left_corner", "surprisal", "entropy_reduction"),
    *("expected_opened", "expected_closed"),
)
_AFTER = ("open_nodes", "break_after", "entropy", "expected_open_nodes")


class _Row(NamedTuple):
    """A token as a row of the table.

    Attributes:
        cells: The cells.
        head_word: The number of the word that its head is in; 0 for none.
        is_punctuation: Whether it is.
    """

    cells: dict[str, Any]
    head_word: int
    is_punctuation: bool


@app.command("predictors", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files(Format)
def predictors_command(
    files: Files,
    output: Annotated[
        Path | None,
        output_option(
            "The table to write: .csv, .tsv or .parquet (needs pyarrow). Without "
            "it, CSV is printed."
        ),
    ] = None,
    model: Model = DEFAULT_MODEL,
    words: Annotated[
        bool,
        option(
            "Write one row per word between white space, such as rang, or don't, "
            "instead of one per token.",
            "--words",
            group=OUTPUT,
        ),
    ] = False,
    *,
    reading: Reading,
) -> None:
    """Write a table of what trees tell about each word, with one row per token.

    The columns are those of Doc._.word_syntax: counts of nodes that relate to reading
    times, brain recordings and breaks in speech, and label and head of the smallest
    constituent. Parsed texts also have the probability of the parser's action at each
    word. A parser that predicts words, such as -m en_gfl_inc, adds surprisal, entropy
    and expected counts. Sentences, positions and heads count from 1; a head of 0 means
    none. word_number counts the words between white space in a document.

    Each row has its file and document (its name, or else its number). The other
    columns of a table of texts are copied.
    """
    check_output(output, inputs=files, endings=(".csv", ".tsv", _PARQUET))
    read, spells = TextFiles(files, reading, model, COLUMNS), False
    if read.nlp is not None:
        parser = get_parser(read.nlp)
        # Seq2Seq.v1 and ensembles have no actions of words to say it of.
        network = require_network(parser.model, parser.name)
        parser.search.per_word = network.choices_per_word is not None
        spells = getattr(network, "spelling", None) is not None
    texts = chain.from_iterable(map(read.texts, read.files))
    first = next(texts, None)
    columns = [*read.columns(first), *COLUMNS]
    table = _Table(by_word=words, spells=spells)
    rows = table.rows(texts if first is None else chain([first], texts))
    if output is None:
        for line in csv_lines(rows, columns):
            typer.echo(line, nl=False)
    elif output.suffix.lower() == _PARQUET:
        try:
            from pyarrow import Table, parquet
        except ImportError:
            raise ValueError(
                f"Writing {_PARQUET} needs pyarrow: pip install pyarrow"
            ) from None
        every = list(rows)
        arrays = {name: [row.get(name) for row in every] for name in columns}
        with beside(output) as path:
            parquet.write_table(Table.from_pydict(arrays), path)
    else:
        write_text(output, csv_lines(rows, columns, delimiter_of(output)))
    table.warn_of_unknown_words()


class _Table:
    """Makes the rows of the table, and counts words that the parser does not know.

    Args:
        by_word: Whether a row is a word between white space, and not a token.
        spells: Whether a word that the parser does not know has its own surprisal.
    """

    def __init__(self, *, by_word: bool, spells: bool) -> None:
        self._by_word, self._spells = by_word, spells
        # Of each document, which may come in several parts.
        self._n_sents: Counter[tuple[str, str]] = Counter()
        self._n_words: Counter[tuple[str, str]] = Counter()
        self._n_rows = self._n_unknown = 0
        self._unknown = ""

    def rows(self, texts: Iterator[Text]) -> Iterator[dict[str, Any]]:
        """The rows of texts, white space left out."""
        for text in texts:
            place = text.place
            for doc in text.docs:
                tokens = self._tokens(doc, (text.file, text.document))
                made = (
                    self._words(tokens) if self._by_word else (r.cells for r in tokens)
                )
                for cells in made:
                    self._n_rows += 1
                    if cells["known"] == 0:
                        self._n_unknown += 1
                        self._unknown = self._unknown or cells["word"]
                    yield {**place, **cells}

    def warn_of_unknown_words(self) -> None:
        """Say how many words have the surprisal of their class alone, if any have."""
        if self._n_unknown and not self._spells:
            warn(
                f"{self._n_unknown:,} of {self._n_rows:,} rows have words that "
                f"the parser does not know, such as {self._unknown!r}. Their "
                "surprisal is that of a class of words. Leave out rows whose "
                "`known` is 0."
            )

    def _tokens(self, doc: Doc, key: tuple[str, str]) -> Iterator[_Row]:
        numbers = self._word_numbers(doc, key)
        table = word_syntax(doc)
        for sent in doc.sents:
            words = word_indices(sent)
            self._n_sents[key] += bool(words)
            position = {token: at for at, token in enumerate(words, start=1)}
            for token in words:
                noted = {name: float(table[token][name]) for name in NOTED}
                # Empty where nothing is known.
                known = {k: v if isfinite(v) else None for k, v in noted.items()}
                if known["known"] is not None:
                    known["known"] = int(known["known"])
                head = int(table[token]["head"])
                cells = {
                    "sentence": self._n_sents[key],
                    "position": position[token],
                    "word_number": numbers[token],
                    "word": doc[token].text,
                    "tag": doc[token].tag_,
                    **{count: int(table[token][count]) for count in COUNTS},
                    "label": str(table[token]["label"]),
                    "head": position.get(head, 0),
                    **known,
                }
                head_word = numbers[head] if head in position else 0
                yield _Row(cells, head_word, doc[token].is_punct)

    def _word_numbers(self, doc: Doc, key: tuple[str, str]) -> list[int]:
        """For each token the number of its word between white space in the document."""
        numbers = []
        is_first = True
        for token in doc:
            self._n_words[key] += is_first and is_word(token)
            numbers.append(self._n_words[key])
            is_first = not is_word(token) or bool(token.whitespace_)
        return numbers

    def _words(self, rows: Iterator[_Row]) -> Iterator[dict[str, Any]]:
        """The rows of tokens, those of a word between white space as one."""
        for _, group in groupby(rows, key=lambda row: row.cells["word_number"]):
            tokens = list(group)
            every = [row.cells for row in tokens]
            main = next((row for row in tokens if not row.is_punctuation), tokens[0])
            yield {
                **main.cells,
                "position": every[0]["position"],
                "word": "".join(cells["word"] for cells in every),
                "tag": " ".join(cells["tag"] for cells in every).strip(),
                "head": main.head_word,
                **{name: _of_all(every, name, sum) for name in _ADDED},
                **{name: every[-1][name] for name in _AFTER},
                "action_probability": _of_all(every, "action_probability", prod),
                "known": _of_all(every, "known", min),
            }


def _of_all(every: list[dict[str, Any]], name: str, function: Any) -> Any:
    """A number of the tokens of a word; None where one of theirs is not known."""
    values = [cells[name] for cells in every]
    return None if None in values else function(values)
