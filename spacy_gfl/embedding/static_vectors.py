"""Static vectors as a layer reads them: the pipeline's, or some of its own."""

from dataclasses import dataclass
from typing import Any

import numpy
import srsly
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.model import deserialize_attr, serialize_attr
from thinc.util import get_array_module, to_numpy

from spacy_gfl.embedding.word_counts import NO_VECTORS, find

OTHER_WIDTH = (
    "The pipeline's vectors have {} columns, but the parser learnt with {}. Load "
    "the parser with the vectors that it was trained with, or call "
    "keep_static_vectors before it joins another pipeline."
)


@dataclass(eq=False)
class KeptVectors:
    """A table of static vectors that a layer has itself, saved with it.

    Attributes:
        keys: The hashes of the words, sorted, uint64.
        rows: Where the vector of each is, int32.
        data: The vectors `(rows, width)`, of any float type.

    Raises:
        ValueError: If these do not belong together.
    """

    keys: numpy.ndarray
    rows: numpy.ndarray
    data: numpy.ndarray

    def __post_init__(self) -> None:
        known = self.rows[(self.rows >= 0) & (self.rows < len(self.data))]
        if self.data.ndim != 2 or not len(self.keys) == len(self.rows) == len(known):
            raise ValueError("a table of static vectors is damaged")

    @classmethod
    def none(cls) -> "KeptVectors":
        """The vectors of a layer that keeps none of its own."""
        empty = numpy.zeros(0)
        return cls(empty.astype("uint64"), empty.astype("int32"), empty.reshape(0, 0))

    @classmethod
    def of(cls, vectors: Any) -> "KeptVectors":
        """A copy of spaCy's `Vectors`.

        Raises:
            ValueError: If there are none, or they are of subwords (floret), which have
                no table of words.
        """
        if vectors.mode != "default":
            raise ValueError("A parser cannot keep vectors of subwords (floret).")
        if not vectors.key2row:
            raise ValueError(NO_VECTORS)
        keys = numpy.array(sorted(vectors.key2row), dtype="uint64")
        rows = [vectors.key2row[key] for key in keys.tolist()]
        data = to_numpy(vectors.data).copy()
        return cls(keys, numpy.array(rows, dtype="int32"), data)

    @property
    def width(self) -> int:
        """The width of the vectors, 0 if there are none."""
        return self.data.shape[1]

    def __call__(self, words: numpy.ndarray, lower: numpy.ndarray) -> numpy.ndarray:
        """The vectors `(words, width)` of words in float32, zeros for unknown ones.

        Words are given by their ORTH and by their LOWER, which is looked up first.
        """
        at = find(self.keys, lower)
        at = numpy.where(at < 0, find(self.keys, words), at)
        vectors = self.data[self.rows[at]].astype("float32")
        vectors[at < 0] = 0.0
        return vectors


@serialize_attr.register
def _save(_: KeptVectors, value: KeptVectors, name: str, model: Model) -> bytes:
    return srsly.msgpack_dumps(
        {"keys": value.keys, "rows": value.rows, "data": value.data}
    )


@deserialize_attr.register
def _load(_: KeptVectors, value: bytes, name: str, model: Model) -> KeptVectors:
    saved = srsly.msgpack_loads(value)
    return KeptVectors(saved["keys"], saved["rows"], saved["data"])


def pipeline_vectors(vocab: Vocab, words: numpy.ndarray, lower: numpy.ndarray) -> Any:
    """The static vectors `(words, width)` of words in float32, zeros for unknown ones.

    They stay on their device. LOWER is looked up first, then ORTH (`words`).
    """
    vectors = vocab.vectors
    if vectors.data.size == 0:
        raise ValueError(NO_VECTORS)
    if vectors.mode != "default":
        return vectors.get_batch(lower.tolist()).astype("float32")
    rows = to_numpy(vectors.find(keys=lower.tolist()))
    missing = rows < 0
    rows[missing] = to_numpy(vectors.find(keys=words[missing].tolist()))
    xp = get_array_module(vectors.data)
    rows_of_words = vectors.data[xp.asarray(rows)].astype("float32")
    rows_of_words[xp.asarray(rows < 0)] = 0.0
    return rows_of_words


def keep_static_vectors(model: Model, vectors: Any) -> bool:
    """Give each layer that reads static vectors a copy of spaCy's `vectors`.

    The model must be initialised.

    Returns:
        Whether there is such a layer.

    Raises:
        ValueError: If there are no vectors, if they are of another width than those
            of training, or of subwords (floret), which have no table of words.
    """
    readers = [
        node
        for node in model.walk()
        if "vectors" in node.attrs and node.attrs.get("include_static_vectors")
    ]
    for node in readers:
        if node.attrs["vectors"].width:
            continue  # It keeps some, and reads no others.
        shim: Any = node.shims[0]
        width = shim.network.settings["static_width"]
        kept = KeptVectors.of(vectors)
        if kept.width != width:
            raise ValueError(OTHER_WIDTH.format(kept.width, width))
        node.attrs["vectors"] = kept
    return bool(readers)
