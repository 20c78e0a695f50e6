"""Given trees, checked and written: on Docs of their words, or on Docs made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.sentence_words import require_doc, sentence_words
from spacy_gfl.annotation.storage import SPANS_KEY, put_constituents
from spacy_gfl.languages import find_language
from spacy_gfl.languages.spacing import guess_spaces
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.escaping import SURROGATE
from spacy_gfl.trees.tree import Constituent, Tree, TreeError, check_constituents

if TYPE_CHECKING:
    import nltk


def set_trees(
    doc: Doc,
    trees: Sequence[Tree | nltk.Tree | str | Iterable[Constituent]],
    *,
    key: str = SPANS_KEY,
    attrs: dict[str, Any] | None = None,
) -> None:
    """Write one tree per sentence into `doc.spans[key]`, replacing what is there.

    Args:
        doc: A Doc with sentence boundaries. Its tags stay as they are.
        trees: For each sentence a `Tree`, an `nltk.Tree`, brackets ("" for white
            space), or constituents in pre-order, whose extents count the sentence's
            words (tokens other than white space) from 0.
        key: The name of the span group.
        attrs: Plain data to keep beside the format version on the span group.

    Raises:
        TreeError: Trees and sentences differ in number or in their words, an
            extent is out of range, or brackets are malformed. What was on the Doc
            stays.
        TypeError: What is given is no Doc, or no list.
        ValueError: The Doc has no sentence boundaries.
    """
    require_doc(doc, "set_trees")
    _refuse_one(trees, "set_trees")
    if not isinstance(trees, Sequence):
        kind = type(trees).__name__
        raise TypeError(f"set_trees takes a list of trees, not a {kind}.")
    sents = sentence_words(doc)
    if len(sents) != len(trees):
        raise TreeError(f"{len(trees)} trees for {len(sents)} sentences")
    sentences_nodes = []
    for number, (words, tree) in enumerate(zip(sents, trees, strict=True)):
        try:
            nodes = _constituents(tree, doc, words)
            for label, _, _ in nodes:
                doc.vocab.strings.add(label)
        except (TreeError, UnicodeEncodeError) as error:
            message = f"The tree of sentence {number} (from 0): {error}"
            raise TreeError(message) from error
        sentences_nodes.append((words, nodes))
    put_constituents(doc, sentences_nodes, key=key, attrs=attrs)


def is_nltk(tree: Any) -> bool:
    """Whether this is an nltk.Tree, a list with methods; nltk is slow to import."""
    return isinstance(tree, list) and hasattr(tree, "leaves")


def _refuse_one(trees: Any, function: str) -> None:
    if isinstance(trees, (Tree, str)) or is_nltk(trees):
        raise TreeError(
            f"{function} takes a list with one tree per sentence, not a single tree: "
            "write [tree]."
        )


def _as_tree(tree: Any) -> Any:
    """A tree that is an nltk.Tree or in brackets as a `Tree`; all else as it is."""
    if isinstance(tree, str):
        return parse_tree(tree) if tree.strip() else Tree.flat((), ())
    return Tree.from_nltk(tree) if is_nltk(tree) else tree


def _whole_tree(tree: Any) -> Tree:
    """A tree with its words; TreeError for a list of constituents, or anything else."""
    tree = _as_tree(tree)
    if not isinstance(tree, Tree):
        raise TreeError(f"{tree!r:.50} is neither a tree nor brackets")
    return tree


def _constituents(tree: Any, doc: Doc, words: list[int]) -> Sequence[Constituent]:
    """The constituents of a tree; TreeError unless it is one over these words."""
    tree = _as_tree(tree)
    if not isinstance(tree, Tree):
        try:
            nodes = [Constituent(*node) for node in tree]
            check_constituents(nodes, len(words))
        except TypeError:
            raise TreeError(
                f"{tree!r:.50} is neither a tree nor a list of (label, start, end)"
            ) from None
        return nodes
    for i, (word, at) in enumerate(zip(tree.words, words, strict=False)):
        if word != (other := doc[at].text):
            raise TreeError(
                f"word {i} is {word!r} in the tree, but {other!r} in the Doc"
            )
    if len(tree) != len(words):
        raise TreeError(
            f"the tree has {len(tree)} words, and the sentence {len(words)}"
        )
    return tree.constituents


def trees_to_docs(
    trees: Iterable[Tree | nltk.Tree | str],
    vocab: Vocab,
    *,
    n_sents: int = 1,
    key: str = SPANS_KEY,
) -> Iterator[Doc]:
    """Make Docs from trees, one sentence per tree.

    Every word becomes one token with its tag in `token.tag_`, whatever it is
    made of; spaces stand where a text in the language of the vocabulary
    most likely had them. `doc.spans[key]`
    holds the trees. Trees without words are passed over.

    Args:
        trees: The trees: each a `Tree`, an `nltk.Tree`, or brackets.
        vocab: The vocabulary of the Docs.
        n_sents: Sentences to a Doc; the last Doc may have fewer. 0 makes one Doc of
            all.
        key: The name of the span group for the trees.

    Raises:
        TreeError: A word is white space alone, or something has a lone surrogate:
            no tree over a Doc has such tokens. Or what is given is no tree, or
            malformed brackets.
        ValueError: `n_sents` is negative.
    """
    if n_sents < 0:
        raise ValueError(f"n_sents must be 0 or more, not {n_sents}")
    _refuse_one(trees, "trees_to_docs")
    some = (tree for tree in map(_whole_tree, trees) if tree.words)
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
            raise TreeError(f"word {i}, {word!r}, is only white space")
    labels = (node.label for node in tree.constituents)
    if surrogate := SURROGATE.search(" ".join((*tree.words, *tree.tags, *labels))):
        raise TreeError(
            f"the text has a lone surrogate, {surrogate[0]!r}, which is not a character"
        )
