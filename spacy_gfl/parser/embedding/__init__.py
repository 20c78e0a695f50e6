"""Layers that give words vectors, one a module."""

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model

from spacy_gfl.parser.embedding.word_features import (
    build_word_features,
    choose_characters,
    keep_vectors,
)
from spacy_gfl.parser.embedding.word_table import build_word_table
from spacy_gfl.parser.embedding.words import choose_words, wants_all_words

__all__ = [
    "build_word_features",
    "build_word_table",
    "count_words",
    "keep_static_vectors",
    "wants_all_words",
]


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose what has a vector of its own in a layer, from all training Docs.

    Args:
        model: A node for which `wants_all_words` holds.
        docs: The training Docs; gone through several times.
    """
    choose_words(model, docs)
    if "characters" in model.attrs:
        choose_characters(model, docs)


def keep_static_vectors(model: Model, vectors: Any) -> bool:
    """Give the layers of a model that read static vectors these of their own.

    Args:
        model: A model, initialised.
        vectors: spaCy's `Vectors`.

    Returns:
        Whether there is such a layer.

    Raises:
        ValueError: If the vectors are none that the layers learnt with.
    """
    readers = [node for node in model.walk() if _reads_vectors(node)]
    for node in readers:
        keep_vectors(node, vectors)
    return bool(readers)


def _reads_vectors(node: Model) -> bool:
    return node.name == "word_features" and bool(node.attrs["include_static_vectors"])
