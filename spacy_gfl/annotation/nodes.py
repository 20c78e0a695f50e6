"""Constituents found on a Doc: the trees of its span group, kept while they hold.

A Doc's trees are checked when they are first asked for, and kept with the sentences
that they are of. Before anything is answered from a kept tree, its sentence is
compared with the Doc: spans, words and tags. So no answer is ever out of date.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, TAG
from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    get_trees,
    is_word,
    sentences,
    word_indices,
)
from spacy_gfl.trees.head_rules import HeadRules
from spacy_gfl.trees.tree import Constituent, Tree

#: The first token or word, and the one after the last.
Extent = tuple[int, int]


class NonConstituentException(ValueError):
    """Raised when a span has no place in the tree of its sentence."""


@dataclass(eq=False)
class Sentence:
    """A sentence as it was when its Doc was checked.

    Attributes:
        extent: Its tokens.
        tree: Its tree.
        words: The token of each word.
        first: The index in the span group of its first span.
        seen: What the Doc had then: the sentence's spans, words and tags.
        heads: The heads of its constituents by the identity of the rules, which are
            kept beside them so that it stays theirs.
    """

    extent: Extent
    tree: Tree
    words: list[int]
    first: int
    seen: tuple[list[tuple[int, int, int]], bytes]
    heads: dict[int, tuple[HeadRules, list[int]]] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[Extent, int]:
        """The index of the outermost constituent of each extent."""
        nodes = enumerate(self.tree.constituents)
        return {(start, end): at for at, (_, start, end) in reversed([*nodes])}

    @cached_property
    def parents(self) -> list[int]:
        """The index of each constituent's parent, -1 for an outermost one."""
        return self.tree.parents()

    @cached_property
    def levels(self) -> list[int]:
        """The number of constituents from the top down to each one, itself included."""
        return self.tree.levels()

    def find(self, start: int, end: int) -> int | None:
        """Find a constituent by its words; a word or a sentence is one without labels.

        Returns:
            The index of the first constituent inside it; None if it is none.
        """
        if (start, end) in self.places:
            return self.places[start, end]
        if (start, end) == (0, len(self.words)):
            return 0
        if end - start > 1:
            return None
        return bisect_right(self.tree.constituents, start, key=lambda node: node.start)


class Node(NamedTuple):
    """A constituent of a Doc, with or without labels.

    Attributes:
        doc: The Doc.
        sentence: The sentence it is in.
        start: Its first word, counted in the sentence.
        end: The word after the last.
        first: The index in the sentence's tree of the first constituent inside it,
            itself included.
    """

    doc: Doc
    sentence: Sentence
    start: int
    end: int
    first: int

    @property
    def is_sentence(self) -> bool:
        """Whether it is a whole sentence."""
        return self.end - self.start == len(self.sentence.words)

    def inside(self) -> Iterator[tuple[int, Constituent]]:
        """The labelled constituents inside, itself first, and their indices."""
        nodes = self.sentence.tree.constituents
        for at in range(self.first, len(nodes)):
            if nodes[at].start >= self.end:
                break
            yield at, nodes[at]

    def labels(self) -> tuple[str, ...]:
        """The labels at exactly this extent, outermost first."""
        found = []
        for _, (label, start, end) in self.inside():
            if (start, end) != (self.start, self.end):
                break
            found.append(label)
        return tuple(found)

    def tree(self) -> Tree:
        """The tree over its words."""
        return self.sentence.tree.subtree(self.start, self.end, self.first)

    def spans(self) -> list[Span]:
        """The constituents inside, one an extent, in pre-order: itself first."""
        found = {(self.start, self.end)}
        found.update((start, end) for _, (_, start, end) in self.inside())
        found.update((word, word + 1) for word in range(self.start, self.end))
        return [self.span(*extent) for extent in sorted(found, key=_in_preorder)]

    def span(self, start: int, end: int) -> Span:
        """The span of some words of the sentence."""
        words = self.sentence.words
        return self.doc[words[start] : words[end - 1] + 1]

    def _above(self) -> int:
        """The index of the smallest labelled constituent that is larger, or -1."""
        tree, parents = self.sentence.tree, self.sentence.parents
        if (self.start, self.end) in self.sentence.places:
            return parents[self.first]
        at = -1 if self.is_sentence else self.first - 1
        while at >= 0 and tree.constituents[at].end < self.end:
            at = parents[at]
        return at

    def parent(self) -> Span | None:
        """The smallest larger constituent, None for a sentence."""
        if self.is_sentence:
            return None
        above = self._above()
        if above < 0:
            return self.span(0, len(self.sentence.words))
        _, start, end = self.sentence.tree.constituents[above]
        return self.span(start, end)

    def height(self) -> int:
        """The steps from the outermost label down to the deepest tag."""
        levels = self.sentence.levels
        highest = max((levels[at] for at, _ in self.inside()), default=0)
        if self.labels():
            return highest - levels[self.first] + 1
        # Only TOP holds a sentence of several words together.
        return highest + 1 if self.end - self.start > 1 else 0

    def depth(self) -> int:
        """The number of labels over larger extents that hold it."""
        if self.is_sentence:
            return 0
        above, n_words = self._above(), len(self.sentence.words)
        labels = self.sentence.levels[above] if above >= 0 else 0
        return labels + ((0, n_words) not in self.sentence.places)


