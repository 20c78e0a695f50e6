"""`spacy_gfl.render` and `spacy_gfl.serve`, modelled on displaCy's; files.

What draws trees brings nltk, which is slow to import: it is imported when one is drawn.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from unicodedata import category
from wsgiref.simple_server import WSGIServer, make_server

import numpy as np
from spacy.tokens import Doc, Span
from spacy.util import find_available_port, is_in_jupyter

from spacy_gfl.annotation.storage import is_nltk
from spacy_gfl.pictures.options import (
    AttentionOptions,
    PictureOptions,
    TreeOptions,
    read_options,
)
from spacy_gfl.pictures.svg import Picture, frame, stack
from spacy_gfl.trees.tree import Tree

#: The kinds of files, by their endings.
SUFFIXES = (".svg", ".png", ".html", ".txt")
# A file stands alone, on whatever background its viewer has.
_ALONE = {"color": "black", "bg": "white"}
# A PNG takes four bytes a pixel to draw, and time.
_LARGEST_PNG = 50_000_000
# The page has styles and images of its own, and no scripts.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Names of this machine.
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
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
        jupyter: Display the pictures in a notebook instead of returning them. None
            for where there is a notebook.
        options: By name, what `TreeOptions` or `AttentionOptions` lists.

    Returns:
        One `<svg>` element a sentence, or the page; None where displayed.

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
        from spacy_gfl.pictures.trees import draw_tree, find_trees

        chosen = read_options(TreeOptions, options)
        found = find_trees(_as_list(docs), chosen)
        with extra_packages():
            return [draw_tree(tree, chosen) for tree in found], chosen
    if style == "attention":
        wanted = read_options(AttentionOptions, options)
        with extra_packages():
            from spacy_gfl.pictures.attention import draw_attention, find_attention
        matrices = find_attention(_as_list(docs), wanted)
        return [draw_attention(matrix, wanted) for matrix in matrices], wanted
    raise ValueError(f"There is no style {style!r}; there are tree, attention.")


def _as_list(docs: Any) -> list[Any]:
    """The things to draw as a list, also if there is only one."""
    # An nltk.Tree is a list itself, and a Doc can be iterated over.
    single = Doc | Span | Tree | Mapping | str | bytes
    is_single = isinstance(docs, single) or is_nltk(docs)
    return [docs] if is_single or not isinstance(docs, Iterable) else list(docs)


@contextmanager
def extra_packages(needing: str = "Pictures need") -> Iterator[None]:
    """Say how a package is installed that cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f'{needing} {error.name}, which `pip install "spacy-gfl[viz]"` installs.',
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
        raise ValueError(f"Pictures end in {', '.join(SUFFIXES)}, not {suffix!r}.")
    made: list[Any]
    if suffix == ".txt" and style == "tree":
        from spacy_gfl.pictures.trees import find_trees, print_tree

        trees = read_options(TreeOptions, options)
        found = find_trees(_as_list(docs), trees)
        made = [print_tree(tree, trees) for tree in found]
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
            f"The PNG would have {n_pixels:,.0f} pixels, more than the "
            f"{_LARGEST_PNG:,} it may: draw an SVG, or choose a smaller scale."
        )
    data = _png(svg, scale)
    if lost := _lost_letters(svg, chosen.font):
        warnings.warn(
            f"No font of this machine has {' '.join(lost)}: the PNG shows boxes in "
            "their place. Install a font that has them, or draw an SVG.",
            stacklevel=2,
        )
    return data


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


def _lost_letters(svg: str, font: str) -> list[str]:
    """The characters of a picture that look like one that no font has."""
    text = set(unescape(re.sub("<[^>]*>", "", svg)))
    # Marks, white space and controls have no picture of their own.
    unseen = re.compile("M|Z|C[cf]")
    letters = [c for c in text if not (c.isascii() or unseen.match(category(c)))]
    if not letters:
        return []
    from matplotlib.image import imread

    # No font has the first.
    letters = ["\U0010ffff", *sorted(letters)]
    cells = "".join(
        f'<text x="{24 * i + 4}" y="18">{letter}</text>'
        for i, letter in enumerate(letters)
    )
    row = _png(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 * len(letters)}" '
        f'height="24" style="font-family: {font}; font-size: 12px">{cells}</svg>',
        scale=1,
    )
    box, *drawn = np.split(imread(BytesIO(row)), len(letters), axis=1)
    return [
        c for c, cell in zip(letters[1:], drawn, strict=True) if (cell == box).all()
    ]


def serve(
    docs: Any,
    style: str = "tree",
    page: bool = True,
    minify: bool = False,
    options: Mapping[str, Any] | None = None,
    port: int = 5000,
    host: str = "127.0.0.1",
    auto_select_port: bool = False,
) -> None:
    """Serve pictures on a local port until interrupted (Ctrl+C).

    Args:
        docs: A Doc, a Span, a tree, or several of them; what `render` draws.
        style: "tree" or "attention".
        page: Serve a whole HTML page instead of SVG alone.
        minify: Put everything on one line.
        options: By name, what `TreeOptions` or `AttentionOptions` lists.
        port: The port; 0 is any that is free.
        host: The name to listen at. Only at another than the default can other machines
            reach the pictures.
        auto_select_port: Where the port is in use, take the next free one, and warn.

    Raises:
        ValueError: If the port is in use, and whatever else `render` raises.
    """
    html = render(docs, style, page, minify, False, options) or ""
    with make_picture_server(html, port, host, auto_select_port) as server:
        print(f"\nUsing the '{style}' visualizer")
        print(f"Serving on http://{host}:{server.server_port} ...\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(f"Shutting down server on port {server.server_port}.")


def make_picture_server(
    html: str, port: int, host: str = "127.0.0.1", auto_select_port: bool = False
) -> WSGIServer:
    """Make the server that `serve` runs: it has this page and nothing else.

    On the loopback it answers those alone who call it by a name of this machine, so
    that no page on the web can read it under a name of its own (DNS rebinding).
    """

    def application(environ: Any, start_response: Callable[..., Any]) -> list[bytes]:
        asked = re.sub(r":\d*$", "", environ.get("HTTP_HOST", "")).lower()
        status, body = "200 OK", html.encode()
        if host in _LOOPBACK and asked not in _LOOPBACK:
            status, body = "421 Misdirected Request", b""
        elif environ["PATH_INFO"] not in ("/", "/index.html"):
            status, body = "404 Not Found", b""
        elif environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            status, body = "405 Method Not Allowed", b""
        headers = {
            "Allow": "GET, HEAD",
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": _POLICY,
        }
        start_response(status, list(headers.items()))
        return [body] if environ["REQUEST_METHOD"] == "GET" else []

    if port:
        port = find_available_port(port, host, auto_select_port)
    return make_server(host, port, application)
