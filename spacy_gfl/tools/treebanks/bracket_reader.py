"""Reading Penn brackets: a stream of lines in, trees out.

Any layout is read: one line per tree or many, several trees on a line, in round
brackets or square ones, `[S [NP dog]]`, with an outer bracket `( ...)`, `(ROOT ...)`,
`(TOP ...)` or without. White space separates, but spaces of other widths
(`trees.escaping.INNER_SPACE`) are part of the word that they are in. A label follows
its bracket without any. Between trees, lines that begin with `#`, `;` or `*x*` and
lines of SGML, such as `<S ID=1>`, are comments. Nothing is recursive.

A malformed tree is one error, and reading goes on:

- A fault inside balanced brackets costs the tree that holds it.
- A tree that is not closed ends where a line begins with a bracket in column 1.
  But lines in column 1 belong to it if the first line is the first bracket alone, or
  if it is closed where one of them ends; only an outer bracket or the first line's
  own label begins a new tree then.
- A closing bracket too many costs every tree since the last line that began with
  a bracket in column 1, or since the last blank line: it may have cut one in two.

A word that has no tag of its own is repaired (`treebanks.bracket_trees`). A `Scheme`
has everything else that a treebank writes in its own way.
"""

import warnings
from collections.abc import Iterable, Iterator

from spacy_gfl.tools.treebanks.bracket_blocks import Block, parted_blocks
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.tools.treebanks.bracket_tokens import Split, Splitter, tree_text
from spacy_gfl.tools.treebanks.bracket_trees import TreeReader
from spacy_gfl.tools.treebanks.schemes import PENN, Scheme, SchemeWarning, find_scheme
from spacy_gfl.trees import brackets
from spacy_gfl.trees.brackets import BracketError
from spacy_gfl.trees.tree import Tree


def read_trees(
    lines: Iterable[str],
    *,
    scheme: Scheme | str = PENN,
    clean: bool = True,
    repair: bool = True,
    rejections: Rejections | None = None,
) -> Iterator[Tree]:
    """Read trees from lines of text, each as soon as it is known to be whole.

    An outer bracket (`trees.tree.ROOT_LABELS`) is dropped if it holds subtrees.

    Args:
        lines: The text as one string, or lines with or without their ends.
        scheme: How the treebank writes traces and other empty elements
            (`treebanks.schemes.SCHEMES`).
        clean: Take out traces (tag -NONE-) and what is empty without them, and
            cut function tags and indices off the labels: `NP-SBJ-1` and `NP=2`
            become NP. Tags keep theirs, and `-LRB-` stays. Trees without any word
            vanish.
        repair: Repair words without a tag of their own instead of rejecting the
            tree.
        rejections: The name that errors carry, what is called with them, and
            tallies. Without it the first error is raised.

    Yields:
        The trees, in order.

    Warns:
        SchemeWarning: Once, if trees look as if they were written in another scheme,
            unless they are neither cleaned nor repaired.

    Raises:
        BracketError: A tree is malformed.
        TypeError: This is no text but bytes or a path.
        ValueError: There is no such scheme.
    """
    brackets.check_text(lines, lines=True)
    scheme = find_scheme(scheme) if isinstance(scheme, str) else scheme
    rejections = rejections or Rejections()
    reader = TreeReader(rejections, scheme, clean, repair)
    splitter = Splitter(rejections)
    held: list[Split] = []
    try:
        for block in parted_blocks(lines):
            split = splitter.split(block)
            if held or not reader.is_sure_of(split):
                held.append(split)
                reader.survey(split)
            else:
                yield from reader.read(split)
        reader.end_survey()
        for split in held:
            yield from reader.read(split)
    finally:
        reader.note_odd_tags()
        # Trees that are taken as they stand are not misread.
        message = reader.check.message(rejections.source)
        if message and (clean or repair):
            warnings.warn(message, SchemeWarning, stacklevel=2)


def split_trees(
    lines: Iterable[str], *, rejections: Rejections | None = None
) -> Iterator[str]:
    """Split text into the brackets of its trees as they stand, each on one line.

    Args:
        lines: The text as one string, or lines with or without their ends.
        rejections: As in `read_trees`.

    Raises:
        BracketError: Brackets are not balanced, or text stands outside of them.
        TypeError: This is no text but bytes or a path.
    """
    brackets.check_text(lines, lines=True)
    splitter = Splitter(rejections or Rejections())
    for block in parted_blocks(lines):
        for tokens in splitter.split(block).trees:
            yield tree_text(tokens).replace("\n", " ")


def parse_tree(text: str, *, clean: bool = False) -> Tree:
    """Read the only tree in a string. Without cleaning, it stays as it is.

    Args:
        text: The brackets, in any layout.
        clean: Take out traces, and cut function tags and indices off the labels.

    Raises:
        BracketError: The tree is malformed, or there is not exactly one.
        TypeError: This is no string.
    """
    if not clean:
        return brackets.parse_tree(text)
    brackets.check_text(text)
    text = text.removeprefix("\ufeff")
    text = brackets.make_round(text) if brackets.begins_square(text) else text
    lines = [f"{line}\n" for line in text.split("\n")]
    split = Splitter(Rejections()).split(Block(1, lines))
    trees = list(TreeReader(Rejections(), PENN, clean, False).read(split))
    if len(trees) != 1:
        message = f"expected one tree, but there are {len(trees)}"
        raise BracketError("not exactly one tree", "<input>", 1, 1, message)
    return trees[0]
