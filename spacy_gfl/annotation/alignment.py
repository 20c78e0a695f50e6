"""Gold trees over the words of a predicted Doc."""

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, is_word
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree


class GoldSentence(NamedTuple):
    """A sentence to learn: its words in the predicted Doc, and the tree over them."""

    words: list[int]
    tree: Tree


class _Word(NamedTuple):
    """A word's index in its Doc, and its extent in the folded text."""

    token: int
    start: int
    end: int


def fold(text: str) -> str:
    """Reduce a text to the characters that two aligned texts must share.

    White space is left out, and upper case becomes lower case. Folding a text gives
    the same as folding its parts. A character may become two, so extents that are
    compared must be counted in folded text.
    """
    return "".join(text.split()).casefold()


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
    text, other = reference.text, predicted.text
    if text != other and fold(text) != fold(other):
        raise ValueError(
            "The reference and the predicted Doc of an Example must have the same "
            f"text, apart from white space and case: {text[:40]!r}, {other[:40]!r}."
        )
    gold, words = _words(reference), _words(predicted)
    begin_at = {word.start: n for n, word in enumerate(words)}
    end_at = {word.end: n + 1 for n, word in enumerate(words)}
    following = 0
    for tree in get_trees(reference):
        in_sent = gold[following : following + len(tree)]
        following += len(tree)
        if not in_sent:
            continue
        first, last = begin_at.get(in_sent[0].start), end_at.get(in_sent[-1].end)
        if first is None or last is None:
            continue
        kept = []
        for label, start, end in tree.constituents:
            begin = begin_at.get(in_sent[start].start)
            stop = end_at.get(in_sent[end - 1].end)
            if begin is not None and stop is not None:
                kept.append(Constituent(label, begin - first, stop - first))
        tag_of = {word[1:]: tag for word, tag in zip(in_sent, tree.tags, strict=True)}
        found = words[first:last]
        tokens = [word.token for word in found]
        texts = tuple(predicted[i].text for i in tokens)
        tags = tuple(tag_of.get(word[1:], MISSING_TAG) for word in found)
        yield GoldSentence(tokens, Tree(texts, tags, tuple(kept)))


def _words(doc: Doc) -> list[_Word]:
    words, end = [], 0
    for token in doc:
        if is_word(token):
            start, end = end, end + len(fold(token.text))
            words.append(_Word(token.i, start, end))
    return words
