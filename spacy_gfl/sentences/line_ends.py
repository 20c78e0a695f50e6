"""Which lines of a text begin sentences: those of chats, logs, lists and signatures.

A line end says nothing in text that is wrapped. It ends a sentence

- before a line that begins with a time, a speaker or a number, as lines nearby do:
  `[10:42] ben:`, `10:05 AM - Kim:`, `<ben>`, `ben:`, `Q.`, `2/`. What a line begins
  with is part of its sentence;
- around a line that is a name with a time, above a message: `Ben Field (10:04)`;
- after a line with room for the next word, which a wrapped line has not, unless the
  line goes on with a comma or the like. A line in lower case goes on with a sentence
  that began with a capital, unless it is an item of a list;
- after a line that ends with an emoji, and before a line of hashtags;
- around the words that close a letter, and after each line below them;
- between lines that are quoted, as mail is, and others. A quoted line is judged without
  its marks, which are part of the sentence that goes on or begins there.

Lines are judged beside those around them, whatever the rest of the text is.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from spacy_gfl.sentences.lines import Line, split_blocks, split_lines

_DAY = r"(?:[MTWFS][a-z]{2,5}day|Mon|Tue|Wed|Thu|Fri|Sat|Sun|[Tt]oday|[Yy]esterday)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    r"(?:\d{4}-\d\d-\d\d[T ]|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4},?\s"
    rf"|{_MONTH} \d{{1,2}}(?:, \d{{4}})?,? (?:at )?"
    rf"|\d{{1,2}} {_MONTH}(?: \d{{4}})?,? (?:at )?)"
)
_TIME = (
    rf"(?:{_DAY},?\s(?:at\s)?)?{_DATE}?"
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
)
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}"
_ROLE = r"(?: (?:[-–—] [^:\n]{1,40}|\([^():\n]{1,40}\)|[^\w\s:.,;!?'\"]{1,4}))?"
_NAMED = rf"(?:<{_NAME}>(?=\s)|@?{_NAME}{_ROLE}:(?=\s))"
_IN_CAPITALS = r"[A-Z][A-Z.'’-]+(?: [A-Z][A-Z.'’-]*){0,2}"
_STAMPED = re.compile(
    rf"(?:\[{_TIME}\]|\({_TIME}\)|{_TIME}(?=\s))(?:\s+[-–|])?"
    rf"(?:\s+(?:{_NAMED}|[A-Z]{{4,8}}\b:?))?\s*\S?"
)
_SPEAKER = re.compile(
    rf"(?:>>? ?)?({_NAMED}|[QA]\.(?=\s)|{_IN_CAPITALS}(?:\.|\s[-–—])(?=\s))\s*\S?"
)
_NUMBERED = re.compile(r"\(?(\d{1,3})[/.):](?=\s)\s*\S?")
#: A line that is a name and a time, or a time, above a message.
_HEADER = re.compile(
    rf"(?:@?{_NAME}{_ROLE},?\s+(?:[-–—•·|]\s+)?)?"
    rf"(?:\[{_TIME}\]|\({_TIME}\)|{_TIME}(?:\s*-+>\s*{_TIME})?)"
    rf"|@?{_NAME}\s+[•·|]\s+\d{{1,2}}\s?(?:s|m|min|h|hrs?|d|w|mo|y)(?: ago)?"
)
#: A mark counts beside another one so many lines away at most.
_NEARBY = 4
_MARKS = re.compile(r"[^\w\s,;:]{2}")
_TAGS = re.compile(r"[#@]\w+(?:\s+[#@]\w+)*")
_CONTINUED = tuple(",;:([{–—/&+-、，；：")
#: Words that a sentence does not end with, and words that go on with a line above.
_UNFINISHED = frozenset({"a", "an", "and", "my", "of", "or", "our", "the", "your"})
_FUNCTION_WORDS = """
    about across after although among and are as at because been before between but by
    during for from has have if in into is near nor on onto or since than that through
    to under unless until was were when where which while who whose will with within
    without
