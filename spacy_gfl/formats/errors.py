"""What is wrong with a file of trees, and in which line."""

from spacy_gfl.trees.tree import TreeError


class FormatError(TreeError):
    """A line that is not in the format it should be in.

    source: Name of the file or stream.
    line: The line's number, from 1.
    """

    def __init__(self, source: str, line: int, explanation: str) -> None:
        super().__init__(source, line, explanation)
        self.source = source
        self.line = line
        self.explanation = explanation

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.explanation}"
