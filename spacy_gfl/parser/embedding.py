"""The paper's table of word vectors as a thinc layer."""

from collections import Counter
from typing import Callable, Iterable, List, Optional, Tuple, cast

import numpy
from spacy import registry
from spacy.attrs import intify_attr
from spacy.tokens import Doc
from spacy.util import logger
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d, Ints1d

#: Name of the layer's node: the parser gives such nodes all training words.
WORD_TABLE = "word_table"


@registry.architectures("spacy_gfl.WordTable.v1")
def build_word_table(
    width: int,
    max_words: int = 90000,
    min_frequency: int = 1,
    attr: str = "ORTH",
    include_static_vectors: bool = False,
) -> Model[List[Doc], List[Floats2d]]:
    """One trained vector a word (Vinyals et al. 2015, section 3.1).

    width: Width of the vectors.
    max_words: The most frequent so many words have a vector of their own; all
        others share one.
    min_frequency: Words that training has less often share that vector too.
        With 2 or more, it is trained on rare words.
    attr: The token attribute that is looked up, such as ORTH, NORM or LOWER.
    include_static_vectors: Start from the pipeline's static vectors where they
        have the word; they need `width` columns.

    Takes Docs, gives one array `(tokens, width)` a Doc. Raises ValueError for an
    unknown attribute, and in initialisation if the vectors' width differs.
    """
    attr_id = intify_attr(attr)
    if attr_id is None:
        raise ValueError(f"{attr!r} is not a token attribute.")
    return Model(
        WORD_TABLE,
        forward,
        init=init,
        dims={"nO": width, "nV": None},
        params={"E": None},
        attrs={
            "attr": attr_id,
            "max_words": max_words,
            "min_frequency": min_frequency,
            "include_static_vectors": include_static_vectors,
            "keys": None,
        },
    )


def wants_all_words(node: Model) -> bool:
    """Whether a node waits for `count_words` to show it all training Docs."""
    return "keys" in node.attrs and node.attrs["keys"] is None


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose the words that have a vector of their own, from all training Docs."""
    counts: Counter[int] = Counter()
    for doc in docs:
        counts.update(doc.to_array([model.attrs["attr"]]).tolist())
    frequent = [
        key
        for key, n in counts.most_common(model.attrs["max_words"])
        if n >= model.attrs["min_frequency"]
    ]
    model.attrs["keys"] = numpy.array(sorted(frequent), dtype="uint64")


def init(
    model: Model, X: Optional[List[Doc]] = None, Y: Optional[List[Floats2d]] = None
) -> Model:
    """Fill the table: at random, or from static vectors. Does so once."""
    if model.has_param("E"):
        return model
    docs = X or []
    if model.attrs["keys"] is None:
        if docs:
            logger.warning(
                "spacy_gfl.WordTable.v1 chooses its words from %d Docs only. Use it "
                "inside the constituency parser, which shows it all training Docs.",
                len(docs),
            )
        count_words(model, docs)
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
    table: numpy.ndarray, keys: numpy.ndarray, docs: List[Doc]
) -> None:
    if not docs or docs[0].vocab.vectors.shape[1] == 0:
        raise ValueError(
            "include_static_vectors = true, but the pipeline has no vectors: set "
            "[initialize] vectors to a package or folder that has some."
        )
    vectors = docs[0].vocab.vectors
    if vectors.shape[1] != table.shape[1]:
        raise ValueError(
            f"The pipeline's vectors have {vectors.shape[1]} columns, but the word "
            f"table has width {table.shape[1]}: set width = {vectors.shape[1]}."
        )
    known = numpy.array([key in vectors for key in keys.tolist()], dtype=bool)
    found = vectors.get_batch(keys[known].tolist())
    table[1:][known] = NumpyOps().asarray(found)


def forward(
    model: Model[List[Doc], List[Floats2d]], docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable[[List[Floats2d]], List[Doc]]]:
    """Look words up; row 0 is for those without a vector of their own."""
    keys = model.attrs["keys"]
    table = model.get_param("E")
    per_doc = []
    for doc in docs:
        ids = doc.to_array([model.attrs["attr"]]).reshape(-1)
        at = numpy.searchsorted(keys, ids)
        known = at < len(keys)
        known[known] = keys[at[known]] == ids[known]
        rows = numpy.where(known, at + 1, 0)
        per_doc.append(model.ops.asarray1i(cast(Ints1d, rows)))

    def backprop(d_vectors: List[Floats2d]) -> List[Doc]:
        gradient = model.ops.alloc2f(*table.shape)
        rows = model.ops.flatten(per_doc, dtype="int32")
        model.ops.scatter_add(gradient, rows, model.ops.flatten(d_vectors))
        model.inc_grad("E", gradient)
        return []

    return [cast(Floats2d, table[rows]) for rows in per_doc], backprop
