"""Decoders that can be searched, and their states."""

from typing import Any, Protocol, TypeVar

from torch import Tensor


class State(Protocol):
    """All that a decoder carries along, one row a hypothesis.

    The rows of a sentence stand together, and each sentence has as many.
    """

    def select(
        self: "StateT", rows: Tensor, sentences: Tensor | None = None
    ) -> "StateT":
        """Take rows, by their indices.

        Args:
            rows: Which rows, copied where one is taken twice.
            sentences: The sentences that they are of, by their places among those in
                play; None if all stay.
        """


StateT = TypeVar("StateT", bound=State)


def take(parts: Any, rows: Tensor) -> Any:
    """Rows of all tensors in tuples and lists; what is no tensor stays as it is."""
    if isinstance(parts, Tensor):
        return parts.index_select(0, rows)
    if isinstance(parts, (tuple, list)):
        return type(parts)(take(part, rows) for part in parts)
    return parts


class Decoder(Protocol[StateT]):
    """A sequence of choices that can be searched.

    Attributes:
        end: The choice that ends a hypothesis; None where hypotheses end at the limit
            of their sentence's choices.
    """

    @property
    def end(self) -> int | None: ...

    def start(self) -> StateT:
        """The state before the first choice, one row a sentence."""

    def score(self, state: StateT) -> tuple[Tensor, StateT]:
        """Log-probabilities of each row's next choice, `(rows, choices)`.

        They are in single precision, whatever the decoder computes in; -inf is for
        choices that are not allowed. The state may change, so that `extend` finds
        what was computed.
        """

    def extend(self, state: StateT, choices: Tensor) -> StateT:
        """The state after one more choice a row, `(rows,)`."""
