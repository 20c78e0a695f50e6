"""Parquet: tables of texts to parse, and of sentences with their trees."""

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, numbers_beside, sentences
from spacy_gfl.formats.files import FormatError, as_docs, beside

#: Columns: of texts to parse, and of trees in brackets.
TEXT, TREE = "text", "tree"
#: Sentences written, and rows read, at a time.
N_ROWS = 1024


def write(path: str | Path, docs: Iterable[Doc] | Doc, *, key: str = SPANS_KEY) -> None:
    """Write a row a sentence: `doc` (from 0), `text`, `tree` and `log_prob`.

    The log-probability (nats) is missing where the parser's is not known.

    Raises:
        ImportError: Without pyarrow, which the extra `ray` brings.
        OSError: If the file cannot be written.
        ValueError: If a Doc has no trees.
    """
    pyarrow, parquet = _pyarrow()
    fields = [("doc", "int64"), (TEXT, "str"), (TREE, "str"), ("log_prob", "float64")]
    schema = pyarrow.schema(fields)
    rows = _rows(as_docs(docs), key)
    with beside(path) as new, parquet.ParquetWriter(new, schema) as writer:
        while batch := list(islice(rows, N_ROWS)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))


def read_column(path: str | Path, name: str) -> Iterator[str]:
    """The strings of a column, `TEXT` or `TREE`, one at a time; missing ones are "".

    Raises:
        ImportError: Without pyarrow, which the extra `ray` brings.
        OSError: If the file cannot be read.
        FormatError: If it is no Parquet, or has no such column of text.
    """
    pyarrow, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            if name not in file.schema_arrow.names:
                columns = ", ".join(file.schema_arrow.names)
                message = f"there is no column {name}; there are {columns}"
                raise FormatError(str(path), 1, message)
            for batch in file.iter_batches(N_ROWS, columns=[name]):
                for value in batch.column(0).to_pylist():
                    if not isinstance(value, (str, type(None))):
                        message = f"the column {name} has other values than text"
                        raise FormatError(str(path), 1, message)
                    yield value or ""
    except pyarrow.ArrowInvalid as error:
        raise FormatError(str(path), 1, f"this is not Parquet: {error}") from None


def _rows(docs: Iterable[Doc], key: str) -> Iterator[dict[str, Any]]:
    for number, doc in enumerate(docs):
        trees = get_trees(doc, key=key)
        known = numbers_beside(doc.spans[key], "log_probs", len(trees))
        known = known or [math.nan] * len(trees)
        for sent, tree, log_prob in zip(sentences(doc), trees, known, strict=True):
            if len(tree):
                row = {"doc": number, TEXT: sent.text, TREE: tree.brackets()}
                yield {**row, "log_prob": None if math.isnan(log_prob) else log_prob}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            'Parquet needs pyarrow: pip install "spacy-gfl[ray]".'
        ) from None
    return pyarrow, pyarrow.parquet
