"""Layers that give words vectors, one a module."""

from collections.abc import Iterable

from spacy.tokens import Doc
from thinc.api import Model

from spacy_gfl.parser.embedding.word_features import (
    build_word_features,
    choose_characters,
)
from spacy_gfl.parser.embedding.word_table import (
    build_word_table,
    choose_words,
    wants_all_words,
)

__all__ = ["build_word_features", "build_word_table", "count_words", "wants_all_words"]


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Choose what has a vector of its own in a layer, from all training Docs.

    Args:
        model: A node for which `wants_all_words` holds.
        docs: The training Docs; gone through several times.
    """
    choose_words(model, docs)
    if "characters" in model.attrs:
        choose_characters(model, docs)
