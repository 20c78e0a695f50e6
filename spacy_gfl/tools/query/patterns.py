"""TGrep2 patterns, searched for in trees."""

import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from spacy_gfl.annotation.phrases import likely_label, names_of
from spacy_gfl.tools.query.notation import Expression, parse_macros, parse_pattern
from spacy_gfl.tools.query.pattern_nodes import Node, related, shown, tree_nodes
from spacy_gfl.trees.tree import Tree

#: How many seconds the search of a tree may take.
MAX_SECONDS = 5.0
#: Names of the root in treebanks and in Tregex.
_ROOTS = ("ROOT", "TOP", "S1", "VROOT")


class TreePattern:
    """A TGrep2 pattern, ready to be searched for.

    Raises:
        PatternError: The text is no pattern; a ValueError that shows where.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._expression = parse_pattern(text)

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (self.text,)

    @property
    def names(self) -> set[str]:
        """The labels, tags and words that it names as they are."""
        return set(self._expression.names())

    def search(self, tree: Tree, functions: Sequence[str] = ()) -> list[Node]:
        """Find the nodes that are the pattern's head.

        The tree is searched as it is printed: with words and tags, and with TOP
        where `Tree.brackets` writes it. Given the function tags of its constituents,
        the pattern may name these: an NP with SBJ is NP, and NP-SBJ.

        Returns:
            One node per extent, the outermost, in pre-order. A word has the label of
            its tag.

        Raises:
            TimeoutError: It takes more than MAX_SECONDS.
        """
        nodes = tree_nodes(tree, functions)
        by_extent: dict[tuple[int, int], Node] = {}
        for i in self.heads(nodes, time.monotonic() + MAX_SECONDS):
            by_extent.setdefault(nodes[i][1:3], shown(nodes, i))
        return list(by_extent.values())

    def heads(
        self, nodes: Sequence[Node], deadline: float
    ) -> dict[int, dict[str, int]]:
        """Find all nodes that the pattern holds of, and what it captures at each.

        The nodes are what `tree_nodes` gives, the deadline is one of `time.monotonic`.
        All nodes are places in pre-order, captured ones by the names after `=`.
        """
        search = _Search(nodes, deadline)
        try:
            heads = sorted(search.select(self._expression))
            return {i: search.captures(self._expression, i) for i in heads}
        except TimeoutError:
            raise TimeoutError(
                f"The search for {self.text[:60]} has taken too long. Make the "
                "pattern or the text simpler, or give TreeMatcher more "
                "max_seconds."
            ) from None


def likely_node(name: str, lang: str, has_functions: bool = False) -> str | None:
    """What may be meant by a name that no node has: NP for np, for NP-SBJ."""
    return "* !> *" if name in _ROOTS else likely_label(name, lang, has_functions)


class PatternSet:
    """Patterns with macros in common, which are all found in one search of a tree.

    Args:
        macros: The definitions of macros.
        patterns: The patterns by names of their own.

    Raises:
        PatternError: A text is no pattern.
    """

    def __init__(self, macros: str, patterns: Mapping[str, str]) -> None:
        known = parse_macros(macros)
        self._expressions = {
            name: parse_pattern(text, known) for name, text in patterns.items()
        }

    def heads(self, nodes: Sequence[Node]) -> dict[str, list[int]]:
        """For each pattern the nodes that it holds of, as places in pre-order."""
        search = _Search(nodes, math.inf)
        return {
            name: sorted(search.select(one)) for name, one in self._expressions.items()
        }


class _Search:
    """The search of one tree, which remembers what it has found.

    An expression is asked of all nodes at once, in time linear in the tree.
    """

    def __init__(self, nodes: Sequence[Node], deadline: float) -> None:
        self._nodes = nodes
        self._deadline = deadline
        self._by_label: defaultdict[str, set[int]] = defaultdict(set)
        self._by_tagged: defaultdict[str, set[int]] = defaultdict(set)
        for i, node in enumerate(nodes):
            self._by_label[node.label].add(i)
            if node.functions:
                for name in names_of(node.label, node.functions)[1:]:
                    self._by_tagged[name].add(i)
        self._known: dict[Expression, set[int]] = {}

    def select(self, part: Expression) -> set[int]:
        """The nodes that an expression holds of; a TimeoutError after the deadline."""
        if part not in self._known:
            self._seconds_left()
            self._known[part] = self._select_anew(part)
        return self._known[part]

    def _seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        # More would be too many for `regex`.
        return min(left, 1e6)

    def _select_anew(self, part: Expression) -> set[int]:
        if part.kind == "named" and isinstance(part.value, str):
            own = self._by_label.get(part.value, set())
            return own | self._by_tagged.get(part.value, set())
        if part.kind == "named":
            # Whether a label is followed by function tags is for those who write "-".
            tagged = self._by_tagged if "-" in part.value.pattern else {}
            passing = (
                places
                for label, places in chain(self._by_label.items(), tagged.items())
                if part.value.search(label, timeout=self._seconds_left())
            )
            return set().union(*passing)
        selected = [self.select(inside) for inside in part.parts]
        if part.kind == "related":
            return related(self._nodes, part.value, selected[0])
        if part.kind in ("any", "capture"):
            return set().union(*selected)
        everything = set(range(len(self._nodes)))
        if part.kind == "not":
            return everything.difference(*selected)
        return everything.intersection(*selected)

    def captures(self, part: Expression, node: int) -> dict[str, int]:
        """The nodes that an expression names where it holds of a node.

        If several fit, it is the first one, or the nearest one above.
        """
        if not part.captures:
            return {}
        self._seconds_left()
        if part.kind == "all":
            inside = [self.captures(one, node) for one in part.parts]
            return {name: at for names in inside for name, at in names.items()}
        if part.kind == "related":
            (other,) = part.parts
            beside = related(self._nodes, part.value.converse(), [node])
            nearest = max if part.value.way == ">" else min
            return self.captures(other, nearest(beside & self.select(other)))
        if part.kind in ("any", "capture"):
            first = next(one for one in part.parts if node in self.select(one))
            own = {part.value: node} if part.kind == "capture" else {}
            return own | self.captures(first, node)
        return {}  # what is denied captures nothing
