"""`spacy_gfl.render`, modelled on displaCy's; files.

What draws trees brings nltk, which is slow to import: it is imported when one is drawn.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from spacy_gfl.annotation.building import is_nltk
from spacy_gfl.tools.pictures.options import (
    AttentionOptions,
    PictureOptions,
    TreeOptions,
    read_options,
)
from spacy_gfl.tools.pictures.svg import Picture, frame, stack
from spacy_gfl.trees.tree import Tree

#: The kinds of files, by their endings.
SUFFIXES = (".svg", ".png", ".html", ".txt")
# A file stands alone, on whatever background its viewer has.
_ALONE = {"color": "black", "bg": "white"}
# A PNG takes four bytes per pixel to draw, and time.
_LARGEST_PNG = 50_000_000
# The page has styles and images of its own, and no scripts.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Canvas and CanvasText are what the reader's light or dark setting makes them.
_PAGE = """<!DOCTYPE html>
<html dir="{direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>spacy_gfl</title>
<style>:root {{ color-scheme: light dark; }} \
body {{ margin: 1rem; color: CanvasText; background: Canvas; }}</style>
</head>
<body>
{pictures}
</body>
</html>
"""
# A picture keeps its size and scrolls where it is wider than its place; the class keeps
# MathJax from reading formulas into words such as `$`.
_SCROLLING = (
    '<div class="spacy-gfl-picture tex2jax_ignore mathjax_ignore" '
    'style="overflow-x: auto; margin-bottom: 1.5rem">{}</div>'
)


def render(
    docs: Any,
    style: str = "tree",
    page: bool = False,
    minify: bool = False,
    jupyter: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> str | None:
    """Draw trees, or the attention from which they came.

    Args:
        docs: A Doc (all its sentences), a Span (a sentence, or any constituent), a
            `spacy_gfl.Tree`, an `nltk.Tree`, or several of them. For attention a Doc,
            a sentence, or a dictionary of "words", "symbols" and "weights", an array
            `(symbols, words)`.
        style: "tree", or "attention" for a heat map: which words the parser looked at
            when it wrote each symbol of the tree. Needs options["parser"].
        page: Return a whole HTML page instead of SVG alone.
        minify: Put everything on one line.
        jupyter: Display the pictures in a notebook instead of returning them. By
            default, do so if there is a notebook.
        options: By name, what `TreeOptions` or `AttentionOptions` lists.

    Returns:
        One `<svg>` element per sentence, or the page; None if it displays them.

    Raises:
        ValueError: For an unknown style or option, or where there is no tree or no
            attention.
        TypeError: For what cannot be drawn.
        ImportError: Without the extra packages that drawing takes.
    """
    pictures, chosen = _draw(docs, style, options)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        display(HTML(_scrolling(pictures, chosen)))
        return None
    if page:
        text = _page(pictures, chosen)
    else:
        text = "\n\n".join(frame(picture, chosen) for picture in pictures)
    return text.replace("\n", "") if minify else text


def _page(pictures: list[Picture], options: PictureOptions) -> str:
    direction = "rtl" if any(picture.rtl for picture in pictures) else "ltr"
    drawn = _scrolling(pictures, options)
    return _PAGE.format(direction=direction, policy=_POLICY, pictures=drawn)


def _scrolling(pictures: list[Picture], options: PictureOptions) -> str:
    return "\n".join(_SCROLLING.format(frame(one, options)) for one in pictures)


def _draw(
    docs: Any, style: str, options: Mapping[str, Any] | None
) -> tuple[list[Picture], PictureOptions]:
    if style == "tree":
        from spacy_gfl.tools.pictures.trees import draw_tree, find_trees

        chosen = read_options(TreeOptions, options)
        drawables = find_trees(_as_list(docs), chosen)
        with extra_packages():
            return [draw_tree(tree, chosen) for tree in drawables], chosen
    if style == "attention":
        wanted = read_options(AttentionOptions, options)
        with extra_packages():
            from spacy_gfl.tools.pictures.attention_matrix import (
                draw_attention,
                find_attention,
            )
        matrices = find_attention(_as_list(docs), wanted)
        return [draw_attention(matrix, wanted) for matrix in matrices], wanted
    raise ValueError(f"There is no style {style!r}. The styles are tree and attention.")


def _as_list(docs: Any) -> list[Any]:
    """The things to draw as a list, also if there is only one."""
    # An nltk.Tree is a list itself, and a Doc can be iterated over.
    single = Doc | Span | Tree | Mapping | str | bytes
    is_single = isinstance(docs, single) or is_nltk(docs)
    return [docs] if is_single or not isinstance(docs, Iterable) else list(docs)


@contextmanager
def extra_packages() -> Iterator[None]:
    """Say how a package is installed that cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f'Pictures need {error.name}: pip install "spacy-gfl[viz]".',
            name=error.name,
        ) from error


def picture_file(
    docs: Any,
    suffix: str,
    style: str = "tree",
    options: Mapping[str, Any] | None = None,
    *,
    scale: float = 2.0,
) -> bytes:
    """Make what a file of pictures holds: all of them, below each other.

    Args:
        docs: A Doc, a Span, a tree, or several of them; what `render` draws.
        suffix: One of SUFFIXES.
        style: "tree" or "attention".
        options: By name. An SVG or PNG is black on white unless they say otherwise.
        scale: The pixels of a PNG to a pixel of the picture.

    Raises:
        ValueError: For another suffix, style or option, for .txt of anything but trees,
            where there is nothing to draw or a PNG would be too large.
        TypeError: For what cannot be drawn.
        ImportError: Without the extra packages that drawing takes.
    """
    if suffix not in SUFFIXES:
        raise ValueError(f"A picture ends in {', '.join(SUFFIXES)}, not {suffix!r}.")
    made: list[Any]
    if suffix == ".txt" and style == "tree":
        from spacy_gfl.tools.pictures.trees import find_trees, print_tree

        trees = read_options(TreeOptions, options)
        drawables = find_trees(_as_list(docs), trees)
        made = [print_tree(tree, trees) for tree in drawables]
    elif suffix == ".txt":
        raise ValueError(f"The style {style} cannot be drawn as text.")
    else:
        alone = _ALONE if suffix != ".html" else {}
        made, chosen = _draw(docs, style, {**alone, **(options or {})})
    if not made:
        raise ValueError("There is no sentence to draw.")
    if suffix == ".txt":
        return "\n".join(map(str, made)).encode()
    if suffix == ".html":
        return _page(made, chosen).encode()
    picture = stack(made, gap=24)
    svg = frame(picture, chosen)
    if suffix == ".svg":
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'.encode()
    n_pixels = picture.width * picture.height * scale**2
    if n_pixels > _LARGEST_PNG:
        raise ValueError(
            f"The PNG would have {n_pixels:,.0f} pixels, more than the limit of "
            f"{_LARGEST_PNG:,}. Draw an SVG, or choose a smaller scale."
        )
    return _png(svg, scale)


def _png(svg: str, scale: float) -> bytes:
    with extra_packages():
        import matplotlib
        import resvg_py
    # Where a machine has no fonts of its own, there are matplotlib's.
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=scale,
            # LastResort has a box for each script, and no letters.
            font_files=[
                str(p) for p in fonts.glob("*.ttf") if "LastResort" not in p.name
            ],
            sans_serif_family="DejaVu Sans",
            serif_family="DejaVu Serif",
            monospace_family="DejaVu Sans Mono",
        )
    )
