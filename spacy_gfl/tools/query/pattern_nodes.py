"""The nodes of a tree as patterns see them, and how they stand to each other."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from spacy_gfl.languages.heads import find_heads
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import ROOT_LABEL, Constituent, Tree

_VERTICAL = re.compile(r"([<>])(\1?)([,':#-]|(?<!<<|>>)-?[1-9][0-9]*|)")
_HORIZONTAL = re.compile(r"([$%]?)(([.,])\3?|)")
#: Tregex's names of sisters, in the order in which they are looked for.
_TREGEX = {"++": "..", "--": ",,", "+": ".", "-": ","}
_HEAD = 0
_PLACES = {"": (), ",": (1,), "'": (-1,), "-": (-1,), ":": (1, -1), "#": (_HEAD,)}
_CONVERSES = {"<": ">", ">": "<", ".": ",", ",": "."}


class Node(NamedTuple):
    """A constituent, tag or word.

    Attributes:
        label: The label, the tag, or the word.
        start, end: Its words, counted from 0.
        parent: The place in pre-order of the node above, -1 for the root.
        first: The index in `Tree.constituents` of the first one inside it, itself
            included, if there is any.
        functions: Its function tags, joined by hyphens, which `constituent_functions`
            has found.
    """

    label: str
    start: int
    end: int
    parent: int
    first: int
    functions: str = ""


class Relation(NamedTuple):
    """The relation of two nodes that an operator stands for.

    Attributes:
        way: Where the second node is: `<` below, `>` above, `.` after, `,` before, or
            `$` on either side.
        far: At any distance, not only next.
        sisters: The two have the same parent.
        places: On the way down from the upper node to the lower one, all places
            that each node has among its sisters: 1 is the first, -1 the last, 0 that
            of their parent's head.
    """

    way: str
    far: bool = False
    sisters: bool = False
    places: tuple[int, ...] = ()

    def converse(self) -> "Relation":
        """The relation that the second node has to the first."""
        return self._replace(way=_CONVERSES.get(self.way, self.way))


def parse_operator(text: str) -> Relation | None:
    """Read an operator of TGrep2 or Tregex, such as `<<,`; None if it is none."""
    if match := _VERTICAL.fullmatch("<<," if text == "<<1" else text):
        way, far, mark = match.groups()
        places = _PLACES[mark] if mark in _PLACES else (int(mark),)
        return Relation(way, bool(far), places=places)
    if text[0] in "$%" and text[1:] in _TREGEX:
        text = text[0] + _TREGEX[text[1:]]
    if match := _HORIZONTAL.fullmatch(text):
        sisters, side, way = match.groups("$")
        return Relation(way, far=len(side) != 1, sisters=bool(sisters))
    return None


def tree_nodes(tree: Tree, functions: Sequence[str] = ()) -> list[Node]:
    """The nodes of a tree in pre-order, with TOP where `Tree.brackets` writes it.

    Each constituent gets its function tags, if there are any.
    """
    nodes: list[Node] = []
    path, n_opened = [-1], 0
    if tree.needs_root():
        nodes.append(Node(ROOT_LABEL, 0, len(tree), -1, 0))
        path.append(0)
    for kind, at in tree.events():
        if kind == "close":
            path.pop()
        elif kind == "open":
            tags = functions[at] if functions else ""
            nodes.append(Node(*tree.constituents[at], path[-1], at, tags))
            path.append(len(nodes) - 1)
            n_opened = at + 1
        else:
            nodes.append(Node(tree.tags[at], at, at + 1, path[-1], n_opened))
            nodes.append(Node(tree.words[at], at, at + 1, len(nodes) - 1, n_opened))
    return nodes


def rooted_nodes(tree: Tree) -> list[Node]:
    """The nodes of a tree in pre-order: TOP, ROOT, and all else without functions.

    Every sentence stands under ROOT, as in the trees of Stanford's parser, and labels
    such as NP-SBJ lose what follows the hyphen.
    """
    labels = (
        Constituent(split_label(label)[0], start, end)
        for label, start, end in tree.constituents
    )
    root = Constituent("ROOT", 0, len(tree))
    return tree_nodes(Tree(tree.words, tree.tags, (root, *labels)))


def shown(nodes: Sequence[Node], at: int) -> Node:
    """A node as users see it: a word has the label of its tag."""
    node = nodes[at]
    is_word = at + 1 == len(nodes) or nodes[at + 1].parent != at
    return node._replace(label=nodes[node.parent].label) if is_word else node


def related(
    nodes: Sequence[Node], relation: Relation, others: Collection[int]
) -> set[int]:
    """Find the nodes that have a relation to any of the others, in linear time.

    All nodes of a tree are given, in pre-order; found and others are places in it.
    """
    way, far, sisters, places = relation
    related_nodes: set[int] = set()
    if way == "<":
        edges = _edges(nodes, places)
        for i in others:
            # Above what is found already, all is found.
            while i in edges and (i := nodes[i].parent) not in related_nodes:
                related_nodes.add(i)
                if not far:
                    break
    elif way == ">":
        edges = _edges(nodes, places)
        for i, node in enumerate(nodes):
            is_below = node.parent in others or (far and node.parent in related_nodes)
            if is_below and i in edges:
                related_nodes.add(i)
    else:
        extents = [(n.parent if sisters else 0, n.start, n.end) for n in nodes]
        if way in ".$":
            related_nodes |= _before(extents, far, others)
        if way in ",$":
            # In a mirror, what comes after comes before.
            extents = [(scope, -end, -start) for scope, start, end in extents]
            related_nodes |= _before(extents, far, others)
    return related_nodes


def _edges(nodes: Sequence[Node], places: tuple[int, ...]) -> Collection[int]:
    """The nodes below others that have all these places among their sisters."""
    if not places:
        return range(1, len(nodes))
    if places == (_HEAD,):
        return _head_children(tuple(nodes))
    sizes = Counter(node.parent for node in nodes)
    n_seen: Counter[int] = Counter()
    below = set()
    for i, node in enumerate(nodes[1:], start=1):
        n_seen[node.parent] += 1
        place = n_seen[node.parent]
        if {place, place - sizes[node.parent] - 1}.issuperset(places):
            below.add(i)
    return below


@lru_cache(maxsize=8)
def _head_children(nodes: tuple[Node, ...]) -> set[int]:
    """The nodes that are the heads of their parents, by Collins' rules."""
    parents = {node.parent for node in nodes}
    words = [i for i in range(len(nodes)) if i not in parents]
    tags = [nodes[i].parent for i in words]
    inner = sorted(parents.difference(tags, [-1]))
    tree = Tree(
        tuple([nodes[i].label for i in words]),
        tuple([nodes[i].label for i in tags]),
        tuple([Constituent(*nodes[i][:3]) for i in inner]),
    )
    heads = dict(zip(inner, find_heads(tree), strict=True))
    return {
        i
        for i, node in enumerate(nodes)
        # The only child of a tag is its word.
        if node.start <= heads.get(node.parent, node.start) < node.end
        and node.parent >= 0
    }


def _before(
    extents: Sequence[tuple[int, int, int]], far: bool, others: Collection[int]
) -> set[int]:
    """The nodes that end where others of their scope start, or before."""
    if not far:
        starts = {extents[i][:2] for i in others}
        return {i for i, (at, _, end) in enumerate(extents) if (at, end) in starts}
    last: dict[int, int] = {}
    for at, start, _ in (extents[i] for i in others):
        last[at] = max(start, last.get(at, start))
    return {i for i, (at, _, end) in enumerate(extents) if end <= last.get(at, end - 1)}
