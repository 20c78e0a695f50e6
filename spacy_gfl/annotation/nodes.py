"""Constituents found on a Doc, each read from its span group when asked for.

The group is in pre-order, hence sorted by start: a constituent is found by
bisection, and what lies inside it follows it. The trees are kept as they were when
the group was checked to be trees, with what was worked out of them. Whatever is
answered from there is first compared with the Doc, so that no answer is ever out
of date.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    get_trees,
    is_in_place,
    is_word,
    sentences,
    tree_of_words,
    word_indices,
)
from spacy_gfl.trees.head_rules import HeadRules
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree, TreeError

#: The first token, and the one after the last.
Extent = tuple[int, int]


class NonConstituentException(ValueError):
    """Raised when a span has no place in the tree of its sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it was when its Doc was checked.

    Attributes:
        tree: Its tree.
        words: The token of each word.
        first: The index in the group of its first span.
        heads: The heads of its constituents by the identity of the rules, which are
            kept beside them so that it stays theirs.
    """

    tree: Tree
    words: list[int]
    first: int
    heads: dict[int, tuple[HeadRules, list[int]]] = field(default_factory=dict)


class Node(NamedTuple):
    """A constituent and its place in the group. Extents are in tokens."""

    doc: Doc
    group: SpanGroup
    start: int  # a word
    end: int  # after the last word
    first: int  # the index in the group of the first span inside
    sent: Extent  # of the sentence's words
    kept: Sentence

    def is_constituent(self) -> bool:
        """Whether there is a constituent of this extent, or a word or sentence."""
        extent = (self.start, self.end)
        if self.end - self.start == 1 or extent == self.sent:
            return True
        if self.end > self.sent[1] or self.first == len(self.group):
            return False
        span = self.group[self.first]
        return (span.start, span.end) == extent

    def spans(self) -> Iterator[Constituent]:
        """The labelled constituents inside the extent, in pre-order.

        Raises:
            TreeError: Edits have put spans out of order.
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

    def labels(self) -> tuple[str, ...]:
        """The labels at exactly this extent, outermost first."""
        here = takewhile(lambda node: node[1:] == (self.start, self.end), self.spans())
        return tuple(node.label for node in here)

    def words(self) -> list[int]:
        """The tokens that are more than white space."""
        return word_indices(self.doc[self.start : self.end])

    def tree(self) -> Tree:
        """The tree over its words."""
        return tree_of_words(self.doc, self.words(), self.spans())

    def extents(self) -> list[Extent]:
        """The different extents inside in pre-order: itself first, words too."""
        found = {(self.start, self.end)}
        found.update((start, end) for _, start, end in self.spans())
        found.update((word, word + 1) for word in self.words())
        return sorted(found, key=lambda extent: (extent[0], -extent[1]))

    def parent(self) -> Span | None:
        """The smallest larger constituent, None for a sentence."""
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

    def height(self) -> int:
        """The steps from the outermost label down to the deepest tag."""
        highest = 0
        ends: list[int] = []
        for _, start, end in self.spans():
            while ends and ends[-1] <= start:
                ends.pop()
            ends.append(end)
            highest = max(highest, len(ends))
        return highest + self._has_implicit_root()

    def depth(self) -> int:
        """The number of labels over larger extents that hold it."""
        if (self.start, self.end) == self.sent:
            return 0
        whole = self.whole()
        above = int(whole._has_implicit_root())
        for _, start, end in whole.spans():
            if start > self.start:
                break
            above += end >= self.end and (start, end) != (self.start, self.end)
        return above

    def whole(self) -> "Node":
        """The sentence that it is in."""
        start, end = self.sent
        first = _first_within(self.group, start, end)
        return self._replace(start=start, end=end, first=first)

    def is_as_kept(self, since: int) -> bool:
        """Whether a part of the sentence is what it was when it was checked.

        Args:
            since: The constituent of the kept tree from which on spans, words and
                tags are compared, up to the end of this one.
        """
        tree, words, first = self.kept.tree, self.kept.words, self.kept.first
        start = self.start
        after = first + len(tree.constituents)
        for index in range(since, len(tree.constituents)):
            label, begin, end = tree.constituents[index]
            if words[begin] >= self.end:
                after = first + index
                break
            span = self.group[first + index]
            extent = (words[begin], words[end - 1] + 1)
            if (span.start, span.end) != extent or span.label_ != label:
                return False
            start = min(start, span.start)
        if after < len(self.group) and self.group[after].start < self.end:
            return False
        for i in range(bisect_left(words, start), bisect_left(words, self.end)):
            token = self.doc[words[i]]
            tag = token.tag_ or MISSING_TAG
            if (token.text, tag) != (tree.words[i], tree.tags[i]):
                return False
        return True

    def _has_implicit_root(self) -> bool:
        """Whether it is a sentence that only TOP holds together."""
        return self.end - self.start > 1 and not self.labels()


