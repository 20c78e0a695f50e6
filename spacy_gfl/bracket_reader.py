"""The state machine behind `spacy_gfl.brackets`: tokens in, finished trees out."""

import re
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Callable, Deque, Dict, List, Optional, Tuple, Type

from spacy_gfl.bracket_errors import (
    BareWordError,
    BracketError,
    EmptyLabelError,
    NoChildrenError,
    OutsideTextError,
    UnclosedBracketError,
    UnopenedBracketError,
)
from spacy_gfl.escaping import unescape_name, unescape_word
from spacy_gfl.trees import ROOT_LABELS, Tree, TreeBuilder

TRACE_TAG = "-NONE-"
#: The tag that a repair gives a word that has none of its own.
REPAIR_TAG = "XX"

ErrorHandler = Callable[[BracketError], None]
Line = Tuple[int, str]

# An opening bracket with its label and, where it is a whole preterminal, its
# word; a closing bracket; or a bare word. `lastindex` tells which.
_TOKEN = re.compile(r"\(([^()\s]*)(?:\s+([^()\s]+)\s*\))?|(\))|([^()\s]+)")
_PRETERMINAL, _CLOSING, _BARE_WORD = 2, 3, 4
_OPENING_LINE = re.compile(r"\(([^()\s]*)")
# What is left of a label: a whole -LRB- or -NONE-, else what stands before the
# first - or = that is not its first character (EVALB's rule).
_PLAIN_LABEL = re.compile(r"-[^-=]+-|.[^-=]*", re.DOTALL)


@dataclass
class ReadCounts:
    """Tallies of one reading; `read == kept + vanished + sum(rejected.values())`.

    read: Trees met, malformed ones and stray pieces of text among them.
    kept: Trees given out.
    repaired: Of those, the trees with at least one repair.
    repairs: Nodes repaired: those with words beside subtrees or several words.
    traces: Words of tag -NONE- taken out.
    emptied: Constituents taken out because only traces were in them.
    vanished: Trees of which nothing was left.
    rejected: How many errors of each reason.
    """

    read: int = 0
    kept: int = 0
    repaired: int = 0
    repairs: int = 0
    traces: int = 0
    emptied: int = 0
    vanished: int = 0
    rejected: Dict[str, int] = field(default_factory=dict)


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


