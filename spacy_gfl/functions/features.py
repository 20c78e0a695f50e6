"""What the network knows of each constituent of a tree.

A constituent has a fixed number of *slots*. Each holds a word or a name: the head word,
the first word, the mother's label, the next sister's head word, and so on. A batch
keeps each different word and name once, and slots are indices of these, so that the
network embeds only once what a batch repeats.
"""

from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_gfl.languages.heads import all_heads
from spacy_gfl.trees.tree import Tree

#: The hashes of an item: of its lower case, its ending, its shape and its name.
N_HASHES = 4
#: The slots of a constituent.
N_SLOTS = 33
#: The largest distance, in sisters, from the mother's head that features tell apart.
_FARTHEST = 4
#: Label and head word, by the numbers of their items.
_Part: TypeAlias = tuple[int, int]
_NOTHING: _Part = (0, 0)


class Features(NamedTuple):
    """Constituents of some trees, ready to be embedded.

    Attributes:
        items: The hashes of each different word and name, `(items, N_HASHES)`.
        slots: For each constituent the item in each slot, `(constituents, N_SLOTS)`.
    """

    items: NDArray[Any]
    slots: NDArray[Any]


class _Items(dict[tuple[str, str], int]):
    """Numbers of the words of a batch, with their tags, and of names ("", name)."""

    def __missing__(self, key: tuple[str, str]) -> int:
        self[key] = number = len(self)
        return number

    def name(self, name: str) -> int:
        return self["", name]


def make_features(trees: Iterable[Tree], labels: Container[str], lang: str) -> Features:
    """Describe the constituents of some trees that have certain labels.

    Args:
        trees: The trees, without function tags in their labels.
        labels: The labels of the constituents that are described.
        lang: The language whose head rules are used.
    """
    items = _Items()
    # What is not there has the number 0.
    items.name("")
    slots = [one for tree in trees for one in _tree_slots(tree, labels, lang, items)]
    hashes = [(*_word_hashes(word), hash_string(name)) for word, name in items]
    return Features(
        numpy.asarray(hashes, dtype="uint64"),
        numpy.asarray(slots, dtype="int32").reshape(-1, N_SLOTS),
    )


@lru_cache(maxsize=100_000)
def _word_hashes(word: str) -> tuple[int, int, int]:
    if not word:
        return 0, 0, 0
    lower = word.lower()
    shape = "".join("X" if c.isupper() else "d" if c.isdigit() else "x" for c in word)
    return hash_string(lower), hash_string(lower[-3:]), hash_string(shape[-4:])


def _tree_slots(
    tree: Tree, wanted: Container[str], lang: str, items: _Items
) -> list[list[int]]:
    """The slots of the constituents of a tree with certain labels, in pre-order."""
    nodes, heads = tree.constituents, all_heads(tree, "collins", lang)
    words = [items[pair] for pair in zip(tree.words, tree.tags, strict=True)]
    labels = [items["", f"{node.label}/"] for node in nodes]
    # Constituents, and behind them words.
    parts = [
        *((label, words[head]) for label, head in zip(labels, heads, strict=False)),
        *zip(map(items.name, tree.tags), words, strict=True),
    ]
    children = _children(tree)
    places = [
        next(
            i
            for i, at in enumerate(own)
            if (heads[at] if at < len(nodes) else at - len(nodes)) == head
        )
        if own
        else 0
        for own, head in zip(children, heads, strict=True)
    ]
    inner = [(_NOTHING, _NOTHING, _NOTHING)] * len(nodes)
    # Backwards, those inside of another are done before it.
    for i in range(len(nodes) - 1, -1, -1):
        inner[i] = _inner(children[i], places[i], parts, inner)
    around = [0, *words, 0]
    end = items["", f"end {tree.words[-1]}"] if words else 0
    found: dict[int, list[int]] = {}
    above: list[tuple[int, ...]] = [(0,) * 6] * (len(nodes) + 1)
    # A mother comes before her children; the root, which is last, before all.
    for mother in range(-1, len(nodes)):
        sisters, head = children[mother], places[mother]
        seen = [_NOTHING, _NOTHING, *(parts[at] for at in sisters), _NOTHING, _NOTHING]
        label = labels[mother] if mother >= 0 else 0
        head_part = seen[head + 2]
        # Label and head word of the mother, the grandmother and the one above.
        lineage = (label, head_part[1], *above[mother][:4])
        for place, i in enumerate(sisters):
            if i >= len(nodes):
                continue
            above[i] = lineage
            name, start, stop = nodes[i]
            if name not in wanted:
                continue
            own, size = children[i], stop - start
            before, after, further = inner[i]
            found[i] = [
                *(labels[i], *lineage, *head_part[:1], *parts[i][1:]),
                *(*seen[place], *seen[place + 1], *seen[place + 3], *seen[place + 4]),
                *(parts[own[0]][0], parts[own[-1]][0], parts[own[places[i]]][0]),
                *(*before, *after, *further),
                items["", f"place {max(-_FARTHEST, min(place - head, _FARTHEST))}"],
                items["", f"size {size if size < 4 else min(size // 4, 4) * 4}"],
                *(words[start], words[stop - 1], around[start], around[stop + 1], end),
            ]
    return [found[i] for i in sorted(found)]


def _children(tree: Tree) -> list[list[int]]:
    """The children of each constituent and last the root's; words behind constituents.

    Word 2 of a tree with five constituents is child 7.
    """
    n_nodes = len(tree.constituents)
    children: list[list[int]] = [[] for _ in range(n_nodes + 1)]
    stack, word = [(len(tree), -1)], 0
    for i, (_, start, end) in enumerate(tree.constituents):
        while word < start or stack[-1][0] <= start:
            stop, at = stack[-1]
            children[at] += range(n_nodes + word, n_nodes + min(stop, start))
            word = max(word, min(stop, start))
            if stop <= start:
                stack.pop()
        children[stack[-1][1]].append(i)
        stack.append((end, i))
    for stop, at in reversed(stack):
        children[at] += range(n_nodes + word, n_nodes + stop)
        word = max(word, stop)
    return children


def _inner(
    children: Sequence[int],
    head: int,
    parts: Sequence[_Part],
    inner: Sequence[tuple[_Part, _Part, _Part]],
) -> tuple[_Part, _Part, _Part]:
    """The first constituent before the head, the first behind it, and that one's.

    Where there is none, it is the one of the head: of S -> VP, the object.
    """
    n_nodes = len(inner)
    before = next((parts[at] for at in children[:head] if at < n_nodes), _NOTHING)
    after = next((at for at in children[head + 1 :] if at < n_nodes), None)
    if after is not None:
        return before, parts[after], inner[after][1]
    if children[head] >= n_nodes:
        return before, _NOTHING, _NOTHING
    first, second, third = inner[children[head]]
    return before if before != _NOTHING else first, second, third
