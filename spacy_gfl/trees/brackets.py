"""Reading Penn brackets: a stream of lines in, trees out.

Any layout is read: one line a tree or many, several trees on a line, with an
outer bracket `( ...)`, `(ROOT ...)`, `(TOP ...)` or without. White space separates,
but spaces of other widths (`escaping.INNER_SPACE`) are part of the word that they are
in. A label follows its bracket without any. Between trees, lines that begin with `#` or
`;` are comments. Nothing is recursive.

A malformed tree is one error, and reading goes on:

- A fault inside balanced brackets costs the tree that holds it.
- A tree that is not closed ends where a line begins with a bracket in column 1.
  Trees with their inner lines in column 1 are read too, if the first line is the
  first bracket alone; such a tree ends where a line begins with an outer bracket.
- A closing bracket too many costs every tree since the last line that began with
  a bracket in column 1, or since the last blank line: it may have cut one in two.

A word that has no tag of its own is repaired. Several words under one tag, as in
`(NN Xpd TTD)`, get that tag each. Words directly under a constituent, as in
`(NP the (NN dog))` or `(S (NP The dog) (VP barks))`, get the tag XX. Which a label
over several words is, a tag or a constituent's, is known from `trees.labels`; a
label unknown there is a tag if the file has so far had it over single words and
never over brackets. Over one word any label is a tag, except where a file has trees
without tags: there the labels in `trees.labels` stay constituents, as this VP does.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from spacy_gfl.trees.bracket_errors import BracketError, ReadCounts, Reason
from spacy_gfl.trees.escaping import INNER_SPACE, unescape_name, unescape_word
from spacy_gfl.trees.labels import LABELS, TAGS, split_label
from spacy_gfl.trees.tree import (
    MISSING_TAG,
    ROOT_LABELS,
    Constituent,
    Tree,
    TreeBuilder,
)

# A word, which may have white space inside at which lines do not break.
_WORDS = re.compile(rf"[^()\s]+(?:{INNER_SPACE}+[^()\s]+)*")
# A bracket over words alone or over nothing; one that holds brackets; a closing
# bracket; a word beside brackets. `lastindex` tells which.
_TOKEN = re.compile(
    rf"\(([^()\s]*)((?:\s+[^()\s]+)*)\s*\)|\(([^()\s]*)|(\))|({_WORDS.pattern})"
)
_LEAF, _OPENING, _CLOSING, _WORD = 2, 3, 4, 5
_WORD_NEXT = re.compile(r"\s*[^()\s]")
_NO_LABEL = "this bracket has no label (which must follow it without a space)"
_FIRST_IN_LINE = re.compile(r"\(([^()\s]*)")
_LAST_IN_LINE = re.compile(r"\([^()\s]*\s*\Z")


def read_trees(
    lines: Iterable[str],
    *,
    source: str = "<input>",
    clean: bool = True,
    repair: bool = True,
    counts: ReadCounts | None = None,
    on_error: Callable[[BracketError], None] | None = None,
) -> Iterator[Tree]:
    """Read trees from lines of text, each as soon as it is known to be whole.

    An outer bracket (`trees.tree.ROOT_LABELS`) is dropped if it holds subtrees.

    Args:
        lines: The text as one string, or lines with or without their ends.
        source: The name that errors carry.
        clean: Take out traces (tag -NONE-) and what is empty without them, and
            cut function tags and indices off the labels: `NP-SBJ-1` and `NP=2`
            become NP. Tags keep theirs, and `-LRB-` stays. Trees without any word
            vanish.
        repair: Repair words without a tag of their own instead of rejecting the
            tree.
        counts: Tallies to add to.
        on_error: Called with each error, after which reading goes on. Without it
            the first error is raised.

    Yields:
        The trees, in order.

    Raises:
        BracketError: A tree is malformed.
    """
    reader = _Reader(source, clean, repair, counts, on_error)
    for block in _blocks(lines):
        yield from reader.read(block)


def split_trees(lines: Iterable[str], *, source: str = "<input>") -> Iterator[str]:
    """Split text into the brackets of its trees as they stand, each on one line.

    Args:
        lines: The text as one string, or lines with or without their ends.
        source: The name that errors carry.

    Raises:
        BracketError: Brackets are not balanced, or text stands outside of them.
    """
    reader = _Reader(source)
    for block in _blocks(lines):
        for tokens in reader.split(block):
            first, last = tokens[0], tokens[-1]
            yield first.string[first.start() : last.end()].replace("\n", " ")


def parse_tree(text: str, *, clean: bool = False) -> Tree:
    """Read the one tree in a string; without cleaning, nothing of it is changed.

    Args:
        text: The brackets, in any layout.
        clean: Take out traces, and cut function tags and indices off the labels.

    Raises:
        BracketError: The tree is malformed, or there is not exactly one.
    """
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    trees = _Reader("<input>", clean).read(_Block(1, lines))
    if len(trees) != 1:
        message = f"one tree was expected, but there are {len(trees)}"
        raise BracketError("not exactly one tree", "<input>", 1, 1, message)
    return trees[0]


class _Block(NamedTuple):
    """Lines of whole trees, as far as brackets can tell: only the last may be open.

    Attributes:
        first: The number of the first line.
        lines: The lines, with their ends.
        ending: What to say of a tree that is open at the end.
    """

    first: int
    lines: list[str]
    ending: str = ""


def _blocks(lines: Iterable[str]) -> Iterator[_Block]:
    """Part lines where no tree is open, or one that is must have been forgotten."""
    lines = lines.split("\n") if isinstance(lines, str) else lines
    block = _Block(1, [])
    depth = 0
    # Whether the block begins in column 1; whether lines in column 1 are inside
    # the open tree; whether there is nothing yet of that but its first bracket.
    from_column_1 = is_unindented = is_fresh = False
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        if not depth and line.startswith(("#", ";")):
            line = "\n"
        opening = _FIRST_IN_LINE.match(line)
        if depth and opening:
            is_unindented |= is_fresh
            if not is_unindented or opening[1] in ROOT_LABELS:
                ending = f"; line {number} begins a new tree in column 1"
                block = block._replace(ending=ending)
                depth = 0
        if not depth and (opening or not from_column_1 or not line.strip()):
            yield block
            block = _Block(number, [])
            from_column_1, is_unindented = opening is not None, False
        block.lines.append(line if line.endswith("\n") else f"{line}\n")
        for bracket in re.findall("[()]", line):
            depth = max(depth + 1 if bracket == "(" else depth - 1, 0)
            is_unindented &= depth > 0
        is_lone = depth == 1 and _LAST_IN_LINE.search(line) is not None
        is_fresh = is_lone or (is_fresh and not line.strip())
    yield block


class _Fault(Exception):
    """A fault of the tree that is read: the reason, the place, the message."""


class _Draft:
    """A tree as far as it has been read, and what reading has changed of it."""

    def __init__(self) -> None:
        self.builder = TreeBuilder()
        # The brackets that are open, and the outermost if it is dropped.
        self.open: list[re.Match[str]] = []
        self.root: re.Match[str] | None = None
        # The nodes repaired, by where their brackets open.
        self.repaired: set[int] = set()
        self.untagged = self.traces = self.emptied = 0


class _Reader:
    """The state of one reading."""

    def __init__(
        self,
        source: str,
        clean: bool = False,
        repair: bool = False,
        counts: ReadCounts | None = None,
        on_error: Callable[[BracketError], None] | None = None,
    ) -> None:
        self._source, self._clean, self._repair = source, clean, repair
        self._counts = ReadCounts() if counts is None else counts
        self._on_error = on_error
        self._block, self._starts = _Block(1, []), [0]
        self._is_after_text = self._is_spoilt = False
        # Names as they stand in the file, of nodes over words and over others.
        self._tags: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._is_without_tags = False

    def read(self, block: _Block) -> list[Tree]:
        """The trees of a block; none if there is a closing bracket too many in it."""
        read = (self._read_tree(tokens) for tokens in self.split(block))
        drafts = [draft for draft in read if draft]
        trees = map(self._finish, [] if self._is_spoilt else drafts)
        return [tree for tree in trees if tree.words]

    def split(self, block: _Block) -> Iterator[list[re.Match[str]]]:
        """The tokens of each balanced bracket of a block."""
        self._block, self._is_spoilt = block, False
        self._starts = [0, *accumulate(map(len, block.lines))]
        tokens: list[re.Match[str]] = []
        stack: list[re.Match[str]] = []
        for token in _TOKEN.finditer("".join(block.lines)):
            kind = token.lastindex
            if stack or kind in (_LEAF, _OPENING):
                self._is_after_text = False
                tokens.append(token)
                if kind == _OPENING:
                    stack.append(token)
                elif kind == _CLOSING:
                    stack.pop()
                if not stack:
                    yield tokens
                    tokens = []
            elif kind == _CLOSING:
                if not self._is_spoilt:
                    message = "this closing bracket closes nothing"
                    self._reject("too many closing brackets", token.start(), message)
                self._is_spoilt = True
            else:
                if not self._is_after_text:
                    message = f"{token[0]!r} stands outside of all brackets"
                    self._reject("text outside of a tree", token.start(), message)
                self._is_after_text = True
        if stack:
            self._reject_unclosed(stack)

    def _read_tree(self, tokens: list[re.Match[str]]) -> _Draft | None:
        """The tree of balanced brackets; None if it is malformed."""
        draft = _Draft()
        try:
            for token in tokens:
                kind = token.lastindex
                if kind == _LEAF:
                    self._read_leaf(draft, token)
                elif kind == _OPENING:
                    self._open(draft, token)
                elif kind == _WORD:
                    opening = draft.open[-1].start()
                    self._add_untagged(draft, token[0], token.start(), opening)
                elif draft.open.pop() is not draft.root:
                    draft.emptied += not draft.builder.close(drop_empty=True)
        except _Fault as fault:
            self._reject(*fault.args)
            return None
        return draft

    def _read_leaf(self, draft: _Draft, token: re.Match[str]) -> None:
        """Read a bracket over words alone: a tag, or a constituent without tags."""
        label, words, start = token[1], _WORDS.findall(token[_LEAF]), token.start()
        if len(words) == 1 and label in self._tags:
            draft.builder.word(unescape_word(words[0]), self._tags[label])
        elif not words:
            message = f"the node ({label}) has no children"
            raise _Fault("node without children", start, message)
        elif not label:
            raise _Fault("empty label", start, _NO_LABEL)
        elif len(words) == 1 or (self._repair and self._is_tag(label)):
            tag = unescape_name(label)
            if self._clean and tag == "-NONE-":
                draft.traces += len(words)
            else:
                self._tags[label] = tag
                for word in words:
                    draft.builder.word(unescape_word(word), tag)
            if len(words) > 1:
                draft.repaired.add(start)
        elif self._repair:
            is_root = not draft.open and label in ROOT_LABELS
            if not is_root:
                self._open_constituent(draft, label)
            for word in words:
                self._add_untagged(draft, word, start, start)
            if not is_root:
                draft.builder.close()
        else:
            first = token.string.index(words[0], token.start(_LEAF))
            at = token.string.index(words[1], first + len(words[0]))
            message = f"{label} has a second word, {words[1]!r}; a tag has one"
            raise _Fault("word without a tag of its own", at, message)

    def _is_tag(self, label: str) -> bool:
        """Whether a label over several words is a tag, not a constituent's."""
        is_used_as_tag = label in self._tags and label not in self._labels
        return label in TAGS or (is_used_as_tag and split_label(label)[0] not in LABELS)

    def _open(self, draft: _Draft, token: re.Match[str]) -> None:
        label = token[_OPENING]
        if not draft.open and label in ROOT_LABELS:
            draft.root = token
        is_root = token is draft.root
        if not label and (not is_root or _WORD_NEXT.match(token.string, token.end())):
            raise _Fault("empty label", token.start(), _NO_LABEL)
        if not is_root:
            self._open_constituent(draft, label)
        draft.open.append(token)

    def _open_constituent(self, draft: _Draft, name: str) -> None:
        label = self._labels.get(name)
        if label is None:
            label = unescape_name(name)
            label = split_label(label)[0] if self._clean else label
            self._labels[name] = label
        draft.builder.open(label)

    def _add_untagged(self, draft: _Draft, text: str, at: int, opening: int) -> None:
        """Add a word that stands directly under the constituent that opens there."""
        if not self._repair:
            message = f"the word {text!r} stands beside subtrees, without a tag"
            raise _Fault("word without a tag of its own", at, message)
        draft.repaired.add(opening)
        draft.untagged += 1
        draft.builder.word(unescape_word(text), MISSING_TAG)

    def _finish(self, draft: _Draft) -> Tree:
        """A tree that is whole, counted."""
        tree = draft.builder.finish()
        repairs = len(draft.repaired)
        if draft.untagged or self._is_without_tags:
            tree, freed = self._free_constituents(tree)
            repairs += freed
            draft.untagged += freed
        counts = self._counts
        counts.read += 1
        counts.kept += len(tree) > 0
        counts.vanished += len(tree) == 0
        counts.repaired += len(tree) > 0 and repairs > 0
        counts.repairs += repairs
        counts.untagged += draft.untagged
        counts.traces += draft.traces
        counts.emptied += draft.emptied
        return tree

    def _free_constituents(self, tree: Tree) -> tuple[Tree, int]:
        """Make constituents of labels that stand where tags would, as (VP barks)."""
        labels = [split_label(tag)[0] for tag in tree.tags]
        if any(label != MISSING_TAG and label not in LABELS for label in labels):
            return tree, 0  # These are tags.
        self._is_without_tags = True
        nodes, tags = list(tree.constituents), list(tree.tags)
        for i, label in enumerate(labels):
            if label in LABELS and label not in ROOT_LABELS:
                nodes.append(Constituent(label if self._clean else tags[i], i, i + 1))
                tags[i] = MISSING_TAG
        # Stable, so that the new ones are innermost.
        nodes.sort(key=lambda node: (node.start, -node.end))
        freed = len(nodes) - len(tree.constituents)
        return Tree(tree.words, tuple(tags), tuple(nodes)), freed

    def _reject_unclosed(self, stack: list[re.Match[str]]) -> None:
        message = "this bracket is not closed"
        if len(stack) > 1:
            line, column = self._place(stack[-1].start())
            message = (
                f"this tree is not closed: it lacks {len(stack)} closing brackets, the "
                f"first for ({stack[-1][_OPENING]} in line {line}, column {column}"
            )
        at = stack[0].start()
        self._reject("unclosed bracket", at, message + self._block.ending)

    def _reject(self, reason: Reason, at: int, message: str) -> None:
        error = BracketError(reason, self._source, *self._place(at), message)
        self._counts.read += 1
        self._counts.rejected[reason] += 1
        if self._on_error is None:
            raise error from None
        self._on_error(error)

    def _place(self, at: int) -> tuple[int, int]:
        """The line and the column of a character of the block."""
        line = bisect_right(self._starts, at) - 1
        return self._block.first + line, at - self._starts[line] + 1
