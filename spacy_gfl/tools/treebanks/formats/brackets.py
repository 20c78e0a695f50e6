"""Files of trees in brackets."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from spacy.tokens import Doc

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.tools.treebanks.bracket_reader import read_trees
from spacy_gfl.tools.treebanks.formats import discbracket
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import as_docs
from spacy_gfl.trees.brackets import begins_square
from spacy_gfl.trees.tree import Tree

#: Lines that are looked at to see whether words are numbered.
_LINES_AHEAD = 200


def begins(head: str) -> bool:
    """Whether a file may be one of brackets, by its first characters."""
    return head.lstrip()[:1] in ("(", "<", "#", ";") or begins_square(head)


def read(reading: Reading) -> Iterator[Tree]:
    """Read the trees of a file (`tools.treebanks.bracket_reader.read_trees`).

    If the words of its first tree are numbered, all are (`formats.discbracket`).
    """
    lines = iter(reading.lines())
    ahead: list[str] = []
    depth = 0
    for line in islice(lines, _LINES_AHEAD):
        ahead.append(line)
        depth += line.count("(") - line.count(")")
        if ")" in line and depth <= 0:
            break
    every = chain(ahead, lines)
    if discbracket.begins("".join(ahead)):
        given = replace(reading, given=every, given_name=reading.name)
        yield from discbracket.read(given)
        return
    yield from read_trees(
        every,
        scheme=reading.scheme,
        clean=reading.clean,
        repair=reading.repair,
        rejections=reading.rejections,
    )


def write(
    path: str | Path,
    docs: Iterable[Doc] | Doc,
    *,
    key: str = SPANS_KEY,
    functions: bool = False,
) -> None:
    """Write the trees of Docs, one per line, and a blank line for a Doc of no words.

    With `functions`, labels have the function tags that were found: NP-SBJ.

    Raises:
        ValueError: If a Doc has no trees.
        OSError: If the file cannot be written.
    """
    texts = (lines_of_trees(doc, key=key, functions=functions) for doc in as_docs(docs))
    write_text(path, texts)


def lines_of_trees(doc: Doc, *, key: str = SPANS_KEY, functions: bool = False) -> str:
    """The trees of a Doc as lines; a line is blank if there are none.

    With `functions`, labels have the function tags that were found: NP-SBJ.
    """
    trees = get_trees(doc, key=key, functions=functions)
    trees = [tree for tree in trees if len(tree)]
    return "".join(f"{tree.brackets()}\n" for tree in trees) or "\n"
