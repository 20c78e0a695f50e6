"""Posteriors and minimum risk, against all trees of short sentences."""

from collections import Counter
from itertools import combinations

import pytest
from helpers.strategies import extents
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.parser.posteriors import (
    WeightedTree,
    likely_tree,
    occurrences,
    posteriors,
)
from spacy_gfl.trees.tree import Constituent, check_constituents

N_WORDS = 5


@st.composite
def drawn(draw):
    """Some trees over the same words, and how often each was drawn."""
    labels = st.sampled_from(["A", "B", "C"])
    trees = []
    for _ in range(draw(st.integers(1, 6))):
        nodes = [Constituent(draw(labels), *e) for e in draw(extents(N_WORDS, 6))]
        trees.append(WeightedTree(nodes, draw(st.integers(1, 4))))
    total = sum(weight for _, weight in trees)
    return [WeightedTree(nodes, weight / total) for nodes, weight in trees]


def weighted(*trees):
    return [
        WeightedTree([Constituent(*node) for node in nodes], weight)
        for weight, nodes in trees
    ]


def risk(tree, trees):
    """How many constituents are wrong or missing, on average over trees."""
    mine = Counter(tree)
    total = 0.0
    for nodes, weight in trees:
        shared = (mine & Counter(nodes)).total()
        total += weight * (len(tree) + len(nodes) - 2 * shared)
    return total


@given(drawn())
def test_the_likely_tree_is_a_tree_of_all_that_is_above_one_half(trees):
    known = posteriors(trees)
    found = likely_tree(trees)
    check_constituents(found, N_WORDS)
    chosen = set(occurrences(found))
    for occurrence, probability in known.items():
        if probability > 0.5 + 1e-6:
            assert occurrence in chosen
    at = Counter()
    for nodes, weight in trees:
        for extent in {node[1:] for node in nodes}:
            at[extent] += weight
    for label, start, end in found:
        assert at[start, end] > 0.5
        assert any((label, start, end) in nodes for nodes, _ in trees)


@given(drawn())
def test_posteriors_are_shares_of_trees(trees):
    known = posteriors(trees)
    for (node, number), probability in known.items():
        share = sum(w for nodes, w in trees if list(nodes).count(node) > number)
        assert probability == pytest.approx(share)
        assert 0 < probability < 1 + 1e-9


@given(drawn())
def test_no_tree_among_them_is_expected_to_be_wrong_less_often(trees):
    known = posteriors(trees)
    above = [node for (node, _), p in known.items() if p > 0.5]
    least = risk(above, trees)
    for nodes, _ in trees:
        assert least <= risk(nodes, trees) + 1e-9
    # A label is added only where an extent, but none of its labels, is above one half.
    found = likely_tree(trees)
    extents_above = {node[1:] for node in above}
    extra = [node for node in found if node[1:] not in extents_above]
    assert Counter(found) == Counter(above) + Counter(extra)
    assert len({node[1:] for node in extra}) == len(extra)


@given(drawn())
def test_extents_above_one_half_do_not_cross(trees):
    for a, b in combinations(likely_tree(trees), 2):
        assert not a.start < b.start < a.end < b.end
        assert not b.start < a.start < b.end < a.end


def test_the_most_frequent_tree_need_not_be_the_likely_one():
    trees = weighted(
        (0.4, [("S", 0, 4), ("X", 0, 2), ("Y", 2, 4)]),
        (0.3, [("S", 0, 4), ("Z", 1, 3), ("Q", 0, 1)]),
        (0.3, [("S", 0, 4), ("Z", 1, 3)]),
    )
    assert likely_tree(trees) == [("S", 0, 4), ("Z", 1, 3)]


def test_unary_labels_keep_an_order_that_they_have():
    trees = weighted(
        (0.45, [("S", 0, 2), ("VP", 0, 2), ("NP", 0, 1)]),
        (0.25, [("VP", 0, 2)]),
        (0.3, [("VP", 0, 2), ("S", 0, 2)]),
    )
    assert likely_tree(trees) == [("S", 0, 2), ("VP", 0, 2)]
    # Each two are together somewhere, all three nowhere.
    trees = weighted(
        (0.4, [("B", 0, 1), ("A", 0, 1)]),
        (0.35, [("A", 0, 1), ("C", 0, 1)]),
        (0.25, [("C", 0, 1), ("B", 0, 1)]),
    )
    assert likely_tree(trees) == [("B", 0, 1), ("A", 0, 1), ("C", 0, 1)]


def test_the_same_label_twice_is_counted_twice():
    trees = weighted(
        (0.6, [("NP", 0, 2), ("NP", 0, 2)]), (0.3, [("NP", 0, 2)]), (0.1, [])
    )
    np = Constituent("NP", 0, 2)
    assert posteriors(trees) == pytest.approx({(np, 0): 0.9, (np, 1): 0.6})
    assert likely_tree(trees) == [np, np]


def test_an_extent_without_a_likely_label_gets_the_most_frequent():
    trees = weighted(
        (0.3, [("S", 0, 3), ("NP", 0, 2)]),
        (0.45, [("SQ", 0, 3), ("NP", 0, 2)]),
        (0.25, [("FRAG", 0, 3)]),
    )
    assert likely_tree(trees) == [("SQ", 0, 3), ("NP", 0, 2)]


def test_exactly_one_half_is_not_above_it():
    # Ten times 0.05 is rounded.
    trees = weighted(
        *[(0.05, [("NP", 0, 2)])] * 10, *[(0.05, [("NP", 1, 3)])] * 10
    )
    assert likely_tree(trees) == []
