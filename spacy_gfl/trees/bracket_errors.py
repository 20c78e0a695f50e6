"""What can be wrong with a bracket file: one class a kind, each with its place."""

from typing import ClassVar

from spacy_gfl.trees.tree import TreeError


class BracketError(TreeError):
    """Malformed brackets, and where they stand.

    source: Name of the file or stream.
    line, column: The place, both from 1; columns count characters.
    reason: A few fixed words for the kind of error, fit for a table.
    """

    reason: ClassVar[str] = "malformed tree"

    def __init__(self, source: str, line: int, column: int, explanation: str) -> None:
        super().__init__(source, line, column, explanation)
        self.source = source
        self.line = line
        self.column = column
        self.explanation = explanation

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
    """A word stands beside subtrees, or beside another under one tag.

    The place is the word. Raised only where such words are not repaired.
    """

    reason = "word beside subtrees"


class OutsideTextError(BracketError):
    """Text stands outside of all brackets; the place is its first word."""

    reason = "text outside of a tree"


class TreeNumberError(BracketError):
    """There is no tree, or more than one, where one was asked for."""

    reason = "not exactly one tree"


class EncodingError(BracketError):
    """A file is not UTF-8; the place is the first byte that is not."""

    reason = "not UTF-8"
