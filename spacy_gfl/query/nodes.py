"""Trees in the form that `nltk.tgrep` walks, of any depth and without recursion.

An `nltk.ParentedTree` would do but for this: it finds positions by recursion, in
time that grows with the cube of the depth; its words are bare strings that know
no parent, so that no relation can start at a word; and it takes equal subtrees
for the same one.
"""

from typing import Any, Iterator, List, Optional, Tuple

import nltk

from spacy_gfl.trees.tree import Tree


class Position:
    """The way from a node down to another one: of each node its place, from 0.

    It behaves as the tuple that nltk's tree positions are, without being written
    out: its length, its beginnings and comparisons take no time that grows with
    the depth.
    """

    __slots__ = ("base", "node")

    def __init__(self, node: "TreeNode", base: int) -> None:
        self.node = node
        self.base = base

    def __len__(self) -> int:
        return len(self.node.path) - 1 - self.base

    def __iter__(self) -> Iterator[int]:
        path = self.node.path
        return (path[i].index for i in range(self.base + 1, len(path)))

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            return (
                tuple(self)[at] if at < 0 else self.node.path[self.base + 1 + at].index
            )
        if (
            at.start is not None
            or at.step is not None
            or at.stop is None
            or at.stop < 0
        ):
            return tuple(self)[at]
        if at.stop >= len(self):
            return self
        return Position(self.node.path[self.base + at.stop], self.base)

    # Tuples of places are sorted as the nodes are in pre-order.
    def __lt__(self, other: "Position") -> bool:
        return self.node.at < other.node.at

    def __gt__(self, other: "Position") -> bool:
        return self.node.at > other.node.at

    def __eq__(self, other: object) -> bool:
        return (
            tuple(self) == tuple(other)
            if isinstance(other, (Position, tuple))
            else False
        )

    def __hash__(self) -> int:
        return hash(tuple(self))


class TreeNode(nltk.Tree):
    """A constituent, a tag or a word, with the methods of a ParentedTree.

    A word is a node without children whose label is the word.

    index: The place among its sisters, from 0.
    at: The place in the tree in pre-order, from 0.
    path: The nodes from the root to this one, both included.
    start, end: The words under it, counted from 0.
    first: How many constituents (tags, words and TOP are none) come before it in
        pre-order: the index in `Tree.constituents` of the first one inside it,
        itself included.
    """

    def __init__(self, label: str, parent: Optional["TreeNode"] = None) -> None:
        super().__init__(label, [])
        self._parent = parent
        if parent is None:
            self._nodes: List[TreeNode] = []
            self.path: Tuple[TreeNode, ...] = (self,)
            self.index = 0
        else:
            self._nodes = parent._nodes
            self.path = (*parent.path, self)
            self.index = len(parent)
            parent.append(self)
        self.at = len(self._nodes)
        self._nodes.append(self)
        self._following = self.at + 1
        self._positions: Optional[List[Position]] = None
        self.start = self.end = self.first = 0

    # nltk compares nodes by == where it means "the same node".
    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: Any) -> Any:
        """A child, or the node at a position from here."""
        if isinstance(index, Position):
            return index.node
        if not isinstance(index, (tuple, list)):
            return list.__getitem__(self, index)
        node = self
        for place in index:
            node = list.__getitem__(node, place)
        return node

    def parent(self) -> Optional["TreeNode"]:
        return self._parent

    def parent_index(self) -> Optional[int]:
        return None if self._parent is None else self.index

    def left_sibling(self) -> Optional["TreeNode"]:
        return self._sister(self.index - 1)

    def right_sibling(self) -> Optional["TreeNode"]:
        return self._sister(self.index + 1)

    def root(self) -> "TreeNode":
        return self._nodes[0]

    def treeposition(self) -> Position:
        return Position(self, 0)

    def treepositions(self, order: str = "preorder") -> List[Position]:
        """The positions of all nodes of the tree below, itself first, in pre-order.

        Raises ValueError for any other order.
        """
        if order != "preorder":
            raise ValueError(f"positions are given in preorder, not in {order}")
        base = len(self.path) - 1
        if self._parent is not None:
            nodes = self._nodes[self.at : self._following]
            return [Position(node, base) for node in nodes]
        # nltk asks the root for them at every node that it looks before or after.
        if self._positions is None:
            self._positions = [Position(node, base) for node in self._nodes]
        return self._positions

    def is_word(self) -> bool:
        return len(self) == 0

    def is_tag(self) -> bool:
        return len(self) == 1 and self[0].is_word()

    def close(self) -> None:
        """Take the end from the last child, which must be closed already."""
        if self.is_word():
            self.end = self.start + 1
        else:
            self.end, self._following = self[-1].end, self[-1]._following

    def _sister(self, index: int) -> Optional["TreeNode"]:
        if self._parent is None or not 0 <= index < len(self._parent):
            return None
        sister: TreeNode = self._parent[index]
        return sister


def tree_nodes(tree: Tree) -> List[TreeNode]:
    """All nodes of a tree in pre-order, as it is printed.

    Words and tags are among them, and TOP where the tree is printed with it,
    because no single constituent holds all words. No words, no nodes.
    """
    if not tree.words:
        return []
    pending: List[Tuple[Any, Optional[TreeNode]]] = [(tree.to_nltk(), None)]
    nodes: List[TreeNode] = []
    while pending:
        item, parent = pending.pop()
        if isinstance(item, nltk.Tree):
            node = TreeNode(item.label(), parent)
            pending.extend((child, node) for child in reversed(item))
        else:
            node = TreeNode(item, parent)
        nodes.append(node)
    _set_extents(nodes, len(tree.constituents))
    return nodes


def _set_extents(nodes: List[TreeNode], n_constituents: int) -> None:
    inner = [not (node.is_word() or node.is_tag()) for node in nodes]
    # TOP, where it is printed, is one more than there are constituents.
    n_before = n_constituents - sum(inner)
    n_words = 0
    for node, is_constituent in zip(nodes, inner, strict=True):
        node.start, node.first = n_words, max(n_before, 0)
        n_words += node.is_word()
        n_before += is_constituent
    for node in reversed(nodes):
        node.close()
