"""Trees whose constituents may have gaps, made into trees without any.

Words stay in their order, and each word goes where the first part of its constituent
is, as far as that has no gap before it:

1. A word that only the root governs, such as punctuation in NEGRA and TIGER, goes into
   the smallest constituent whose gap has only such words.
2. Any other constituent with a gap keeps its part before the gap. Every part after the
   gap goes up to the nearest constituent that reaches there without a gap. If S has
   words 0 to 3 and VP words 0 and 3, VP keeps word 0, and word 3 becomes a child of S.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from spacy_gfl.trees.tree import ROOT_LABELS, Constituent, Tree, TreeError

ROOT = -1


class Graph(NamedTuple):
    """A sentence and what its words and constituents hang on.

    Attributes:
        words: The words.
        tags: One tag per word.
        homes: For each word the index of the node that it hangs on, or ROOT.
        labels: The labels of the nodes.
        parents: For each node the index of the node that it hangs on, or ROOT.
    """

    words: list[str]
    tags: list[str]
    homes: list[int]
    labels: list[str]
    parents: list[int]


def continuous_tree(graph: Graph) -> tuple[Tree, int]:
    """The tree of a sentence, and how many of its parts were moved.

    Nodes without words are left out, and so is one with a root's label over all words.

    Raises:
        TreeError: If nodes hang on each other in a circle.
    """
    homes, parents = list(graph.homes), graph.parents
    paths = [_path(node, parents) for node in range(len(parents))]
    below: list[set[int]] = [set() for _ in parents]
    for word, home in enumerate(homes):
        for node in paths[home] if home != ROOT else ():
            below[node].add(word)
    roots = {
        node
        for node, own in enumerate(below)
        if graph.labels[node] in ROOT_LABELS and len(own) == len(homes)
    }
    # A root may also be written as a node, as disco-dop does.
    loose = {word for word, home in enumerate(homes) if home in {ROOT, *roots}}
    moved = set()
    for word in sorted(loose):
        around = [node for node, own in enumerate(below) if _gap(own, word, loose)]
        if around:
            home = min(around, key=lambda node: (len(below[node]), -len(paths[node])))
            homes[word] = home
            moved.add(("word", word))
            for node in paths[home]:
                below[node].add(word)
    children: dict[int, list[tuple[int, str, int]]] = {
        node: [] for node in range(ROOT, len(parents))
    }
    for word, home in enumerate(homes):
        children[home].append((word, "word", word))
    nodes = []
    # From the lowest up, so that what hangs on a node has no gaps itself.
    for node in sorted(range(len(parents)), key=lambda node: -len(paths[node])):
        if not (own := below[node]):
            continue
        start = min(own)
        end = start + sum(
            1 for _ in takewhile(own.__contains__, range(start, max(own) + 1))
        )
        for child in children[node]:
            if child[0] >= end:
                children[parents[node]].append(child)
                moved.add(child[1:])
        children[parents[node]].append((start, "node", node))
        if node not in roots:
            nodes.append((start, -end, len(paths[node]), graph.labels[node]))
    constituents = [Constituent(label, i, -end) for i, end, _, label in sorted(nodes)]
    return Tree(tuple(graph.words), tuple(graph.tags), tuple(constituents)), len(moved)


def _path(node: int, parents: Sequence[int]) -> list[int]:
    """The nodes from one up to the highest that it hangs on."""
    path: list[int] = []
    while node != ROOT:
        if len(path) == len(parents):
            raise TreeError("the nodes form a circle")
        path.append(node)
        node = parents[node]
    return path


def _gap(own: set[int], word: int, loose: set[int]) -> bool:
    """Whether a word is in a gap among some words, of none but loose words."""
    if not own or not min(own) < word < max(own):
        return False
    before = max(i for i in own if i < word)
    after = min(i for i in own if i > word)
    return loose.issuperset(range(before + 1, after))
