"""Attention as a heat map, like Figure 4 of Vinyals et al. (2015), as SVG.

matplotlib colours the cells, which become one small image. Words and symbols are
text of the SVG itself: whoever shows it has the fonts, the order of right-to-left
letters and the text colour of the page.
"""

import base64
import io
import math
from typing import Sequence, Tuple
from xml.etree import ElementTree

import matplotlib
import matplotlib.image
import numpy

from spacy_gfl.pictures.options import AttentionOptions
from spacy_gfl.pictures.svg import Element, new_picture
from spacy_gfl.pictures.text import clean, text_width

_SLOPE = 60  # degrees by which the labels of the columns rise
_BAR = 14  # pixels: the width of the colour bar
_SPACE = 8  # pixels between parts of the picture
_IMAGE_SIDE = 2000  # pixels: an image of repeated cells is not larger


def draw_attention(
    words: Sequence[str],
    symbols: Sequence[str],
    weights: numpy.ndarray,
    options: AttentionOptions,
) -> Element:
    """The picture of one matrix.

    weights: `(symbols, words)`.
    Raises ValueError if the matrix has another shape, is empty or has weights
        that are negative or not finite, or there is no such colormap.
    """
    weights = numpy.asarray(weights, dtype="float64")
    _check(words, symbols, weights, options)
    rows, columns = [clean(s) for s in symbols], [clean(w) for w in words]
    if options.symbols_across:
        rows, columns, weights = columns, rows, weights.T
    cell, em = options.cell_size, options.font_size
    left = max(map(text_width, rows)) * em + _SPACE
    width, height = cell * len(columns), cell * len(rows)
    top, beyond = _room_above(columns, cell, em)
    last = options.vmax or float(weights.max()) or 1.0
    bar_x = left + max(width, width + beyond - 2 * cell) + 2 * _SPACE
    picture = new_picture(
        max(bar_x + _BAR + _SPACE + 4 * em, left + width + beyond), top + height + em
    )
    picture.append(_image(weights / last, (left, top, width, height), options.cmap))
    for number, text in enumerate(rows):
        y = top + (number + 0.5) * cell + 0.35 * em
        picture.append(_text(text, left - _SPACE / 2, y, "end"))
    for number, text in enumerate(columns):
        x = left + (number + 0.6) * cell
        picture.append(_text(text, x, top - _SPACE / 2, "start", slope=_SLOPE))
    bar_height = min(height, 10 * cell)
    bar = numpy.linspace(1.0, 0.0, 101)[:, None]
    picture.append(_image(bar, (bar_x, top, _BAR, bar_height), options.cmap))
    for y, value in ((top + 0.35 * em, last), (top + bar_height + 0.35 * em, 0.0)):
        picture.append(_text(f"{value:.2g}", bar_x + _BAR + _SPACE / 2, y, "start"))
    return picture


def _check(
    words: Sequence[str],
    symbols: Sequence[str],
    weights: numpy.ndarray,
    options: AttentionOptions,
) -> None:
    if weights.shape != (len(symbols), len(words)) or not weights.size:
        raise ValueError(
            f"The attention of {len(symbols)} symbols to {len(words)} words is a "
            f"matrix of that shape with at least one cell, not {weights.shape}."
        )
    if not numpy.isfinite(weights).all() or weights.min() < 0:
        raise ValueError("Attention weights must be finite and not negative.")
    if options.cmap not in matplotlib.colormaps:
        raise ValueError(f"matplotlib has no colormap {options.cmap!r}.")


def _room_above(columns: Sequence[str], cell: float, em: float) -> Tuple[float, float]:
    """The height that sloping labels need, and how far they lead to the right."""
    slope = math.radians(_SLOPE)
    widths = [text_width(text) * em for text in columns]
    height = max(widths) * math.sin(slope) + em
    n = len(columns)
    right = max(
        width * math.cos(slope) - (n - number - 0.6) * cell + em
        for number, width in enumerate(widths)
    )
    return height, max(right, 0.0)


def _image(
    values: numpy.ndarray, box: Tuple[float, float, float, float], cmap: str
) -> Element:
    """Values from 0 to 1 as an image over a box (x, y, width, height)."""
    side = max(1, min(int(box[3] / len(values)), _IMAGE_SIDE // max(values.shape)))
    # Cells of many pixels stay sharp where a renderer would smooth single ones.
    cells = numpy.kron(values, numpy.ones((side, side)))
    file = io.BytesIO()
    matplotlib.image.imsave(
        file, cells, cmap=matplotlib.colormaps[cmap], vmin=0.0, vmax=1.0, format="png"
    )
    data = base64.b64encode(file.getvalue()).decode("ascii")
    group = ElementTree.Element("g")
    x, y, width, height = (f"{value:g}" for value in box)
    position = {"x": x, "y": y, "width": width, "height": height}
    image = {"href": f"data:image/png;base64,{data}", "preserveAspectRatio": "none"}
    style = {"style": "image-rendering: pixelated"}
    border = {"fill": "none", "stroke": "currentColor", "stroke-opacity": "0.5"}
    group.append(ElementTree.Element("image", {**position, **image, **style}))
    group.append(ElementTree.Element("rect", {**position, **border}))
    return group


def _text(text: str, x: float, y: float, anchor: str, *, slope: float = 0) -> Element:
    element = ElementTree.Element(
        "text",
        {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor, "fill": "currentColor"},
    )
    if slope:
        element.set("transform", f"rotate({-slope:g} {x:g} {y:g})")
    element.text = text
    return element
