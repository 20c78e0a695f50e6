"""Which lines of a text begin sentences: those of chats and logs, and of signatures.

A line end says nothing in text that is wrapped. It ends a sentence

- where lines begin with a time, a name or both, as in chats and logs: `[10:42] ben:`,
  `10:05 AM - Kim:`, `<ben>`, `ben:`. What a line begins with is part of its sentence;
- where lines are shorter than they would be if the text were wrapped, unless one of
  them goes on with a comma or the like. A line in lower case goes on with a sentence
  that began with a capital;
- around the words that close a letter, and after each line below them.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_TIME = (
    r"(?:\d{4}-\d\d-\d\d[T ]|\d{1,2}[/.]\d{1,2}[/.]\d{2,4},?\s)?"
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
)
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}"
_NAMED = rf"(?:<{_NAME}>(?=\s)|{_NAME}:(?=\s))"
_STAMPED = re.compile(
    rf"(?:\[{_TIME}\]|{_TIME}(?=\s))(?:\s+[-–|])?(?:\s+(?:{_NAMED}|[A-Z]{{4,8}}\b:?))?\s*\S?"
)
_SPEAKER = re.compile(rf"{_NAMED}\s*\S?")
#: A text has so many lines, of all its lines, that begin with names if it is a chat.
_LEAST_SPEAKERS = 2 / 3
_MARKS = re.compile(r"[^\w\s,;:]{2}")
_CONTINUED = tuple(",;:([{–—/&+-")
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)?\s*"
    r"(?:regards|wishes|thanks|thank you)(?: (?:again|in advance|so much))?"
    r"|all the best|best|cheers|sincerely|love|take care|cordially|respectfully"
    r"|yours(?: (?:sincerely|faithfully|truly))?|sincerely yours|--|-- |thx)[,.!]?",
    re.IGNORECASE,
)
#: A line of a signature is no longer.
_LONGEST_SIGNED = 60


class Lines(NamedTuple):
    """What lines tell of a text's sentences, in characters from its beginning.

    Attributes:
        starts: Where sentences begin.
        inside: Extents in which none begins, but for their first character.
    """

    starts: set[int]
    inside: list[tuple[int, int]]


class _Line(NamedTuple):
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def read_lines(text: str, *, all_lines: bool = False) -> Lines:
    """Find the lines that begin sentences.

    Args:
        text: The text.
        all_lines: Whether every line does.
    """
    lines = list(_lines(text))
    if all_lines:
        return Lines({line.start for line in lines}, [])
    if len(lines) < 2:
        return Lines(set(), [])
    prefixes = _prefixes(lines)
    if prefixes:
        return Lines({start for start, _ in prefixes}, prefixes)
    starts: set[int] = set()
    for block in _blocks(lines, text):
        starts.update(_signed(block))
        starts.update(_messages(block))
    return Lines(starts, [])


def _lines(text: str) -> Iterator[_Line]:
    """The lines that are more than white space, without it at their ends.

    No pattern finds them: it would try again from each character of white space.
    """
    start = 0
    for line in text.split("\n"):
        if inner := line.strip():
            yield _Line(start + len(line) - len(line.lstrip()), inner)
        start += len(line) + 1


def _prefixes(lines: list[_Line]) -> list[tuple[int, int]]:
    """The beginnings of lines with a time or a name, each up to into its first word."""
    for pattern, least in ((_STAMPED, 0.5), (_SPEAKER, _LEAST_SPEAKERS)):
        found = [
            (line.start, line.start + match.end())
            for line in lines
            if (match := pattern.match(line.text))
        ]
        if len(found) >= 2 and len(found) >= least * len(lines):
            return found
    return []


def _blocks(lines: list[_Line], text: str) -> Iterator[list[_Line]]:
    """Lines without blank lines between them."""
    block = lines[:1]
    for line, following in pairwise(lines):
        if text.count("\n", line.end, following.start) > 1:
            yield block
            block = []
        block.append(following)
    yield block


def _signed(block: list[_Line]) -> Iterator[int]:
    """The starts of the words that close a letter, and of the lines below them."""
    lengths = [len(line.text) for line in block]
    long = (i for i in reversed(range(len(block))) if lengths[i] > _LONGEST_SIGNED)
    for i in range(next(long, 0), len(block)):
        if lengths[i] <= _LONGEST_SIGNED and _CLOSING.fullmatch(block[i].text):
            yield from (line.start for line in block[i:])
            return


def _is_ended(text: str) -> bool:
    """Whether a line ends with what ends a sentence, or with marks, as smileys are."""
    inner = text.rstrip("\"'”’)]")
    return inner.endswith(tuple(".?!…")) or bool(_MARKS.fullmatch(text[-2:]))


def _messages(block: list[_Line]) -> Iterator[int]:
    """The starts of messages of a line each, if the lines were not wrapped."""
    if len(block) < 2 or any(line.text.endswith(_CONTINUED) for line in block[:-1]):
        return
    longest = max(len(line.text) for line in block)
    n_full = sum(
        len(line.text) + 1 + len(following.text.split(maxsplit=1)[0]) > longest
        for line, following in pairwise(block)
    )
    if n_full > (len(block) - 1) / 2:
        return
    yield block[0].start
    unit = block[0]
    for line, following in pairwise(block):
        goes_on = following.text[0].islower() and not unit.text[0].islower()
        if not goes_on or _is_ended(line.text):
            yield following.start
            unit = following
