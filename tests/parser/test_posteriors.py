"""Posteriors and minimum risk, against all trees of short sentences."""

from collections import Counter

import pytest
from helpers.strategies import extents
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.parser.posteriors import DrawnTree, likely_tree, occurrences, posteriors
from spacy_gfl.trees.tree import Constituent, check_constituents

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


def times(*trees):
    return [
        DrawnTree([Constituent(*node) for node in nodes], number)
        for number, nodes in trees
    ]


def risk(tree, trees):
    """How many constituents are wrong or missing, on average over trees."""
    mine = Counter(tree)
    total = 0
    for nodes, number in trees:
        shared = (mine & Counter(nodes)).total()
        total += number * (len(tree) + len(nodes) - 2 * shared)
    return total


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


@given(drawn())
def test_no_tree_among_them_is_expected_to_be_wrong_less_often(trees):
    above = [node for (node, _), p in posteriors(trees).items() if p > 0.5]
    least = risk(above, trees)
    assert all(least <= risk(nodes, trees) for nodes, _ in trees)


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        # Unary labels keep an order that they have.
        (
            [
                (45, [("S", 0, 2), ("VP", 0, 2), ("NP", 0, 1)]),
                (25, [("VP", 0, 2)]),
                (30, [("VP", 0, 2), ("S", 0, 2)]),
            ],
            [("S", 0, 2), ("VP", 0, 2)],
        ),
        # Any two of the labels are together in a tree, all three in none.
        (
            [
                (40, [("B", 0, 1), ("A", 0, 1)]),
                (35, [("A", 0, 1), ("C", 0, 1)]),
                (25, [("C", 0, 1), ("B", 0, 1)]),
            ],
            [("B", 0, 1), ("A", 0, 1), ("C", 0, 1)],
        ),
        # An extent without a likely label gets the most frequent.
        (
            [
                (30, [("S", 0, 3), ("NP", 0, 2)]),
                (45, [("SQ", 0, 3), ("NP", 0, 2)]),
                (25, [("FRAG", 0, 3)]),
            ],
            [("SQ", 0, 3), ("NP", 0, 2)],
        ),
    ],
)
def test_likely_trees_are_those_worked_out_by_hand(trees, expected):
    assert likely_tree(times(*trees)) == expected