"""
_GOING_ON = frozenset(_FUNCTION_WORDS.split())
_GREETING = re.compile(r"(?:dear|hello|hi|hey)\b[^.?!]{0,40},", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)?\s*"
    r"(?:regards|wishes|thanks|thank you)(?: (?:again|in advance|so much))?"
    r"|all the best|best|cheers|sincerely|love|take care|cordially|respectfully"
    r"|yours(?: (?:sincerely|faithfully|truly))?|sincerely yours|--|-- |thx)[,.!]?",
    re.IGNORECASE,
)
#: A line of a signature is no longer, and an item of a list, and no text is wrapped
#: at so few columns.
_LONGEST_SIGNED, _LONGEST_ITEM, _NARROWEST = 60, 45, 25
#: Text of so few lines is rarely wrapped within a sentence after an emoji.
#: The longest of so many lines may be longer than a wrapped one, by a long word.
_FEW, _MANY = 4, 8


class Lines(NamedTuple):
    """The sentence boundaries that lines give, in characters from the beginning.

    Attributes:
        starts: Where sentences begin.
        inside: Extents in which none begins, but for their first character.
    """

    starts: set[int]
    inside: list[tuple[int, int]]


def read_lines(text: str, *, all_lines: bool = False) -> Lines:
    """Find the lines that begin sentences.

    Args:
        text: The text.
        all_lines: Whether every line does.
    """
    lines = split_lines(text)
    if all_lines:
        return Lines({line.start for line in lines}, [])
    if len(lines) < 2:
        return Lines(set(), [])
    blocks = list(split_blocks(lines, text))
    headers = _headers(lines, {block[0].start for block in blocks})
    inside = {lines[i].start: lines[i].end for i in headers}
    for start, end in _prefixes(lines):
        inside.setdefault(start, end)
    starts = set(inside)
    starts.update(lines[i + 1].start for i in headers if i + 1 < len(lines))
    for block in blocks:
        starts.update(_signed(block))
        starts.update(_unwrapped(block, starts))
    extents = list(inside.items())
    for before, block in pairwise([[], *blocks]):
        if any(line.depth for line in (*before[-1:], block[0])):
            starts.add(block[0].start)
        extents.extend(_quoted(block, starts))
    return Lines(starts, extents)


def _headers(lines: list[Line], firsts: set[int]) -> list[int]:
    """Which lines are names and times: the first of a block, and some together."""
    headers = [i for i, line in enumerate(lines) if _HEADER.fullmatch(line.text)]
    beside = set(_beside_others(headers, 2 * _NEARBY))
    return [i for i in headers if i in beside or lines[i].start in firsts]


def _beside_others(indices: list[int], most: int) -> Iterator[int]:
    """Those of some indices that are near another one."""
    for before, after in pairwise(indices):
        if after - before <= most:
            yield from (before, after)


def _prefixes(lines: list[Line]) -> Iterator[tuple[int, int]]:
    """The beginnings of lines with a time, a speaker or a number.

    Each ends in the first word after it.
    """
    stamped = _matches(_STAMPED, lines)
    numbered = _matches(_NUMBERED, lines)
    speakers = _matches(_SPEAKER, lines)
    marked = set(_beside_others(list(stamped), _NEARBY))
    yield from ((lines[i].start, lines[i].begin + stamped[i].end()) for i in marked)
    marked = {
        i
        for pair in pairwise(numbered)
        if int(numbered[pair[1]][1]) == int(numbered[pair[0]][1]) + 1
        for i in pair
    }
    yield from ((lines[i].start, lines[i].begin + numbered[i].end()) for i in marked)
    # Speakers are beside each other, or speak twice; others near them speak too.
    marked = set(_beside_others(list(speakers), 1))
    by_name = sorted((match[1], i) for i, match in speakers.items())
    for _, group in groupby(by_name, key=lambda named: named[0]):
        marked.update(_beside_others([i for _, i in group], 2 * _NEARBY))
    near = {i + away for i in marked for away in range(-_NEARBY, _NEARBY + 1)}
    marked.update(i for i in near.intersection(speakers) if not lines[i].is_lower)
    yield from ((lines[i].start, lines[i].begin + speakers[i].end()) for i in marked)


def _matches(pattern: re.Pattern[str], lines: list[Line]) -> dict[int, re.Match[str]]:
    """The matches of a pattern at the beginnings of lines, by the lines' indices."""
    matches = ((i, pattern.match(line.text)) for i, line in enumerate(lines))
    return {i: match for i, match in matches if match}


def _signed(block: list[Line]) -> Iterator[int]:
    """The starts of the words that close a letter, and of the lines below them."""
    if len(block) < 2:
        return
    lengths = [len(line.text) for line in block]
    long = (i for i in reversed(range(len(block))) if lengths[i] > _LONGEST_SIGNED)
    for i in range(next(long, 0), len(block)):
        if lengths[i] <= _LONGEST_SIGNED and _CLOSING.fullmatch(block[i].text):
            yield from (line.start for line in block[i:])
            return


