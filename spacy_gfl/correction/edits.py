"""A person's edits of a tree, and a parser's tree put right by them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from spacy_gfl.trees.tree import Constituent, Extent, Tree, unary_chains

#: The labels of an extent, outermost first; () if it is no constituent, None if it is
#: one with whatever label the parser finds.
Labels = tuple[str, ...] | None
#: The label of a constituent that somebody wants and for which the parser finds none.
UNKNOWN = "X"


@dataclass(frozen=True)
class Edits:
    """The extents and labels that the tree of a sentence is held to.

    Attributes:
        said: What somebody has said of extents.
        given: The extents of the tree that was there before, which stay unless they
            conflict with what is said; None where all else is the parser's.
        opened: With a tree given, the extents right below which something was
            bracketed, or a bracket taken away: there, the parser may add others.
    """

    said: Mapping[Extent, Labels]
    given: Mapping[Extent, tuple[str, ...]] | None = None
    opened: frozenset[Extent] = frozenset()

    @classmethod
    def of(cls, tree: Tree | None) -> "Edits":
        """Hold to a tree; to nothing without one."""
        return cls({}, None if tree is None else unary_chains(tree.constituents))

    @property
    def held(self) -> dict[Extent, Labels]:
        """All extents of which something is known."""
        return {**(self.given or {}), **self.said}

    def say(self, extent: Extent, labels: Labels) -> "Edits":
        """Hold an extent to labels too; the constituents that it crosses go."""
        held = self.held
        crossed = set() if labels == () else _crossed(extent, held)
        kept = {e: v for e, v in held.items() if e not in crossed}
        said = {e: v for e, v in self.said.items() if e in kept}
        given = self.given and {e: v for e, v in self.given.items() if e in kept}
        opened = self.opened
        if (held.get(extent, ()) == ()) != (labels == ()):
            starts, ends = zip(extent, *crossed, strict=True)
            union = min(starts), max(ends)
            is_node = union != extent and kept.get(union, ()) != ()
            opened |= {extent, union if is_node else _around(union, kept)}
        return Edits({**said, extent: labels}, given, opened)

    def apply(self, found: Iterable[Constituent]) -> list[Constituent]:
        """Put right what a parser found.

        Returns:
            The constituents in pre-order: all that is held, and as much of what was
            found as goes with it.
        """
        held = self.held
        extents = {
            extent: labels
            for extent, labels in unary_chains(found).items()
            if extent in held or self._is_welcome(extent, held)
        }
        for extent, labels in held.items():
            if labels is None:
                extents.setdefault(extent, (UNKNOWN,))
            else:
                extents[extent] = labels
        return [
            Constituent(label, *extent)
            for extent in sorted(extents, key=lambda extent: (extent[0], -extent[1]))
            for label in extents[extent]
        ]

    def _is_welcome(self, extent: Extent, held: Mapping[Extent, Labels]) -> bool:
        if _crossed(extent, held):
            return False
        return self.given is None or _around(extent, held) in self.opened


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
