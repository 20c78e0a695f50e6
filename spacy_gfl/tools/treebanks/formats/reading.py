"""What is to be read, and how: the one argument of all readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts, Rejections
from spacy_gfl.tools.treebanks.formats.text_files import UTF_8, read_lines, source_name
from spacy_gfl.tools.treebanks.schemes import PENN, Scheme
from spacy_gfl.trees.tree import TreeError

#: The name of no format: a file is read by its ending and its first line.
AUTO = "auto"
TEXT_COLUMN = "text"


@dataclass(frozen=True)
class Reading:
    """What is to be read, and how.

    Attributes:
        format: The name of a format, or "auto" for what the ending of the file says.
        scheme: How trees in brackets are written.
        encoding: The encoding of text.
        text_column: The column of a table that has the texts.
        path: The file; None for standard input.
        given: Lines to read in place of a file.
        given_name: What errors call them.
        clean: Whether trees lose their traces and function tags.
        repair: Whether words without tags are repaired.
        need_trees: Whether Docs without trees are refused.
        n_sents: Sentences to a Doc made of dependencies, never of two documents; 0 for
            a Doc per document.
        counts: Tallies of trees to add to.
        on_error: Called with the error of each tree that cannot be read, after which
            reading goes on; without it the first is raised.
    """

    format: str = AUTO
    scheme: Scheme = PENN
    encoding: str = UTF_8
    text_column: str = TEXT_COLUMN
    path: Path | None = None
    given: Iterable[str] | None = None
    given_name: str = "the text"
    clean: bool = True
    repair: bool = True
    need_trees: bool = True
    n_sents: int = 1
    counts: ReadCounts = field(default_factory=ReadCounts)
    on_error: Callable[[TreeError], None] | None = None

    @classmethod
    def of(cls, reading: Reading | str, path: Path | None) -> Reading:
        """How a file is read, from a template or the name of a format."""
        template = cls(format=reading) if isinstance(reading, str) else reading
        return replace(template, path=path)

    @property
    def name(self) -> str:
        """The name of what is read, for errors."""
        return source_name(self.path) if self.given is None else self.given_name

    @property
    def rejections(self) -> Rejections:
        """What is done with errors of brackets."""
        return Rejections(self.name, self.counts, self.on_error)

    def lines(self) -> Iterator[str]:
        """The lines of the text.

        Raises:
            OSError: If the file cannot be read.
            ValueError: For a line that is not of the encoding.
        """
        if self.given is not None:
            return iter(self.given)
        return read_lines(self.path, encoding=self.encoding)

    def reject(self, error: TreeError, reason: str) -> None:
        """Count a tree that cannot be read for a reason, and say so to `on_error`.

        Raises:
            TreeError: This error, where there is no `on_error`.
        """
        self.counts.rejected[reason] += 1
        if self.on_error is None:
            raise error
        self.on_error(error)

    def file(self) -> Path:
        """The path of a file that is no text.

        Raises:
            ValueError: For standard input.
        """
        if self.path is None:
            ending = f".{self.format}"
            raise ValueError(
                f"Standard input cannot be a {ending} file; name the file."
            )
        return self.path
