"""The state machine behind `brackets`: lines in, finished trees out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from spacy_gfl.trees.escaping import unescape_name, unescape_word
from spacy_gfl.trees.labels import LABELS, TAGS, split_label
from spacy_gfl.trees.tree import (
    MISSING_TAG,
    ROOT_LABELS,
    Constituent,
    Tree,
    TreeBuilder,
    TreeError,
)

TRACE_TAG = "-NONE-"

# An opening bracket with its label and, where it is a whole preterminal, its
# word; a closing bracket; or a bare word. `lastindex` tells which.
_TOKEN = re.compile(r"\(([^()\s]*)(?:\s+([^()\s]+)\s*\))?|(\))|([^()\s]+)")
_PRETERMINAL, _CLOSING, _BARE_WORD = 2, 3, 4
_OPENING_LINE = re.compile(r"\(([^()\s]*)")


@dataclass(eq=False)
class BracketError(TreeError):
    """Malformed brackets, and where they stand.

    Attributes:
        source: Name of the file or stream.
        line: The line, from 1.
        column: The column, from 1, in characters.
        explanation: What is wrong.
        reason: A few fixed words for the kind of error, fit for a table.
    """

    source: str
    line: int
    column: int
    explanation: str
    reason: ClassVar[str] = "malformed tree"

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.explanation}"


class UnclosedBracketError(BracketError):
    """A tree is not closed; the place is where it opens."""

    reason = "unclosed bracket"


class UnopenedBracketError(BracketError):
    """There is a closing bracket too many; the place is that bracket."""

    reason = "too many closing brackets"


class EmptyLabelError(BracketError):
    """A bracket inside a tree has no label; the place is that bracket."""

    reason = "empty label"


class NoChildrenError(BracketError):
    """A bracket holds nothing; the place is where it opens."""

    reason = "node without children"


class BareWordError(BracketError):
    """A word stands beside subtrees, or beside another under one label.

    The place is the word. Raised only where such words are not repaired.
    """

    reason = "word without a tag of its own"


class OutsideTextError(BracketError):
    """Text stands outside of all brackets; the place is its first word."""

    reason = "text outside of a tree"


class TreeNumberError(BracketError):
    """There is no tree, or more than one, where one was asked for."""

    reason = "not exactly one tree"


class EncodingError(BracketError):
    """A file is not UTF-8; the place is the first byte that is not."""

    reason = "not UTF-8"


ErrorHandler = Callable[[BracketError], None]


@dataclass
class ReadCounts:
    """Tallies of one reading; `read == kept + vanished + sum(rejected.values())`.

    Attributes:
        read: Trees met, malformed ones and stray pieces of text among them.
        kept: Trees given out.
        repaired: Of those, the trees with at least one repair.
        repairs: Nodes repaired: tags over several words, constituents with words
            that have no tag.
        untagged: Words that had no tag and were given XX.
        traces: Words of tag -NONE- taken out.
        emptied: Constituents taken out because only traces were in them.
        vanished: Trees of which nothing was left.
        rejected: How many errors of each reason.
    """

    read: int = 0
    kept: int = 0
    repaired: int = 0
    repairs: int = 0
    untagged: int = 0
    traces: int = 0
    emptied: int = 0
    vanished: int = 0
    rejected: dict[str, int] = field(default_factory=dict)


#: A line and a column.
Place = tuple[int, int]


@dataclass(slots=True)
class _Node:
    """An open bracket: over words alone until a bracket opens inside it."""

    label: str
    place: Place
    is_root: bool
    words: list[tuple[str, Place]] = field(default_factory=list)
    is_inner: bool = False
    is_repaired: bool = False


@dataclass(slots=True)
class _Draft:
    """A tree as far as it has been read, and what reading has changed of it.

    is_unindented: Whether lines in column 1 are parts of it, not new trees.
    """

    builder: TreeBuilder = field(default_factory=TreeBuilder)
    is_unindented: bool = False
    is_malformed: bool = False
    repairs: int = 0
    untagged: int = 0
    traces: int = 0
    emptied: int = 0


class BracketReader:
    """The state of one reading; the module `brackets` says what it does.

    Give each line to `begin_line`, then to `read_line`; at the end call `end`.
    After its first fault a tree is malformed, and only its brackets are counted.
    """

    def __init__(
        self,
        source: str,
        clean: bool,
        repair: bool,
        counts: ReadCounts,
        on_error: ErrorHandler | None,
    ) -> None:
        self.source = source
        self.clean = clean
        self.repair = repair
        self.counts = counts
        self.on_error = on_error
        self._nodes: list[_Node] = []
        self._draft = _Draft()
        # Whole trees, held until no closing bracket too many can come behind them.
        self._held: list[_Draft] = []
        self._held_from_column_1 = self._held_is_spoilt = False
        self._after_outside_text = False
        # Names as they stand in the file, of nodes over one word and of others.
        self._tags: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._is_without_tags = False

    def begin_line(self, number: int, line: str) -> list[Tree]:
        """See whether a line begins a new tree; the trees before it if it does."""
        opening = _OPENING_LINE.match(line)
        if self._nodes and opening:
            first, draft = self._nodes[0], self._draft
            # Nothing yet but the first bracket: this must be its content.
            draft.is_unindented |= not (first.is_inner or first.words)
            if not draft.is_unindented or opening[1] in ROOT_LABELS:
                self._fail_unclosed(f"; line {number} begins a new tree in column 1")
        if self._nodes or (self._held_from_column_1 and not opening and line.strip()):
            return []
        self._held_from_column_1 = opening is not None
        return self._release()

    def read_line(self, number: int, line: str) -> None:
        """Read the tokens of a line."""
        nodes, tags = self._nodes, self._tags
        for match in _TOKEN.finditer(line):
            kind = match.lastindex
            if kind == _CLOSING and nodes:
                self._close()
                continue
            tag = tags.get(match[1]) if kind == _PRETERMINAL and nodes else None
            if tag:
                # What the rest comes to for a tag that is known.
                if not nodes[-1].is_inner:
                    self._enter(nodes[-1])
                self._draft.builder.word(unescape_word(match[2]), tag)
                continue
            place = (number, match.start() + 1)
            if kind == _PRETERMINAL:
                self._open(match[1], place)
                self._read_word(match[2], (number, match.start(2) + 1))
                self._close()
            elif kind == _CLOSING:
                if not self._held_is_spoilt:
                    self._held_is_spoilt = True
                    message = "this closing bracket closes nothing"
                    self._reject(UnopenedBracketError, message, place)
            elif kind != _BARE_WORD:
                self._open(match[1], place)
            elif nodes:
                self._read_word(match[4], place)
            elif not self._after_outside_text:
                self._after_outside_text = True
                message = f"{match[4]!r} stands outside of all brackets"
                self._reject(OutsideTextError, message, place)

    def end(self) -> list[Tree]:
        """Take note that no lines are left; the last trees."""
        if self._nodes:
            self._fail_unclosed()
        return self._release()

    def _open(self, label: str, place: Place) -> None:
        self._after_outside_text = False
        if self._nodes and not self._nodes[-1].is_inner:
            self._enter(self._nodes[-1])
        is_root = not self._nodes and label in ROOT_LABELS
        self._nodes.append(_Node(label, place, is_root))

    def _read_word(self, text: str, place: Place) -> None:
        node = self._nodes[-1]
        if node.is_inner:
            self._add_untagged(node, text, place)
        elif not node.label:
            self._fail_empty_label(node)
        elif node.words and not self.repair:
            message = f"{node.label} has a second word, {text!r}; a tag has one"
            self._fail(BareWordError, message, place)
        else:
            node.words.append((text, place))

    def _close(self) -> None:
        node, draft = self._nodes.pop(), self._draft
        if node.words and not node.is_inner and not self._is_tag(node):
            self._enter(node)
        if node.is_inner:
            if not node.is_root:
                draft.emptied += not draft.builder.close(drop_empty=True)
        elif node.words:
            node.is_repaired = len(node.words) > 1
            for word, _ in node.words:
                self._add_word(word, node.label)
        else:
            message = f"the node ({node.label}) has no children"
            self._fail(NoChildrenError, message, node.place)
        draft.repairs += node.is_repaired
        if not self._nodes:
            if not draft.is_malformed:
                self._held.append(draft)
            self._draft = _Draft()

    def _is_tag(self, node: _Node) -> bool:
        """Whether a bracket over nothing but words is a tag, not a constituent."""
        if len(node.words) == 1 or node.label in TAGS:
            return True
        is_used_as_tag = node.label in self._tags and node.label not in self._labels
        return is_used_as_tag and split_label(node.label)[0] not in LABELS

    def _enter(self, node: _Node) -> None:
        """Go into a bracket that turns out to be no tag's."""
        node.is_inner = True
        if not node.is_root:
            if not node.label:
                self._fail_empty_label(node)
            label = self._labels.get(node.label)
            if label is None:
                label = unescape_name(node.label)
                label = split_label(label)[0] if self.clean else label
                self._labels[node.label] = label
            self._draft.builder.open(label)
        for text, place in node.words:
            self._add_untagged(node, text, place)

    def _add_untagged(self, node: _Node, text: str, place: Place) -> None:
        if self.repair:
            node.is_repaired = True
            self._draft.untagged += 1
            self._draft.builder.word(unescape_word(text), MISSING_TAG)
        else:
            message = f"the word {text!r} stands beside subtrees, without a tag"
            self._fail(BareWordError, message, place)

    def _add_word(self, text: str, label: str) -> None:
        tag = unescape_name(label)
        if self.clean and tag == TRACE_TAG:
            self._draft.traces += 1
        else:
            self._tags[label] = tag
            self._draft.builder.word(unescape_word(text), tag)

    def _release(self) -> list[Tree]:
        """The trees held, counted; none if a closing bracket too many came."""
        drafts, self._held = [] if self._held_is_spoilt else self._held, []
        self._held_is_spoilt = False
        trees: list[Tree] = []
        counts = self.counts
        for draft in drafts:
            tree = draft.builder.finish()
            if draft.untagged or self._is_without_tags:
                tree = self._free_constituents(tree, draft)
            counts.read += 1
            counts.repairs += draft.repairs
            counts.untagged += draft.untagged
            counts.traces += draft.traces
            counts.emptied += draft.emptied
            if tree.words:
                counts.kept += 1
                counts.repaired += draft.repairs > 0
                trees.append(tree)
            else:
                counts.vanished += 1
        return trees

    def _free_constituents(self, tree: Tree, draft: _Draft) -> Tree:
        """Make constituents of labels that stand where tags would, as (VP barks)."""
        labels = [split_label(tag)[0] for tag in tree.tags]
        if any(label != MISSING_TAG and label not in LABELS for label in labels):
            return tree  # These are tags.
        self._is_without_tags = True
        nodes, tags = list(tree.constituents), list(tree.tags)
        for i, label in enumerate(labels):
            if label in LABELS and label not in ROOT_LABELS:
                nodes.append(Constituent(label if self.clean else tags[i], i, i + 1))
                tags[i] = MISSING_TAG
                draft.repairs += 1
                draft.untagged += 1
        # Stable, so that the new ones are innermost.
        nodes.sort(key=lambda node: (node.start, -node.end))
        return Tree(tree.words, tuple(tags), tuple(nodes))

    def _fail_unclosed(self, ending: str = "") -> None:
        first, last = self._nodes[0], self._nodes[-1]
        message = "this bracket is not closed"
        if last is not first:
            message = (
                f"this tree is not closed: it lacks {len(self._nodes)} closing "
                f"brackets, the first for ({last.label} in line {last.place[0]}, "
                f"column {last.place[1]}"
            )
        self._fail(UnclosedBracketError, message + ending, first.place)
        self._nodes.clear()
        self._draft = _Draft()

    def _fail_empty_label(self, node: _Node) -> None:
        message = "this bracket has no label (which must follow it without a space)"
        self._fail(EmptyLabelError, message, node.place)

    def _fail(self, kind: type[BracketError], message: str, place: Place) -> None:
        """Reject the open tree, once."""
        if not self._draft.is_malformed:
            self._draft.is_malformed = True
            self._reject(kind, message, place)

    def _reject(self, kind: type[BracketError], message: str, place: Place) -> None:
        error = kind(self.source, *place, message)
        self.counts.read += 1
        rejected = self.counts.rejected
        rejected[error.reason] = rejected.get(error.reason, 0) + 1
        if self.on_error is None:
            raise error
        self.on_error(error)
