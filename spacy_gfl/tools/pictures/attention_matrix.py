"""Attention as a heat map, like Figure 4 of Vinyals et al. (2015).

Colours are matplotlib's. Cells are drawn one by one: programs that convert SVG smooth
or shift the pixels of an image in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from html import escape
from math import cos, radians, sin
from typing import Any, NamedTuple

import matplotlib
import numpy
from matplotlib.colors import to_hex
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.sentence_words import sentences
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.tools.pictures.options import AttentionOptions
from spacy_gfl.tools.pictures.svg import Picture, clean, text_width

_BAR = 14  # pixels: the width of the colour bar
_SLANT = 60  # degrees: how columns' texts lean


class Attention(NamedTuple):
    """A matrix `(symbols, words)`, and what its rows and columns stand for."""

    words: Sequence[str]
    symbols: Sequence[str]
    weights: numpy.ndarray


def find_attention(items: list[Any], options: AttentionOptions) -> Iterator[Attention]:
    """Find the matrices of Docs, of sentences, or as they are given.

    Yields:
        One matrix for each sentence that has words.

    Raises:
        ValueError: Where there is no parser to ask, or no sentence.
        TypeError: For what has no attention.
    """
    ask = cache(partial(_ask, parser=options.parser))
    for item in items:
        if isinstance(item, Mapping):
            names = Attention._fields
            if missing := " and no ".join(name for name in names if name not in item):
                raise ValueError(f"The given attention has no {missing}.")
            yield Attention(*(item[name] for name in names))
        elif isinstance(item, Doc):
            yield from (
                attention for attention in ask(item).values() if attention.words
            )
        elif not isinstance(item, Span):
            raise TypeError(
                "render draws the attention of Docs, sentences and dictionaries "
                f"of words, symbols and weights, not of {type(item).__name__}."
            )
        elif (attention := ask(item.doc).get((item.start, item.end))) is None:
            raise ValueError(
                f'Attention belongs to a sentence, and "{item.text}" is not one.'
            )
        elif attention.words:
            yield attention


def _ask(doc: Doc, parser: Any) -> dict[tuple[int, int], Attention]:
    """The attention of all sentences, by the tokens from and up to which they go."""
    if not hasattr(parser, "attention"):
        raise ValueError(
            "Name the component whose attention you want: "
            'options={"parser": nlp.get_pipe("constituency_parser")}. '
            f"{type(parser).__name__} has none."
        )
    trees, weights = get_trees(doc, key=parser.spans_key), parser.attention(doc)
    by_extent = {}
    for sent, tree, matrix in zip(sentences(doc), trees, weights, strict=True):
        rows = parser.codec.steps(tree) if len(matrix) else []
        by_extent[sent.start, sent.end] = Attention(tree.words, rows, matrix)
    return by_extent


def draw_attention(attention: Attention, options: AttentionOptions) -> Picture:
    """Draw one matrix; ValueError for a wrong matrix or an unknown colormap."""
    words, symbols = attention.words, attention.symbols
    weights = numpy.asarray(attention.weights, dtype="float64")
    if not weights.size:
        raise ValueError(
            f'"{" ".join(words)}" has no attention: its tree has labels that '
            "the parser does not know, or no words."
        )
    if weights.shape != (len(symbols), len(words)):
        raise ValueError(
            f"Attention of {len(symbols)} symbols to {len(words)} words needs a "
            f"matrix of that shape, not {weights.shape}."
        )
    if not (weights >= 0).all() or not numpy.isfinite(weights).all():
        raise ValueError("Attention weights must be finite and not negative.")
    try:
        colors = matplotlib.colormaps[options.cmap]
    except KeyError:
        raise ValueError(f"matplotlib has no colormap {options.cmap!r}.") from None
    rows, columns = [clean(text) for text in symbols], [clean(text) for text in words]
    if options.symbols_across:
        rows, columns, weights = columns, rows, weights.T
    cell, em = options.cell_size, options.font_size
    # Texts end a gap away from the cells, columns' ones lean to the right.
    gap, lean, rise = 0.3 * em, cos(radians(_SLANT)), sin(radians(_SLANT))
    lengths = [text_width(column) * em for column in columns]
    left = max(text_width(row) * em for row in rows) + gap
    top = max(lengths) * rise + em
    last = options.vmax or weights.max() or 1.0
    parts = []
    for at, column in enumerate(columns):
        x, y = left + (at + 0.7) * cell, top - gap
        turned = f' transform="rotate(-{_SLANT} {x:g} {y:g})"'
        parts.append(_text(column, x, y, turned))
    for at, row in enumerate(rows):
        y = top + (at + 0.5) * cell + 0.35 * em
        parts.append(_text(row, left - gap, y, ' text-anchor="end"'))
    shades = [list(map(to_hex, line)) for line in colors(weights / last)]
    parts.append(_cells(shades, left, top, cell, cell))
    bar, steps = left + cell * (len(columns) + 1), 32
    height = min(max(2 * em, cell * len(rows)), 10 * cell)
    scale = [[to_hex(colors(1 - at / (steps - 1)))] for at in range(steps)]
    parts.append(_cells(scale, bar, top, _BAR, height / steps))
    for text, y in ((f"{last:.2g}", top), ("0", top + height)):
        parts.append(_text(text, bar + _BAR + gap, y + 0.35 * em))
    ends = [left + cell * (at + 1) + length * lean for at, length in enumerate(lengths)]
    return Picture(
        "".join(parts),
        max(*ends, bar + _BAR + gap + 4 * em),
        top + max(cell * len(rows), height + em),
        " ".join(words),
    )


def _text(text: str, x: float, y: float, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(text)}</text>'


def _cells(
    colors: list[list[str]], left: float, top: float, width: float, height: float
) -> str:
    """Rows of cells in colours, with sharp edges, so that none shows between two."""
    cells = "".join(
        f'<rect x="{left + column * width:g}" y="{top + row * height:g}" '
        f'width="{width:g}" height="{height:g}" fill="{color}"/>'
        for row, line in enumerate(colors)
        for column, color in enumerate(line)
    )
    return f'<g shape-rendering="crispEdges">{cells}</g>'
