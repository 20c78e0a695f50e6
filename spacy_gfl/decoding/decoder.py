"""Decoders that can be searched, and the rows of their states."""

from typing import Any, NamedTuple, Protocol, TypeVar

from torch import Tensor

#: All that a decoder carries along: tuples, named or not, and lists, of tensors with
#: one row per hypothesis, and of what has no rows. The rows of a sentence stand
#: together, and each sentence has as many.
StateT = TypeVar("StateT")


class OfSentences(NamedTuple):
    """A part of a state that has one row per sentence, however many hypotheses it has.

    Attributes:
        part: Tensors, in tuples and lists too.
    """

    part: Any


def take(state: StateT, rows: Tensor, sentences: Tensor | None = None) -> StateT:
    """Rows of all tensors of a state; what is no tensor stays as it is.

    Args:
        state: A state, or a part of one.
        rows: Which rows, by their indices, copied where one is taken twice.
        sentences: The sentences that they are of, by their places among those in play;
            None if all stay.
    """
    taken: Any = state
    if isinstance(state, Tensor):
        taken = state.index_select(0, rows)
    elif isinstance(state, OfSentences):
        if sentences is not None:
            taken = OfSentences(take(state.part, sentences))
    elif isinstance(state, (tuple, list)):
        # A named tuple takes its parts one by one.
        make = getattr(type(state), "_make", type(state))
        taken = make(take(part, rows, sentences) for part in state)
    return taken


class Decoder(Protocol[StateT]):
    """A sequence of choices that can be searched.

    Attributes:
        end: The choice that ends a hypothesis; None where hypotheses end at the limit
            of their sentence's choices.
    """

    @property
    def end(self) -> int | None: ...

    def start(self) -> StateT:
        """The state before the first choice, one row per sentence."""

    def score(self, state: StateT) -> tuple[Tensor, StateT]:
        """Log-probabilities of each row's next choice, `(rows, choices)`.

        They are in single precision, whatever the decoder computes in; -inf is for
        choices that are not allowed. The state may change, so that `extend` finds
        what was computed.
        """

    def extend(self, state: StateT, choices: Tensor) -> StateT:
        """The state after one more choice per row, `(rows,)`."""
