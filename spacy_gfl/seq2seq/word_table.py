"""The paper's table of words, and Adam for the rows of it that a batch has touched."""

from collections.abc import Callable
from typing import Any, cast

import numpy
from spacy.tokens import Doc
from thinc.api import Model, Optimizer
from thinc.backends import get_array_ops
from thinc.shims.shim import Shim
from thinc.types import Floats2d, Ints1d
from thinc.util import to_numpy, xp2torch

from spacy_gfl.embedding.word_counts import (
    NO_VECTORS,
    attribute_id,
    choose_words,
    count_words_of_few,
    find,
)
from spacy_gfl.model.shim import keep_average


def build_word_table(
    width: int,
    max_words: int = 90000,
    min_frequency: int = 1,
    attr: str = "ORTH",
    include_static_vectors: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """One trained vector per word (Vinyals et al. 2015, section 3.1).

    Args:
        width: Width of the vectors.
        max_words: The most words with a vector of their own. All others share one.
        min_frequency: Rarer words share that vector too. With 2 or more, they train it.
        attr: The token attribute to look up.
        include_static_vectors: Start from the pipeline's static vectors. They need
            `width` columns; otherwise initialisation raises ValueError.

    Returns:
        A layer that takes Docs and gives one array `(tokens, width)` a Doc.

    Raises:
        ValueError: For an unknown attribute.
    """
    return Model(
        "word_table",
        forward,
        init=init,
        dims={"nO": width, "nV": None},
        params={"E": None},
        shims=[RowShim()],
        attrs={
            "attr": attribute_id(attr),
            "max_words": max_words,
            "min_frequency": min_frequency,
            "include_static_vectors": include_static_vectors,
            "keys": None,
            "choose": choose_words,
        },
    )


def init(
    model: Model, X: list[Doc] | None = None, Y: list[Floats2d] | None = None
) -> Model:
    """Fill the table: at random, or from static vectors. Does so once."""
    if model.has_param("E"):
        return model
    docs = X or []
    count_words_of_few(model, docs)
    keys = model.attrs["keys"]
    shape = (len(keys) + 1, model.get_dim("nO"))
    model.set_dim("nV", shape[0])
    # Drawn on the CPU, so that a seed gives one table everywhere.
    table = numpy.random.normal(0.0, 1.0, shape).astype("float32")
    if model.attrs["include_static_vectors"]:
        _copy_static_vectors(table, keys, docs)
    model.set_param("E", model.ops.asarray2f(cast(Floats2d, table)))
    return model


def _copy_static_vectors(
    table: numpy.ndarray, keys: numpy.ndarray, docs: list[Doc]
) -> None:
    if not docs or docs[0].vocab.vectors.shape[1] == 0:
        raise ValueError(NO_VECTORS)
    vectors = docs[0].vocab.vectors
    if vectors.shape[1] != table.shape[1]:
        raise ValueError(
            f"The pipeline's vectors have {vectors.shape[1]} columns, but the "
            f"word table has width {table.shape[1]}. Set width = "
            f"{vectors.shape[1]}."
        )
    known = numpy.array([key in vectors for key in keys.tolist()], dtype=bool)
    static = vectors.get_batch(keys[known].tolist())
    table[1:][known] = to_numpy(static)


def forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Look words up; row 0 is for words without a vector of their own."""
    keys = model.attrs["keys"]
    if is_train and model.get_param("E").dtype == "float16":  # as it may be saved
        saved = cast(Floats2d, model.get_param("E"))
        model.set_param("E", model.ops.asarray2f(saved))
    table = model.get_param("E")
    ids = [doc.to_array([model.attrs["attr"]]) for doc in docs]
    rows = cast(Ints1d, find(keys, numpy.concatenate([*ids, keys[:0]])) + 1)

    def backprop(d_vectors: list[Floats2d]) -> list[Doc]:
        shim = cast(RowShim, model.shims[0])
        gradient = model.ops.flatten(d_vectors)
        shim.add((model.id, "E"), model.get_param("E"), rows, gradient)
        return []

    vectors = cast(Floats2d, table[model.ops.asarray1i(rows)])
    # Lengths stay on the CPU, where thinc wants them.
    lengths = cast(Ints1d, numpy.array([*map(len, docs)], dtype="int32"))
    return model.ops.unflatten(model.ops.asarray2f(vectors), lengths), backprop


class RowShim(Shim):
    """Steps a table of vectors row by row; the table itself is its node's parameter.

    thinc's own step works on the whole table, which takes longer than all the rest of
    an update. Here a row's moments and its weight decay wait until the row is used
    again (lazy Adam, as in `torch.optim.SparseAdam`). The average is thinc's.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self._forget()

    def _forget(self) -> None:
        self._touched: list[tuple[Any, Any]] = []
        self._moments: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without that of the training."""
        return {**RowShim().__dict__, "id": self.id}

    def add(self, key: tuple[int, str], table: Any, rows: Any, gradient: Any) -> None:
        """Note gradients for the next step.

        Args:
            key: The optimizer's key of the parameter.
            table: The table, `(rows of the table, width)`; it is changed in place.
            rows: Which rows, `(tokens,)`, on the CPU; they may be given more than once.
            gradient: The gradient of each row given, `(tokens, width)`.
        """
        self._key, self._table = key, table
        self._touched.append((rows, gradient))

    def finish_update(self, optimizer: Optimizer) -> None:
        """Step the rows that gradients were noted for."""
        if not self._touched:
            return
        key, table = self._key, self._table
        ops = get_array_ops(table)
        given, gradients = zip(*self._touched, strict=True)
        self._touched = []
        unique = numpy.unique(numpy.concatenate(given), return_inverse=True)
        rows, places = (ops.asarray1i(array.reshape(-1)) for array in unique)
        gradient = ops.alloc2f(len(rows), table.shape[1])
        ops.scatter_add(gradient, places, ops.xp.concatenate(gradients))
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
        """Forget the moments, which are on the other device."""
        self._forget()

    def to_bytes(self) -> bytes:
        """Nothing: the table is a parameter of its node."""
        return b""

    def from_bytes(self, bytes_data: bytes) -> "RowShim":
        """Forget what belonged to another table."""
        self._forget()
        return self
