"""Layers that give words vectors, one a module.

What a layer does beside giving vectors, its node's `attrs` have: `choose(node, docs)`
where it learns words from all training Docs, and `keep_vectors(node, vectors)` where it
can have static vectors of its own.
"""

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model

from spacy_gfl.parser.embedding.words import wants_all_words


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose what has a vector of its own in all layers of a model that wait for it.

    Args:
        model: A model, or one such layer.
        docs: The training Docs; gone through several times.
    """
    for node in model.walk():
        if wants_all_words(node):
            node.attrs["choose"](node, docs)


def keep_static_vectors(model: Model, vectors: Any) -> bool:
    """Give the layers of a model that read static vectors these of their own.

    Args:
        model: A model, initialised.
        vectors: spaCy's `Vectors`.

    Returns:
        Whether there is such a layer.

    Raises:
        ValueError: If the layers did not learn with these vectors.
    """
    readers = [
        node
        for node in model.walk()
        if "keep_vectors" in node.attrs and node.attrs["include_static_vectors"]
    ]
    for node in readers:
        node.attrs["keep_vectors"](node, vectors)
    return bool(readers)
