"""A person's edits of a tree, and a parser's tree put right by them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from spacy_gfl import Constituent, Tree
from spacy_gfl.trees.tree import unary_chains

#: The first word of a constituent, and the one after its last.
Extent: TypeAlias = tuple[int, int]
#: The labels of an extent, outermost first; () if it is no constituent, None if it is
#: one with whatever label the parser finds.
Labels = tuple[str, ...] | None
#: The label of a constituent that somebody wants and for which the parser finds none.
UNKNOWN = "X"


@dataclass(frozen=True)
class Edits:
    """The extents and labels that the tree of a sentence is held to.

    Attributes:
        held: The extents of which something is known, each with its labels.
        said: The held extents that a person has decided. All other held extents come
            from the tree that was there before, and stay until they cross a decision.
        opened: The extents right below which something was bracketed, or a bracket
            taken away: there, the parser may add others. None without a tree before:
            then the parser may add others anywhere.
    """

    held: Mapping[Extent, Labels]
    said: frozenset[Extent] = frozenset()
    opened: frozenset[Extent] | None = None

    @classmethod
    def of(cls, tree: Tree | None) -> "Edits":
        """Hold to a tree; to nothing without one."""
        if tree is None:
            return cls({})
        return cls(unary_chains(tree.constituents), opened=frozenset())

    def say(self, extent: Extent, labels: Labels) -> "Edits":
        """Hold an extent to labels too; the constituents that it crosses go."""
        crossed = set() if labels == () else _crossed(extent, self.held)
        kept = {e: v for e, v in self.held.items() if e not in crossed}
        opened = self.opened
        is_changed = (self.held.get(extent, ()) == ()) != (labels == ())
        if opened is not None and is_changed:
            starts, ends = zip(extent, *crossed, strict=True)
            union = min(starts), max(ends)
            is_node = union != extent and kept.get(union, ()) != ()
            opened |= {extent, union if is_node else _around(union, kept)}
        said = self.said - crossed | {extent}
        return Edits({**kept, extent: labels}, said, opened)

    def apply(self, constituents: Iterable[Constituent]) -> list[Constituent]:
        """Put right what a parser found.

        Returns:
            The constituents in pre-order: all that is held, and as much of what was
            found as goes with it.
        """
        extents = {
            extent: labels
            for extent, labels in unary_chains(constituents).items()
            if extent in self.held or self._is_welcome(extent)
        }
        for extent, labels in self.held.items():
            if labels is None:
                extents.setdefault(extent, (UNKNOWN,))
            else:
                extents[extent] = labels
        return [
            Constituent(label, *extent)
            for extent in sorted(extents, key=lambda extent: (extent[0], -extent[1]))
            for label in extents[extent]
        ]

    def _is_welcome(self, extent: Extent) -> bool:
        if _crossed(extent, self.held):
            return False
        return self.opened is None or _around(extent, self.held) in self.opened


def _crossed(extent: Extent, held: Mapping[Extent, Labels]) -> set[Extent]:
    """The constituents that an extent crosses."""
    start, end = extent
    return {
        (first, last)
        for (first, last), labels in held.items()
        if labels != () and (first < start < last < end or start < first < end < last)
    }


def _around(extent: Extent, held: Mapping[Extent, Labels]) -> Extent:
    """The smallest constituent around an extent and more; (0, 0) if there is none."""
    start, end = extent
    around = (
        other
        for other, labels in held.items()
        if labels != () and other != extent and other[0] <= start and end <= other[1]
    )
    return min(around, key=lambda other: other[1] - other[0], default=(0, 0))