class BracketReader:
    """The state of one reading; `brackets.read_trees` says what it does.

    The tree being read is a stack of open nodes and what a builder holds of it.
    Finished trees wait in `unit` until it is sure that no closing bracket too
    many comes behind them, then in `ready`.
    """

    def __init__(
        self,
        source: str,
        clean: bool,
        repair: bool,
        counts: ReadCounts,
        on_error: Optional[ErrorHandler],
    ) -> None:
        self.source = source
        self.clean = clean
        self.repair = repair
        self.counts = counts
        self.on_error = on_error
        #: Lines to be read once more, as they were wrongly taken for a tree's.
        self.again: Deque[Line] = deque()
        self.ready: List[Tree] = []
        self._nodes: List[_Node] = []
        self._unit: List[Tuple[Tree, ReadCounts]] = []
        self._unit_in_column_1 = False
        self._unit_is_spoilt = False
        self._after_outside_text = False
        self._after_blank_line = False
        self._saw_bare_tree = False
        self._start_tree()

    def begin_line(self, number: int, line: str) -> bool:
        """See where a line belongs; False if lines in `again` come before it."""
        opening = _OPENING_LINE.match(line)
        is_blank = not line.strip()
        if self._nodes:
            if opening and self._must_start_tree(opening[1]):
                doubtful = self._give_up()
                if doubtful:
                    self.again.extendleft(reversed([*doubtful, (number, line)]))
                    return False
            elif opening or self._doubtful:
                self._doubtful.append((number, line))
        self._after_blank_line = is_blank
        if not self._nodes and (opening or is_blank or not self._unit_in_column_1):
            self._end_unit()
            self._unit_in_column_1 = opening is not None
        return True

    def read_line(self, number: int, line: str) -> None:
        """Read the tokens of a line."""
        for match in _TOKEN.finditer(line):
            kind = match.lastindex
            if kind == _CLOSING:
                if self._nodes:
                    self._close()
                else:
                    self._spoil_unit(number, match.start() + 1)
            elif kind == _BARE_WORD:
                self._word(match[4], number, match.start() + 1)
            else:
                self._open(match[1], number, match.start() + 1)
                if kind == _PRETERMINAL:
                    self._word(match[2], number, match.start(2) + 1)
                    self._close()

    def end_input(self) -> bool:
        """No more lines; False if there are some in `again`."""
        if self._nodes:
            self.again.extend(self._give_up())
            if self.again:
                return False
        self._end_unit()
        return True

    def take_trees(self) -> List[Tree]:
        """The trees that have become ready since the last call."""
        trees, self.ready = self.ready, []
        return trees

    # Trees and the lines they stand on

    def _start_tree(self) -> None:
        self._nodes.clear()
        self._builder = TreeBuilder()
        self._tally = ReadCounts()
        self._is_malformed = False
        #: The tree's lines from the first that might be another tree's first.
        self._doubtful: List[Line] = []

    def _must_start_tree(self, label: str) -> bool:
        return label in ROOT_LABELS or self._after_blank_line or self._saw_bare_tree

    def _give_up(self) -> List[Line]:
        """End the open tree as malformed; the lines that may not be its own."""
        doubtful = self._doubtful
        first, last = self._nodes[0], self._nodes[-1]
        if not self._is_malformed:
            message = "this bracket is not closed"
            if len(self._nodes) > 1:
                message = (
                    f"this tree is not closed: it lacks {len(self._nodes)} closing "
                    f"brackets, the first of them for ({last.label} in line "
                    f"{last.line}, column {last.column}"
                )
            self._reject(UnclosedBracketError, message, first.line, first.column)
        self._start_tree()
        return doubtful

    def _finish_tree(self, label: str) -> None:
        if not self._is_malformed and not self._unit_is_spoilt:
            self._unit.append((self._builder.finish(), self._tally))
        if not self._is_malformed and not self._doubtful:
            self._saw_bare_tree |= label not in ROOT_LABELS
        self._start_tree()

    def _spoil_unit(self, line: int, column: int) -> None:
        self._unit.clear()
        if not self._unit_is_spoilt:
            self._unit_is_spoilt = True
            text = "this closing bracket closes nothing"
            self._reject(UnopenedBracketError, text, line, column)

    def _end_unit(self) -> None:
        counts = self.counts
        for tree, tally in self._unit:
            counts.read += 1
            counts.kept += bool(tree.words)
            counts.vanished += not tree.words
            counts.repaired += bool(tally.repairs and tree.words)
            counts.repairs += tally.repairs
            counts.traces += tally.traces
            counts.emptied += tally.emptied
            if tree.words:
                self.ready.append(tree)
        self._unit.clear()
        self._unit_is_spoilt = False

    # Tokens

    def _open(self, label: str, line: int, column: int) -> None:
        if not self._nodes:
            self._after_outside_text = False
        elif not self._nodes[-1].is_inner:
            self._make_inner(self._nodes[-1])
        self._nodes.append(_Node(label, line, column))

    def _make_inner(self, node: _Node) -> None:
        node.is_inner = True
        if self._is_malformed:
            return
        if len(self._nodes) > 1 or node.label not in ROOT_LABELS:
            if not node.label:
                self._reject_empty_label(node)
                return
            self._builder.open(_name(node.label, self.clean))
        for word in node.words:
            self._bare_word(node, word, *node.word_place)

    def _word(self, text: str, line: int, column: int) -> None:
        if not self._nodes:
            self._outside_text(text, line, column)
            return
        node = self._nodes[-1]
        if self._is_malformed:
            return
        if node.is_inner:
            self._bare_word(node, text, line, column)
        elif not node.label:
            self._reject_empty_label(node)
        elif node.words and not self.repair:
            message = f"the tag {node.label} has a second word, {text!r}"
            self._reject(BareWordError, message, line, column)
        else:
            node.word_place = node.word_place if node.words else (line, column)
            node.words.append(text)

    def _close(self) -> None:
        node = self._nodes[-1]
        if self._is_malformed:
            pass
        elif node.is_inner:
            if len(self._nodes) > 1 or node.label not in ROOT_LABELS:
                self._tally.emptied += not self._builder.close(drop_empty=True)
        elif node.words:
            node.is_repaired = len(node.words) > 1
            for word in node.words:
                self._add_word(word, node.label)
        else:
            message = f"the node ({node.label}) has no children"
            self._reject(NoChildrenError, message, node.line, node.column)
        self._nodes.pop()
        self._tally.repairs += node.is_repaired
        if not self._nodes:
            self._finish_tree(node.label)

    def _bare_word(self, node: _Node, text: str, line: int, column: int) -> None:
        if self.repair:
            node.is_repaired = True
            self._add_word(text, REPAIR_TAG)
        elif not self._is_malformed:
            message = f"the word {text!r} stands beside subtrees"
            self._reject(BareWordError, message, line, column)

    def _add_word(self, text: str, label: str) -> None:
        tag = _name(label, False)
        if self.clean and tag == TRACE_TAG:
            self._tally.traces += 1
        else:
            self._builder.word(unescape_word(text), tag)

    # Errors

    def _outside_text(self, text: str, line: int, column: int) -> None:
        if not self._after_outside_text:
            self._after_outside_text = True
            message = f"{text!r} stands outside of all brackets"
            self._reject(OutsideTextError, message, line, column)

    def _reject_empty_label(self, node: _Node) -> None:
        message = "this bracket has no label (which must follow it without a space)"
        self._reject(EmptyLabelError, message, node.line, node.column)

    def _reject(
        self, kind: Type[BracketError], message: str, line: int, column: int
    ) -> None:
        """Count and report an error; the tree it is in, if any, is lost."""
        error = kind(self.source, line, column, message)
        self.counts.read += 1
        rejected = self.counts.rejected
        rejected[error.reason] = rejected.get(error.reason, 0) + 1
        self._is_malformed = bool(self._nodes)
        if self.on_error is None:
            raise error
        self.on_error(error)
