"""SVG as text: pictures below each other and framed, and what is written in them."""

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from spacy_gfl.tools.pictures.options import PictureOptions

_MARGIN = 12  # pixels around a picture
# What XML 1.0 has no way to write, and line ends, which no renderer shows.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class Picture(NamedTuple):
    """SVG elements with their size in pixels, and their words for screen readers."""

    body: str
    width: float
    height: float
    text: str
    rtl: bool = False


def stack(pictures: Sequence[Picture], gap: float) -> Picture:
    """Put pictures below each other, `gap` pixels apart."""
    parts, y = [], 0.0
    for body, width, height, _, _ in pictures:
        size = f'width="{width:g}" height="{height:g}" overflow="visible"'
        parts.append(f'<svg y="{y:g}" {size}>{body}</svg>')
        y += height + gap
    text = " ".join(picture.text for picture in pictures)
    return Picture("".join(parts), max(p.width for p in pictures), y - gap, text)


def frame(picture: Picture, options: PictureOptions) -> str:
    """Finish a picture: with a margin, colours, fonts and its words as a label."""
    width, height = picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN
    background = f'<rect width="100%" height="100%" fill="{options.bg}"/>'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width:g}px" height="{height:g}px" viewBox="0 0 {width:g} {height:g}" '
        f'class="spacy-gfl" role="img" aria-label="{escape(clean(picture.text))}" '
        'fill="currentColor" stroke-opacity="0.6" '
        f'style="max-width: none; color: {options.color}; font-family: {options.font}; '
        f'font-size: {options.font_size:g}px">'
        f"{'' if options.bg == 'transparent' else background}"
        f'<svg x="{_MARGIN}" y="{_MARGIN}" width="{picture.width:g}" '
        f'height="{picture.height:g}" overflow="visible">{picture.body}</svg></svg>'
    )


def clean(text: str) -> str:
    """Put U+FFFD for each character that cannot be drawn."""
    return _UNWRITABLE.sub("\ufffd", text)


def text_width(text: str) -> float:
    """Estimate the width of a text in font sizes; no one knows which font draws it."""
    width = 0.0
    for character in text:
        category = unicodedata.category(character)
        if unicodedata.east_asian_width(character) in ("W", "F"):
            width += 1.2
        elif category not in ("Mn", "Me", "Cf"):
            width += 0.7 if category == "Lu" else 0.55
    return width
