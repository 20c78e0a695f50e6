r"""Emoji of several characters, which become one token.

A variation selector, a skin tone, a joiner or a flag's second letter is no word:
spaCy's tokenizer makes `❤️.` the tokens `❤` and `\ufe0f.`.
"""

import re
from collections.abc import Iterator
from itertools import chain

from spacy.tokens import Doc, Token

from spacy_gfl.sentences.merging import merge_extents

_BASE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
_FLAG_LETTER = "[\U0001f1e6-\U0001f1ff]"
_MODIFIER = "[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
_SEQUENCE = re.compile(
    rf"{_FLAG_LETTER}{{2}}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_BASE}{_MODIFIER}*(?:\u200d{_BASE}{_MODIFIER}*)*"
)
_SPLIT_UP = re.compile(rf"{_FLAG_LETTER}|{_MODIFIER}|\u200d")
_INVISIBLE = re.compile(
    "[\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]+"
)
_REST = re.compile(r"\.{2,}|\w+|\W")
#: Each split moves all tokens after it; a text with more keeps the rest as they are.
_MOST_SPLITS = 1000


def join_emoji(doc: Doc) -> None:
    """Make one token of each emoji that is several characters."""
    if not _SPLIT_UP.search(doc.text):
        return
    extents = [
        match.span() for match in _SEQUENCE.finditer(doc.text) if len(match.group()) > 1
    ]
    _split_at(doc, sorted(set(chain.from_iterable(extents))))
    merge_extents(doc, extents)


def _split_at(doc: Doc, places: list[int]) -> None:
    """Split the tokens that characters are inside of, and marks after emoji."""
    parts: dict[int, list[int]] = {}
    at = 0
    for token in doc:
        while at < len(places) and places[at] <= token.idx:
            at += 1
        while at < len(places) and places[at] < token.idx + len(token):
            parts.setdefault(token.i, []).append(places[at] - token.idx)
            at += 1
    with doc.retokenize() as retokenizer:
        for i in list(parts)[:_MOST_SPLITS]:
            texts = list(_cut(doc[i].text, parts[i]))
            heads: list[Token | tuple[Token, int]] = [(doc[i], 0)] * len(texts)
            retokenizer.split(doc[i], texts, heads)


def _cut(text: str, places: list[int]) -> Iterator[str]:
    """The parts of a text between some places, the last one in words and marks."""
    before = 0
    for place in places:
        yield text[before:place]
        before = place
    yield from _REST.findall(text[before:])


def is_emoji(text: str) -> bool:
    """Whether a token is an emoji."""
    return _SEQUENCE.fullmatch(text) is not None


def is_invisible(text: str) -> bool:
    """Whether a token is nothing but selectors and joiners, which nobody sees."""
    return _INVISIBLE.fullmatch(text) is not None
