"""Text in pictures: what can be written, and how wide it will be."""

import re
import unicodedata

# What XML 1.0 has no way to write, and line ends, which no renderer shows.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_NARROW = frozenset("iljtfrI.,;:'|!()[]{}`\"/\\- \u2019\u2018\u201c\u201d")
_BROAD = frozenset("mwMW@%—…")


def clean(text: str) -> str:
    """The text with U+FFFD for each character that cannot be drawn."""
    return _UNWRITABLE.sub("\ufffd", text)


def text_width(text: str) -> float:
    """About the width of a text in units of the font size.

    A picture is laid out before anyone knows which font will draw it: these are
    the widths of a sans-serif font, rather too wide than too narrow.
    """
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.34
    if character in _BROAD:
        return 0.92
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.2 if unicodedata.category(character) == "So" else 1.0
    return 0.7 if character.isupper() else 0.57
