"""Docs made of trees, such as those of a treebank."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from spacy.attrs import ENT_IOB, ENT_TYPE, MORPH, POS, SENT_START, TAG
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import SPANS_KEY, is_word, set_trees
from spacy_gfl.languages.base import find_language
from spacy_gfl.languages.spacing import guess_spaces
from spacy_gfl.trees.escaping import SURROGATE, has_penn_escapes, unescape_penn
from spacy_gfl.trees.tree import Tree, TreeError

_COPIED = [SENT_START, TAG, POS, MORPH, ENT_IOB, ENT_TYPE]


def trees_to_docs(
    trees: Iterable[Tree], vocab: Vocab, *, n_sents: int = 1, key: str = SPANS_KEY
) -> Iterator[Doc]:
    """Make Docs of trees, a sentence a tree.

    Every word becomes one token with its tag in `token.tag_`, whatever it is
    made of; spaces stand where a text in the language of the vocabulary
    most likely had them. `doc.spans[key]`
    holds the trees. Trees without words are passed over.

    Args:
        trees: The trees.
        vocab: The vocabulary of the Docs.
        n_sents: Sentences to a Doc; the last Doc may have fewer. 0 makes one Doc of
            all.
        key: The name of the span group for the trees.

    Raises:
        TreeError: A word is white space alone, or something has a lone surrogate;
            no tree over a Doc has such tokens.
        ValueError: `n_sents` is negative.
    """
    if n_sents < 0:
        raise ValueError(f"n_sents must be 0 or more, not {n_sents}")
    some = (tree for tree in trees if tree.words)
    spacing = find_language(vocab.lang).spacing
    while batch := list(islice(some, n_sents or None)):
        for tree in batch:
            check_words(tree)
        spaces = [
            space
            for tree in batch
            for space in guess_spaces(tree.words, tree.tags, spacing)
        ]
        doc = Doc(
            vocab,
            words=[word for tree in batch for word in tree.words],
            spaces=[*spaces[:-1], False],
            tags=[tag for tree in batch for tag in tree.tags],
            sent_starts=[i == 0 for tree in batch for i in range(len(tree))],
        )
        set_trees(doc, [tree.constituents for tree in batch], key=key)
        yield doc


def check_words(tree: Tree) -> None:
    """Raise TreeError if a word or name of the tree cannot be one of a Doc."""
    for i, word in enumerate(tree.words):
        if word.isspace():
            raise TreeError(f"word {i}, {word!r}, is white space alone")
    labels = (node.label for node in tree.constituents)
    if found := SURROGATE.search(" ".join((*tree.words, *tree.tags, *labels))):
        raise TreeError(
            f"there is a lone surrogate, {found[0]!r}, which is no character"
        )


def unescaped(doc: Doc) -> Doc:
    """The Doc; if some words are as in Penn treebanks, a copy with them as in text.

    A copy has no trees, and of the tokens' other attributes those of `_COPIED` alone.
    """
    if not has_penn_escapes(doc.text):
        return doc
    copy = Doc(
        doc.vocab,
        words=[unescape_penn(token.text) for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
    )
    values: Any = doc.to_array(_COPIED)
    return copy.from_array(_COPIED, values)


def sentence_doc(sent: Doc | Span, vocab: Vocab) -> Doc:
    """Make a Doc of a sentence's words, with their tags and without white space."""
    words = [token for token in sent if is_word(token)]
    spaces = [bool(t.whitespace_) or not is_word(t.nbor()) for t in words[:-1]]
    return Doc(
        vocab,
        words=[token.text for token in words],
        spaces=[*spaces, False][: len(words)],
        tags=[token.tag_ for token in words],
        sent_starts=[i == 0 for i in range(len(words))],
    )
