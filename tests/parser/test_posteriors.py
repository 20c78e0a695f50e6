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
def test_the_likely_tree_is_a_tree_of_all_that_is_above_one_half(trees):
    known = posteriors(trees)
    found = likely_tree(trees)
    check_constituents(found, N_WORDS)
    chosen = set(occurrences(found))
    for occurrence, probability in known.items():
        if probability > 0.5:
            assert occurrence in chosen
    at = Counter()
    for nodes, number in trees:
        for extent in {node[1:] for node in nodes}:
            at[extent] += number
    for label, start, end in found:
        assert at[start, end] > sum(n for _, n in trees) / 2
        assert any((label, start, end) in nodes for nodes, _ in trees)


@given(drawn())
def test_posteriors_are_shares_of_trees(trees):
    known = posteriors(trees)
    for (node, number), probability in known.items():
        having = sum(n for nodes, n in trees if list(nodes).count(node) > number)
        assert probability == having / sum(n for _, n in trees)


@given(drawn())
def test_no_tree_among_them_is_expected_to_be_wrong_less_often(trees):
    known = posteriors(trees)
    above = [node for (node, _), p in known.items() if p > 0.5]
    least = risk(above, trees)
    for nodes, _ in trees:
        assert least <= risk(nodes, trees)
    # A label is added only where an extent, but none of its labels, is above one half.
    found = likely_tree(trees)
    extents_above = {node[1:] for node in above}
    extra = [node for node in found if node[1:] not in extents_above]
    assert Counter(found) == Counter(above) + Counter(extra)
    assert len({node[1:] for node in extra}) == len(extra)


def test_the_same_label_twice_is_counted_twice():
    trees = times((60, [("NP", 0, 2), ("NP", 0, 2)]), (30, [("NP", 0, 2)]), (10, []))
    np = Constituent("NP", 0, 2)
    assert posteriors(trees) == pytest.approx({(np, 0): 0.9, (np, 1): 0.6})
    assert likely_tree(trees) == [np, np]


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        # The most frequent tree need not be the likely one.
        (
            [
                (40, [("S", 0, 4), ("X", 0, 2), ("Y", 2, 4)]),
                (30, [("S", 0, 4), ("Z", 1, 3), ("Q", 0, 1)]),
                (30, [("S", 0, 4), ("Z", 1, 3)]),
            ],
            [("S", 0, 4), ("Z", 1, 3)],
        ),
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
        # Exactly one half is not above it.
        ([(10, [("NP", 0, 2)]), (10, [("NP", 1, 3)])], []),
    ],
)
def test_likely_trees_are_those_worked_out_by_hand(trees, expected):
    assert likely_tree(times(*trees)) == expected
