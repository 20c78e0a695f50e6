r"""Binary trees: at most two children a constituent, and back again exactly.

What is added to a tree stands in its labels, in the notation of nltk's
`chomsky_normal_form` and `collapse_unary`:

- `NP|<JJ-NN>` is a constituent put into an NP; it stands for children of the NP,
  the next of which are a JJ and an NN;
- `NP^<VP-S>` is an NP whose parent is a VP and whose grandparent is an S;
- `S+VP` is a VP that is the only child of an S.

A backslash stands before any of `| ^ + \` that was in a label before, so that
no label can be mistaken for another.
"""

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from spacy_gfl.trees.tree import ROOT_LABEL, Constituent, Tree

_MARKS = re.compile(r"[|^+\\]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# The labels of a joined chain: text up to an unescaped mark.
_PLAIN = re.compile(r"(?:\\.|[^|^+\\])+", re.DOTALL)


class _Child(NamedTuple):
    """A constituent or a word under its parent, by its label or tag."""

    label: str
    start: int


def binarize(
    tree: Tree,
    *,
    factor: str = "right",
    horizontal: Optional[int] = None,
    vertical: int = 1,
    join_unary: bool = False,
) -> Tree:
    """Make a tree binary by putting constituents into those of many children.

    factor: "right" keeps the first child of a constituent and puts the others
        under a new one, "left" keeps the last.
    horizontal: How many of the children left to come a new label names; None
        for all, 0 for none.
    vertical: How many constituents a label names, itself and then its ancestors:
        1 is the label alone, 2 adds the parent (horizontal and vertical Markov
        order, Klein and Manning 2003, section 2; `vertical` is one more than
        nltk's `vertMarkov`). Words and outermost constituents have none to add.
    join_unary: Make every unary chain one constituent, `S+VP`. Tags stay apart.
    Words outside of all constituents and several outermost ones are children of
    the root, which is made binary too, by constituents named `TOP|<...>`.
    Raises ValueError for another factor, a negative `horizontal`, or `vertical`
        below 1.
    """
    if factor not in ("left", "right"):
        raise ValueError(f'factor must be "left" or "right", not {factor!r}')
    if horizontal is not None and horizontal < 0:
        raise ValueError(f"horizontal must be 0 or more, not {horizontal}")
    if vertical < 1:
        raise ValueError(f"vertical must be 1 or more, not {vertical}")
    nodes = [node._replace(label=_escape(node.label)) for node in tree.constituents]
    if join_unary:
        nodes = _join_chains(nodes)
    tree = Tree(tree.words, tree.tags, tuple(nodes))
    parents = tree.parents()
    ancestors = _ancestors(tree, parents, vertical)
    found = [
        node._replace(label=node.label + above)
        for node, above in zip(nodes, ancestors, strict=True)
    ]
    root = Constituent(ROOT_LABEL, 0, len(tree))
    children = _children(tree, parents)
    for node, above, under in zip(
        [*nodes, root], [*ancestors, ""], children, strict=True
    ):
        found.extend(_inserted(node, above, under, factor, horizontal))
    # New constituents have extents of their own, so chains keep their order.
    found.sort(key=lambda node: (node.start, -node.end))
    return Tree(tree.words, tree.tags, tuple(found))


def unbinarize(tree: Tree) -> Tree:
    """The tree that `binarize` made binary, whatever its settings were.

    Also for trees that were never binarized but predicted, say by a parser
    trained on binary ones. Of a tree without marks only backslashes go.
    """
    found: List[Constituent] = []
    for label, start, end in tree.constituents:
        names, mark = _read_label(label)
        if mark != "|":
            found.extend(Constituent(name, start, end) for name in names)
    return Tree(tree.words, tree.tags, tuple(found))


def _escape(label: str) -> str:
    return _MARKS.sub(r"\\\g<0>", label)


def _read_label(label: str) -> Tuple[List[str], str]:
    """The labels in a label, and the mark that ends them: `|`, `^` or nothing."""
    names: List[str] = []
    at = 0
    while match := _PLAIN.match(label, at):
        names.append(_ESCAPED.sub(r"\1", match[0]))
        at = match.end()
        if not label.startswith("+", at):
            break
        at += 1
    return names or [label], label[at : at + 1]


def _join_chains(nodes: Sequence[Constituent]) -> List[Constituent]:
    joined: List[Constituent] = []
    for node in nodes:
        if joined and joined[-1][1:] == node[1:]:
            joined[-1] = node._replace(label=f"{joined[-1].label}+{node.label}")
        else:
            joined.append(node)
    return joined


def _ancestors(tree: Tree, parents: Sequence[int], vertical: int) -> List[str]:
    """What of its ancestors each constituent's label names: `^<VP-S>` or ""."""
    marks: List[str] = []
    for parent in parents:
        names: List[str] = []
        while parent >= 0 and len(names) < vertical - 1:
            names.append(tree.constituents[parent].label)
            parent = parents[parent]
        marks.append(f"^<{'-'.join(names)}>" if names else "")
    return marks


def _children(tree: Tree, parents: Sequence[int]) -> List[List[_Child]]:
    """The children of every constituent, left to right; last those of the root."""
    children: List[List[_Child]] = [[] for _ in range(len(parents) + 1)]
    stack = [-1]
    for kind, at in tree.events():
        if kind == "open":
            children[parents[at]].append(_Child(*tree.constituents[at][:2]))
            stack.append(at)
        elif kind == "word":
            children[stack[-1]].append(_Child(tree.tags[at], at))
        else:
            stack.pop()
    return children


def _inserted(
    node: Constituent,
    above: str,
    children: Sequence[_Child],
    factor: str,
    horizontal: Optional[int],
) -> List[Constituent]:
    """The constituents that go between a node and its children."""
    number = len(children)
    window = number if horizontal is None else horizontal
    found: List[Constituent] = []
    for i in range(1, number - 1):
        # Outermost first; each holds one child fewer than the one before.
        if factor == "right":
            start, end = children[i].start, node.end
            named = children[i : i + window]
        else:
            start, end = node.start, children[number - i].start
            named = children[max(number - i - window, 0) : number - i]
        labels = "-".join(child.label for child in named)
        found.append(Constituent(f"{node.label}|<{labels}>{above}", start, end))
    return found
