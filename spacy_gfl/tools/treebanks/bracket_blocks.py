"""Lines of brackets in blocks of whole trees, as far as brackets alone can tell."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from spacy_gfl.trees.brackets import begins_square, make_round
from spacy_gfl.trees.tree import ROOT_LABELS

#: Lines read ahead to see whether a tree goes on in column 1.
LINES_AHEAD = 200
SGML = re.compile(r"<[^<>]*>")
_FIRST_IN_LINE = re.compile(r"\(([^()\s]*)")
_LAST_IN_LINE = re.compile(r"\([^()\s]*\s*\Z")


@dataclass
class Block:
    """Lines of whole trees, as far as brackets can tell: only the last may be open.

    Attributes:
        first: The number of the first line.
        lines: The lines, with their ends.
        ending: What to add to the error of a tree that is open at the end.
    """

    first: int
    lines: list[str]
    ending: str = ""

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map(len, self.lines))]

    def place(self, at: int) -> tuple[int, int]:
        """The line and the column, from 1, of a character of the block."""
        line = bisect_right(self._starts, at) - 1
        return self.first + line, at - self._starts[line] + 1


def parted_blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Part lines where no tree is open, or one that is must have been forgotten."""
    stream = _Lines(_in_round(lines.split("\n") if isinstance(lines, str) else lines))
    block = Block(1, [])
    depth = 0
    # Whether the block begins in column 1; whether lines in column 1 are inside
    # the open tree; whether there is nothing yet of that but its first bracket.
    from_column_1 = is_unindented = is_fresh = False
    for number, line in enumerate(stream, start=1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        if not depth and _is_comment(line):
            line = "\n"
        opening = _FIRST_IN_LINE.match(line)
        if depth and opening:
            is_unindented |= is_fresh
            first = _FIRST_IN_LINE.match(block.lines[0])
            labels = ROOT_LABELS | ({first[1]} if first else set())
            if opening[1] in ROOT_LABELS or not (
                is_unindented or stream.closes(line, depth, labels)
            ):
                block.ending = f"; line {number} begins a new tree in column 1"
                depth = 0
        if not depth and (opening or not from_column_1 or not line.strip()):
            yield block
            block = Block(number, [])
            from_column_1, is_unindented = opening is not None, False
        block.lines.append(line if line.endswith("\n") else f"{line}\n")
        for bracket in re.findall("[()]", line):
            depth = max(depth + 1 if bracket == "(" else depth - 1, 0)
            is_unindented &= depth > 0
        is_lone = depth == 1 and _LAST_IN_LINE.search(line) is not None
        is_fresh = is_lone or (is_fresh and not line.strip())
    yield block


class _Lines:
    """Lines one by one, of which the next ones can be looked at."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rest = iter(lines)
        self._ahead: deque[str] = deque()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return self._ahead.popleft() if self._ahead else next(self._rest)

    def closes(self, line: str, depth: int, new: Container[str]) -> bool:
        """Whether this line and those after it close the brackets that are open.

        That is so if they are closed where a line ends, before a blank line and before
        one that begins with a label that is for new trees.
        """
        for looked in range(LINES_AHEAD):
            opening = _FIRST_IN_LINE.match(line)
            if not line.strip() or (opening and opening[1] in new):
                return False
            for bracket in re.findall("[()]", line):
                depth += 1 if bracket == "(" else -1
                if depth < 0:
                    return False
            if not depth:
                return True
            if looked == len(self._ahead):
                if (following := next(self._rest, None)) is None:
                    return False
                self._ahead.append(following)
            line = self._ahead[looked]
        return False


def _in_round(lines: Iterable[str]) -> Iterator[str]:
    """Lines of brackets, which are made round if the first of them is square."""
    is_square: bool | None = None
    for line in lines:
        if is_square is None and line.strip("\ufeff \t\r\n") and not _is_comment(line):
            is_square = begins_square(line.removeprefix("\ufeff"))
        yield make_round(line) if is_square else line


def _is_comment(line: str) -> bool:
    """Whether a line between trees is none of them."""
    text = line.strip()
    is_sgml = text.startswith("<") and text.endswith(">")
    return line.startswith(("#", ";", "*x*")) or (
        is_sgml and not SGML.sub("", text).lstrip().startswith("(")
    )
