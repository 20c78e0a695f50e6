r"""Binary trees: at most two children a constituent, and back again exactly.

What is added to a tree stands in its labels, in the notation of nltk's
`chomsky_normal_form` and `collapse_unary` (which refuse trees more than 500 levels
deep, take marks in a treebank's labels for their own, and know no forests):

- `NP|<JJ-NN>` is a constituent put into an NP; it stands for children of the NP,
  the next of which are a JJ and an NN;
- `NP^<VP-S>` is an NP whose parent is a VP and whose grandparent is an S;
- `S+VP` is a VP that is the only child of an S.

A backslash stands before a bar, caret, plus sign or backslash that was in a label
before, so that no label can be mistaken for another.
"""

import re
from collections.abc import Sequence
from itertools import count

from spacy_gfl.trees.tree import ROOT_LABEL, Constituent, Tree

_MARKS = re.compile(r"[|^+\\]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# The labels of a joined chain: text up to an unescaped mark.
_PLAIN = re.compile(r"(?:\\.|[^|^+\\])+", re.DOTALL)


def binarize(
    tree: Tree,
    *,
    factor: str = "right",
    horizontal: int | None = None,
    vertical: int = 1,
    join_unary: bool = False,
) -> Tree:
    """Make a tree binary by putting constituents into those of many children.

    Words outside of all constituents and several outermost ones are children of
    the root, which is made binary too, by constituents named `TOP|<...>`.

    Args:
        tree: The tree.
        factor: "right" keeps the first child of a constituent and puts the others
            under a new one, "left" keeps the last.
        horizontal: How many of the children left to come a new label names; None
            for all, 0 for none.
        vertical: How many constituents a label names, itself and then its
            ancestors: 1 is the label alone, 2 adds the parent (horizontal and
            vertical Markov order, Klein and Manning 2003, section 2; `vertical` is
            one more than nltk's `vertMarkov`). Words and outermost constituents
            have none to add.
        join_unary: Make every unary chain one constituent, `S+VP`. Tags stay apart.

    Raises:
        ValueError: An argument has no such value.
    """
    if factor not in ("left", "right"):
        raise ValueError(f'factor must be "left" or "right", not {factor!r}')
    if horizontal is not None and horizontal < 0:
        raise ValueError(f"horizontal must be 0 or more, not {horizontal}")
    if vertical < 1:
        raise ValueError(f"vertical must be 1 or more, not {vertical}")
    nodes = [
        node._replace(label=_MARKS.sub(r"\\\g<0>", node.label))
        for node in tree.constituents
    ]
    if join_unary:
        nodes = _join_chains(nodes)
    tree = Tree(tree.words, tree.tags, tuple(nodes))
    marks = _ancestors(tree, vertical)
    found = [
        node._replace(label=node.label + mark)
        for node, mark in zip(nodes, marks, strict=True)
    ]
    nodes.append(Constituent(ROOT_LABEL, 0, len(tree)))
    marks.append("")
    leaves = list(map(Constituent, tree.tags, count(), count(1)))
    for node, mark, children in zip(nodes, marks, tree.children(), strict=True):
        inside = [leaves[at] if is_word else nodes[at] for is_word, at in children]
        # Outermost first; each holds one child fewer than the one before.
        while len(inside) > 2:
            inside = inside[1:] if factor == "right" else inside[:-1]
            number = len(inside) if horizontal is None else horizontal
            rest = max(len(inside) - number, 0)
            nearest = inside[:number] if factor == "right" else inside[rest:]
            names = "-".join(child.label for child in nearest)
            label = f"{node.label}|<{names}>{mark}"
            found.append(Constituent(label, inside[0].start, inside[-1].end))
    # New constituents have extents of their own, so chains keep their order.
    found.sort(key=lambda node: (node.start, -node.end))
    return Tree(tree.words, tree.tags, tuple(found))


def unbinarize(tree: Tree) -> Tree:
    """Undo `binarize`, whatever its settings were.

    Also for trees that were never binarized but predicted, say by a parser
    trained on binary ones. Of a tree without marks only backslashes go.
    """
    found: list[Constituent] = []
    for label, start, end in tree.constituents:
        names, mark = _read_label(label)
        if mark != "|":
            found.extend(Constituent(name, start, end) for name in names)
    return Tree(tree.words, tree.tags, tuple(found))


def _read_label(label: str) -> tuple[list[str], str]:
    """The labels in a label, and the mark that ends them: `|`, `^` or nothing."""
    names: list[str] = []
    at = 0
    while match := _PLAIN.match(label, at):
        names.append(_ESCAPED.sub(r"\1", match[0]))
        at = match.end()
        if not label.startswith("+", at):
            break
        at += 1
    return names or [label], label[at : at + 1]


def _join_chains(nodes: Sequence[Constituent]) -> list[Constituent]:
    joined: list[Constituent] = []
    for node in nodes:
        if joined and joined[-1][1:] == node[1:]:
            joined[-1] = node._replace(label=f"{joined[-1].label}+{node.label}")
        else:
            joined.append(node)
    return joined


def _ancestors(tree: Tree, vertical: int) -> list[str]:
    """What of its ancestors each constituent's label names: `^<VP-S>` or ""."""
    parents = tree.parents()
    marks: list[str] = []
    for parent in parents:
        names: list[str] = []
        while parent >= 0 and len(names) < vertical - 1:
            names.append(tree.constituents[parent].label)
            parent = parents[parent]
        marks.append(f"^<{'-'.join(names)}>" if names else "")
    return marks
