from functools import cache
from itertools import product

import pytest
import torch
from helpers.searching import Table, beam_by_hand, every_tree, vocabulary

from spacy_gfl.seq2seq.grammar import most_symbols

LENGTHS = [1, 12, 3, 1, 7, 2, 5, 1]
WIDTHS = [1, 2, 10]
INF = float("inf")
possible_trees = cache(every_tree)
both_searches = pytest.mark.parametrize("constrained", [True, False])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("more", [-3, 0, 5])
@pytest.mark.parametrize(
    ("n_words", "n_labels", "run", "deepest"),
    [(1, 2, 2, 3), (1, 3, 3, 3), (2, 2, 2, 2), (3, 2, 1, 2), (4, 1, 1, 3)],
)
def test_a_beam_as_wide_as_the_space_ranks_all_trees(
    seed, more, n_words, n_labels, run, deepest
):
    symbols = vocabulary(n_labels, run)
    table = Table.random(seed, len(symbols))
    candidates = [
        symbols.encode(tree)
        for tree in possible_trees(n_words, n_labels, n_words * run, run, deepest)
    ]
    assert len(candidates) > 4
    width, n_best = len(candidates) + 5, len(candidates) + more
    found = table.best([n_words] * 2, symbols, width, n_best, deepest=deepest)
    for i, paths in enumerate(found):
        ranked = sorted(candidates, key=lambda ids, i=i: -table.log_prob(i, ids))
        assert [ids for ids, _ in paths] == ranked[:n_best]
        for ids, log_prob in paths:
            assert log_prob == pytest.approx(table.log_prob(i, ids), rel=1e-5)


@both_searches
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("beam_width", [1, 2, 3, 10])
def test_a_beam_keeps_the_best_continuations(constrained, seed, beam_width):
    symbols = vocabulary(3, 2)
    table = Table.random(seed, len(symbols))
    lengths = LENGTHS[:5]
    found = table.search(lengths, symbols, beam_width, constrained)
    for i, n_words in enumerate(lengths):
        expected = beam_by_hand(table, i, n_words, symbols, beam_width, constrained)
        assert found[i][0] == expected


@pytest.mark.parametrize("beam_width", [1, 3, 30])
def test_without_an_end_each_sentence_has_as_many_choices_as_its_limit(beam_width):
    table = Table.random(0, 3)
    limits = [2, 5, 1, 3]
    found = table.fixed(limits, beam_width, n_best=beam_width)
    assert [len(path) for paths in found for path, _ in paths[:1]] == limits
    # A sentence leaves the batch as soon as it is at its limit.
    assert table.sizes == [4, 3, 2, 1, 1]
    for i, (limit, paths) in enumerate(zip(limits, found, strict=True)):
        assert len({tuple(path) for path, _ in paths}) == len(paths)
        for path, log_prob in paths:
            assert len(path) == limit
            assert log_prob == pytest.approx(table.log_prob(i, path), rel=1e-5)
        if beam_width >= 3**limit:
            every = product(range(3), repeat=limit)
            ranked = sorted(every, key=lambda path, i=i: -table.log_prob(i, path))
            assert [tuple(path) for path, _ in paths] == ranked
        alone = table.part(i).fixed([limit], beam_width, n_best=beam_width)
        assert alone == [paths]


def test_a_search_is_over_when_nothing_can_overtake_the_best():
    symbols = vocabulary(0)
    table = Table(torch.tensor([0.6, 0.4]).log().expand(1, 1, 2, 2))
    [(ids, _)] = table.search([50], symbols, 2, constrained=False)
    assert ids == [0]
    assert table.sizes == [1]


@both_searches
@pytest.mark.parametrize("beam_width", WIDTHS)
@pytest.mark.parametrize("value", [float("nan"), INF, -INF])
@pytest.mark.parametrize("time", [0, 3])
def test_broken_numbers_end_their_sentence_alone(constrained, beam_width, value, time):
    symbols = vocabulary(3, 2)
    table = Table.random(0, len(symbols), sentences=len(LENGTHS), times=200)
    expected = table.search(LENGTHS, symbols, beam_width, constrained)
    table.log_probs[1, time:] = value
    found = table.search(LENGTHS, symbols, beam_width, constrained)
    assert found[:1] + found[2:] == expected[:1] + expected[2:]
    ids, _ = found[1]
    assert 1 <= len(ids) <= most_symbols(LENGTHS[1])
    # Whatever came out of it, a tree can be read from it.
    symbols.decode(ids, LENGTHS[1])


def test_impossible_trees_leave_a_flag():
    # The model excludes every closing symbol, and opens first of all.
    symbols = vocabulary(1)
    table = Table(torch.tensor([0.1, 0.1, 0.8, 0.0]).log().expand(1, 1, 4, 4))
    [(ids, log_prob)] = table.search([3], symbols)
    assert log_prob == -INF
    assert symbols.decode(ids, 3).malformed
