"""TGrep2 patterns, searched for in trees."""

import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from spacy_gfl.query.nodes import Node, related, tree_nodes
from spacy_gfl.query.notation import Expression, parse_macros, parse_pattern
from spacy_gfl.trees.tree import Tree

#: How many seconds the search of a tree may take.
MAX_SECONDS = 5.0
# How much a search remembers, in nodes found: some hundred megabytes.
_MOST_KNOWN = 1_000_000
# The nodes that are bound, by their labels.
_Bindings = Mapping[str, int]


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

    def search(self, tree: Tree) -> list[Node]:
        """Find the nodes that are the pattern's head.

        The tree is searched as it is printed: with words and tags, and with TOP
        where `Tree.brackets` writes it.

        Returns:
            One node an extent, the outermost, in pre-order. A word has the label of
            its tag.

        Raises:
            ValueError: A match comes to a label (`=name`) that it has not bound.
            TimeoutError: It takes more than MAX_SECONDS.
        """
        nodes = tree_nodes(tree)
        found: dict[tuple[int, int], Node] = {}
        for i in self.heads(nodes, time.monotonic() + MAX_SECONDS):
            node = nodes[i]
            if i + 1 == len(nodes) or nodes[i + 1].parent != i:
                node = node._replace(label=nodes[node.parent].label)
            found.setdefault(node[1:3], node)
        return list(found.values())

    def heads(self, nodes: Sequence[Node], deadline: float) -> list[int]:
        """Find all nodes that the pattern holds of, as places in pre-order.

        The nodes are what `tree_nodes` gives, the deadline is one of `time.monotonic`.
        """
        try:
            return _Search(nodes, deadline).find(self._expression)
        except TimeoutError:
            raise TimeoutError(
                f"The time was up before the pattern {self.text[:60]} was searched: "
                "make it or the text simpler, or give TreeMatcher more max_seconds."
            ) from None
        except KeyError as error:
            raise ValueError(
                f"The pattern {self.text} comes to a label that is not bound in "
                f"every match: ={error.args[0]}."
            ) from None


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
        return {name: search.find(one) for name, one in self._expressions.items()}


class _Search:
    """The search of one tree, which remembers what it has found.

    A plain expression is asked of all nodes at once, in time linear in the tree. Where
    nodes are bound and asked for, the search goes from node to node.
    """

    def __init__(self, nodes: Sequence[Node], deadline: float) -> None:
        self._nodes = nodes
        self._deadline = deadline
        self._by_label: defaultdict[str, set[int]] = defaultdict(set)
        for i, node in enumerate(nodes):
            self._by_label[node.label].add(i)
        self._known: dict[tuple[Any, ...], Any] = {}
        self._n_known = 0

    def find(self, expression: Expression) -> list[int]:
        """Where an expression holds; a KeyError names a label that is not bound."""
        if expression.is_plain:
            return sorted(self._select(expression, {}))
        nodes = range(len(self._nodes))
        return [i for i in nodes if self._follow(expression, i, {}) is not None]

    def _seconds_left(self) -> float:
        """Until the deadline; a TimeoutError after it."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        # More would be too many for `regex`.
        return min(left, 1e6)

    def _remember(self, key: tuple[Any, ...], found: Any) -> None:
        self._seconds_left()
        self._n_known += 1 + len(found or ())
        if self._n_known > _MOST_KNOWN:
            self._known.clear()
            self._n_known = 0
        self._known[key] = found

    def _select(self, part: Expression, bound: _Bindings) -> set[int]:
        """The nodes that a plain expression holds of."""
        key = (part, *map(bound.get, part.asks))
        if key not in self._known:
            self._remember(key, self._select_anew(part, bound))
        found: set[int] = self._known[key]
        return found

    def _select_anew(self, part: Expression, bound: _Bindings) -> set[int]:
        if part.kind == "named" and isinstance(part.value, str):
            return self._by_label.get(part.value, set())
        if part.kind == "named":
            passing = (
                places
                for label, places in self._by_label.items()
                if part.value.search(label, timeout=self._seconds_left())
            )
            return set().union(*passing)
        if part.kind == "bound":
            return {bound[part.value]}
        found = [self._select(inside, bound) for inside in part.parts]
        if part.kind == "related":
            return related(self._nodes, part.value, found[0])
        if part.kind in ("any", "bind"):
            return set().union(*found)
        everything = set(range(len(self._nodes)))
        if part.kind == "not":
            return everything.difference(*found)
        return everything.intersection(*found)

    def _follow(
        self, part: Expression, node: int, bound: _Bindings
    ) -> _Bindings | None:
        """The bindings if an expression holds of a node; None if it does not."""
        if part.is_plain:
            if node not in self._select(part, bound):
                return None
            if not part.binds:
                return bound
        labels = part.binds | part.asks
        key = (part, node, *map(bound.get, labels))
        if key not in self._known:
            self._remember(key, self._follow_anew(part, node, bound))
        after: _Bindings | None = self._known[key]
        if after is None:
            return None
        # Other labels may have been bound to other nodes when this was found.
        return {**bound, **{label: after[label] for label in labels & after.keys()}}

    def _follow_anew(
        self, part: Expression, node: int, bound: _Bindings
    ) -> _Bindings | None:
        after: _Bindings | None = bound
        if part.kind == "all":
            for inside in part.parts:
                after = None if after is None else self._follow(inside, node, after)
            return after
        others = [node]
        if part.kind == "related":
            is_above = part.value.way == ">"
            found = related(self._nodes, part.value.converse(), [node])
            others = sorted(found, reverse=is_above)
        tried = (self._follow(p, other, bound) for other in others for p in part.parts)
        after = next((after for after in tried if after is not None), None)
        if part.kind == "not":
            return bound if after is None else None
        if part.kind == "bind" and after is not None:
            return {**after, part.value: node}
        return after