def locate(span: Span) -> Node | None:
    """Find a span's place in its tree.

    Returns:
        The constituent, None where the span is all white space.

    Raises:
        NonConstituentException: The span has no place in the tree.
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    words = _words(span)
    if words is not None:
        sentence, start, end = words
        first = sentence.find(start, end)
        if first is not None:
            return Node(span.doc, sentence, start, end, first)
    elif len(span) and span.text.isspace():
        return None
    raise NonConstituentException(
        f'"{span.text}" (tokens {span.start}-{span.end}) is not a constituent.'
    )


def locate_around(span: Span) -> Node | None:
    """Find the smallest constituent around a span, the span itself if it is one.

    Returns:
        The constituent, None where the span is all white space or reaches beyond a
        sentence.

    Raises:
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    words = _words(span)
    if words is None:
        return None
    sentence, start, end = words
    first = sentence.find(start, end)
    if first is None:
        nodes = sentence.tree.constituents
        at = bisect_right(nodes, start, key=lambda node: node.start) - 1
        while at >= 0 and nodes[at].end < end:
            at = sentence.parents[at]
        start, end = nodes[at][1:] if at >= 0 else (0, len(sentence.words))
        first = sentence.places.get((start, end), 0)
    return Node(span.doc, sentence, start, end, first)


def _words(span: Span) -> tuple[Sentence, int, int] | None:
    """The words of a span in their sentence; None if there is no such one."""
    doc = span.doc
    kept = _kept_trees(doc)
    start, end = span.start, span.end
    while start < end and not is_word(doc[start]):
        start += 1
    while start < end and not is_word(doc[end - 1]):
        end -= 1
    if start >= end:
        return None
    sent = doc[start].sent
    sentence = kept.sentences.get((sent.start, sent.end))
    if sentence is None or _seen(sent, kept.group, sentence) != sentence.seen:
        sentence = _check_trees(doc).sentences[sent.start, sent.end]
    if end > sent.end:
        return None
    words = sentence.words
    return sentence, bisect_right(words, start) - 1, bisect_right(words, end - 1)


class _Kept(NamedTuple):
    """What was found to be trees over the sentences of a Doc."""

    group: SpanGroup  # kept for its identity; it holds its Doc weakly
    n_spans: int
    n_tokens: int
    sentences: dict[Extent, Sentence]


_kept: WeakKeyDictionary[Doc, _Kept] = WeakKeyDictionary()


def _kept_trees(doc: Doc) -> _Kept:
    """The Doc's trees, checked on first use and when their numbers have changed.

    Spans and words that were replaced one for one are noticed by `locate`, where
    their sentence is asked for.
    """
    kept, group = _kept.get(doc), doc.spans.get(SPANS_KEY)
    if kept is None or kept.group is not group:
        return _check_trees(doc)
    is_as_kept = (kept.n_spans, kept.n_tokens) == (len(group), len(doc))
    return kept if is_as_kept else _check_trees(doc)


def _check_trees(doc: Doc) -> _Kept:
    """Check a Doc's trees, and keep them. Raises as `get_trees` does."""
    trees = get_trees(doc)
    group = doc.spans[SPANS_KEY]
    found: dict[Extent, Sentence] = {}
    first = 0
    for sent, tree in zip(sentences(doc), trees, strict=True):
        extent = (sent.start, sent.end)
        sentence = Sentence(extent, tree, word_indices(sent), first, ([], b""))
        sentence.seen = _seen(sent, group, sentence)
        found[extent] = sentence
        first += len(tree.constituents)
    _kept[doc] = kept = _Kept(group, len(group), len(doc), found)
    return kept


def _seen(
    sent: Span, group: SpanGroup, sentence: Sentence
) -> tuple[list[tuple[int, int, int]], bytes]:
    """What decides on the tree of a sentence: its spans, its words and their tags."""
    indices = range(sentence.first, sentence.first + len(sentence.tree.constituents))
    spans = (group[at] for at in indices)
    tokens: Any = sent.to_array([ORTH, TAG])  # type: ignore[attr-defined]
    return [(span.start, span.end, span.label) for span in spans], tokens.tobytes()


def _in_preorder(extent: Extent) -> Extent:
    return extent[0], -extent[1]
