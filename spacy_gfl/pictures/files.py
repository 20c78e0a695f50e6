"""Pictures as files: SVG, PNG, HTML, and drawings of letters."""

from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, TypeVar

import nltk
from nltk.tree.prettyprinter import TreePrettyPrinter

from spacy_gfl.pictures.inputs import as_list, tree_inputs
from spacy_gfl.pictures.nodes import Node, build
from spacy_gfl.pictures.options import TreeOptions, read_options
from spacy_gfl.pictures.page import make_page
from spacy_gfl.pictures.rendering import draw, missing_package
from spacy_gfl.pictures.svg import Element, stack_pictures, to_text
from spacy_gfl.pictures.svg import size as size_of

_Item = TypeVar("_Item")

#: The kinds of files, by their endings.
SUFFIXES = (".svg", ".png", ".html", ".txt")

# A file stands alone, on whatever background its viewer has.
_ALONE = {"color": "black", "bg": "white"}
#: Pixels of a PNG at most: it takes four bytes each to draw, and time.
_LARGEST_PNG = 50_000_000


def picture_file(
    docs: Any,
    suffix: str,
    style: str = "tree",
    options: Optional[Mapping[str, Any]] = None,
    *,
    scale: float = 2.0,
) -> bytes:
    """What a file of pictures holds: all of them, below each other.

    docs, style, options: As for `render`. An SVG or PNG is black on white unless
        options say otherwise.
    suffix: Which kind of file: one of SUFFIXES.
    scale: Pixels of a PNG to a pixel of the picture.

    Raises ValueError for another suffix, for .txt of anything but trees, where
        there is nothing to draw or a PNG would be too large, and whatever else
        `render` raises.
    """
    if suffix == ".txt":
        if style != "tree":
            raise ValueError(f"The style {style} cannot be drawn as text.")
        return draw_text(docs, options).encode("utf-8")
    if suffix == ".html":
        pictures = draw(docs, style, options)
        texts = [to_text(element) for element in _some(pictures.elements)]
        return make_page(texts, rtl=pictures.rtl).encode("utf-8")
    if suffix not in SUFFIXES:
        raise ValueError(f"Pictures end in {', '.join(SUFFIXES)}, not {suffix!r}.")
    elements = _some(draw(docs, style, {**_ALONE, **(options or {})}).elements)
    element = elements[0] if len(elements) == 1 else stack_pictures(elements, gap=0)
    if suffix == ".png":
        return _png(element, scale)
    text = to_text(element)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _some(elements: Sequence[_Item]) -> Sequence[_Item]:
    if not elements:
        raise ValueError("There is no sentence to draw.")
    return elements


def _png(element: Element, scale: float) -> bytes:
    try:
        import matplotlib
        import resvg_py
    except ImportError as error:
        raise missing_package(error) from error
    width, height = (length * scale for length in size_of(element))
    if width * height > _LARGEST_PNG:
        raise ValueError(
            f"The PNG would have {width:.0f} x {height:.0f} pixels, more than the "
            f"{_LARGEST_PNG:,} it may: draw an SVG, or choose a smaller scale."
        )
    # Where a machine has no fonts of its own, there are matplotlib's.
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=to_text(element),
            zoom=scale,
            font_dirs=[str(fonts)],
            sans_serif_family="DejaVu Sans",
            serif_family="DejaVu Serif",
            monospace_family="DejaVu Sans Mono",
        )
    )


def draw_text(docs: Any, options: Optional[Mapping[str, Any]] = None) -> str:
    """Trees as drawings of letters and lines, by nltk.

    options: Those of trees; here tags, max_depth and direction count.
    Raises as `render` does.
    """
    chosen = read_options(TreeOptions, options)
    drawings: List[str] = []
    for item in as_list(docs):
        for tree, rtl in tree_inputs(item):
            rtl = chosen.direction == "rtl" or (chosen.direction == "auto" and rtl)
            drawings.append(_print_pretty(build(tree, chosen, rtl=rtl)))
    return "\n".join(_some(drawings))


def _print_pretty(root: Node) -> str:
    """The tree's drawing; words are leaves, and so is what stands under a roof."""
    leaves: List[str] = []
    for node in root.preorder():
        if not node.children:
            leaves.append(node.text.replace("\n", " "))
    # nltk keeps the order of leaves that are given as indices, and of no others.
    made: Dict[Node, Any] = {}
    following = len(leaves)
    for node in reversed(list(root.preorder())):
        if node.children:
            made[node] = nltk.Tree(node.text, [made[child] for child in node.children])
        else:
            following -= 1
            made[node] = following
            if node.tag is not None:
                made[node] = nltk.Tree(node.tag, [following])
    top = made[root] if isinstance(made[root], nltk.Tree) else nltk.Tree("", [0])
    drawing = TreePrettyPrinter(top, leaves).text(unicodelines=True)
    lines = [line.rstrip() for line in drawing.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"
