"""What is computed of a module's weights alone, kept as long as they stay."""

from collections.abc import Callable
from typing import Any, TypeVar

from torch import nn

KeptT = TypeVar("KeptT")


class Keeping(nn.Module):
    """A module that keeps what it computes of its weights."""

    #: What is kept, and of which weights.
    _kept: tuple[Any, dict[Any, Any]] = ((), {})

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles take over: not what can be computed again."""
        # Only from Python 3.11 on has every object this method.
        state = getattr(super(), "__getstate__", lambda: self.__dict__)()
        return {name: value for name, value in state.items() if name != "_kept"}

    def keep(self, name: Any, make: Callable[[], KeptT]) -> KeptT:
        """What `make` gives, computed once and again when a weight has changed.

        Args:
            name: Names it among what is kept.
            make: Depends on nothing but the weights; not to be differentiated.
        """
        weights = tuple((p.data_ptr(), p._version) for p in self.parameters())
        if self._kept[0] != weights:
            self._kept = (weights, {})
        kept = self._kept[1]
        if name not in kept:
            kept[name] = make()
        return kept[name]
