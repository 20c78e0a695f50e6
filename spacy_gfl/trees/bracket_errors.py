"""Errors in brackets, each with its place."""

from dataclasses import dataclass, field
from typing import ClassVar

from spacy_gfl.trees.tree import TreeError


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
    """A word has no tag of its own, and repair is off; the place is the word."""

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
