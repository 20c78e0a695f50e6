"""What is drawn: its distribution, and that it depends on nothing else."""

import math
from collections import Counter
from itertools import product

import pytest
import torch
from helpers.searching import (
    Table,
    TableDecoder,
    vocabulary,
)

from spacy_gfl.decoding.sampling import draw
from spacy_gfl.seq2seq.grammar import most_symbols

LENGTHS = [1, 12, 3, 1, 7, 2, 5, 1]


def drawn_trees(table, lengths, symbols, n_samples, constrained=True):
    decoder = table.decoder(lengths, symbols, constrained)
    return draw(decoder, [most_symbols(n) for n in lengths], n_samples=n_samples)


def shares(paths):
    counts = Counter(tuple(path) for path, _ in paths)
    return {path: count / len(paths) for path, count in counts.items()}


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_hypotheses_are_drawn_as_probable_as_they_are(seed, temperature):
    table = Table.random(seed, 3)
    limits = [3, 2]
    decoder = TableDecoder(table, None, len(limits), None)
    found = draw(decoder, limits, n_samples=4000, temperature=temperature)
    hot = Table((table.log_probs / temperature).log_softmax(3))
    for i, (limit, paths) in enumerate(zip(limits, found, strict=True)):
        observed = shares(paths)
        for path in product(range(3), repeat=limit):
            expected = math.exp(hot.log_prob(i, path))
            assert observed.get(path, 0.0) == pytest.approx(expected, abs=0.03)
        for path, log_prob in paths[:20]:
            assert log_prob == pytest.approx(table.log_prob(i, path), rel=1e-5)


def test_shares_are_as_even_as_they_can_be():
    # Each of eight choices is "0" in 7 of 10 hypotheses, never in 5 or 9 of them.
    table = Table(torch.tensor([0.7, 0.3]).log().expand(1, 1, 2, 2))
    [paths] = draw(TableDecoder(table, None, 1, None), [8], n_samples=10)
    for choices in zip(*(path for path, _ in paths), strict=True):
        assert choices.count(0) == 7
    # The hypotheses with "0" at one step are not those with "0" at another.
    assert len(shares(paths)) > 3


@pytest.mark.parametrize("constrained", [True, False])
def test_what_is_drawn_does_not_depend_on_the_batch(constrained):
    symbols = vocabulary(3, 2)
    table = Table.random(0, len(symbols))
    together = drawn_trees(table, LENGTHS, symbols, 6, constrained)
    assert together == drawn_trees(table, LENGTHS, symbols, 6, constrained)
    for i, n_words in enumerate(LENGTHS):
        alone = drawn_trees(table.part(i), [n_words], symbols, 6, constrained)
        assert alone == [together[i]]
        for ids, log_prob in together[i]:
            assert log_prob == pytest.approx(table.log_prob(i, ids), rel=1e-4)
            if constrained:
                assert not symbols.decode(ids, n_words).malformed


def test_the_random_numbers_of_others_are_left_alone():
    symbols = vocabulary(1)
    table = Table.random(0, len(symbols))
    before = torch.get_rng_state()
    first = drawn_trees(table, [4], symbols, 3)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(7)
    assert drawn_trees(table, [4], symbols, 3) == first
