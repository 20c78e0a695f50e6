"""Text to be parsed: paragraphs, lines, sentences or words."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.trees.escaping import INNER_SPACE

#: Characters from which on a paragraph ends with the line. A Doc takes some
#: hundred times its text in memory, and files of a sentence per line have no others.
LONG_PARAGRAPH = 10_000
_WORDS = re.compile(rf"\S+(?:{INNER_SPACE}+\S+)*")


def read_text(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """A Doc per paragraph; blank lines are between them."""
    return (nlp.make_doc(text) for text, _ in paragraphs(reading.lines()))


def read_texts(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """A Doc per line, with as many sentences as the pipeline finds."""
    return (nlp.make_doc(line.rstrip()) for line in reading.lines())


def read_sentences(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """A Doc per line, which is one sentence."""
    for doc in read_texts(reading, nlp):
        for token in doc:
            token.is_sent_start = token.i == 0
        yield doc


def read_tokens(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """A Doc per line, one sentence of just these words; empty for no words."""
    for words in map(_WORDS.findall, reading.lines()):
        starts: list[bool | int | None] = [i == 0 for i in range(len(words))]
        yield Doc(nlp.vocab, words=words, sent_starts=starts)


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Read paragraphs, which blank lines part, without trailing white space.

    A paragraph of LONG_PARAGRAPH characters ends with the line that it is in.

    Yields:
        Each paragraph, and the number of characters before it.
    """
    offset = 0
    for is_blank, group in groupby(lines, key=str.isspace):
        text = ""
        for line in group:
            text += line
            if len(text) >= LONG_PARAGRAPH and not is_blank:
                yield text.rstrip(), offset
                offset += len(text)
                text = ""
        if text and not is_blank:
            yield text.rstrip(), offset
        offset += len(text)