def locate(span: Span, *, anew: bool = False) -> Node | None:
    """Find a span's place in its tree.

    Args:
        span: The span.
        anew: Check the Doc's trees even if they seem to be those that were checked.

    Returns:
        The constituent, None where the span is all white space.

    Raises:
        NonConstituentException: The span has no place in the tree.
        ValueError: The Doc has no trees or no sentences.
        TreeError: Its spans are no trees.
    """
    doc = span.doc
    checked = _checked_trees(doc, anew=anew)
    start, end = _trim(doc, span.start, span.end)
    if start == end and len(span) > 0:
        return None
    if start < end:
        sent = doc[start].sent
        if (sent.start, sent.end) not in checked.sentences:
            checked = _checked_trees(doc, anew=True)
        first = _first_within(checked.group, start, end)
        words = _trim(doc, sent.start, sent.end)
        kept = checked.sentences[sent.start, sent.end]
        node = Node(doc, checked.group, start, end, first, words, kept)
        if node.is_constituent():
            return node
    raise NonConstituentException(
        f'"{span.text}" (tokens {span.start}-{span.end}) is not a constituent.'
    )


class _Checked(NamedTuple):
    """A span group that was found to hold trees over the sentences of a Doc."""

    group: SpanGroup  # kept for its identity; it holds its Doc weakly
    n_spans: int
    n_tokens: int
    sentences: dict[Extent, Sentence]


_checked: WeakKeyDictionary[Doc, _Checked] = WeakKeyDictionary()


def _checked_trees(doc: Doc, *, anew: bool) -> _Checked:
    """The Doc's trees, checked on first use and when it is seen to have changed.

    Spans that were replaced one for one go unseen here: they are checked where
    they are read. Raises as get_trees does.
    """
    checked = _checked.get(doc)
    group = doc.spans.get(SPANS_KEY)
    if (
        not anew
        and checked is not None
        and checked.group is group
        and (checked.n_spans, checked.n_tokens) == (len(group), len(doc))
    ):
        return checked
    trees = get_trees(doc)
    kept: dict[Extent, Sentence] = {}
    first = 0
    for sent, tree in zip(sentences(doc), trees, strict=True):
        kept[sent.start, sent.end] = Sentence(tree, word_indices(sent), first)
        first += len(tree.constituents)
    group = doc.spans[SPANS_KEY]
    _checked[doc] = checked = _Checked(group, len(group), len(doc), kept)
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
    if not is_within or not is_in_place(span):
        raise TreeError(
            f"The constituent {span.label_} of tokens {span.start}-{span.end} does not "
            f"fit into tokens {start}-{end}: the Doc or its constituents have been "
            "changed so that they are no trees any more."
        )


def _trim(doc: Doc, start: int, end: int) -> Extent:
    """An extent of tokens without white space at either end."""
    while start < end and not is_word(doc[start]):
        start += 1
    while start < end and not is_word(doc[end - 1]):
        end -= 1
    return start, end
