"""Constituents found on a Doc: the trees of its span group, kept while they hold.

A Doc's trees are checked when they are first asked for, and kept. Before anything is
answered from a kept tree, the part of it that decides on the answer is compared with
the Doc, so that no answer is ever out of date and its cost grows with its part.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.storage import SPANS_KEY, is_word, sentence_trees
from spacy_gfl.trees.tree import Constituent, Extent, Tree

#: What decides on an answer: a constituent, the smallest larger one, or all.
Scope: TypeAlias = Literal["itself", "parent", "sentence"]


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
        spans: The spans of the whole group: first token, the one after the last, label.
        tokens: The hashes of the text and of the tag of each token.
        heads: For names of head rules the heads of its constituents and the root's.
    """

    extent: Extent
    tree: Tree
    words: list[int]
    first: int
    spans: list[tuple[int, int, int]]
    tokens: list[tuple[int, int]]
    heads: dict[str, list[int]] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[Extent, int]:
        """The index of the outermost constituent of each extent."""
        nodes = enumerate(self.tree.constituents)
        return {(start, end): at for at, (_, start, end) in reversed([*nodes])}

    def around(self, at: int, end: int) -> tuple[int, int, int]:
        """Find the last constituent before one of index `at` that reaches to `end`.

        Returns:
            Its first word, the word after its last, and the index of the first
            constituent inside it, itself included; the sentence's if there is none.
        """
        nodes = self.tree.constituents
        for before in range(at - 1, -1, -1):
            _, start, stop = nodes[before]
            if stop >= end:
                return start, stop, self.places[start, stop]
        return 0, len(self.words), 0


class Node(NamedTuple):
    """A constituent of a Doc, with or without labels.

    Attributes:
        doc: The Doc.
        sentence: The sentence of the constituent.
        start, end: The first word and the one after the last, counted in the sentence.
        first: The index in the sentence's tree of the first constituent inside, itself
            included.
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

    @property
    def stop(self) -> int:
        """The index in the sentence's tree of the first constituent after it."""
        nodes = self.sentence.tree.constituents
        return bisect_left(nodes, self.end, self.first, key=lambda node: node.start)

    def inside(self) -> tuple[Constituent, ...]:
        """The labelled constituents inside, itself first, in pre-order."""
        return self.sentence.tree.constituents[self.first : self.stop]

    def labels(self) -> tuple[str, ...]:
        """The labels at exactly this extent, outermost first."""
        extent = (self.start, self.end)
        own = takewhile(lambda node: node[1:] == extent, self.inside())
        return tuple(node.label for node in own)

    def tree(self) -> Tree:
        """The tree over its words."""
        return self.sentence.tree.subtree(self.start, self.end, self.first)

    def spans(self) -> list[Span]:
        """The constituents inside and single words, one an extent, in pre-order."""
        found = {(self.start, self.end), *(node[1:] for node in self.inside())}
        found.update((word, word + 1) for word in range(self.start, self.end))
        in_preorder = sorted(found, key=lambda extent: (extent[0], -extent[1]))
        return [self.span(*extent) for extent in in_preorder]

    def span(self, start: int, end: int) -> Span:
        """The span of some words of the sentence, with its outermost label if any."""
        words, at = self.sentence.words, self.sentence.places.get((start, end))
        label = "" if at is None else self.sentence.tree.constituents[at].label
        return Span(self.doc, words[start], words[end - 1] + 1, label=label)

    def parent(self) -> "Node | None":
        """The smallest larger constituent, None for a sentence."""
        if self.is_sentence:
            return None
        start, end, first = self.sentence.around(self.first, self.end)
        return self._replace(start=start, end=end, first=first)


def locate(span: Span, scope: Scope = "itself") -> Node | None:
    """Find a span's place in its tree.

    Args:
        span: A span.
        scope: What the answer depends on, which is compared with the Doc: the
            constituent itself, all of its parent, or all of its sentence.

    Returns:
        The constituent, None where the span is all white space.

    Raises:
        NonConstituentException: The span has no place in the tree.
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    node = locate_around(span, scope)
    if node is not None:
        words = node.sentence.words
        if span.start <= words[node.start] and words[node.end - 1] < span.end:
            return node
    elif len(span) and span.text.isspace():
        return None
    raise NonConstituentException(
        f'"{span.text}" (tokens {span.start}-{span.end}) is not a constituent.'
    )


def locate_around(span: Span, scope: Scope = "itself") -> Node | None:
    """Find the smallest constituent around a span, the span itself if it is one.

    Args:
        span: A span.
        scope: The part of the tree that is compared with the Doc first.

    Returns:
        The constituent, None for a span of white space or beyond a sentence.

    Raises:
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    node = _smallest(span, _kept_trees(span.doc))
    if node is not None and not _is_current(node, scope):
        node = _smallest(span, _check_trees(span.doc))
    return node


