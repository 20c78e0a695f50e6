"""Adam for the rows of a large table that a batch has touched."""

from typing import Any

from thinc.api import Optimizer
from thinc.backends import get_array_ops
from thinc.shims.shim import Shim
from thinc.util import xp2torch

from spacy_gfl.parser.shim import keep_average


class RowShim(Shim):
    """Steps a table of vectors row by row; the table itself is its node's parameter.

    thinc's own step works on the whole table: on tens of thousands of rows it takes
    longer than all the rest of an update. Here a row's moments wait until the row is
    used again (lazy Adam, as in `torch.optim.SparseAdam`); so does weight decay. Its
    average, if the optimizer keeps averages, is thinc's.

    Moments and averages are not saved, as those of other parameters are not.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self._forget()

    def _forget(self) -> None:
        self._touched: list[tuple[Any, Any]] = []
        self._moments: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles take over: nothing of the training."""
        return {**RowShim().__dict__, "id": self.id}

    def add(self, key: tuple[int, str], table: Any, rows: Any, gradient: Any) -> None:
        """Note gradients for the next step.

        Args:
            key: The optimizer's key of the parameter.
            table: The table, `(rows of the table, width)`; it is changed in place.
            rows: Which rows, `(tokens,)`; they may be given more than once.
            gradient: Of each, `(tokens, width)`.
        """
        self._key, self._table = key, table
        self._touched.append((rows, gradient))

    def finish_update(self, optimizer: Optimizer) -> None:
        """Step the rows that gradients were noted for."""
        if not self._touched:
            return
        key, table = self._key, self._table
        ops = get_array_ops(table)
        given, gradients = map(ops.xp.concatenate, zip(*self._touched, strict=True))
        self._touched = []
        rows, places = ops.xp.unique(given, return_inverse=True)
        gradient = ops.alloc2f(len(rows), table.shape[1])
        ops.scatter_add(gradient, places.reshape(-1), gradients)
        if self._moments is None or self._moments[0].shape != table.shape:
            self._moments = ops.xp.zeros_like(table), ops.xp.zeros_like(table)
        # To the optimizer these rows are the whole parameter, but for the average.
        averages, optimizer.averages = optimizer.averages, None
        kept = optimizer.mom1, optimizer.mom2
        for by_key, moment in zip(kept, self._moments, strict=True):
            by_key[key] = moment[rows].reshape(-1)
        try:
            table[rows], _ = optimizer(key, table[rows], gradient)
        finally:
            optimizer.averages = averages
        for by_key, moment in zip(kept, self._moments, strict=True):
            moment[rows] = by_key.pop(key).reshape(gradient.shape)
        keep_average(optimizer, key, xp2torch(table))

    def to_device(self, device_type: str, device_id: int) -> None:
        """Forget moments on the other device."""
        self._forget()

    def to_bytes(self) -> bytes:
        """Nothing: the table is a parameter of its node."""
        return b""

    def from_bytes(self, bytes_data: bytes) -> "RowShim":
        """Forget what belonged to another table."""
        self._forget()
        return self
