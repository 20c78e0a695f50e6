"""From the brackets and words of one tree to the tree; see `brackets`."""

import re
from functools import lru_cache
from typing import Callable, List, Type

from spacy_gfl.trees.bracket_errors import (
    BareWordError,
    BracketError,
    EmptyLabelError,
    NoChildrenError,
    UnclosedBracketError,
)
from spacy_gfl.trees.escaping import unescape_name, unescape_word
from spacy_gfl.trees.tree import ROOT_LABELS, Tree, TreeBuilder

TRACE_TAG = "-NONE-"
#: The tag that a repair gives a word that has none of its own.
REPAIR_TAG = "XX"

#: Takes the kind of an error, an explanation, and the line and column.
Reject = Callable[[Type[BracketError], str, int, int], None]

# What is left of a label: a whole -LRB- or -NONE-, else what stands before the
# first - or = that is not its first character (EVALB's rule).
_PLAIN_LABEL = re.compile(r"-[^-=]+-|.[^-=]*", re.DOTALL)


@lru_cache(maxsize=4096)
def _name(text: str, is_cut: bool) -> str:
    name = unescape_name(text)
    match = _PLAIN_LABEL.match(name) if is_cut else None
    return match[0] if match else name


class _Node:
    """An open bracket: a tag while only words have come, then a constituent."""

    __slots__ = (
        "column",
        "is_inner",
        "is_repaired",
        "label",
        "line",
        "word_place",
        "words",
    )

    def __init__(self, label: str, line: int, column: int) -> None:
        self.label = label
        self.line = line
        self.column = column
        self.words: List[str] = []
        self.word_place = (line, column)
        self.is_inner = False
        self.is_repaired = False


class PartialTree:
    """A tree of which not everything has been read yet.

    After its first fault, which goes to `reject`, a tree is malformed, and only
    its brackets are counted.
    """

    def __init__(self, clean: bool, repair: bool, reject: Reject) -> None:
        self.clean = clean
        self.repair = repair
        self.reject = reject
        self.is_malformed = False
        #: Whether it has a bracket around it that is no constituent.
        self.has_root = False
        self.repairs = 0
        self.traces = 0
        self.emptied = 0
        self._nodes: List[_Node] = []
        self._builder = TreeBuilder()

    @property
    def is_open(self) -> bool:
        """Whether brackets are still to be closed."""
        return bool(self._nodes)

    def open(self, label: str, line: int, column: int) -> None:
        """Read an opening bracket with its label."""
        if self._nodes and not self._nodes[-1].is_inner:
            self._make_inner(self._nodes[-1])
        self._nodes.append(_Node(label, line, column))

    def word(self, text: str, line: int, column: int) -> None:
        """Read a word, the tree being open."""
        node = self._nodes[-1]
        if self.is_malformed:
            return
        if node.is_inner:
            self._add_bare_word(node, text, line, column)
        elif not node.label:
            self._reject_empty_label(node)
        elif node.words and not self.repair:
            message = f"the tag {node.label} has a second word, {text!r}"
            self._fail(BareWordError, message, line, column)
        else:
            node.word_place = node.word_place if node.words else (line, column)
            node.words.append(text)

    def close(self) -> None:
        """Read a closing bracket, the tree being open."""
        node = self._nodes.pop()
        if self.is_malformed:
            return
        if node.is_inner:
            if self._nodes or not self.has_root:
                self.emptied += not self._builder.close(drop_empty=True)
        elif node.words:
            node.is_repaired = len(node.words) > 1
            for word in node.words:
                self._add_word(word, node.label)
        else:
            message = f"the node ({node.label}) has no children"
            self._fail(NoChildrenError, message, node.line, node.column)
        self.repairs += node.is_repaired

    def fail_unclosed(self) -> None:
        """Reject the tree because its brackets are not closed."""
        if self.is_malformed:
            return
        first, last = self._nodes[0], self._nodes[-1]
        message = "this bracket is not closed"
        if len(self._nodes) > 1:
            message = (
                f"this tree is not closed: it lacks {len(self._nodes)} closing "
                f"brackets, the first of them for ({last.label} in line "
                f"{last.line}, column {last.column}"
            )
        self._fail(UnclosedBracketError, message, first.line, first.column)

    def finish(self) -> Tree:
        """The tree, all its brackets being closed; one without words is empty."""
        return self._builder.finish()

    def _make_inner(self, node: _Node) -> None:
        node.is_inner = True
        if self.is_malformed:
            return
        if len(self._nodes) == 1 and node.label in ROOT_LABELS:
            self.has_root = True
        elif not node.label:
            self._reject_empty_label(node)
            return
        else:
            self._builder.open(_name(node.label, self.clean))
        for word in node.words:
            self._add_bare_word(node, word, *node.word_place)

    def _add_bare_word(self, node: _Node, text: str, line: int, column: int) -> None:
        if self.repair:
            node.is_repaired = True
            self._add_word(text, REPAIR_TAG)
        else:
            message = f"the word {text!r} stands beside subtrees"
            self._fail(BareWordError, message, line, column)

    def _add_word(self, text: str, label: str) -> None:
        tag = _name(label, False)
        if self.clean and tag == TRACE_TAG:
            self.traces += 1
        else:
            self._builder.word(unescape_word(text), tag)

    def _reject_empty_label(self, node: _Node) -> None:
        message = "this bracket has no label (which must follow it without a space)"
        self._fail(EmptyLabelError, message, node.line, node.column)

    def _fail(
        self, kind: Type[BracketError], message: str, line: int, column: int
    ) -> None:
        self.is_malformed = True
        self.reject(kind, message, line, column)
