"""The words that a layer has vectors for: which, and where each is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

import numpy
from spacy.attrs import intify_attr
from spacy.tokens import Doc
from spacy.util import logger
from thinc.api import Model

from spacy_gfl.annotation.sentence_words import unescaped

NO_VECTORS = (
    "include_static_vectors = true, but the pipeline has no vectors. Set "
    "[initialize] vectors to a package or folder that has some."
)


def attribute_id(name: str) -> int:
    """The number of a token attribute; ValueError if there is no such."""
    number = intify_attr(name)
    if number is None:
        raise ValueError(f"{name!r} is not a token attribute.")
    return cast(int, number)


def wants_all_words(node: Model) -> bool:
    """Whether a node waits for `count_words` to show it all training Docs."""
    return "keys" in node.attrs and node.attrs["keys"] is None


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose what has a vector of its own in all layers of a model that wait for it.

    `attrs["choose"]` of a layer chooses, and goes through the training Docs itself.
    """
    for node in model.walk():
        if wants_all_words(node):
            node.attrs["choose"](node, docs)


def count_words_of_few(model: Model, docs: Sequence[Doc]) -> None:
    """Let a layer that was not shown all Docs choose its words, and say so."""
    if wants_all_words(model) and docs:
        logger.warning(
            "The %s layer chooses its words from %d Docs only. Use it inside the "
            "constituency parser, which shows it all training Docs.",
            model.name.replace("_", " "),
            len(docs),
        )
    count_words(model, docs)


def choose_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose the words that have a vector of their own: the frequent ones."""
    counts: Counter[int] = Counter()
    for doc in map(unescaped, docs):
        counts.update(doc.to_array([model.attrs["attr"]]).tolist())
    frequent = [
        key
        for key, n in counts.most_common(model.attrs.get("max_words"))
        if n >= model.attrs["min_frequency"]
    ]
    model.attrs["keys"] = numpy.array(sorted(frequent), dtype="uint64")


def find(keys: numpy.ndarray, ids: numpy.ndarray) -> numpy.ndarray:
    """Where each id is among the sorted keys; -1 if it is not."""
    at = numpy.searchsorted(keys, ids)
    known = at < len(keys)
    known[known] = keys[at[known]] == ids[known]
    return numpy.where(known, at, -1)
