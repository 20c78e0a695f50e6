"""Adam for the rows of a large table that a batch has touched."""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy
from thinc.api import Optimizer, get_array_module
from thinc.shims.shim import Shim


class RowShim(Shim):
    """Steps a table of vectors row by row; the table itself is its node's parameter.

    thinc's own step works on the whole table: on tens of thousands of rows it takes
    longer than all the rest of an update. Here a row's moments wait until the row is
    used again (lazy Adam, as in `torch.optim.SparseAdam`); so does weight decay. Its
    average, if the optimizer keeps averages, is what thinc's would be.

    Moments and averages are not saved, as those of other parameters are not.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self._reset()

    def _reset(self) -> None:
        self._touched: list[tuple[Any, Any, Any]] = []
        self._table: Any = None
        self._moments: tuple[Any, Any] | None = None
        self._average: Any = None
        self._average_of: Any = None
        #: For each row the sum of the decays' logarithms when it was averaged last.
        self._averaged_at: Any = None
        self._decays = 0.0
        self._n_steps = 0

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles take over: nothing of the training."""
        return {**RowShim().__dict__, "id": self.id}

    def add(self, table: Any, rows: Any, gradient: Any) -> None:
        """Note gradients for the next step.

        Args:
            table: The table, `(rows of the table, width)`; it is changed in place.
            rows: Which rows, `(tokens,)`; they may be given more than once.
            gradient: Of each, `(tokens, width)`.
        """
        self._touched.append((table, rows, gradient))

    def finish_update(self, optimizer: Optimizer) -> None:
        """Step the rows that gradients were noted for."""
        if not self._touched:
            return
        table = self._touched[-1][0]
        xp = get_array_module(table)
        given = xp.concatenate([rows for _, rows, _ in self._touched])
        gradients = xp.concatenate([gradient for _, _, gradient in self._touched])
        self._touched = []
        rows, places = xp.unique(given, return_inverse=True)
        gradient = xp.zeros((len(rows), table.shape[1]), dtype="float32")
        if xp is numpy:
            numpy.add.at(gradient, places.reshape(-1), gradients)
        else:
            import cupyx

            cupyx.scatter_add(gradient, places.reshape(-1), gradients)
        if self._moments is None or self._moments[0].shape != table.shape:
            self._reset()
            self._moments = xp.zeros_like(table), xp.zeros_like(table)
        self._table = table
        self._n_steps += 1
        weights = table[rows]
        before = weights
        if optimizer.L2 and not optimizer.L2_is_weight_decay:
            gradient += optimizer.L2 * weights
        if optimizer.grad_clip:
            norm = float(xp.sqrt((gradient**2).sum()))
            gradient *= min(1.0, optimizer.grad_clip / max(norm, 1e-12))
        weights = weights - self._step(rows, gradient, optimizer)
        if optimizer.L2 and optimizer.L2_is_weight_decay:
            weights -= optimizer.learn_rate * optimizer.L2 * weights
        table[rows] = weights
        if optimizer.averages is not None:
            self._keep_average(rows, before, weights, optimizer)

    def _step(self, rows: Any, gradient: Any, optimizer: Optimizer) -> Any:
        """What is taken off the rows (Kingma and Ba 2015, algorithm 1)."""
        b1, b2 = optimizer.b1, optimizer.b2
        if not (b1 > 0 and b2 > 0) or self._moments is None:
            return optimizer.learn_rate * gradient
        first, second = self._moments
        xp = get_array_module(gradient)
        mean = b1 * first[rows] + (1 - b1) * gradient
        square = b2 * second[rows] + (1 - b2) * gradient**2
        first[rows], second[rows] = mean, square
        correction = math.sqrt(1 - b2**self._n_steps) / (1 - b1**self._n_steps)
        rate = optimizer.learn_rate * correction
        return rate * mean / (xp.sqrt(square) + optimizer.eps)

    def _keep_average(
        self, rows: Any, before: Any, weights: Any, optimizer: Optimizer
    ) -> None:
        table = self._table
        xp = get_array_module(table)
        if self._average is None or self._average_of is not optimizer.averages:
            self._average = xp.zeros_like(table)
            self._average_of = optimizer.averages
            self._averaged_at = xp.zeros(len(table), dtype="float64")
            self._decays = 0.0
        t = self._n_steps
        decay = min((1.0 + t) / (10.0 + t), 0.9999)
        average = self._caught_up(rows, before)
        self._average[rows] = weights + (average - weights) * decay
        self._decays += math.log(decay)
        self._averaged_at[rows] = self._decays

    def _caught_up(self, rows: Any, weights: Any) -> Any:
        """The averages of rows whose weights have not changed since they were kept."""
        xp = get_array_module(self._average)
        share = xp.exp(self._decays - self._averaged_at[rows])[:, None]
        return weights + (self._average[rows] - weights) * share.astype("float32")

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Put the average into the table for a while, if these are the averages."""
        table = self._table
        if table is None or self._average is None or params is not self._average_of:
            yield
            return
        weights = table.copy()
        table[:] = self._caught_up(slice(None), weights)
        try:
            yield
        finally:
            table[:] = weights

    def to_device(self, device_type: str, device_id: int) -> None:
        """Forget moments on the other device."""
        self._reset()

    def to_bytes(self) -> bytes:
        """Nothing: the table is a parameter of its node."""
        return b""

    def from_bytes(self, bytes_data: bytes) -> "RowShim":
        """Forget what belonged to another table."""
        self._reset()
        return self
