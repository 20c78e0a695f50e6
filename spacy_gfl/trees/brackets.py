"""Reading Penn brackets: a stream of lines in, trees out.

Any layout is read: one line a tree or many, several trees on a line, with an
outer bracket `( ...)`, `(ROOT ...)`, `(TOP ...)` or without. White space of any
kind separates; a label follows its bracket without any. Nothing is recursive.

A malformed tree is one error, named by its first fault, and reading goes on:

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

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy_gfl.trees.bracket_reader import (
    BareWordError,
    BracketError,
    BracketReader,
    EmptyLabelError,
    EncodingError,
    ErrorHandler,
    NoChildrenError,
    OutsideTextError,
    ReadCounts,
    TreeNumberError,
    UnclosedBracketError,
    UnopenedBracketError,
)
from spacy_gfl.trees.tree import Tree

__all__ = [
    "BareWordError",
    "BracketError",
    "EmptyLabelError",
    "EncodingError",
    "NoChildrenError",
    "OutsideTextError",
    "ReadCounts",
    "TreeNumberError",
    "UnclosedBracketError",
    "UnopenedBracketError",
    "decode_lines",
    "parse_tree",
    "read_tree_file",
    "read_trees",
]


def read_trees(
    lines: Iterable[str],
    *,
    source: str = "<input>",
    clean: bool = True,
    repair: bool = True,
    counts: ReadCounts | None = None,
    on_error: ErrorHandler | None = None,
) -> Iterator[Tree]:
    """Read trees from lines of text, each as soon as it is known to be whole.

    An outer bracket (`trees.tree.ROOT_LABELS`) is dropped if it holds subtrees.

    Args:
        lines: The text, with or without line ends.
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
        BracketError: A tree is malformed; the subclass tells how.
    """
    counts = ReadCounts() if counts is None else counts
    reader = BracketReader(source, clean, repair, counts, on_error)
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        yield from reader.begin_line(number, line)
        reader.read_line(number, line)
    yield from reader.end()


def read_tree_file(
    path: str | Path,
    *,
    clean: bool = True,
    repair: bool = True,
    counts: ReadCounts | None = None,
    on_error: ErrorHandler | None = None,
) -> Iterator[Tree]:
    """Read the trees of a UTF-8 file.

    Args:
        path: The file.
        clean: See `read_trees`.
        repair: See `read_trees`.
        counts: See `read_trees`.
        on_error: See `read_trees`.

    Yields:
        The trees, in order.

    Raises:
        BracketError: A tree is malformed; the subclass tells how.
        EncodingError: The file is not UTF-8, whether or not there is `on_error`.
        OSError: The file cannot be read.
    """
    source = str(path)
    with open(path, "rb") as file:
        yield from read_trees(
            decode_lines(file, source),
            source=source,
            clean=clean,
            repair=repair,
            counts=counts,
            on_error=on_error,
        )


def parse_tree(text: str, *, clean: bool = False) -> Tree:
    """Read the one tree in a string; without cleaning, nothing of it is changed.

    Args:
        text: The brackets, in any layout.
        clean: See `read_trees`.

    Returns:
        The tree.

    Raises:
        BracketError: The tree is malformed, or there is not exactly one.
    """
    reader = BracketReader("<input>", clean, False, ReadCounts(), None)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        reader.read_line(number, line)
    trees = reader.end()
    if len(trees) != 1:
        raise TreeNumberError(
            "<input>", 1, 1, f"one tree was expected, but there are {len(trees)}"
        )
    return trees[0]


def decode_lines(lines: Iterable[bytes], source: str) -> Iterator[str]:
    """Decode the lines of a UTF-8 file.

    Args:
        lines: A file opened in binary mode, or its lines.
        source: The name that an error carries.

    Yields:
        The lines.

    Raises:
        EncodingError: A line is not UTF-8.
    """
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            raise EncodingError(
                source, number, column, "the file is not UTF-8; convert it first"
            ) from error
