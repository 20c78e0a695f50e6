from functools import lru_cache

import pytest
import torch
from helpers.searching import (
    admitted,
    every_tree,
    grammar,
    random_vectors,
    tiny_parser,
    vocabulary,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spacy_gfl.neural.constraints import Constraints
from spacy_gfl.neural.grammar import DEEPEST, END, OPEN, WORD, TreePrefix
from spacy_gfl.neural.parser import SearchTask
from spacy_gfl.neural.symbol_constraints import (
    KnownPrefix,
    SymbolExtents,
    crowded,
)

#: Sizes of what is tried out: words, labels, constituents of a tree, opening symbols
#: one after the other, open constituents.
SMALL = [(1, 2, 4, 4, 9), (2, 2, 4, 4, 9), (3, 2, 3, 3, 9), (3, 1, 4, 4, 9)]
TIGHT = [(2, 2, 4, 2, 9), (3, 1, 4, 2, 9), (4, 1, 3, 3, 9), (4, 1, 4, 2, 9)]


def size(among):
    return len(among) if among else 1


@st.composite
def constraints(draw, n_words, n_labels, run, most=4):
    """Extents that some tree has, and others that it has not."""
    fences = st.lists(st.integers(0, n_words), min_size=2, max_size=2, unique=True).map(
        sorted
    )
    labels = st.none() | st.sets(st.integers(0, n_labels - 1), min_size=1)
    required = {}
    for a, b in draw(st.lists(fences, max_size=most)):
        if not any(a < c < b < d or c < a < d < b for c, d in required):
            required[a, b] = draw(labels)
            if crowded([(*e, of) for e, of in required.items()], n_words, run):
                del required[a, b]
    forbidden = map(tuple, draw(st.lists(fences, max_size=2 * most)))
    return Constraints(
        [(*extent, among) for extent, among in required.items()],
        [extent for extent in forbidden if extent not in required],
    )


def obeys(nodes, known):
    """Whether nodes, label and extent of each, are what is known."""
    extents = {node[1:] for node in nodes}
    return not any(extent in extents for extent in known.forbidden) and all(
        all((label, start, end) in nodes for label in among or ())
        and (start, end) in extents
        for start, end, among in known.required
    )


def prefix_of(known, n_words, n_labels, deepest=DEEPEST, most=None):
    tree = TreePrefix.empty(torch.tensor([n_words]), deepest)
    if most is not None:
        tree = tree._replace(opens_left=torch.tensor([most]))
    extents = SymbolExtents.of([known], [n_words], n_labels, torch.device("cpu"))
    return KnownPrefix.empty(tree, extents)


@lru_cache(maxsize=None)
def written_trees(n_words, n_labels, most, run, deepest):
    symbols = vocabulary(n_labels, run)
    return [
        (
            tuple(symbols.encode(tree)),
            {(int(label[1:]), i, j) for label, i, j in tree.constituents},
        )
        for tree in every_tree(n_words, n_labels, most, run, deepest)
    ]


@pytest.mark.parametrize(
    ("n_words", "n_labels", "most", "run", "deepest"), [*SMALL, *TIGHT]
)
@settings(deadline=None)
@given(data=st.data())
def test_the_trees_that_can_be_written_are_those_that_obey(
    n_words, n_labels, most, run, deepest, data
):
    known = data.draw(constraints(n_words, n_labels, run))
    assume(sum(size(among) for _, _, among in known.required) <= most)
    rules = grammar(vocabulary(n_labels, run))
    found = admitted(prefix_of(known, n_words, n_labels, deepest, most), rules)
    trees = written_trees(n_words, n_labels, most, run, deepest)
    expected = [ids for ids, nodes in trees if obeys(nodes, known)]
    assert expected
    assert sorted(found) == sorted(expected)
