"""The phrase-structure tree as a value, written as brackets or an nltk.Tree.

A tree is flat data: its words, their tags, and its constituents in pre-order.
Nothing here is recursive, so that depth is limited by memory alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spacy_gfl.trees.escaping import escape_name, escape_names, escape_words
from spacy_gfl.trees.labels import CONSTITUENTS

if TYPE_CHECKING:
    import nltk


ROOT_LABEL = "TOP"
#: The tag of a word that has none, and every tag of the paper's linearization.
MISSING_TAG = "XX"
#: The first word or token, and the one after the last.
Extent: TypeAlias = tuple[int, int]
#: Names that treebanks give to the bracket around a whole sentence.
ROOT_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})


class TreeError(ValueError):
    """Raised when something is not a tree over its words."""


class Constituent(NamedTuple):
    """A labelled extent: words `start` up to, not including, `end`."""

    label: str
    start: int
    end: int


class Event(NamedTuple):
    """A step of a traversal: "open" or "close" a constituent, or a "word", by index."""

    kind: str
    at: int


class Child(NamedTuple):
    """A constituent or a word as a child: which of the two, and its index."""

    is_word: bool
    at: int


@dataclass(frozen=True)
class Tree:
    """The tree of one sentence.

    Attributes:
        words: The words. No word, tag or label is empty.
        tags: One part-of-speech tag per word.
        constituents: The constituents above the tags, in pre-order, unary chains
            outermost first. The root bracket of treebanks (TOP) is not among them, so
            several may be outermost, and words may be outside of all.

    Raises:
        TreeError: Something is empty, or the constituents are not nested, not in
            pre-order or out of range.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    constituents: tuple[Constituent, ...]

    def __post_init__(self) -> None:
        nodes = tuple(self.constituents)
        if not {Constituent}.issuperset(map(type, nodes)):
            nodes = tuple(starmap(Constituent, nodes))
        fields = {"words": self.words, "tags": self.tags, "constituents": nodes}
        for name, value in fields.items():
            object.__setattr__(self, name, tuple(value))
        if len(self.words) != len(self.tags):
            raise TreeError(f"{len(self.words)} words but {len(self.tags)} tags")
        if not all(self.words):
            raise TreeError(f"word {self.words.index('')} is empty")
        if not all(self.tags):
            raise TreeError(f"the tag of word {self.tags.index('')} is empty")
        check_constituents(self.constituents, len(self.words))

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return self.brackets()

    def keep_labels(self, labels: Container[str]) -> "Tree":
        """The tree without the constituents whose labels are not in `labels`."""
        kept = [node for node in self.constituents if node.label in labels]
        if len(kept) == len(self.constituents):
            return self
        return Tree(self.words, self.tags, tuple(kept))

    def parents(self) -> list[int]:
        """Find the index of each constituent's parent, -1 for an outermost one."""
        parents: list[int] = []
        at = -1
        for i, node in enumerate(self.constituents):
            while at >= 0 and self.constituents[at].end <= node.start:
                at = parents[at]
            parents.append(at)
            at = i
        return parents

    def levels(self) -> list[int]:
        """Count the constituents from the top down to each one, itself included."""
        levels = [0]  # that of the root, which is parent -1
        for parent in self.parents():
            levels.append(levels[parent + 1] + 1)
        return levels[1:]

    def subtree(self, start: int, end: int, first: int) -> "Tree":
        """Take the tree over words `start` up to, not including, `end`.

        Constituents before the one of index `first` are left out.
        """
        if (start, end, first) == (0, len(self.words), 0):
            return self
        nodes = []
        for label, begin, stop in self.constituents[first:]:
            if begin >= end:
                break
            nodes.append(Constituent(label, begin - start, stop - start))
        return Tree(self.words[start:end], self.tags[start:end], tuple(nodes))

    def remove_words(self, removed: Sequence[bool]) -> "Tree":
        """The tree without some words and without constituents that lose all theirs.

        Args:
            removed: For each word whether it goes.
        """
        if not any(removed):
            return self
        kept = [not is_removed for is_removed in removed]
        # How many words stay before each word, and in all.
        before = [0, *accumulate(kept)]
        nodes = [
            Constituent(label, before[start], before[end])
            for label, start, end in self.constituents
            if before[start] < before[end]
        ]
        words, tags = compress(self.words, kept), compress(self.tags, kept)
        return Tree(tuple(words), tuple(tags), tuple(nodes))

    def children(self) -> list[list[Child]]:
        """Find the children of each constituent, left to right.

        Returns:
            A list for each constituent, and last the root's.
        """
        children: list[list[Child]] = [[] for _ in range(len(self.constituents) + 1)]
        stack = [-1]
        for kind, at in self.events():
            if kind == "close":
                stack.pop()
                continue
            children[stack[-1]].append(Child(kind == "word", at))
            if kind == "open":
                stack.append(at)
        return children

    def events(self) -> Iterator[Event]:
        """Traverse the tree depth first, left to right."""
        nodes, stack, following = self.constituents, [], 0
        for word in range(len(self.words)):
            while following < len(nodes) and nodes[following].start == word:
                yield Event("open", following)
                stack.append(following)
                following += 1
            yield Event("word", word)
            while stack and nodes[stack[-1]].end == word + 1:
                yield Event("close", stack.pop())

    def brackets(self, root: str | None = None) -> str:
        """Write the tree on one line, as Penn treebanks do.

        Brackets and white space in words are escaped (`-LRB-`, `-U+00A0-`), so
        that the line can be read back.

        Args:
            root: A label to write around the tree. Without one, `TOP` is written
                where the tree is not a single bracket.

        Returns:
            The brackets, "" for a tree without words.
        """
        if not self.words:
            return ""
        n_words = len(self.words)
        opening, closing = [""] * n_words, [""] * n_words
        labels = escape_names(list(map(itemgetter(0), self.constituents)))
        for label, (_, start, end) in zip(labels, self.constituents, strict=True):
            opening[start] += f" ({label}"
            closing[end - 1] += ")"
        tags, words = escape_names(self.tags), escape_words(self.words)
        parts: list[str] = []
        for before, tag, word, after in zip(opening, tags, words, closing, strict=True):
            parts.append(f"{before} ({tag} {word}){after}")
        text = "".join(parts)
        if root is None and self.needs_root():
            root = ROOT_LABEL
        return text[1:] if root is None else f"({escape_name(root)}{text})"

    def needs_root(self) -> bool:
        """Whether the tree is not a single bracket without a root."""
        if not self.constituents:
            return len(self.words) > 1
        label, start, end = self.constituents[0]
        return start > 0 or end < len(self.words) or label in ROOT_LABELS

    def to_nltk(self, root: str | None = None) -> nltk.Tree:
        """Make an `nltk.Tree` whose leaves are the unescaped words.

        nltk's own methods are recursive, and fail for trees hundreds of levels deep.

        Args:
            root: A label to put around the tree. Without one, `TOP` is put where the
                tree is not a single bracket.

        Raises:
            TreeError: The tree has no words.
        """
        if not self.words:
            raise TreeError("a tree without words has no nltk.Tree")
        import nltk  # takes longer to import than all else here

        if root is None and self.needs_root():
            root = ROOT_LABEL
        top = nltk.Tree(root, [])
        stack = [top]
        for kind, index in self.events():
            if kind == "open":
                stack.append(nltk.Tree(self.constituents[index].label, []))
                stack[-2].append(stack[-1])
            elif kind == "word":
                stack[-1].append(nltk.Tree(self.tags[index], [self.words[index]]))
            else:
                stack.pop()
        return top[0] if root is None else top

    @classmethod
    def from_nltk(cls, tree: nltk.Tree) -> "Tree":
        """Build from an `nltk.Tree`. A root bracket (TOP, ROOT, S1) is dropped.

        Leaves may be words under their tags, or pairs of word and tag, as chunkers give
        them. Labels may be no strings, as those of feature grammars are. A word right
        under the label of a constituent, as in (S (NP dog)), has no tag, and gets XX.

        Warns:
            UserWarning: Words have no tags.

        Raises:
            TreeError: A node has no children, or a word that is not the only
                child of its tag.
        """
        import nltk

        builder, untagged = TreeBuilder(), []
        pending: list[Any] = [tree]
        if tree.label() in ROOT_LABELS and all(isinstance(c, nltk.Tree) for c in tree):
            pending = list(reversed(tree))
        while pending:
            item = pending.pop()
            if item is None:
                builder.close()
                continue
            if isinstance(item, tuple) and len(item) == 2:
                word, tag = item
                builder.word(str(word), str(tag or MISSING_TAG))
                continue
            if not isinstance(item, nltk.Tree):
                raise TreeError(f"the word {item!r} has no tag")
            label, children = item.label(), list(item)
            # As nltk prints nonterminals of grammars.
            label = label if isinstance(label, str) else repr(label)
            if len(item) == 1 and not isinstance(item[0], (nltk.Tree, tuple)):
                if label not in CONSTITUENTS:
                    builder.word(str(item[0]), label)
                    continue
                untagged.append(f"({label} {item[0]})")
                children = [(item[0], MISSING_TAG)]
            builder.open(label)
            pending.append(None)
            pending.extend(reversed(children))
        if untagged:
            n = len(untagged)
            words = "1 word has" if n == 1 else f"{n} words have"
            message = f"{words} no tag, such as {untagged[0]}"
            warnings.warn(f"{message}: they get {MISSING_TAG}.", stacklevel=2)
        return builder.finish()

    @classmethod
    def flat(cls, words: Sequence[str], tags: Sequence[str]) -> "Tree":
        """Make the tree that says nothing: words under the root."""
        return cls(tuple(words), tuple(tags), ())


