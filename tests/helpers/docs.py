"""Docs with trees."""

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.trees.brackets import parse_tree


def make_doc(*brackets: str, vocab: Vocab | None = None) -> Doc:
    """A Doc of sentences in brackets."""
    # An empty vocabulary is false.
    vocab = Vocab() if vocab is None else vocab
    return next(trees_to_docs(map(parse_tree, brackets), vocab, n_sents=0))
