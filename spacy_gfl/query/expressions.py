"""What patterns are made of, and the search for the nodes that they hold of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
        binds, asks: The labels that it may bind, and those that it asks for.
    """

    kind: Literal["named", "all", "any", "not", "related", "bind", "bound"]
    parts: Sequence["Expression"] = ()
    value: Any = None
    binds: frozenset[str] = field(default=frozenset(), init=False)
    asks: frozenset[str] = field(default=frozenset(), init=False)

    def __post_init__(self) -> None:
        binds = {self.value} if self.kind == "bind" else ()
        asks = {self.value} if self.kind == "bound" else ()
        self.binds = frozenset(binds).union(*(part.binds for part in self.parts))
        self.asks = frozenset(asks).union(*(part.asks for part in self.parts))

    @property
    def is_plain(self) -> bool:
        """Whether it asks for no label that it binds: then the order is nothing."""
        return not self.binds & self.asks


class Search:
    """The search of one tree, which remembers what it has found.

    A plain expression is asked of all nodes at once, in time linear in the tree. Where
    nodes are bound and asked for, the search goes from node to node.

    Args:
        nodes: All nodes of the tree, in pre-order.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[Any, ...], Any] = {}

    def find(self, expression: Expression) -> list[int]:
        """Find all nodes that an expression holds of, as places in pre-order.

        Raises:
            KeyError: It comes to a label that is not bound.
        """
        if expression.is_plain:
            return sorted(self._select(expression, {}))
        nodes = range(len(self._nodes))
        return [i for i in nodes if self._follow(expression, i, {}) is not None]

    def _select(self, part: Expression, bound: Bindings) -> set[int]:
        """The nodes that a plain expression holds of."""
        key = (part, *map(bound.get, part.asks))
        if key not in self._known:
            self._known[key] = self._select_anew(part, bound)
        found: set[int] = self._known[key]
        return found

    def _select_anew(self, part: Expression, bound: Bindings) -> set[int]:
        if part.kind == "named":
            nodes = enumerate(self._nodes)
            return {i for i, node in nodes if part.value(node.label)}
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

    def _follow(self, part: Expression, node: int, bound: Bindings) -> Bindings | None:
        """What is bound when an expression holds of a node; None if it does not."""
        if part.is_plain:
            if node not in self._select(part, bound):
                return None
            if not part.binds:
                return bound
        labels = part.binds | part.asks
        key = (part, node, *map(bound.get, labels))
        if key not in self._known:
            self._known[key] = self._follow_anew(part, node, bound)
        after: Bindings | None = self._known[key]
        if after is None:
            return None
        # Other labels may have been bound to other nodes when this was found.
        return {**bound, **{label: after[label] for label in labels & after.keys()}}

    def _follow_anew(
        self, part: Expression, node: int, bound: Bindings
    ) -> Bindings | None:
        after: Bindings | None = bound
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
