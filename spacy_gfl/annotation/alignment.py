"""Gold trees over the words of a predicted Doc."""

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from numpy import array_equal
from spacy.attrs import ORTH
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.sentence_words import is_word
from spacy_gfl.annotation.storage import SPANS_KEY, sentence_trees
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree


class GoldSentence(NamedTuple):
    """A sentence to learn: its words in the predicted Doc, and the tree over them."""

    words: list[int]
    tree: Tree


def fold(text: str) -> str:
    """Reduce a text to the characters that two aligned texts must share.

    White space is left out, and upper case becomes lower case. Folding a text gives
    the same as folding its parts. A character may become two, so extents that are
    compared must be counted in folded text.
    """
    return "".join(text.split()).casefold()


def character_offsets(doc: Doc) -> list[int]:
    """How many characters of the folded text stand before each token and the end."""
    return list(accumulate((len(fold(token.text)) for token in doc), initial=0))


def is_same(doc: Doc, other: Doc) -> bool:
    """Whether two Docs have the same tokens, so that nothing has to be aligned."""
    one = doc.to_array([ORTH])
    return len(doc) == len(other) and array_equal(one, other.to_array([ORTH]))


def gold_sentences(example: Example) -> Iterator[GoldSentence]:
    """Find the gold trees of an example over its predicted Doc's own tokens.

    Extents are compared by characters other than white space: a constituent
    stays where a predicted token begins and one ends with it, else it is left
    out. A sentence that begins or ends inside a predicted token is left out
    whole, and so is one without words. Tags are gold's where tokens are the same.

    Args:
        example: Its reference has the trees.

    Yields:
        The sentences of the reference, in their order; none if it has no trees.

    Raises:
        ValueError: The texts differ in more than white space and case.
    """
    reference, predicted = example.reference, example.predicted
    if SPANS_KEY not in reference.spans:
        return
    if is_same(reference, predicted):
        yield from (GoldSentence(*one) for one in sentence_trees(reference) if one[0])
        return
    text, other = reference.text, predicted.text
    if text != other and fold(text) != fold(other):
        raise ValueError(
            "The reference and the predicted Doc of an Example must have the same "
            f"text, apart from white space and case: {text[:40]!r}, {other[:40]!r}."
        )
    gold_at, at = character_offsets(reference), character_offsets(predicted)
    words = [token.i for token in predicted if is_word(token)]
    begin_at = {at[i]: n for n, i in enumerate(words)}
    end_at = {at[i + 1]: n + 1 for n, i in enumerate(words)}
    for tokens, tree in sentence_trees(reference):
        # In characters of the folded text.
        extents = [(gold_at[i], gold_at[i + 1]) for i in tokens]
        if not extents:
            continue
        first, last = begin_at.get(extents[0][0]), end_at.get(extents[-1][1])
        if first is None or last is None:
            continue
        kept = []
        for label, start, end in tree.constituents:
            begin = begin_at.get(extents[start][0])
            stop = end_at.get(extents[end - 1][1])
            if begin is not None and stop is not None:
                kept.append(Constituent(label, begin - first, stop - first))
        tag_of = dict(zip(extents, tree.tags, strict=True))
        indices = words[first:last]
        texts = tuple(predicted[i].text for i in indices)
        tags = tuple(tag_of.get((at[i], at[i + 1]), MISSING_TAG) for i in indices)
        yield GoldSentence(indices, Tree(texts, tags, tuple(kept)))
