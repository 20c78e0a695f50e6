"""A cache of values that depend on a module's weights alone."""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import nn

CachedT = TypeVar("CachedT")


class WeightCache(nn.Module):
    """A module that caches what it computes of its weights, as long as they stay."""

    #: Which weights the cache is of, and what it has by name.
    _cache: tuple[Any, dict[Any, Any]] = ((), {})
    #: The module and all in it: `parameters()` finds them anew in ten times as long.
    _within: tuple[nn.Module, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without the cache."""
        # Only from Python 3.11 on has every object this method.
        state = getattr(super(), "__getstate__", lambda: self.__dict__)()
        return {k: v for k, v in state.items() if k not in ("_cache", "_within")}

    def cached(self, name: Any, make: Callable[[], CachedT]) -> CachedT:
        """The value of `make`, computed once, and again when a weight has changed.

        Args:
            name: Names it in the cache.
            make: Depends on nothing but the weights; not to be differentiated.
        """
        self._within = self._within or tuple(self.modules())
        # What was made in inference mode has no versions, and cannot be changed.
        weights = [
            (weight.data_ptr(), None if weight.is_inference() else weight._version)
            for module in self._within
            for weight in module._parameters.values()
            if weight is not None
        ]
        if self._cache[0] != weights:
            self._cache = (weights, {})
        cache = self._cache[1]
        if name not in cache:
            # Not in inference mode, in which later calls may not be.
            with torch.inference_mode(False), torch.no_grad():
                cache[name] = make()
        return cache[name]
