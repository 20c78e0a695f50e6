"""Inputs of a parse as Docs: plain text, words, brackets and .spacy files."""

import sys
from enum import Enum
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, TextIO, Union

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.data.splits import BRACKET_SUFFIXES, DOCBIN_SUFFIX
from spacy_gfl.trees.brackets import read_tree_file, read_trees


class InputFormat(str, Enum):
    """What is in a file to parse.

    AUTO: Known by the name: .spacy, a treebank's ending, or else text.
    TEXT: Plain text; a blank line ends a Doc, the pipeline finds its sentences.
    TOKENS: A sentence a line, words parted by white space. A sentence is a Doc.
    BRACKETS: A treebank. Its words, tags and sentences are kept, its trees not.
    SPACY: Docs. All that they have is kept but their trees.
    """

    AUTO = "auto"
    TEXT = "text"
    TOKENS = "tokens"
    BRACKETS = "brackets"
    SPACY = "spacy"


def detect_format(path: Optional[Path]) -> InputFormat:
    """The format that a file's name says; text for standard input (None).

    A .txt file is text: a treebank in one needs to be said.
    """
    suffix = "" if path is None else path.suffix.lower()
    if suffix == DOCBIN_SUFFIX:
        return InputFormat.SPACY
    if suffix in BRACKET_SUFFIXES - {".txt"}:
        return InputFormat.BRACKETS
    return InputFormat.TEXT


def read_docs(
    nlp: Language, path: Optional[Path], input_format: InputFormat = InputFormat.AUTO
) -> Iterator[Doc]:
    """Read a file as Docs without trees, made by a pipeline's tokenizer and vocab.

    path: None is standard input, which cannot be a .spacy file.
    Raises OSError if the file cannot be read, ValueError if it is not what the
        format says: not UTF-8, no trees (BracketError), no Docs.
    """
    if input_format is InputFormat.AUTO:
        input_format = detect_format(path)
    if input_format is InputFormat.SPACY:
        yield from _read_docbin(nlp, path)
    elif input_format is InputFormat.BRACKETS:
        yield from _read_treebank(nlp, path)
    else:
        read = text_docs if input_format is InputFormat.TEXT else token_docs
        with _open(path) as lines:
            try:
                yield from read(nlp, lines)
            except UnicodeDecodeError as error:
                raise ValueError(f"{_name(path)} is not UTF-8 text: {error}.") from None


def text_docs(nlp: Language, lines: Iterable[str]) -> Iterator[Doc]:
    """A Doc for each paragraph: the lines between two blank lines.

    Raises ValueError for a paragraph longer than `nlp.max_length` characters.
    """
    for is_paragraph, group in groupby(lines, key=lambda line: bool(line.strip())):
        if is_paragraph:
            text = "".join(group).rstrip()
            if len(text) > nlp.max_length:
                raise ValueError(
                    f"A paragraph of {len(text):,} characters is longer than the "
                    f"{nlp.max_length:,} that the pipeline takes; part the text with "
                    "blank lines."
                )
            yield nlp.make_doc(text)


def token_docs(nlp: Language, lines: Iterable[str]) -> Iterator[Doc]:
    """A Doc for each line that has words: one sentence of just these words."""
    for words in map(str.split, lines):
        if words:
            starts: List[Union[bool, int, None]] = [True]
            starts += [False] * (len(words) - 1)
            yield Doc(nlp.vocab, words=words, sent_starts=starts)


def _read_treebank(nlp: Language, path: Optional[Path]) -> Iterator[Doc]:
    if path is not None:
        trees = read_tree_file(path)
    else:
        trees = read_trees(_open(None), source=_name(None))
    yield from _without_trees(trees_to_docs(trees, nlp.vocab))


def _read_docbin(nlp: Language, path: Optional[Path]) -> Iterator[Doc]:
    if path is None:
        raise ValueError("Standard input cannot be a .spacy file; name the file.")
    try:
        docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
    except OSError:
        raise
    except Exception as error:
        # zlib, msgpack and DocBin each have their own way to say so.
        raise ValueError(f"{path} is not a .spacy file of Docs.") from error
    yield from _without_trees(docs)


def _without_trees(docs: Iterable[Doc]) -> Iterator[Doc]:
    for doc in docs:
        if SPANS_KEY in doc.spans:
            del doc.spans[SPANS_KEY]
        yield doc


def _open(path: Optional[Path]) -> TextIO:
    if path is not None:
        return path.open(encoding="utf-8-sig")
    return TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig")


def _name(path: Optional[Path]) -> str:
    return "<stdin>" if path is None else str(path)
