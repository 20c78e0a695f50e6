"""The paper's table of words, and what every layer needs that has one."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import numpy
from spacy import registry
from spacy.attrs import intify_attr
from spacy.tokens import Doc
from spacy.util import logger
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d, Ints1d

from spacy_gfl.parser.row_shim import RowShim

NO_VECTORS = (
    "include_static_vectors = true, but the pipeline has no vectors: set "
    "[initialize] vectors to a package or folder that has some."
)


@registry.architectures("spacy_gfl.WordTable.v1")
def build_word_table(
    width: int,
    max_words: int = 90000,
    min_frequency: int = 1,
    attr: str = "ORTH",
    include_static_vectors: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """One trained vector a word (Vinyals et al. 2015, section 3.1).

    Args:
        width: Width of the vectors.
        max_words: The most frequent so many words have a vector of their own; all
            others share one.
        min_frequency: Words that training has less often share that vector too.
            With 2 or more, it is trained on rare words.
        attr: The token attribute that is looked up, such as ORTH, NORM or LOWER.
        include_static_vectors: Start from the pipeline's static vectors where they
            have the word; they need `width` columns. Initialisation raises
            ValueError if they do not fit.

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
        },
    )


def attribute_id(name: str) -> int:
    """The number of a token attribute; ValueError if there is no such."""
    found = intify_attr(name)
    if found is None:
        raise ValueError(f"{name!r} is not a token attribute.")
    return cast(int, found)


def wants_all_words(node: Model) -> bool:
    """Whether a node waits for `count_words` to show it all training Docs."""
    return "keys" in node.attrs and node.attrs["keys"] is None


def choose_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose the words that have a vector of their own: the frequent ones."""
    counts: Counter[int] = Counter()
    for doc in docs:
        counts.update(doc.to_array([model.attrs["attr"]]).tolist())
    frequent = [
        key
        for key, n in counts.most_common(model.attrs.get("max_words"))
        if n >= model.attrs["min_frequency"]
    ]
    model.attrs["keys"] = numpy.array(sorted(frequent), dtype="uint64")


def warn_of_few_docs(model: Model, docs: Sequence[Doc]) -> None:
    """Say that a layer has to choose its words from a sample of the Docs."""
    if docs:
        logger.warning(
            "The %s layer chooses its words from %d Docs only. Use it inside the "
            "constituency parser, which shows it all training Docs.",
            model.name.replace("_", " "),
            len(docs),
        )


def init(
    model: Model, X: list[Doc] | None = None, Y: list[Floats2d] | None = None
) -> Model:
    """Fill the table: at random, or from static vectors. Does so once."""
    if model.has_param("E"):
        return model
    docs = X or []
    if wants_all_words(model):
        warn_of_few_docs(model, docs)
        choose_words(model, docs)
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
            f"The pipeline's vectors have {vectors.shape[1]} columns, but the word "
            f"table has width {table.shape[1]}: set width = {vectors.shape[1]}."
        )
    known = numpy.array([key in vectors for key in keys.tolist()], dtype=bool)
    found = vectors.get_batch(keys[known].tolist())
    table[1:][known] = NumpyOps().asarray(found)


def find(keys: numpy.ndarray, ids: numpy.ndarray) -> numpy.ndarray:
    """Where each id is among the sorted keys; -1 if it is not."""
    at = numpy.searchsorted(keys, ids)
    known = at < len(keys)
    known[known] = keys[at[known]] == ids[known]
    return numpy.where(known, at, -1)


def forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Look words up; row 0 is for those without a vector of their own."""
    keys = model.attrs["keys"]
    table = model.get_param("E")
    per_doc = []
    for doc in docs:
        ids = doc.to_array([model.attrs["attr"]]).reshape(-1)
        per_doc.append(model.ops.asarray1i(cast(Ints1d, find(keys, ids) + 1)))

    def backprop(d_vectors: list[Floats2d]) -> list[Doc]:
        rows = model.ops.flatten(per_doc, dtype="int32")
        shim = cast(RowShim, model.shims[0])
        gradient = model.ops.flatten(d_vectors)
        shim.add((model.id, "E"), model.get_param("E"), rows, gradient)
        return []

    return [cast(Floats2d, table[rows]) for rows in per_doc], backprop
