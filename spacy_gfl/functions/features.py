"""What the network knows of each constituent of a tree.

A constituent has a fixed number of *slots*. Some hold a word (the head word, the first
word, the next sister's head word), others a name (the mother's label, the distance from
the mother's head). A batch keeps each different word and name once, and slots are
indices of these, so that the network embeds only once what a batch repeats.

All trees of a batch are one row of *parts*: words, constituents and roots. Part 0, and
the part after each tree's words, is a word that is not there.
"""

from collections import defaultdict
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_gfl.trees.tree import Tree

_Ints: TypeAlias = NDArray[Any]

#: The hashes of a word: of its lower case, beginning, ending, shape and tag.
N_HASHES = 5
#: The slots of a constituent.
N_WORD_SLOTS, N_NAME_SLOTS = 20, 18
#: The largest distance, in sisters, from the mother's head that features tell apart.
_FARTHEST = 4
#: Lengths in words that features tell apart: one counts as the last that is not above.
_LENGTHS = (1, 2, 3, 4, 8, 12, 16)


class Features(NamedTuple):
    """Constituents of some trees, ready to be embedded.

    Attributes:
        words: The hashes of each different word, `(words, N_HASHES)`. The first word is
            that of an empty slot, whose hashes are 0.
        names: The hash of each different name, `(names,)`.
        word_slots: The word in each slot, `(constituents, N_WORD_SLOTS)`.
        name_slots: The name in each slot, `(constituents, N_NAME_SLOTS)`.
    """

    words: _Ints
    names: _Ints
    word_slots: _Ints
    name_slots: _Ints


class _Sisters(NamedTuple):
    """For each part the parts around it, 0 for none.

    Attributes:
        before, after: The sisters beside it.
        distance: How many sisters it is behind the head of its mother.
        first, last, head: Its own outermost children, and the one with its head word.
    """

    before: _Ints
    after: _Ints
    distance: _Ints
    first: _Ints
    last: _Ints
    head: _Ints


def make_features(
    trees: Sequence[Tree], heads: Sequence[Sequence[int]], labels: Container[str]
) -> Features:
    """Describe the constituents of some trees that have certain labels.

    Args:
        trees: The trees, without function tags in their labels.
        heads: The head word of each constituent of each tree, and last the root's.
        labels: The labels of the constituents that are described.
    """
    # Each different word and name gets the next number.
    words = defaultdict[Any, int](count(1).__next__, {("", ""): 0})
    names = defaultdict[Any, int](count(1).__next__, {"": 0})
    nodes = [node for tree in trees for node in tree.constituents]
    at_node = 1 + sum(len(tree) + 1 for tree in trees)
    at_root = at_node + len(nodes)
    word, label, above, mothers = [0], [0], [0], list[int]()
    extents, root_heads = list[tuple[int, ...]](), list[int]()
    for root, (tree, head_words) in enumerate(zip(trees, heads, strict=True), at_root):
        offset, base, inside = len(word), at_node + len(mothers), [root] * len(tree)
        for i, (_, start, end) in enumerate(tree.constituents):
            inside[start:end] = [base + i] * (end - start)
            extents.append((start, end, len(tree), head_words[i], offset))
        mothers += [base + at if at >= 0 else root for at in tree.parents()]
        root_heads.append(offset + head_words[-1])
        word += [*(words[pair] for pair in zip(tree.words, tree.tags, strict=True)), 0]
        label += [*(names[tag] for tag in tree.tags), 0]
        above += [*inside, 0]
    columns = numpy.array(extents, dtype=int).reshape(-1, 5)
    start, stop, sentence_end, node_head = columns[:, :4].T + columns[:, 4]
    mother = numpy.array([*above, *mothers, *([0] * len(trees))])
    head = numpy.array([*range(at_node), *node_head, *root_heads])
    label += [*(names[node.label, ""] for node in nodes), *([0] * len(trees))]
    own_word, name = numpy.array(word), numpy.array(label)
    before, after, distance, first, last, head_child = _sisters(
        mother, numpy.append(numpy.arange(at_node), start), head
    )
    is_node = numpy.arange(len(mother)) >= at_node
    left, right = (
        _nearest(mother, head_child, numpy.flatnonzero(is_node & is_beside))
        for is_beside in (distance < 0, distance > 0)
    )

    number = [i for i, node in enumerate(nodes) if node.label in labels]
    own = numpy.array(number, dtype=int) + at_node
    begin, behind = start[number], stop[number]
    up, previous, following = mother[own], before[own], after[own]
    around = [own, up, mother[up], mother[mother[up]], before[previous], previous]
    around += [following, after[following], left[own], right[own], right[right[own]]]
    worded = [*around, right[previous], right[following], first[up], first[mother[up]]]
    # The parts of single words have their indices.
    worded += [begin, behind - 1, begin - 1, behind, sentence_end[number] - 1]
    named = [*around, head_child[up], first[own], last[own], head_child[own]]
    named.append(right[following])
    places = numpy.array([names["place", i] for i in range(2 * _FARTHEST + 1)])
    lengths = numpy.array([0, *(names["length", n] for n in _LENGTHS)])
    counted = [
        places[distance[own].clip(-_FARTHEST, _FARTHEST) + _FARTHEST],
        lengths[numpy.searchsorted(_LENGTHS, behind - begin, side="right")],
    ]
    return Features(
        numpy.array([_word_hashes(*pair) for pair in words], dtype="uint64"),
        numpy.array([hash_string(str(one)) for one in names], dtype="uint64"),
        own_word[head[numpy.stack(worded, axis=1)]],
        numpy.stack([*(name[part] for part in named), *counted], axis=1),
    )


