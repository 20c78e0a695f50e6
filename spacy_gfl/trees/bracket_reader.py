"""The state machine behind `brackets`: tokens in, finished trees out."""

import re
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import Callable, Deque, Dict, List, Optional, Tuple, Type

from spacy_gfl.trees.bracket_errors import (
    BracketError,
    OutsideTextError,
    UnopenedBracketError,
)
from spacy_gfl.trees.bracket_tree import PartialTree
from spacy_gfl.trees.tree import ROOT_LABELS, Tree

ErrorHandler = Callable[[BracketError], None]
Line = Tuple[int, str]

# An opening bracket with its label and, where it is a whole preterminal, its
# word; a closing bracket; or a bare word. `lastindex` tells which.
_TOKEN = re.compile(r"\(([^()\s]*)(?:\s+([^()\s]+)\s*\))?|(\))|([^()\s]+)")
_PRETERMINAL, _CLOSING, _BARE_WORD = 2, 3, 4
_OPENING_LINE = re.compile(r"\(([^()\s]*)")
# Each wrong guess may cost another reading of the rest of the input.
_MAX_WRONG_GUESSES = 10


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


class BracketReader:
    """The state of one reading; `brackets.read_trees` says what it does.

    Finished trees wait in a unit until it is sure that no closing bracket too
    many comes behind them, then among those that are ready.
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
        self.counts = counts
        self.on_error = on_error
        #: Lines to be read once more, as they were wrongly taken for a tree's.
        self.again: Deque[Line] = deque()
        self._new_tree = partial(PartialTree, clean, repair, self._reject)
        self._tree = self._new_tree()
        #: The tree's lines from the first that might be another tree's first.
        self._doubtful: List[Line] = []
        self._unit: List[PartialTree] = []
        self._unit_in_column_1 = False
        self._unit_is_spoilt = False
        self._ready: List[Tree] = []
        self._after_outside_text = False
        self._after_blank_line = False
        self._saw_bare_tree = False
        self._wrong_guesses = 0

    def begin_line(self, number: int, line: str) -> bool:
        """See where a line belongs; False if lines in `again` come before it."""
        opening = _OPENING_LINE.match(line)
        is_blank = not line.strip()
        if self._tree.is_open:
            if opening and self._must_start_tree(opening[1]):
                doubtful = self._give_up()
                if doubtful:
                    self.again.extendleft(reversed([*doubtful, (number, line)]))
                    return False
            elif opening or self._doubtful:
                self._doubtful.append((number, line))
        self._after_blank_line = is_blank
        if not self._tree.is_open and (
            opening or is_blank or not self._unit_in_column_1
        ):
            self._end_unit()
            self._unit_in_column_1 = opening is not None
        return True

    def read_line(self, number: int, line: str) -> None:
        """Read the tokens of a line."""
        for match in _TOKEN.finditer(line):
            kind = match.lastindex
            column = match.start() + 1
            if kind == _CLOSING:
                if self._tree.is_open:
                    self._close()
                else:
                    self._spoil_unit(number, column)
            elif kind != _BARE_WORD:
                self._after_outside_text = False
                self._tree.open(match[1], number, column)
                if kind == _PRETERMINAL:
                    self._tree.word(match[2], number, match.start(2) + 1)
                    self._close()
            elif self._tree.is_open:
                self._tree.word(match[4], number, column)
            else:
                self._reject_outside_text(match[4], number, column)

    def end_input(self) -> bool:
        """Take note that no lines are left; False if there are some in `again`."""
        if self._tree.is_open:
            self.again.extend(self._give_up())
            if self.again:
                return False
        self._end_unit()
        return True

    def take_trees(self) -> List[Tree]:
        """The trees that have become ready since the last call."""
        trees, self._ready = self._ready, []
        return trees

    def _must_start_tree(self, label: str) -> bool:
        return (
            label in ROOT_LABELS
            or self._after_blank_line
            or self._saw_bare_tree
            or self._wrong_guesses >= _MAX_WRONG_GUESSES
        )

    def _give_up(self) -> List[Line]:
        """End the open tree as malformed; the lines that may not be its own."""
        self._tree.fail_unclosed()
        doubtful, self._doubtful = self._doubtful, []
        self._wrong_guesses += bool(doubtful)
        self._tree = self._new_tree()
        return doubtful

    def _close(self) -> None:
        self._tree.close()
        if self._tree.is_open:
            return
        if not self._tree.is_malformed:
            if not self._unit_is_spoilt:
                self._unit.append(self._tree)
            if not self._doubtful and not self._tree.has_root:
                self._saw_bare_tree = True
        self._doubtful = []
        self._tree = self._new_tree()

    def _spoil_unit(self, line: int, column: int) -> None:
        self._unit.clear()
        if not self._unit_is_spoilt:
            self._unit_is_spoilt = True
            message = "this closing bracket closes nothing"
            self._reject(UnopenedBracketError, message, line, column)

    def _end_unit(self) -> None:
        counts = self.counts
        for partial_tree in self._unit:
            tree = partial_tree.finish()
            counts.read += 1
            counts.repairs += partial_tree.repairs
            counts.traces += partial_tree.traces
            counts.emptied += partial_tree.emptied
            if tree.words:
                counts.kept += 1
                counts.repaired += partial_tree.repairs > 0
                self._ready.append(tree)
            else:
                counts.vanished += 1
        self._unit.clear()
        self._unit_is_spoilt = False

    def _reject_outside_text(self, text: str, line: int, column: int) -> None:
        if not self._after_outside_text:
            self._after_outside_text = True
            message = f"{text!r} stands outside of all brackets"
            self._reject(OutsideTextError, message, line, column)

    def _reject(
        self, kind: Type[BracketError], message: str, line: int, column: int
    ) -> None:
        error = kind(self.source, line, column, message)
        self.counts.read += 1
        rejected = self.counts.rejected
        rejected[error.reason] = rejected.get(error.reason, 0) + 1
        if self.on_error is None:
            raise error
        self.on_error(error)
