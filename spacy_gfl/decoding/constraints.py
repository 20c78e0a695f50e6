"""Constraints on trees, known before they are searched."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

#: Start, end and labels of an extent that must be a constituent.
Required = tuple[int, int, Collection[int] | None]


class Constraints(NamedTuple):
    """The constraints on a sentence's tree. Extents count its words from 0.

    Attributes:
        required: What must be constituents; each extent once, none crossing another.
            Labels are the numbers that the decoder's codec gives
            (`ConstrainableCodec.bearing`), of which the node must have one; None for
            any.
        forbidden: Start and end of extents that must not be constituents; no required
            extent is among them.
    """

    required: Sequence[Required] = ()
    forbidden: Sequence[tuple[int, int]] = ()

    @property
    def need_beam(self) -> bool:
        """Whether greedy search sees too late what they ask for.

        It has begun another constituent when a label is due, or a constituent would
        end where none may. Unlabelled extents it sees in time.
        """
        has_labels = any(labels is not None for _, _, labels in self.required)
        return bool(self.forbidden) or has_labels
