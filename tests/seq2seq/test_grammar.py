from collections import defaultdict

import pytest
import torch
from helpers.searching import every_tree, grammar, vocabulary

from spacy_gfl.decoding.decoder import take
from spacy_gfl.seq2seq.grammar import (
    END,
    WORD,
    TreePrefix,
)


@pytest.mark.parametrize(
    ("n_words", "most", "run", "deepest"),
    [
        *[(1, most, run, 9) for most in (0, 1, 3) for run in (1, 2, 3)],
        *[(2, most, run, 9) for most in (1, 2, 4) for run in (1, 2)],
        *[(2, 4, 4, deepest) for deepest in (1, 2, 3)],
        *[(3, 3, run, deepest) for run in (1, 3) for deepest in (1, 2, 9)],
    ],
)
def test_a_symbol_is_allowed_where_some_tree_goes_on_with_it(
    n_words, most, run, deepest
):
    symbols = vocabulary(2, run)
    follow = defaultdict(set)
    for tree in every_tree(n_words, 2, most, run, deepest):
        ids = symbols.encode(tree)
        for t, symbol in enumerate(ids):
            follow[tuple(ids[:t])].add(symbol)
    rules = grammar(symbols)
    prefixes = [()]
    rows = TreePrefix.empty(torch.tensor([n_words]), deepest)
    rows = rows._replace(opens_left=torch.tensor([most]))
    n_seen = 0
    while prefixes:
        mask = rows.allowed(rules)
        parents, chosen = mask.nonzero(as_tuple=True)
        allowed = defaultdict(set)
        for row, symbol in zip(parents.tolist(), chosen.tolist(), strict=True):
            allowed[prefixes[row]].add(symbol)
        for prefix in prefixes:
            assert allowed[prefix] == follow[prefix], prefix
            n_seen += 1
        goes_on = chosen != END
        parents, chosen = parents[goes_on], chosen[goes_on]
        rows = take(rows, parents).extend(chosen, rules)
        prefixes = [
            (*prefixes[row], symbol)
            for row, symbol in zip(parents.tolist(), chosen.tolist(), strict=True)
        ]
    assert n_seen == len(follow)


def test_rows_that_write_anything_raise_nothing():
    symbols = vocabulary(2, 3)
    rules = grammar(symbols)
    start = TreePrefix.empty(torch.tensor([3, 3, 3, 3]), deepest=2)
    prefix = start
    for symbol in [2, 2, 2, 2, 3, 3, 4, 5, 4, 5, 5]:
        written = torch.tensor([symbol, symbol ^ 1, END, WORD])
        prefix = prefix.extend(written, rules)
        assert prefix.allowed(rules).shape == (4, len(symbols))
    # What breaks the rules in one row leaves the others alone.
    mixed = start.extend(torch.tensor([5, 5, 0, 1]), rules)
    assert mixed.allowed(rules)[3].tolist() == [False, True, True, True, False, False]
