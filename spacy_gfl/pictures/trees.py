"""Trees as pictures by svgling, and as drawings of letters by nltk."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unicodedata import east_asian_width

import nltk
from nltk.tree.prettyprinter import TreePrettyPrinter
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.extensions import span_tree
from spacy_gfl.annotation.probabilities import inner_probabilities
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.pictures.options import TreeOptions
from spacy_gfl.pictures.svg import Picture, clean, stack, text_width
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABEL, Child, Tree

# Kinds of nodes, each with its style. A roof has the words of a folded constituent, a
# reference the number of the part in which a constituent is drawn.
_STYLES = {
    "label": "font-weight: bold; font-style: normal; fill-opacity: 1;",
    "tag": "font-weight: normal; font-style: normal; fill-opacity: 0.7;",
    "word": "font-weight: normal; font-style: normal; fill-opacity: 1;",
    "reference": "font-weight: normal; font-style: italic; fill-opacity: 1;",
}
_STYLES["roof"] = _STYLES["word"]
_ROOF_LINE = 32  # characters
# Of the label of a constituent that is impossible; it can still be read.
_FAINTEST = 0.2


class Drawable(NamedTuple):
    """A tree to draw, from right to left if `rtl`.

    Its constituents have a probability each, NaN where it is unknown, or all have none.
    """

    tree: Tree
    rtl: bool = False
    probabilities: Sequence[float] = ()


@dataclass(eq=False)
class _Node:
    """A node of a drawing: its text, cleaned, its kind, probability and children."""

    text: str
    kind: str
    children: list["_Node"] = field(default_factory=list)
    probability: float = math.nan

    def width(self, options: TreeOptions) -> float:
        """The width of the text and the space around it, in font sizes."""
        spacing = options.spacing * (0.7 if options.compact else 1)
        return max(map(text_width, self.text.split("\n"))) + spacing


def find_trees(items: list[Any], options: TreeOptions) -> list[Drawable]:
    """Find the trees of Docs, spans and trees; none for what has no words.

    Raises:
        ValueError: Where there is no tree.
        TypeError: For anything else.
    """
    found: list[Drawable] = []
    for item in items:
        pairs: Iterable[tuple[Tree, Span | None]]
        if isinstance(item, Doc):
            pairs = zip(get_trees(item), item.sents, strict=True)
        elif isinstance(item, Span):
            pairs = [(span_tree(item), item)]
        elif isinstance(item, Tree | nltk.Tree):
            pairs = [(item if isinstance(item, Tree) else Tree.from_nltk(item), None)]
        else:
            raise TypeError(
                "Docs, spans, spacy_gfl.Tree and nltk.Tree can be drawn, not "
                f"{type(item).__name__}; parse_tree makes a Tree of brackets."
            )
        for tree, span in pairs:
            known = inner_probabilities(span) if span and options.probabilities else ()
            direction = options.direction
            if span and direction == "auto":
                direction = span.vocab.writing_system.get("direction", "ltr")
            if len(tree):
                found.append(Drawable(tree, direction == "rtl", known))
    return found


def draw_tree(drawable: Drawable, options: TreeOptions) -> Picture:
    """Draw one tree, in parts if it is wider than options.max_width."""
    tree, rtl, _ = drawable
    root = _build(drawable, options)
    taken: dict[_Node, _Node] = {}
    if options.max_width is not None:
        _split(root, options.max_width / options.font_size, options, taken)
    parts, pictures = [root], []
    for number, part in enumerate(parts):
        for node in _preorder(part):
            if node in taken:
                node.text = f"[{len(parts)}]"
                parts.append(taken[node])
        body, width, height = _draw(part, options, rtl)
        if number:
            body += f'<text y="-4" style="font-style: italic">[{number}]</text>'
        pictures.append(Picture(body, width, height, ""))
    return stack(pictures, gap=28)._replace(text=" ".join(tree.words), rtl=rtl)


def print_tree(drawable: Drawable, options: TreeOptions) -> str:
    """Draw one tree in letters; of options, probabilities, tags, max_depth count."""
    root = _build(drawable, options)
    words: list[str] = []

    def filled(text: str) -> str:
        # nltk counts characters, of which terminals show Chinese ones in two columns.
        return text + "\0" * sum(east_asian_width(c) in "FW" for c in text)

    def convert(node: _Node) -> Any:
        if node.children:
            is_known = not math.isnan(node.probability)
            text = f"{node.text} {node.probability:.2f}" if is_known else node.text
            return nltk.Tree(filled(text), list(map(convert, node.children)))
        # nltk keeps the order of leaves that are given as indices, and of no others.
        words.append(filled(node.text.replace("\n", " ")))
        return len(words) - 1

    top = convert(root if root.children else _Node("", "label", [root]))
    drawing = TreePrettyPrinter(top, words).text(unicodelines=True)
    lines = [line.rstrip() for line in drawing.replace("\0", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _build(drawable: Drawable, options: TreeOptions) -> _Node:
    """The nodes of a tree; a forest gets the root TOP, as in brackets."""
    tree, rtl, probabilities = drawable
    children = tree.children()
    tagged = options.tags
    if tagged is None:
        tagged = any(tag != MISSING_TAG for tag in tree.tags)

    def build(child: Child, level: int) -> _Node:
        at = child.at
        if child.is_word:
            leaf = _Node(clean(tree.words[at]), "word")
            return _Node(clean(tree.tags[at]), "tag", [leaf]) if tagged else leaf
        label, start, end = tree.constituents[at]
        # Only a constituent with others inside has something to fold.
        if level == options.max_depth and not all(one.is_word for one in children[at]):
            text = clean(" ".join(tree.words[start:end]))
            lines = textwrap.wrap(text, _ROOF_LINE, break_long_words=False)
            below = [_Node("\n".join(lines), "roof")]
        else:
            below = [build(one, level + 1) for one in children[at]]
        probability = probabilities[at] if probabilities else math.nan
        return _Node(clean(label), "label", below, probability)

    outermost = [build(child, 1) for child in children[-1]]
    root = (
        outermost[0] if len(outermost) == 1 else _Node(ROOT_LABEL, "label", outermost)
    )
    for node in _preorder(root) if rtl else ():
        node.children.reverse()
    return root


def _preorder(node: _Node) -> Iterator[_Node]:
    yield node
    for child in node.children:
        yield from _preorder(child)


def _split(
    node: _Node, limit: float, options: TreeOptions, taken: dict[_Node, _Node]
) -> float:
    """Put references for what makes a node wider than the limit; the width left."""
    widths = {child: _split(child, limit, options, taken) for child in node.children}
    below = sum(widths.values())
    for child in sorted(widths, key=widths.__getitem__, reverse=True):
        reference = _Node("[88]", "reference")
        rest = _Node(child.text, "label", [reference], child.probability)
        width = max(rest.width(options), reference.width(options))
        if below > limit and child.kind == "label" and width < widths[child]:
            node.children[node.children.index(child)] = rest
            taken[reference] = child
            below += width - widths[child]
    return max(node.width(options), below)


def _draw(root: _Node, options: TreeOptions, rtl: bool) -> tuple[str, float, float]:
    """SVG, and its width and height in pixels."""
    from svgling import core

    settings = core.TreeOptions(
        font_size=options.font_size,
        distance_to_daughter=options.distance * (0.6 if options.compact else 1),
        leaf_nodes_align=options.align_words,
        vert_align=core.VertAlign.TOP,
    )
    line = {"stroke": "currentColor", "stroke_width": 1}
    edge = core.EdgeStyle(**line)
    edges = {"roof": core.TriangleEdge(**line), "word": core.IndirectDescent(**line)}
    if options.compact and not options.align_words:
        edges["word"] = core.EmptyEdge()

    def place(node: _Node) -> tuple[Any, ...]:
        direction = "direction: rtl;" if node.kind == "roof" and rtl else ""
        is_label = node.kind in ("label", "tag")
        color = options.colors.get(node.text) if is_label else None
        opacity = _FAINTEST + (1 - _FAINTEST) * node.probability
        shade = "" if math.isnan(opacity) else f"fill-opacity: {opacity:.2f};"
        settings["font_style"] = f"{_STYLES[node.kind]} {direction} {shade}"
        settings["text_color"] = color or "currentColor"
        placed = core.node(node.text)(options=settings)
        placed.set_dimensions(width=node.width(options))
        for number, child in enumerate(node.children):
            placed.set_edge_style(number, edges.get(child.kind, edge))
        return (placed, *map(place, node.children))

    layout = core.TreeLayout(place(root), options=settings)
    # A text that is wider than estimated is not cut off.
    text = layout.get_svg().tostring().replace("<svg ", '<svg overflow="visible" ')
    return text, layout.width(), layout.height()
