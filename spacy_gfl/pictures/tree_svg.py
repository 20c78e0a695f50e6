"""A tree as SVG, laid out and drawn by svgling."""

from typing import Any, Dict, List, Tuple
from xml.etree import ElementTree

import svgling.core
from svgwrite.container import SVG
from svgwrite.text import Text

from spacy_gfl.pictures.nodes import (
    LABEL,
    REFERENCE,
    ROOF,
    TAG,
    WORD,
    Node,
    build,
    split,
)
from spacy_gfl.pictures.options import TreeOptions
from spacy_gfl.pictures.svg import Element, stack_pictures
from spacy_gfl.trees.tree import Tree


class _Line(svgling.core.EdgeStyle):
    """A line from parent to child in the colour of the text, but lighter."""

    def svg_opts(self) -> Dict[str, Any]:
        return {"stroke": "currentColor", "stroke_width": 1, "stroke_opacity": 0.6}


class _Drop(svgling.core.IndirectDescent, _Line):
    """A line that leads one level down, and from there straight to a word.

    Straight from parent to word it would cross what lies between.
    """


class _Roof(svgling.core.TriangleEdge, _Line):
    """The triangle over the words of a constituent that is not drawn."""


_EDGES = {ROOF: _Roof, WORD: _Drop}


def draw_tree(tree: Tree, options: TreeOptions, *, rtl: bool = False) -> Element:
    """The picture of one tree, in parts if it is wider than options.max_width."""
    parts = split(build(tree, options, rtl=rtl), options)
    pictures = []
    for number, part in enumerate(parts):
        picture = _draw(part, options, rtl)
        if number:
            caption = ElementTree.Element("text", {"y": "-4", "fill": "currentColor"})
            caption.set("style", "font-style: italic")
            caption.text = f"[{number}]"
            picture.insert(0, caption)
        pictures.append(picture)
    return pictures[0] if len(pictures) == 1 else stack_pictures(pictures, gap=28)


def _draw(root: Node, options: TreeOptions, rtl: bool) -> Element:
    settings = svgling.core.TreeOptions(
        font_style=f"font-family: {options.font};",
        font_size=options.font_size,
        distance_to_daughter=_distance(root, options),
        leaf_nodes_align=options.align_words,
        vert_align=svgling.core.VertAlign.TOP,
    )
    # svgling takes nested tuples: children are made before their parents.
    made: Dict[Node, Tuple[Any, ...]] = {}
    for node in reversed(list(root.preorder())):
        children = [made.pop(child) for child in node.children]
        made[node] = (_place(node, options, settings, rtl), *children)
    layout = svgling.core.TreeLayout(made[root], options=settings)
    drawing = layout.get_svg()
    _show_overflow(drawing)
    return drawing.get_xml()


def _distance(root: Node, options: TreeOptions) -> float:
    """The space between two levels, in font sizes."""
    if not options.compact:
        return options.distance
    has_pairs = any(node.tag is not None for node in root.preorder())
    # A level of tags above words is two lines high, also where it has a label:
    # the empty line below the label is part of its distance.
    spared = 0.4 if has_pairs and not options.align_words else 0.0
    return max(0.75 * options.distance - spared, 0.3)


def _place(node: Node, options: TreeOptions, settings: Any, rtl: bool) -> Any:
    """One node as svgling has it: its text, measured, and its edges."""
    lines = node.lines()
    svg = SVG(x=0, y=0, width="100%")
    for number, (text, kind) in enumerate(lines, 1):
        style = _style(text, kind, options, rtl)
        y = f"{number * options.font_size:g}px"
        svg.add(Text(text, insert=("50%", y), text_anchor="middle", style=style))
    placed = svgling.core.NodePos(
        svg,
        width=node.own_width(options.spacing * (0.7 if options.compact else 1)),
        height=len(lines),
        options=settings,
        text=node.text,
    )
    for number, child in enumerate(node.children):
        placed.set_edge_style(number, _EDGES.get(child.kind, _Line)())
    return placed


def _style(text: str, kind: str, options: TreeOptions, rtl: bool) -> str:
    color = options.colors.get(text) if kind in (LABEL, TAG) else None
    rules = [f"fill: {color or 'currentColor'}"]
    if kind == LABEL:
        rules.append("font-weight: bold")
    elif kind == TAG and color is None:
        rules.append("fill-opacity: 0.7")
    elif kind == REFERENCE:
        rules.append("font-style: italic")
    elif kind == ROOF and rtl:
        rules.append("direction: rtl; unicode-bidi: embed")
    return "; ".join(rules)


def _show_overflow(drawing: Any) -> None:
    """Let no text be cut off that is wider than it was estimated to be."""
    pending: List[Any] = [drawing]
    while pending:
        element = pending.pop()
        if element.elementname == "svg":
            element["overflow"] = "visible"
        pending.extend(element.elements)
