"""Files of sentences to correct, of accepted trees, and of what was decided."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import sentence_doc
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, sentences, set_trees
from spacy_gfl.data.inputs import (
    DOCBIN_SUFFIX,
    InputFormat,
    begins_with_bracket,
    detect_format,
    read_docs,
    read_treebank,
)
from spacy_gfl.formats import docbin
from spacy_gfl.formats.files import read_lines, write_text
from spacy_gfl.pipe.pipelines import get_parsers
from spacy_gfl.trees.brackets import read_trees
from spacy_gfl.trees.tree import Tree

_WITHOUT_TREES = (InputFormat.TEXT, InputFormat.LINES, InputFormat.TOKENS)
#: What tells a sentence from all others: its words, and how many before it have them.
Key: TypeAlias = tuple[tuple[str, ...], int]


class Sentence(NamedTuple):
    """A sentence as a Doc of its words, and the tree that it came with, if any."""

    doc: Doc
    given: Tree | None


def read_sentences(
    nlp: Language, path: Path, input_format: InputFormat = InputFormat.AUTO
) -> Iterator[Sentence]:
    """Read the sentences of a file, with their trees where it has some.

    The pipeline finds words and sentences of text. AUTO goes by the file's ending; .txt
    is text unless it begins with a bracket.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says.
    """
    if input_format is InputFormat.AUTO:
        input_format = detect_format(path, trees=begins_with_bracket(path))
    if input_format in _WITHOUT_TREES:
        docs = read_docs(nlp, path, input_format)
    else:
        docs = read_treebank(path, nlp.vocab, input_format, need_trees=False)
    for doc in docs:
        if SPANS_KEY not in doc.spans:
            with nlp.select_pipes(disable=[*get_parsers(nlp)]):
                doc = nlp(doc)
        yield from cut_sentences(doc)


def cut_sentences(doc: Doc) -> Iterator[Sentence]:
    """Each sentence of a Doc that has words, by itself and without white space.

    Raises:
        ValueError: If the Doc has no sentence boundaries, or damaged trees.
    """
    sents = sentences(doc)
    trees = get_trees(doc) if SPANS_KEY in doc.spans else [None] * len(sents)
    for sent, tree in zip(sents, trees, strict=True):
        if len(own := sentence_doc(sent, doc.vocab)):
            yield Sentence(own, tree)


def read_accepted(path: Path, vocab: Vocab) -> Iterator[Tree]:
    """Read the trees that have been accepted so far, as they stand.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no file of trees.
    """
    if not path.exists():
        return
    if path.suffix.lower() == DOCBIN_SUFFIX:
        for doc in docbin.read(path, vocab):
            yield from get_trees(doc)
    else:
        lines = read_lines(path)
        yield from read_trees(lines, source=str(path), clean=False, repair=False)


def write_accepted(path: Path, accepted: Iterable[tuple[Sentence, Tree]]) -> None:
    """Write the trees that sentences shall have, all or, on an error, none.

    Raises:
        OSError: If the file cannot be written; it is as it was.
    """
    if path.suffix.lower() == DOCBIN_SUFFIX:
        docbin.write(path, (_gold(*sentence) for sentence in accepted))
    else:
        write_text(path, (f"{tree.brackets()}\n" for _, tree in accepted))


def _gold(sentence: Sentence, tree: Tree) -> Doc:
    copied = sentence_doc(sentence.doc, sentence.doc.vocab)
    for token, tag in zip(copied, tree.tags, strict=True):
        token.tag_ = tag
    set_trees(copied, [tree])
    return copied


class Progress:
    """What was skipped, in a file beside the output, and the output's lock.

    Accepted sentences are in that file too where others have the same words.

    The file is a database of SQLite, which holds the lock: so it ends with the
    process, however that ends. What has not been written whole is undone when the file
    is opened again. A file of nothing is deleted.

    Args:
        output: The file of accepted trees.

    Raises:
        ValueError: If another process has it.
        OSError: If the file cannot be read or written.
    """

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(f"{output.name}.progress")
        try:
            # Threads that use it wait for each other: see the server.
            self._database = sqlite3.connect(
                self.path, timeout=0, isolation_level=None, check_same_thread=False
            )
            self._database.executescript(
                "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;"
                "CREATE TABLE IF NOT EXISTS decisions (words TEXT, nth INTEGER, "
                "is_skipped INTEGER); COMMIT;"
            )
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise ValueError(
                    f"{output} is being corrected already: go on in the page of that "
                    "command, or end it with Ctrl+C."
                ) from None
            raise OSError(None, f"{error}", str(self.path)) from None

    def decisions(self) -> dict[Key, bool]:
        """Read of sentences whether they were skipped; if not, they were accepted."""
        rows = self._database.execute("SELECT words, nth, is_skipped FROM decisions")
        return {(tuple(json.loads(words)), n): bool(skip) for words, n, skip in rows}

    def save(self, decisions: Mapping[Key, bool]) -> None:
        """Keep decisions, and no others.

        Raises:
            OSError: If they cannot be written; those from before are kept.
        """
        rows = [(json.dumps(words), n, skip) for (words, n), skip in decisions.items()]
        try:
            with self._database:
                self._database.execute("BEGIN")
                self._database.execute("DELETE FROM decisions")
                insert = "INSERT INTO decisions VALUES (?, ?, ?)"
                self._database.executemany(insert, rows)
        except sqlite3.DatabaseError as error:
            raise OSError(None, f"{error}", str(self.path)) from None

    def close(self) -> None:
        """Let others have the output."""
        # Windows deletes no open file; there it stays, and does no harm.
        with closing(self._database), suppress(OSError, sqlite3.DatabaseError):
            if not self.decisions():
                self.path.unlink()
