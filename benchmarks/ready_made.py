"""Docs whose words and sentences are known, for the programs beside this file."""

from collections.abc import Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab


def doc_of(vocab: Vocab, *sentences: Sequence[str]) -> Doc:
    """A Doc of these sentences, each a list of words."""
    words = [word for sentence in sentences for word in sentence]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence))]
    return Doc(vocab, words=words, sent_starts=starts)
