"""Trees as they are drawn: labels, tags and words as nodes with children.

Deep constituents are folded under a roof, wide trees cut into parts. Nothing
here is recursive.
"""

import textwrap
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Set, Tuple

from spacy_gfl.pictures.options import TreeOptions
from spacy_gfl.pictures.text import clean, text_width
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABEL, Tree

#: Kinds of nodes. A roof has the words of a folded constituent, a reference the
#: number of the part in which a constituent is drawn.
LABEL, TAG, WORD, ROOF, REFERENCE = "label", "tag", "word", "roof", "reference"
_ROOF_LINE = 32  # characters


@dataclass(eq=False)
class Node:
    """A node of a picture.

    text: What is written; cleaned. Only a roof has more than one line.
    kind: One of the kinds above.
    children: From left to right as drawn.
    tag: The tag that a compact picture writes above the word.
    """

    text: str
    kind: str
    children: List["Node"] = field(default_factory=list)
    tag: Optional[str] = None

    def preorder(self) -> Iterator["Node"]:
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def own_width(self, spacing: float) -> float:
        """The width of the text with the space around it, in font sizes."""
        return max(text_width(text) for text, _ in self.lines()) + spacing

    def lines(self) -> List[Tuple[str, str]]:
        """The lines of the node, each with its kind."""
        lines = [(line, self.kind) for line in self.text.split("\n")]
        return lines if self.tag is None else [(self.tag, TAG), *lines]


def build(tree: Tree, options: TreeOptions, *, rtl: bool = False) -> Node:
    """The nodes of a tree, folded where it is deeper than options.max_depth.

    rtl: Put the first word on the right.
    A forest gets the root TOP, as in brackets.
    """
    top = Node(ROOT_LABEL, LABEL)
    stack = [top]
    with_tags = _has_tags(tree) if options.tags is None else options.tags
    to_fold = _to_fold(tree, options.max_depth)
    folded, roof = -1, [""]
    for kind, at in tree.events():
        if folded >= 0:
            if kind == "word":
                roof.append(tree.words[at])
            elif kind == "close" and at == folded:
                stack.pop().children.append(_roof(roof))
                folded = -1
        elif kind == "open":
            node = Node(clean(tree.constituents[at].label), LABEL)
            stack[-1].children.append(node)
            stack.append(node)
            if at in to_fold:
                folded, roof = at, []
        elif kind == "close":
            stack.pop()
        else:
            tag = clean(tree.tags[at]) if with_tags else None
            stack[-1].children.append(_word(clean(tree.words[at]), tag, options))
    root = top.children[0] if len(top.children) == 1 else top
    if rtl:
        for node in list(root.preorder()):
            node.children.reverse()
    return root


def _has_tags(tree: Tree) -> bool:
    return any(tag != MISSING_TAG for tag in tree.tags)


def _to_fold(tree: Tree, max_depth: int) -> Set[int]:
    """The constituents on the lowest level that have others inside."""
    parents = tree.parents()
    levels: List[int] = []
    for parent in parents:
        levels.append(levels[parent] + 1 if parent >= 0 else 1)
    return {parent for parent in parents if parent >= 0 and levels[parent] == max_depth}


def _roof(words: List[str]) -> Node:
    text = clean(" ".join(words))
    lines = textwrap.wrap(text, _ROOF_LINE, break_long_words=False)
    return Node("\n".join(lines) or text, ROOF)


def _word(text: str, tag: Optional[str], options: TreeOptions) -> Node:
    if tag is None or options.compact:
        return Node(text, WORD, tag=tag)
    return Node(tag, TAG, [Node(text, WORD)])


def split(root: Node, options: TreeOptions) -> List[Node]:
    """Cut a tree that is wider than options.max_width into parts.

    Returns the root's part first, then those that were taken out of it, in the
        order of their numbers, which begin with 1. Where even the labels and
        words under one node are too wide, so is that part.
    """
    if options.max_width is None:
        return [root]
    limit = options.max_width / options.font_size
    widths: Dict[Node, float] = {}
    taken: Dict[Node, Node] = {}
    for node in reversed(list(root.preorder())):
        below = sum(widths[child] for child in node.children)
        own = node.own_width(options.spacing)
        for child in sorted(node.children, key=widths.__getitem__, reverse=True):
            if max(own, below) <= limit:
                break
            reference = Node("[88]", REFERENCE)
            rest = Node(child.text, child.kind, [reference])
            width = max(n.own_width(options.spacing) for n in (rest, reference))
            if child.kind == LABEL and width < widths[child]:
                node.children[node.children.index(child)] = rest
                taken[reference] = child
                below += width - widths[child]
        widths[node] = max(own, below)
    return _numbered(root, taken)


def _numbered(root: Node, taken: Dict[Node, Node]) -> List[Node]:
    """The parts in the order in which they are referred to."""
    parts = [root]
    for part in parts:
        for node in part.preorder():
            if node in taken:
                node.text = f"[{len(parts)}]"
                parts.append(taken[node])
    return parts
