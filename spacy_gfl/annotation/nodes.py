"""Constituents found on a Doc, each read from its span group when asked for.

The group is in pre-order, hence sorted by start: a constituent is found by
bisection, and what lies inside it follows it. No answer is kept, so none is ever
out of date; kept is only that the group has been checked to be trees.
"""

from bisect import bisect_left
from itertools import takewhile
from typing import FrozenSet, Iterator, List, NamedTuple, Optional, Tuple
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, is_word, sentences
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree, TreeError

#: The first token, and the one after the last.
Extent = Tuple[int, int]


class NonConstituentException(ValueError):
    """Raised when a span has no place in the tree of its sentence."""


class Node(NamedTuple):
    """A constituent and its place in the group. Extents are in tokens.

    doc, group: Where it is.
    start, end: Its tokens, the first and the last of them words.
    first: The index in the group of the first span inside the extent.
    sent: The extent of the sentence's words.
    """

    doc: Doc
    group: SpanGroup
    start: int
    end: int
    first: int
    sent: Extent

    def is_constituent(self) -> bool:
        extent = (self.start, self.end)
        if self.end - self.start == 1 or extent == self.sent:
            return True
        if self.end > self.sent[1] or self.first == len(self.group):
            return False
        span = self.group[self.first]
        return (span.start, span.end) == extent

    def spans(self) -> Iterator[Constituent]:
        """The labelled constituents inside the extent, in pre-order.

        Raises TreeError where edits have put spans out of order.
        """
        previous, ends = self.start, [self.end]
        for index in range(self.first, len(self.group)):
            span = self.group[index]
            if span.start >= self.end:
                break
            while len(ends) > 1 and ends[-1] <= span.start:
                ends.pop()
            _require_within(span, (previous, ends[-1]))
            yield Constituent(span.label_, span.start, span.end)
            previous = span.start
            ends.append(span.end)

    def labels(self) -> Tuple[str, ...]:
        here = takewhile(lambda node: node[1:] == (self.start, self.end), self.spans())
        return tuple(node.label for node in here)

    def words(self) -> List[int]:
        return [i for i in range(self.start, self.end) if is_word(self.doc[i])]

    def tree(self) -> Tree:
        words = [self.doc[i] for i in self.words()]
        position = {word.i: n for n, word in enumerate(words)}
        nodes = []
        for label, start, end in self.spans():
            if start not in position or end - 1 not in position:
                raise TreeError(
                    f"The constituent {label} of tokens {start}-{end} does not begin "
                    "and end with words."
                )
            nodes.append(Constituent(label, position[start], position[end - 1] + 1))
        tags = tuple(word.tag_ or MISSING_TAG for word in words)
        return Tree(tuple(word.text for word in words), tags, tuple(nodes))

    def extents(self) -> List[Extent]:
        """The different extents inside in pre-order: itself first, words too."""
        found = {(self.start, self.end)}
        found.update((start, end) for _, start, end in self.spans())
        found.update((word, word + 1) for word in self.words())
        return sorted(found, key=lambda extent: (extent[0], -extent[1]))

    def parent(self) -> Optional[Span]:
        if (self.start, self.end) == self.sent:
            return None
        # Whatever holds this one stands before it, the smallest last.
        for index in range(self.first - 1, -1, -1):
            span = self.group[index]
            if span.start < self.sent[0]:
                break
            if span.end >= self.end:
                _require_within(span, self.sent)
                return self.doc[span.start : span.end]
        return self.doc[self.sent[0] : self.sent[1]]


def locate(span: Span) -> Optional[Node]:
    """Find a span's place in its tree; None where it is all white space."""
    doc = span.doc
    checked = _checked_trees(doc)
    start, end = _trim(doc, span.start, span.end)
    if start == end and len(span) > 0:
        return None
    if start < end:
        sent = doc[start].sent
        if (sent.start, sent.end) not in checked.sentences:
            checked = _check(doc)
        group = checked.group
        first = _first_within(group, start, end)
        words = _trim(doc, sent.start, sent.end)
        node = Node(doc, group, start, end, first, words)
        if node.is_constituent():
            return node
    raise NonConstituentException(
        f'"{span.text}" (tokens {span.start}-{span.end}) is not a constituent.'
    )


class _Checked(NamedTuple):
    """What was found to be trees over the sentences of a Doc.

    The group is kept for its identity; it holds its Doc weakly.
    """

    group: SpanGroup
    n_spans: int
    n_tokens: int
    sentences: FrozenSet[Extent]


_checked: "WeakKeyDictionary[Doc, _Checked]" = WeakKeyDictionary()


def _check(doc: Doc) -> _Checked:
    """Check all trees of a Doc. Raises as get_trees does."""
    get_trees(doc)
    group = doc.spans[SPANS_KEY]
    sents = frozenset((sent.start, sent.end) for sent in sentences(doc))
    _checked[doc] = checked = _Checked(group, len(group), len(doc), sents)
    return checked


def _checked_trees(doc: Doc) -> _Checked:
    """The Doc's trees, checked on first use and when it is seen to have changed.

    Spans that were replaced one for one go unseen here: they are checked where
    they are read.
    """
    checked = _checked.get(doc)
    group = doc.spans.get(SPANS_KEY)
    if checked is None or group is None or checked.group is not group:
        return _check(doc)
    if (checked.n_spans, checked.n_tokens) != (len(group), len(doc)):
        return _check(doc)
    return checked


def _first_within(group: SpanGroup, start: int, end: int) -> int:
    """The index of the first span that begins at start or later and fits in."""
    first = bisect_left(range(len(group)), start, key=lambda i: group[i].start)
    while first < len(group) and group[first].start == start and group[first].end > end:
        first += 1
    return first


def _require_within(span: Span, extent: Extent) -> None:
    """Raise TreeError for a span that edits have put out of place."""
    start, end = extent
    is_within = start <= span.start < span.end <= end
    if not is_within or span.start_char != span.doc[span.start].idx:
        raise TreeError(
            f"The constituent {span.label_} of tokens {span.start}-{span.end} does not "
            f"fit into tokens {start}-{end}: the Doc or its constituents have been "
            "changed so that they are no trees any more."
        )


def _trim(doc: Doc, start: int, end: int) -> Extent:
    """The same tokens without white space at either end."""
    while start < end and not is_word(doc[start]):
        start += 1
    while start < end and not is_word(doc[end - 1]):
        end -= 1
    return start, end
