"""TGrep2 patterns, searched for in trees."""

from collections.abc import Sequence
from typing import NamedTuple

from spacy_gfl.query.expressions import Search
from spacy_gfl.query.nodes import Node, tree_nodes
from spacy_gfl.query.syntax import PatternError, parse_pattern
from spacy_gfl.trees.tree import Constituent, Tree

__all__ = ["Hit", "PatternError", "TreePattern", "hit_tree"]


class Hit(NamedTuple):
    """A node that a pattern matches.

    Attributes:
        label: Its label; of a word, the word's tag.
        start, end: Its words, counted from 0.
        first: The index in `Tree.constituents` of the first one inside it, itself
            included, if there is any.
    """

    label: str
    start: int
    end: int
    first: int


class TreePattern:
    """A TGrep2 pattern, ready to be searched for.

    Args:
        text: The pattern.

    Raises:
        PatternError: The text is no pattern; a ValueError that shows where.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._expression = parse_pattern(text)

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (self.text,)

    def __repr__(self) -> str:
        return f"TreePattern({self.text!r})"

    def search(self, tree: Tree) -> list[Hit]:
        """Find the nodes that are the pattern's head.

        The tree is searched as it is printed: with words and tags, and with TOP
        where `Tree.brackets` writes it.

        Args:
            tree: The tree to search.

        Returns:
            One hit an extent, that of the outermost node, in pre-order.

        Raises:
            ValueError: A match comes to a label (`=name`) that it has not bound.
            TimeoutError: A regular expression takes seconds.
        """
        return self.search_nodes(tree_nodes(tree))

    def search_nodes(self, nodes: Sequence[Node]) -> list[Hit]:
        """Search as `search` does, in nodes that `tree_nodes` gives."""
        found: dict[tuple[int, int], Hit] = {}
        for i in self.heads(nodes):
            _, start, end, parent, first = nodes[i]
            is_word = i + 1 == len(nodes) or nodes[i + 1].parent != i
            label = nodes[parent if is_word else i].label
            found.setdefault((start, end), Hit(label, start, end, first))
        return list(found.values())

    def heads(self, nodes: Sequence[Node]) -> list[int]:
        """Find all nodes that the pattern holds of, as places in pre-order."""
        try:
            return Search(nodes).find(self._expression)
        except KeyError as error:
            raise ValueError(
                f"The pattern {self.text} comes to a label that is not bound in "
                f"every match: ={error.args[0]}."
            ) from None


def hit_tree(tree: Tree, hit: Hit) -> Tree:
    """Take the tree under a hit, from its node downwards."""
    nodes: list[Constituent] = []
    for label, start, end in tree.constituents[hit.first :]:
        if start >= hit.end:
            break
        nodes.append(Constituent(label, start - hit.start, end - hit.start))
    words = slice(hit.start, hit.end)
    return Tree(tree.words[words], tree.tags[words], tuple(nodes))
