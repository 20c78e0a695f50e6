"""Reading Penn brackets: a stream of lines in, trees out.

Any layout is read: one line a tree or many, several trees on a line, with an
outer bracket `( ...)`, `(ROOT ...)`, `(TOP ...)` or without. White space of any
kind separates; a label follows its bracket without any. Nothing is recursive.

A malformed tree is one error, named by its first fault, and reading goes on
with the next tree:

- A fault inside balanced brackets costs the tree that holds it.
- A closing bracket too many costs every tree since the last that began in
  column 1, or those of its own line if that began further right, or those since
  a blank line: the bracket that should not be there may have cut a tree in two.
- A tree that is not closed ends where a later line begins with a bracket (in
  column 1) that must be a new tree's: after a blank line, or with the label of
  an outer bracket, which no inner node has, or where an earlier tree had no
  outer bracket and no such line inside. Otherwise the tree may go on in column
  1, and the line is its own unless it is never closed: then reading starts
  again at the first such line, and what is whole from there on is a tree. After
  ten such failures every such line is a new tree's.
"""

from pathlib import Path
from typing import Iterable, Iterator, Optional, Union

from spacy_gfl.trees.bracket_errors import (
    BareWordError,
    BracketError,
    EmptyLabelError,
    EncodingError,
    NoChildrenError,
    OutsideTextError,
    TreeNumberError,
    UnclosedBracketError,
    UnopenedBracketError,
)
from spacy_gfl.trees.bracket_reader import BracketReader, ErrorHandler, Line, ReadCounts
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
    counts: Optional[ReadCounts] = None,
    on_error: Optional[ErrorHandler] = None,
) -> Iterator[Tree]:
    """Read trees from lines of text, each as soon as it is known to be whole.

    source: The name that errors carry.
    clean: Take out traces (tag -NONE-) and what is empty without them, and cut
        function tags and indices off the labels: `NP-SBJ-1` and `NP=2` become
        NP. Tags keep theirs, and `-LRB-` stays. Trees without any word vanish.
    repair: Give each of several words under one tag that tag, and a bare word
        beside subtrees the tag XX, instead of rejecting the tree.
    counts: Tallies to add to.
    on_error: Called with each error, after which reading goes on. Without it
        the first error is raised.
    Raises BracketError; its subclass tells what is wrong.

    An outer bracket (trees.ROOT_LABELS) is dropped if it holds subtrees.
    """
    counts = ReadCounts() if counts is None else counts
    reader = BracketReader(source, clean, repair, counts, on_error)
    numbered = _numbered(lines)
    while True:
        item = reader.again.popleft() if reader.again else next(numbered, None)
        if item is None:
            is_over = reader.end_input()
            yield from reader.take_trees()
            if is_over:
                return
        elif reader.begin_line(*item):
            yield from reader.take_trees()
            reader.read_line(*item)


def read_tree_file(
    path: Union[str, Path],
    *,
    clean: bool = True,
    repair: bool = True,
    counts: Optional[ReadCounts] = None,
    on_error: Optional[ErrorHandler] = None,
) -> Iterator[Tree]:
    """Read the trees of a UTF-8 file; the rest is as in `read_trees`.

    Raises OSError if the file cannot be read, EncodingError, whether or not
    there is an error handler, if it is not UTF-8.
    """
    with open(path, "rb") as file:
        yield from read_trees(
            _decode(file, str(path)),
            source=str(path),
            clean=clean,
            repair=repair,
            counts=counts,
            on_error=on_error,
        )


def parse_tree(text: str, *, clean: bool = False) -> Tree:
    """The one tree in a string; without cleaning, nothing of it is changed.

    Raises BracketError if it is malformed, or not exactly one.
    """
    trees = list(read_trees(text.split("\n"), clean=clean, repair=False))
    if len(trees) != 1:
        raise TreeNumberError(
            "<input>", 1, 1, f"one tree was expected, but there are {len(trees)}"
        )
    return trees[0]


def _numbered(lines: Iterable[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def _decode(lines: Iterable[bytes], source: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            raise EncodingError(
                source, number, column, "the file is not UTF-8; convert it first"
            ) from error
