"""Decoders that can be searched, their states, and decoders that choose together."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
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


class _JointState(NamedTuple):
    members: list[Any]

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> "_JointState":
        return _JointState([state.select(rows, sentences) for state in self.members])


class _Joint:
    """Several decoders that make every choice together: see `joint`."""

    def __init__(self, decoders: Sequence[Decoder[Any]]) -> None:
        self.decoders = decoders
        self.end = decoders[0].end

    def start(self) -> _JointState:
        return _JointState([decoder.start() for decoder in self.decoders])

    def score(self, state: _JointState) -> tuple[Tensor, _JointState]:
        pairs = zip(self.decoders, state.members, strict=True)
        scores, states = zip(*(one.score(its) for one, its in pairs), strict=True)
        mean = torch.stack(scores).mean(dim=0)
        return mean.log_softmax(dim=1), _JointState(list(states))

    def extend(self, state: _JointState, choices: Tensor) -> _JointState:
        pairs = zip(self.decoders, state.members, strict=True)
        return _JointState([one.extend(its, choices) for one, its in pairs])


def joint(decoders: Sequence[Decoder[Any]]) -> Decoder[Any]:
    """Decoders of the same choices as one, which chooses by all of them.

    A choice's probability is the geometric mean of theirs, divided by the sum of all
    choices', so that what is written has an honest probability.

    Args:
        decoders: At least one. Of one alone, log-probabilities stay as they are.
    """
    return decoders[0] if len(decoders) == 1 else _Joint(decoders)
