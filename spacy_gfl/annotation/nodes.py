"""Constituents found on a Doc: the trees of its span group, kept while they hold.

A Doc's trees are read when they are first asked for, and kept until the Doc has another
group, or one of another length, or other tokens or tags. A span that another takes the
place of inside of the group is not noticed: assign the group anew.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from operator import attrgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, TAG
from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.noun_chunks import find_in_trees
from spacy_gfl.annotation.storage import SPANS_KEY, sentence_trees
from spacy_gfl.trees.tree import Constituent, Extent, Tree

_start = attrgetter("start")


class NonConstituentException(ValueError):
    """Raised when a span has no place in the tree of its sentence."""


@dataclass(eq=False)
class Sentence:
    """A sentence as it was when its Doc's trees were read.

    Attributes:
        tree: Its tree.
        words: The token of each word.
        number: The index of the sentence.
        first: The index in the span group of its first span.
        start: Its first token.
        tokens: The hashes of the text and of the tag of each token.
        heads: For names of head rules the heads of its constituents and the root's.
    """

    tree: Tree
    words: list[int]
    number: int
    first: int
    start: int
    tokens: list[tuple[int, int]]
    heads: dict[str, list[int]] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[Extent, int]:
        """The index of the outermost constituent of each extent."""
        places: dict[Extent, int] = {}
        for at, (_, start, end) in enumerate(self.tree.constituents):
            places.setdefault((start, end), at)
        return places

    def functions(self, doc: Doc) -> list[str]:
        """The function tags of each constituent: "", "SBJ" or, of several, "LOC-PRD".

        They are read anew each time: a component may have changed them.
        """
        group, first = doc.spans[SPANS_KEY], self.first
        return [group[first + i].kb_id_ for i in range(len(self.tree.constituents))]

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
        return bisect_left(nodes, self.end, self.first, key=_start)

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
        extents = {(self.start, self.end), *(node[1:] for node in self.inside())}
        extents.update((word, word + 1) for word in range(self.start, self.end))
        in_preorder = sorted(extents, key=lambda extent: (extent[0], -extent[1]))
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


def locate(span: Span, *, whole: bool = False) -> Node | None:
    """Find a span's place in its tree.

    Args:
        span: A span.
        whole: Whether the answer depends on all tags of the sentence, not only on those
            inside the constituent.

    Returns:
        The constituent, None where the span is all white space.

    Raises:
        NonConstituentException: The span has no place in the tree.
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    node = locate_around(span, whole=whole)
    if node is not None:
        words = node.sentence.words
        if span.start <= words[node.start] and words[node.end - 1] < span.end:
            return node
    elif len(span) and span.text.isspace():
        return None
    raise NonConstituentException(
        f'"{span.text}" (tokens {span.start}-{span.end}) is not a constituent.'
    )


def locate_around(span: Span, *, whole: bool = False) -> Node | None:
    """Find the smallest constituent around a span, the span itself if it is one.

    Args:
        span: A span.
        whole: As for `locate`.

    Returns:
        The constituent, None for a span of white space or beyond a sentence.

    Raises:
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    doc = span.doc
    kept = _as_kept(doc)
    node = _smallest(span, kept or _read(doc))
    if kept is not None and node is not None:
        sentence = node.sentence
        first, last = (0, -1) if whole else (node.start, node.end - 1)
        first, last = sentence.words[first], sentence.words[last] + 1
        tokens = sentence.tokens[first - sentence.start : last - sentence.start]
        if tokens != list(map(_of_token, doc[first:last])):
            return _smallest(span, _read(doc))
    return node


def sentence_nodes(span: Span) -> Iterator[Node]:
    """Find the sentences with words that a span has tokens of.

    Raises:
        ValueError: The Doc has no trees or no sentences, even if the span is empty.
        TreeError: Its spans are no trees.
    """
    kept_trees(span.doc)
    at = span.start
    while at < span.end:
        sent = span.doc[at].sent
        if node := locate(sent):
            yield node
        at = sent.end


def _smallest(span: Span, kept: "KeptTrees") -> Node | None:
    """The smallest constituent around a span in the trees that are kept."""
    doc, start, end = span.doc, span.start, span.end
    while start < end and doc[start].text.isspace():
        start += 1
    while start < end and doc[end - 1].text.isspace():
        end -= 1
    if start >= end:
        return None
    sent = doc[start].sent
    sentence = sentence_kept(sent, kept)
    if end > sent.end:
        return None
    words, nodes = sentence.words, sentence.tree.constituents
    start, end = bisect_right(words, start) - 1, bisect_right(words, end - 1)
    first = sentence.places.get((start, end))
    if first is None:
        first = bisect_right(nodes, start, key=_start)
        if end - start > 1:
            start, end, first = sentence.around(first, end)
    return Node(doc, sentence, start, end, first)


class KeptTrees(NamedTuple):
    """The trees of a Doc as they were read, by the extents of their sentences."""

    group: SpanGroup  # kept for its identity; it holds its Doc weakly
    n_spans: int
    n_tokens: int
    sentences: dict[Extent, Sentence]


_kept: WeakKeyDictionary[Doc, KeptTrees] = WeakKeyDictionary()
_of_token = attrgetter("orth", "tag")


def kept_trees(doc: Doc) -> KeptTrees:
    """The Doc's trees, read on first use and when their numbers have changed.

    Raises:
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    return _as_kept(doc) or _read(doc)


def sentence_kept(sent: Span, kept: KeptTrees) -> Sentence:
    """A sentence of a Doc's trees, read again if there was none of its extent."""
    extent = (sent.start, sent.end)
    return kept.sentences.get(extent) or _read(sent.doc).sentences[extent]


def _as_kept(doc: Doc) -> KeptTrees | None:
    """The trees that are kept of a Doc, if the group is the same and as long."""
    kept, group = _kept.get(doc), doc.spans.get(SPANS_KEY)
    if kept is None or kept.group is not group:
        return None
    is_as_long = (kept.n_spans, kept.n_tokens) == (len(group), len(doc))
    return kept if is_as_long else None


def _read(doc: Doc) -> KeptTrees:
    """Read a Doc's trees, and keep them. Raises what `sentence_trees` raises."""
    trees, group = sentence_trees(doc), doc.spans[SPANS_KEY]
    # The Doc may have had its trees before this package was imported.
    find_in_trees(doc)
    tokens = list(zip(*doc.to_array([ORTH, TAG]).T.tolist(), strict=True))
    by_extent: dict[Extent, Sentence] = {}
    first = 0
    for number, (sent, (words, tree)) in enumerate(zip(doc.sents, trees, strict=True)):
        start, end = extent = (sent.start, sent.end)
        by_extent[extent] = Sentence(
            tree, words, number, first, start, tokens[start:end]
        )
        # A tree without constituents has a span that says so.
        first += len(tree.constituents) or len(words) > 0
    _kept[doc] = kept = KeptTrees(group, len(group), len(doc), by_extent)
    return kept
