"""Pictures in HTML: on a page of their own, or in a notebook."""

from typing import Sequence

# Canvas and CanvasText are what the reader's light or dark setting makes them.
_STYLE = (
    ":root { color-scheme: light dark; } "
    "body { margin: 1rem; color: CanvasText; background: Canvas; }"
)
_PAGE = (
    "<!DOCTYPE html>",
    '<html dir="{direction}">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>spacy_gfl</title>",
    f"<style>{_STYLE}</style>",
    "</head>",
    "<body>",
)


def scrolling(svg: str) -> str:
    """A picture in its own size, to be scrolled where it is wider than its place.

    The class keeps MathJax from reading formulas into words such as `$`.
    """
    return (
        '<div class="spacy-gfl-picture tex2jax_ignore mathjax_ignore" '
        f'style="overflow-x: auto; margin-bottom: 1.5rem">{svg}</div>'
    )


def make_page(svgs: Sequence[str], *, rtl: bool = False, minify: bool = False) -> str:
    """A page of HTML that shows pictures below each other.

    rtl: Whether the page begins on the right, and so does its scrolling.
    minify: Leave out the line breaks.
    """
    lines = [*_PAGE, *map(scrolling, svgs), "</body>", "</html>"]
    text = ("" if minify else "\n").join(lines) + ("" if minify else "\n")
    return text.replace("{direction}", "rtl" if rtl else "ltr", 1)
