"""Attention as a heat map by matplotlib, like Figure 4 of Vinyals et al. (2015)."""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import matplotlib
import numpy
from matplotlib.figure import Figure
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.storage import get_trees, sentences
from spacy_gfl.pictures.options import AttentionOptions
from spacy_gfl.pictures.svg import MATPLOTLIB, Picture, clean

_BAR = 14  # pixels: the width of the colour bar


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
                raise ValueError(f"The attention given has no {missing}.")
            yield Attention(*(item[name] for name in names))
        elif isinstance(item, Doc):
            yield from (found for found in ask(item).values() if found.words)
        elif not isinstance(item, Span):
            raise TypeError(
                "Docs, sentences and dictionaries of words, symbols and weights have "
                f"attention to draw, not {type(item).__name__}."
            )
        elif (found := ask(item.doc).get((item.start, item.end))) is None:
            raise ValueError(
                f'Attention is that of a sentence, and "{item.text}" is none.'
            )
        elif found.words:
            yield found


def _ask(doc: Doc, parser: Any) -> dict[tuple[int, int], Attention]:
    """The attention of all sentences, by the tokens from and up to which they go."""
    if not hasattr(parser, "attention"):
        raise ValueError(
            "Which attention? Name the component that parsed the Doc: "
            'options={"parser": nlp.get_pipe("constituency_parser")}; '
            f"{type(parser).__name__} has none."
        )
    trees, weights = get_trees(doc, key=parser.spans_key), parser.attention(doc)
    found = {}
    for sent, tree, matrix in zip(sentences(doc), trees, weights, strict=True):
        rows = parser.codec.steps(tree) if len(matrix) else []
        found[sent.start, sent.end] = Attention(tree.words, rows, matrix)
    return found


def draw_attention(attention: Attention, options: AttentionOptions) -> Picture:
    """Draw one matrix; ValueError for a wrong matrix or an unknown colormap."""
    words, symbols = attention.words, attention.symbols
    weights = numpy.asarray(attention.weights, dtype="float64")
    if not weights.size:
        raise ValueError(
            f'There is no attention to "{" ".join(words)}": its tree has labels that '
            "the parser does not know, or no words."
        )
    if weights.shape != (len(symbols), len(words)):
        raise ValueError(
            f"The attention of {len(symbols)} symbols to {len(words)} words is a "
            f"matrix of that shape, not {weights.shape}."
        )
    if not (weights >= 0).all() or not numpy.isfinite(weights).all():
        raise ValueError("Attention weights must be finite and not negative.")
    rows, columns = [clean(text) for text in symbols], [clean(text) for text in words]
    if options.symbols_across:
        rows, columns, weights = columns, rows, weights.T
    cell, em = options.cell_size, options.font_size
    width, height = cell * len(columns), cell * len(rows)
    last = options.vmax or weights.max() or 1.0
    # At 72 dots an inch, matplotlib's points are the picture's pixels.
    figure = Figure((width / 72, height / 72), dpi=72)
    cells = figure.add_axes((0, 0, 1, 1))
    image = cells.imshow(
        weights, options.cmap, aspect="auto", interpolation="none", vmin=0, vmax=last
    )
    high = min(max(2 * em, height), 10 * cell) / height
    scale = cells.inset_axes((1 + cell / width, 1 - high, _BAR / width, high))
    figure.colorbar(image, cax=scale)
    plain: dict[str, Any] = {"fontsize": em, "parse_math": False}
    slant: dict[str, Any] = {"rotation": 60, "rotation_mode": "anchor", "ha": "left"}
    cells.xaxis.tick_top()
    cells.set_xticks(range(len(columns)), columns, **slant, **plain)
    cells.set_yticks(range(len(rows)), rows, **plain)
    scale.set_yticks([last, 0], [f"{last:.2g}", "0"], **plain)
    for axes in (cells, scale):
        axes.tick_params(length=0, pad=3)
    return _to_picture(figure, " ".join(words))


def _to_picture(figure: Figure, text: str) -> Picture:
    """A figure of matplotlib as SVG in the colours and fonts of the page around it."""
    file = io.StringIO()
    with matplotlib.rc_context(MATPLOTLIB), warnings.catch_warnings():
        # Whoever shows the picture has the fonts.
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(
            file, format="svg", transparent=True, bbox_inches="tight", pad_inches=0
        )
    svg = file.getvalue()
    width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)pt"', svg)[:2])
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    body = re.sub("<(style|metadata).*?</\\1>", "", body, flags=re.DOTALL)
    body = re.sub("font-family: [^;]*sans-serif; ", "", body).replace("\n", "")
    body = body.replace("stroke: #000000", "stroke: currentColor")
    return Picture(body, width, height, text)