def _quoted(block: list[Line], starts: set[int]) -> Iterator[tuple[int, int]]:
    """Extents around the marks of quoted lines; adds what begins after a full stop."""
    if not block[0].depth:
        return
    yield from ((line.start + 1, line.begin + 1) for line in block)
    parts = zip(_broken(block), pairwise(block), strict=True)
    for is_broken, (line, following) in parts:
        goes_on = following.is_lower or _goes_on(line) or not is_broken
        if following.start in starts:
            continue
        if not _is_ended(line.text) and goes_on:
            yield following.start, following.start + 1
        elif _is_ended(line.text) and not following.is_lower:
            starts.add(following.start)


def is_pictograph(text: str) -> bool:
    """Whether a text's last character is an emoji, or a part of one."""
    last = text[-1:] or " "
    if unicodedata.category(last) in ("So", "Sk", "Me"):
        return last not in "°^`´¨¯¸©®"
    return last in "\ufe0f\u200d"


def _is_ended(text: str) -> bool:
    """Whether a line ends with what ends a sentence, or with marks, as smileys are."""
    inner = text.rstrip("\"'”’)]")
    return inner.endswith(tuple(".?!…")) or _is_marked(text)


def _is_marked(text: str) -> bool:
    return bool(_MARKS.fullmatch(text[-2:])) or is_pictograph(text)


def _unwrapped(block: list[Line], known: set[int]) -> Iterator[int]:
    """The starts of messages and items of a line each, where lines are not wrapped."""
    if len(block) < 2:
        return
    is_broken = _broken(block)
    if sum(_goes_on(line) for line in block[:-1]) > (len(block) - 1) / 3:
        # Verse, or a sentence that is written as a list.
        is_broken = [
            broken and _is_ended(line.text)
            for broken, line in zip(is_broken, block[:-1], strict=True)
        ]
    is_sentence = _ends_of_sentences(block)
    unit = block[0]
    for i, (line, following) in enumerate(pairwise(block)):
        if following.start in known:
            unit = following
            continue
        begins = is_broken[i]
        beside = is_broken[max(0, i - 1) : i] + is_broken[i + 1 : i + 2]
        is_wrapped = len(block) > _FEW and not all(beside)
        tags = _TAGS.fullmatch(following.text)
        is_tagged = bool(tags) or is_pictograph(line.text)
        if is_tagged and (begins or not is_wrapped or (tags and " " in tags[0])):
            begins = True
        elif line.text.endswith(":"):
            # What follows is a list, or a message.
            is_list = i + 2 < len(block) and is_broken[i + 1]
            begins = is_list and (not following.is_lower or block[i + 2].is_lower)
        elif _goes_on(line):
            begins = bool(_GREETING.fullmatch(line.text)) and not following.is_lower
        elif not begins or _is_ended(line.text):
            pass
        elif following.is_lower and not unit.is_lower:
            begins = (
                len(block) > 2
                and not is_sentence[i + 1]
                and max(len(line.text), len(following.text)) <= _LONGEST_ITEM
                and following.first_word not in _GOING_ON
            )
        if begins:
            yield following.start
            unit = following


def _goes_on(line: Line) -> bool:
    """Whether a sentence goes on after a line, by its end."""
    is_mark = line.text.endswith(_CONTINUED) and not _is_marked(line.text)
    return is_mark or line.last_word in _UNFINISHED


def _ends_of_sentences(block: list[Line]) -> list[bool]:
    """Whether each line, with those in lower case after it, ends a sentence."""
    ends = [False] * (len(block) + 1)
    for i in reversed(range(len(block))):
        goes_on = i + 1 < len(block) and block[i + 1].is_lower
        ends[i] = _is_ended(block[i].text) or (goes_on and ends[i + 1])
    return ends[:-1]


def _broken(block: list[Line]) -> list[bool]:
    """Whether each line but the last was ended, and not wrapped."""
    lengths = [line.width for line in block]
    if max(lengths) < _NARROWEST:
        return [True] * (len(block) - 1)
    # A word that is longer than a line says nothing of where text is wrapped.
    of_words = [line.width for line in block if " " in line.text] or lengths
    longest = sorted(of_words)[-2 if len(of_words) >= _MANY else -1]
    has_room = [
        line.width + 1 + len(following.first_word) <= longest
        for line, following in pairwise(block)
    ]
    broken = list(has_room)
    is_mostly = sum(has_room) >= len(has_room) / 2
    for i, room in enumerate(has_room):
        beside = has_room[max(0, i - 1) : i] + has_room[i + 1 : i + 2]
        if room and not any(beside) and not is_mostly:
            # One short line, as a heading is.
            broken[i] = lengths[i] < 0.6 * longest and not block[i + 1].is_lower
        elif not room and beside and all(beside):
            broken[i] = lengths[i] <= _LONGEST_SIGNED or _is_ended(block[i].text)
    return broken
