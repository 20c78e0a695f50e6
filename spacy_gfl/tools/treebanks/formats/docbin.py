"""Docs with trees in spaCy's .spacy files (DocBin)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.data.docbins import read_docbin
from spacy_gfl.data.packing import PackedDocs
from spacy_gfl.tools.treebanks.formats.atomic_files import beside
from spacy_gfl.tools.treebanks.formats.names import DOCUMENT
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import as_docs

#: Reading a .spacy file is below the tools.
read = read_docbin


def write(
    path: str | Path, docs: Iterable[Doc] | Doc, *, key: str | None = None
) -> None:
    """Write a .spacy file of Docs with all annotations, but without user data.

    `doc._` attributes are user data; of it only the name of the document is written.
    All span groups are written, whatever `key` is.
    """
    packed = PackedDocs()
    for doc in as_docs(docs):
        known = {DOCUMENT: doc.user_data[DOCUMENT]} if DOCUMENT in doc.user_data else {}
        packed.add(doc, user_data=known)
    with beside(path) as new:
        packed.to_disk(new)


def read_docs(reading: Reading, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a file."""
    return read_docbin(reading.file(), vocab, need_trees=reading.need_trees)