def sentence_nodes(span: Span) -> Iterator[Node]:
    """Find the sentences with words that a span has tokens of.

    Raises:
        ValueError: The Doc has no trees or no sentences, even if the span is empty.
        TreeError: Its spans are no trees.
    """
    if len(span) == 0 or not span.doc.has_annotation("SENT_START"):
        sentence_trees(span.doc)
    at = span.start
    while at < span.end:
        sent = span.doc[at].sent
        if node := locate(sent):
            yield node
        at = sent.end


def _smallest(span: Span, kept: "_Kept") -> Node | None:
    """The smallest constituent around a span in the trees that are kept."""
    doc, start, end = span.doc, span.start, span.end
    while start < end and not is_word(doc[start]):
        start += 1
    while start < end and not is_word(doc[end - 1]):
        end -= 1
    if start >= end:
        return None
    sent = doc[start].sent
    extent = (sent.start, sent.end)
    sentence = kept.sentences.get(extent) or _check_trees(doc).sentences[extent]
    if end > sent.end:
        return None
    words, nodes = sentence.words, sentence.tree.constituents
    start, end = bisect_right(words, start) - 1, bisect_right(words, end - 1)
    first = sentence.places.get((start, end))
    if first is None:
        first = bisect_right(nodes, start, key=lambda node: node.start)
        if end - start > 1:
            start, end, first = sentence.around(first, end)
    return Node(doc, sentence, start, end, first)


def _is_current(node: Node, scope: Scope) -> bool:
    """Whether the Doc still has what decides on an answer.

    In pre-order, a span that is new to a constituent stands among its spans or next to
    them; so the two spans around them are compared too.
    """
    if scope == "parent":
        node = node.parent() or node
    elif scope == "sentence":
        node = node._replace(start=0, end=len(node.sentence.words), first=0)
    sentence, group = node.sentence, node.doc.spans[SPANS_KEY]
    first = max(sentence.first + node.first - 1, 0)
    stop = sentence.first + node.stop + 1
    known = sentence.spans[first:stop]
    for at, span in enumerate(known, start=first):
        found = group[at]
        if (found.start, found.end, found.label) != span:
            return False
    tokens = node.span(node.start, node.end)
    begin = tokens.start - sentence.extent[0]
    before = sentence.tokens[begin : begin + len(tokens)]
    return before == _texts_and_tags(tokens)


class _Kept(NamedTuple):
    """The trees of a Doc as they were checked."""

    group: SpanGroup  # kept for its identity; it holds its Doc weakly
    n_spans: int
    n_tokens: int
    sentences: dict[Extent, Sentence]


_kept: WeakKeyDictionary[Doc, _Kept] = WeakKeyDictionary()


def _kept_trees(doc: Doc) -> _Kept:
    """The Doc's trees, checked on first use and when their numbers have changed.

    Spans and words that were replaced one for one are noticed by `locate`, where
    their part of the tree is asked for.
    """
    kept, group = _kept.get(doc), doc.spans.get(SPANS_KEY)
    if kept is None or kept.group is not group:
        return _check_trees(doc)
    is_as_kept = (kept.n_spans, kept.n_tokens) == (len(group), len(doc))
    return kept if is_as_kept else _check_trees(doc)


def _check_trees(doc: Doc) -> _Kept:
    """Check a Doc's trees, and keep them. Raises what `sentence_trees` raises."""
    trees = sentence_trees(doc)
    group = doc.spans[SPANS_KEY]
    spans = [(span.start, span.end, span.label) for span in group]
    found: dict[Extent, Sentence] = {}
    first = 0
    for sent, (words, tree) in zip(doc.sents, trees, strict=True):
        extent, tokens = (sent.start, sent.end), _texts_and_tags(sent)
        found[extent] = Sentence(extent, tree, words, first, spans, tokens)
        first += len(tree.constituents)
    _kept[doc] = kept = _Kept(group, len(group), len(doc), found)
    return kept


def _texts_and_tags(span: Span) -> list[tuple[int, int]]:
    """The hashes of the text and of the tag of each token."""
    return [(token.orth, token.tag) for token in span]
