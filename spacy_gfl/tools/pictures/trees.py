"""Trees as pictures by svgling, and as drawings of letters by nltk."""

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias
from unicodedata import category, east_asian_width

import nltk
from nltk.tree.prettyprinter import TreePrettyPrinter
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.probabilities import inner_probabilities
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.functions.attributes import tagged_tree
from spacy_gfl.languages import en
from spacy_gfl.tools.pictures.options import TreeOptions
from spacy_gfl.tools.pictures.svg import Picture, clean, stack, text_width
from spacy_gfl.trees.escaping import visible
from spacy_gfl.trees.labels import split_label
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
# Function tags are smaller than the label before them; the mark is no character.
_SMALL = 0.7
_MARK = "\ue000"
_MARKED = re.compile(f"{_MARK}([^<]*)")
_FUNCTIONS = re.compile(r"(?:[-=]\w+)+")


class Drawable(NamedTuple):
    """A tree to draw, from right to left if `rtl`.

    Its constituents have a probability each, NaN where it is unknown, or all have none.
    """

    tree: Tree
    rtl: bool = False
    probabilities: Sequence[float] = ()


@dataclass(eq=False)
class _Node:
    """A node of a drawing: its text, cleaned, its kind, probability and children.

    What is small is drawn behind the text: the function tags of a label.
    """

    text: str
    kind: str
    children: list["_Node"] = field(default_factory=list)
    probability: float = math.nan
    small: str = ""


#: How wide the text of a node is drawn.
_Width: TypeAlias = Callable[[_Node], float]


def find_trees(items: list[Any], options: TreeOptions) -> list[Drawable]:
    """Find the trees of Docs, spans and trees; none for what has no words.

    Raises:
        ValueError: Where there is no tree.
        TypeError: For anything else.
    """
    drawables: list[Drawable] = []
    for item in items:
        pairs: Iterable[tuple[Tree, Span | None]]
        if isinstance(item, Doc):
            pairs = zip(get_trees(item, functions=True), item.sents, strict=True)
        elif isinstance(item, Span):
            pairs = [(tagged_tree(item), item)]
        elif isinstance(item, Tree | nltk.Tree):
            pairs = [(item if isinstance(item, Tree) else Tree.from_nltk(item), None)]
        else:
            raise TypeError(
                "render draws Docs, spans, spacy_gfl.Tree and nltk.Tree, not "
                f"{type(item).__name__}. parse_tree makes a Tree from brackets."
            )
        for tree, span in pairs:
            known = inner_probabilities(span) if span and options.probabilities else ()
            direction = options.direction
            if span and direction == "auto":
                direction = span.vocab.writing_system.get("direction", "ltr")
            if len(tree):
                drawables.append(Drawable(tree, direction == "rtl", known))
    return drawables


def draw_tree(drawable: Drawable, options: TreeOptions) -> Picture:
    """Draw one tree, in parts if it is wider than options.max_width."""
    tree, rtl, _ = drawable
    limit = options.max_width and options.max_width / options.font_size

    def width(node: _Node) -> float:
        """The width of a text and the space around it, in font sizes."""
        spacing = options.spacing * (0.7 if options.compact else 1)
        small = _SMALL * text_width(node.small)
        return max(map(text_width, node.text.split("\n"))) + small + spacing

    pictures = []
    for number, part in enumerate(_parts(_build(drawable, options), limit, width)):
        body, wide, high = _draw(part, options, rtl, width)
        if number:
            body += f'<text y="-4" style="font-style: italic">[{number}]</text>'
        pictures.append(Picture(body, wide, high, ""))
    return stack(pictures, gap=28)._replace(text=" ".join(tree.words), rtl=rtl)


def print_tree(drawable: Drawable, options: TreeOptions) -> str:
    """Draw one tree in letters, in parts if it is wider than options.max_width.

    Uses the options probabilities, punctuation, tags, max_depth and max_width.
    """
    limit = options.max_width
    while True:
        parts = _parts(_build(drawable, options), limit, _columns)
        drawings = list(map(_print_part, parts))
        width = max(map(_shown_width, "\n".join(drawings).split("\n")))
        # How wide nltk draws can only be estimated before.
        if limit is None or width <= (options.max_width or 0) or limit < 1:
            break
        limit *= 0.8
    titled = (f"[{at}]\n{drawing}" for at, drawing in enumerate(drawings[1:], start=1))
    return "\n".join([drawings[0], *titled])


def _columns(node: _Node) -> float:
    """The columns of a terminal that a text takes, the one beside it included."""
    return max(_shown_width(node.text + node.small), 3) + 1


def _shown_width(text: str) -> int:
    """The columns of a terminal: Chinese characters, and others, take two."""
    return len(text) + sum(east_asian_width(c) in "FW" for c in text)


