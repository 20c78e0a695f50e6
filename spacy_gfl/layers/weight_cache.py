"""A cache of values that depend on a module's weights alone."""

from collections.abc import Callable
from typing import Any, TypeVar

from torch import nn

CachedT = TypeVar("CachedT")


class WeightCache(nn.Module):
    """A module that caches what it computes of its weights, as long as they stay."""

    #: Which weights the cache is of, and what it has by name.
    _cache: tuple[Any, dict[Any, Any]] = ((), {})

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without the cache."""
        # Only from Python 3.11 on has every object this method.
        state = getattr(super(), "__getstate__", lambda: self.__dict__)()
        return {name: value for name, value in state.items() if name != "_cache"}

    def cached(self, name: Any, make: Callable[[], CachedT]) -> CachedT:
        """The value of `make`, computed once, and again when a weight has changed.

        Args:
            name: Names it in the cache.
            make: Depends on nothing but the weights; not to be differentiated.
        """
        weights = tuple((p.data_ptr(), p._version) for p in self.parameters())
        if self._cache[0] != weights:
            self._cache = (weights, {})
        cache = self._cache[1]
        if name not in cache:
            cache[name] = make()
        return cache[name]
