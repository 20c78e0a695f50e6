"""What patterns are made of, and the search for the nodes that they hold of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from spacy_gfl.query.nodes import Node, related

#: The nodes that are bound, by their labels.
Bindings = Mapping[str, int]


@dataclass(eq=False)
class Expression:
    """A part of a pattern, which holds of some nodes of a tree.

    Attributes:
        kind: `named` holds of the nodes whose label passes a test, the value;
            `all`, `any` and `not` of those that all parts, any or none hold of;
            `related` of those with a Relation, the value, to one that its part
            holds of. `bind` holds of what its part holds of, and binds that node to
            a label, the value; `bound` holds of the node that is bound to it.
        parts: The expressions inside.
        value: What the kind needs.
    """

    kind: Literal["named", "all", "any", "not", "related", "bind", "bound"]
    parts: Sequence["Expression"] = ()
    value: Any = None

    @cached_property
    def binds(self) -> bool:
        """Whether it may bind nodes."""
        return self.kind == "bind" or any(part.binds for part in self.parts)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that it may bind or asks for."""
        own = {self.value} if self.kind in ("bind", "bound") else ()
        return frozenset(own).union(*(part.labels for part in self.parts))


class Search:
    """The search of one tree, which remembers what it has found.

    What binds no nodes is asked of all nodes at once, in time linear in the tree. Where
    nodes are bound the order counts, and it goes node by node.

    Args:
        nodes: All nodes of the tree, in pre-order.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[Any, ...], Any] = {}

    def select(self, part: Expression, bound: Bindings) -> set[int]:
        """Find all nodes that an expression holds of, one that binds none.

        Raises:
            KeyError: It asks for a label that is not bound.
        """
        key = (part, *map(bound.get, part.labels))
        if key not in self._known:
            self._known[key] = self._select(part, bound)
        found: set[int] = self._known[key]
        return found

    def follow(self, part: Expression, node: int, bound: Bindings) -> Bindings | None:
        """Find out what is bound if an expression holds of a node; None if it does not.

        Raises:
            KeyError: It comes to a label that is not bound.
        """
        if not part.binds:
            return bound if node in self.select(part, bound) else None
        key = (part, node, *map(bound.get, part.labels))
        if key not in self._known:
            self._known[key] = self._follow(part, node, bound)
        after: Bindings | None = self._known[key]
        if after is None:
            return None
        # Other labels may have been bound to other nodes when this was found.
        return {**bound, **{label: after[label] for label in part.labels & after.keys()}}

    def _select(self, part: Expression, bound: Bindings) -> set[int]:
        nodes = self._nodes
        if part.kind == "named":
            return {i for i, node in enumerate(nodes) if part.value(node.label)}
        if part.kind == "bound":
            return {bound[part.value]}
        found = [self.select(inside, bound) for inside in part.parts]
        if part.kind == "related":
            return related(nodes, part.value, found[0])
        if part.kind == "any":
            return set().union(*found)
        if part.kind == "all":
            return set(range(len(nodes))).intersection(*found)
        return set(range(len(nodes))).difference(*found)

    def _follow(self, part: Expression, node: int, bound: Bindings) -> Bindings | None:
        if part.kind == "all":
            after: Bindings | None = bound
            for inside in part.parts:
                after = None if after is None else self.follow(inside, node, after)
            return after
        others = [node]
        if part.kind == "related":
            others = sorted(related(self._nodes, part.value.converse(), [node]))
            if part.value.way == ">":
                others.reverse()
        found = (
            self.follow(inside, other, bound)
            for other in others
            for inside in part.parts
        )
        after = next((after for after in found if after is not None), None)
        if part.kind == "not":
            return bound if after is None else None
        if part.kind == "bind" and after is not None:
            return {**after, part.value: node}
        return after