def _print_part(root: _Node) -> str:
    words: list[str] = []

    def filled(text: str) -> str:
        text = visible(text.replace("\n", " "))
        # nltk counts characters.
        return text + "\0" * (_shown_width(text) - len(text))

    def convert(node: _Node) -> Any:
        if node.children:
            is_known = not math.isnan(node.probability)
            text = node.text + node.small
            text = f"{text} {node.probability:.2f}" if is_known else text
            return nltk.Tree(filled(text), list(map(convert, node.children)))
        # nltk keeps the order of leaves that are given as indices, and of no others.
        words.append(filled(node.text))
        return len(words) - 1

    top = convert(root if root.children else _Node("", "label", [root]))
    drawing = TreePrettyPrinter(top, words).text(unicodelines=True)
    lines = [line.rstrip() for line in drawing.replace("\0", "").split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def _build(drawable: Drawable, options: TreeOptions) -> _Node:
    """The nodes of a tree; a forest gets the root TOP, as in brackets."""
    tree, rtl, probabilities = drawable
    children = tree.children()
    tagged = options.tags
    if tagged is None:
        tagged = any(tag != MISSING_TAG for tag in tree.tags)

    marks = {
        at
        for at, (tag, word) in enumerate(zip(tree.tags, tree.words, strict=True))
        if tag in en.LANGUAGE.punctuation or all(category(c)[0] == "P" for c in word)
    }
    # A tree of nothing but marks is drawn all the same.
    left_out = set() if options.punctuation or len(marks) == len(tree) else marks

    def build(child: Child, level: int) -> list[_Node]:
        """The node of a constituent or word, none where nothing of it is drawn."""
        at = child.at
        if child.is_word:
            if at in left_out:
                return []
            leaf = _Node(clean(tree.words[at]), "word")
            return [_Node(clean(tree.tags[at]), "tag", [leaf])] if tagged else [leaf]
        label, start, end = tree.constituents[at]
        # Only a constituent with others inside has something to fold.
        if level == options.max_depth and not all(one.is_word for one in children[at]):
            words = (tree.words[i] for i in range(start, end) if i not in left_out)
            text = clean(" ".join(words))
            lines = textwrap.wrap(text, _ROOF_LINE, break_long_words=False)
            below = [_Node("\n".join(lines), "roof")] if lines else []
        else:
            below = [node for one in children[at] for node in build(one, level + 1)]
        probability = probabilities[at] if probabilities else math.nan
        name, functions = split_label(label)
        if not _FUNCTIONS.fullmatch(functions):
            name, functions = label, ""
        node = _Node(clean(name), "label", below, probability, clean(functions))
        return [node] if below else []

    outermost = [node for child in children[-1] for node in build(child, 1)]
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


def _parts(root: _Node, limit: float | None, width: _Width) -> list[_Node]:
    """Cut a tree into parts of at most a width, if that can be; the first has the root.

    References to the others have their numbers.
    """
    taken: dict[_Node, _Node] = {}
    if limit is not None:
        _split(root, limit, width, taken)
    parts = [root]
    for part in parts:
        for node in _preorder(part):
            if node in taken:
                node.text = f"[{len(parts)}]"
                parts.append(taken[node])
    return parts


def _split(
    node: _Node, limit: float, width: _Width, taken: dict[_Node, _Node]
) -> float:
    """Put references for what makes a node wider than the limit; the width left."""
    widths = {child: _split(child, limit, width, taken) for child in node.children}
    below = sum(widths.values())
    for child in sorted(widths, key=widths.__getitem__, reverse=True):
        reference = _Node("[88]", "reference")
        rest = replace(child, children=[reference])
        least = max(width(rest), width(reference))
        if below > limit and child.kind == "label" and least < widths[child]:
            node.children[node.children.index(child)] = rest
            taken[reference] = child
            below += least - widths[child]
    return max(width(node), below)


def _draw(
    root: _Node, options: TreeOptions, rtl: bool, width: _Width
) -> tuple[str, float, float]:
    """SVG, and its width and height in pixels."""
    from svgling import core

    settings = core.TreeOptions(
        font_size=options.font_size,
        distance_to_daughter=options.distance * (0.6 if options.compact else 1),
        leaf_nodes_align=options.align_words,
        vert_align=core.VertAlign.TOP,
        # As an attribute, svgwrite refuses colours that SVG 1.1 has not, such as hsl().
        text_color="inherit",
    )
    line = {"stroke": "currentColor", "stroke_width": 1}
    edge = core.EdgeStyle(**line)
    edges = {"roof": core.TriangleEdge(**line), "word": core.IndirectDescent(**line)}
    if options.compact and not options.align_words:
        edges["word"] = core.EmptyEdge()

    def place(node: _Node) -> tuple[Any, ...]:
        direction = "direction: rtl;" if node.kind == "roof" and rtl else ""
        is_label = node.kind in ("label", "tag")
        colors = options.colors
        color = colors.get(node.text + node.small, colors.get(node.text))
        opacity = _FAINTEST + (1 - _FAINTEST) * node.probability
        shade = "" if math.isnan(opacity) else f"fill-opacity: {opacity:.2f};"
        fill = f"fill: {(is_label and color) or 'currentColor'};"
        settings["font_style"] = f"{_STYLES[node.kind]} {direction} {shade} {fill}"
        text = f"{node.text}{_MARK}{node.small}" if node.small else node.text
        placed = core.node(text)(options=settings)
        placed.set_dimensions(width=width(node))
        for number, child in enumerate(node.children):
            placed.set_edge_style(number, edges.get(child.kind, edge))
        return (placed, *map(place, node.children))

    layout = core.TreeLayout(place(root), options=settings)
    # A text that is wider than estimated is not cut off.
    text = layout.get_svg().tostring().replace("<svg ", '<svg overflow="visible" ')
    small = f'<tspan style="font-size: {_SMALL:.0%}">\\1</tspan>'
    return _MARKED.sub(small, text), layout.width(), layout.height()
