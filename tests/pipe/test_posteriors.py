"""Posteriors and minimum risk, against all trees of short sentences."""

from collections import Counter

import pytest
from helpers.strategies import extents
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import Constituent
from spacy_gfl.pipe.posteriors import DrawnTree, likely_tree, occurrences, posteriors
from spacy_gfl.trees.tree import check_constituents

N_WORDS = 5


@st.composite
def drawn(draw):
    """Some trees over the same words, and how often each was drawn."""
    labels = st.sampled_from(["A", "B", "C"])
    trees = []
    for _ in range(draw(st.integers(1, 6))):
        nodes = [Constituent(draw(labels), *e) for e in draw(extents(N_WORDS, 6))]
        trees.append(DrawnTree(nodes, draw(st.integers(1, 4))))
    return trees


def nodes(text):
    """Constituents such as NP02, an NP of words 0 and 1."""
    return [Constituent(n[:-2], int(n[-2]), int(n[-1])) for n in text.split()]


@given(drawn())
def test_posteriors_are_shares_of_trees(trees):
    known = posteriors(trees)
    for (node, number), probability in known.items():
        having = sum(n for nodes, n in trees if list(nodes).count(node) > number)
        assert probability == having / sum(n for _, n in trees)


@given(drawn())
def test_the_likely_tree_is_a_tree_of_all_that_is_above_one_half(trees):
    known, found = posteriors(trees), likely_tree(trees)
    check_constituents(found, N_WORDS)
    above = {occurrence for occurrence, p in known.items() if p > 0.5}
    assert above <= set(occurrences(found))
    # A label is added only where an extent, but none of its labels, is above one half.
    nodes_above = [node for node, _ in above]
    extra = Counter(found) - Counter(nodes_above)
    assert {node[1:] for node in extra}.isdisjoint(node[1:] for node in nodes_above)
    assert len({node[1:] for node in extra}) == extra.total()
    for node in found:
        having = [tree for tree in trees if node[1:] in {n[1:] for n in tree[0]}]
        assert sum(n for _, n in having) > sum(n for _, n in trees) / 2
        assert any(node in nodes for nodes, _ in having)


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        # Unary labels keep an order that they have.
        ({45: "S02 VP02 NP01", 25: "VP02", 30: "VP02 S02"}, "S02 VP02"),
        # Any two of the labels are together in a tree, all three in none.
        ({40: "B01 A01", 35: "A01 C01", 25: "C01 B01"}, "B01 A01 C01"),
        # What is just above one half is taken, and what is just below is not.
        ({55: "S03 NP02", 45: "S03 VP03"}, "S03 NP02"),
        # An extent without a likely label gets the most frequent.
        ({30: "S03 NP02", 45: "SQ03 NP02", 25: "FRAG03"}, "SQ03 NP02"),
    ],
)
def test_likely_trees_are_those_worked_out_by_hand(trees, expected):
    drawn = [DrawnTree(nodes(tree), number) for number, tree in trees.items()]
    assert likely_tree(drawn) == nodes(expected)
