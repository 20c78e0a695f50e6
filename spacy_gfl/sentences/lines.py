"""The lines of a text, without the marks of mail that is quoted."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

#: What ends a line, as `str.splitlines` knows it.
LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
OTHER_LINE_END = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
#: Letters and marks that take two columns.
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")
_PARAGRAPH_END = "\u2029"
#: The marks before each line of mail that somebody has quoted.
_MARKS = re.compile(r"(?:> ?)+")


class Line(NamedTuple):
    """A line that is more than white space, without it at its ends.

    Attributes:
        start: Where it begins, with its marks.
        text: What follows the marks.
        mark: How many characters the marks of a quotation have.
        depth: How many times the line was quoted.
    """

    start: int
    text: str
    mark: int = 0
    depth: int = 0

    @property
    def begin(self) -> int:
        """Where its text begins."""
        return self.start + self.mark

    @property
    def end(self) -> int:
        return self.begin + len(self.text)

    @property
    def width(self) -> int:
        """The columns of its text."""
        return len(self.text) + len(_WIDE.findall(self.text))

    @property
    def is_lower(self) -> bool:
        """Whether it begins in lower case."""
        return self.text[0].islower()

    @property
    def first_word(self) -> str:
        return self.text.partition(" ")[0]

    @property
    def last_word(self) -> str:
        return self.text.rpartition(" ")[-1]


def split_lines(text: str) -> list[Line]:
    """The lines of a text; lines beside each other may be quoted, as mail is."""
    lines = list(_lines(text))
    marks = [_MARKS.match(line.text) for line in lines]
    depths = [match[0].count(">") if match else 0 for match in marks]
    for i, match in enumerate(marks):
        beside = (*depths[max(0, i - 1) : i], *depths[i + 1 : i + 2])
        start, line, *_ = lines[i]
        # Marks alone are as a blank line.
        if match and depths[i] in beside and match.end() < len(line):
            lines[i] = Line(start, line[match.end() :], match.end(), depths[i])
    return lines


def _lines(text: str) -> Iterator[Line]:
    """No pattern finds lines: it would try again from each character of white space."""
    start = 0
    for line in text.splitlines(keepends=True):
        if inner := line.strip():
            yield Line(start + len(line) - len(line.lstrip()), inner)
        start += len(line)


def has_blank_line(space: str) -> bool:
    """Whether white space has a blank line, or ends a paragraph otherwise."""
    return _PARAGRAPH_END in space or len(LINE_END.findall(space)) > 1


def split_blocks(lines: Sequence[Line], text: str) -> Iterator[list[Line]]:
    """Lines without blank lines between them, all quoted as many times."""
    block = list(lines[:1])
    for line, following in pairwise(lines):
        is_other = line.depth != following.depth
        if is_other or has_blank_line(text[line.end : following.start]):
            yield block
            block = []
        block.append(following)
    yield block
