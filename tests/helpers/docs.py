"""Docs with trees."""

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import parse_tree, set_trees, trees_to_docs


def make_doc(*brackets: str, vocab: Vocab | None = None) -> Doc:
    """A Doc of sentences in brackets."""
    # An empty vocabulary is false.
    vocab = Vocab() if vocab is None else vocab
    return next(trees_to_docs(map(parse_tree, brackets), vocab, n_sents=0))


def token_doc(
    *sentences: str,
    trees: Sequence[Any] | None = None,
    vocab: Vocab | None = None,
    tags: str | None = None,
    **settings: Any,
) -> Doc:
    """A Doc of tokens, white space among them.

    Args:
        sentences: The tokens of each, with bars between them.
        trees: One for each sentence; None for a Doc without trees.
        vocab: Of the Doc; a new one unless given.
        tags: All tokens' tags, with bars between them.
        settings: What `set_trees` takes too.
    """
    words = [sentence.split("|") for sentence in sentences]
    doc = Doc(
        Vocab() if vocab is None else vocab,
        [word for of_one in words for word in of_one],
        tags=None if tags is None else tags.split("|"),
        sent_starts=[i == 0 for of_one in words for i in range(len(of_one))],
    )
    if trees is not None:
        set_trees(doc, trees, **settings)
    return doc