def _sisters(mother: _Ints, start: _Ints, head: _Ints) -> _Sisters:
    """Find the neighbours and children of parts.

    Args:
        mother: Of each part; 0 for a root and a word that is not there.
        start: The first word of each part but the roots.
        head: The head word of each part.
    """
    sisters = _Sisters(*(numpy.zeros(len(mother), dtype=int) for _ in range(6)))
    order = numpy.lexsort((start, mother[: len(start)]))
    order = order[mother[order] > 0]
    of = mother[order]
    is_first = numpy.append(True, of[1:] != of[:-1])[: len(of)]
    is_last = numpy.append(is_first[1:], True)[: len(of)]
    sisters.before[order[~is_first]] = order[:-1][~is_first[1:]]
    sisters.after[order[~is_last]] = order[1:][~is_last[:-1]]
    sisters.first[of[is_first]] = order[is_first]
    sisters.last[of[is_last]] = order[is_last]
    is_head = head[order] == head[of]
    sisters.head[of[is_head]] = order[is_head]
    # Places in `order` differ by as much as those among sisters.
    place = numpy.zeros(len(mother), dtype=int)
    place[order] = numpy.arange(len(order))
    sisters.distance[order] = place[order] - place[sisters.head[of]]
    return sisters


def _nearest(mother: _Ints, head_child: _Ints, candidates: _Ints) -> _Ints:
    """Find for each part its first child among the candidates, 0 for none.

    Where there is none, it is that of the head child: of S -> VP, the verb's object.
    """
    nearest = numpy.zeros(len(mother), dtype=int)
    # Of several writes to one place, the last one stays.
    nearest[mother[candidates[::-1]]] = candidates[::-1]
    while True:
        filled = numpy.where(nearest > 0, nearest, nearest[head_child])
        if (filled == nearest).all():
            return nearest
        nearest = filled


@lru_cache(maxsize=100_000)
def _word_hashes(word: str, tag: str) -> tuple[int, ...]:
    if not word:
        return (0,) * N_HASHES
    lower = word.lower()
    shape = "".join("X" if c.isupper() else "d" if c.isdigit() else "x" for c in word)
    parts = (lower, f"{lower[:4]}-", f"-{lower[-3:]}", shape[-4:], tag)
    return tuple(map(hash_string, parts))