class TreeBuilder:
    """Builds a tree from a depth-first traversal."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._tags: list[str] = []
        self._nodes: list[Constituent] = []
        # The places of open constituents, which end nowhere yet.
        self._open: list[int] = []

    def __len__(self) -> int:
        return len(self._words)

    def open(self, label: str) -> None:
        self._open.append(len(self._nodes))
        self._nodes.append(Constituent(label, len(self._words), -1))

    def word(self, word: str, tag: str) -> None:
        self._words.append(word)
        self._tags.append(tag)

    def close(self, drop_empty: bool = False) -> bool:
        """Close the constituent opened last.

        Args:
            drop_empty: Take a constituent without words out of the tree.

        Returns:
            Whether it stayed in the tree.

        Raises:
            TreeError: Nothing is open, or the constituent has no words.
        """
        if not self._open:
            raise TreeError("there is no open constituent to close")
        index, end = self._open.pop(), len(self._words)
        label, start, _ = self._nodes[index]
        if start < end:
            self._nodes[index] = Constituent(label, start, end)
        elif drop_empty:
            # Whatever was opened inside it is empty too, and already gone.
            del self._nodes[index]
        else:
            raise TreeError(f"the constituent {label} has no words")
        return start < end

    def finish(self) -> Tree:
        """Give out the tree.

        Raises:
            TreeError: Constituents are still open, or something is empty.
        """
        if self._open:
            label = self._nodes[self._open[-1]].label
            raise TreeError(f"the constituent {label} is not closed")
        return Tree(tuple(self._words), tuple(self._tags), tuple(self._nodes))


def in_pre_order(nodes: Iterable[Constituent]) -> tuple[Constituent, ...]:
    """Constituents in pre-order: of one extent, the first is the outermost."""
    return tuple(sorted(nodes, key=lambda node: (node.start, -node.end)))


def unary_chains(constituents: Iterable[Constituent]) -> dict[Extent, tuple[str, ...]]:
    """The labels of each extent, outermost first; the constituents are in pre-order."""
    chains: dict[Extent, tuple[str, ...]] = {}
    for label, *extent in constituents:
        at = (extent[0], extent[1])
        chains[at] = (*chains.get(at, ()), label)
    return chains


def check_constituents(constituents: Sequence[Constituent], n_words: int) -> None:
    """Raise TreeError unless constituents are labelled, nested and in pre-order."""
    ends = [n_words]
    previous = 0
    for label, start, end in constituents:
        if not 0 <= start < end <= n_words:
            raise TreeError(
                f"{label} {start}-{end} does not lie within {n_words} words"
            )
        if not label:
            raise TreeError(f"the label of {start}-{end} is empty")
        while ends[-1] <= start and len(ends) > 1:
            ends.pop()
        # One that begins with the last one, and is longer, should stand before it.
        if start < previous or (start == previous and end > ends[-1]):
            raise TreeError(f"{label} {start}-{end} is not in pre-order")
        if end > ends[-1]:
            raise TreeError(f"{label} {start}-{end} crosses an earlier constituent")
        ends.append(end)
        previous = start
