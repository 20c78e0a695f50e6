from dataclasses import replace
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

from spacy_gfl.decoding.constraints import Constraints
from spacy_gfl.decoding.parser import SearchTask
from spacy_gfl.seq2seq.constraints import (
    KnownPrefix,
    SymbolExtents,
    crowded,
)
from spacy_gfl.seq2seq.grammar import DEEPEST, END, WORD, TreePrefix

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


def nodes_of(ids, n_labels):
    """Label and extent of the nodes that symbols write."""
    found, stack, word = set(), [], 0
    for symbol in ids:
        if symbol == 1:
            word += 1
        elif 1 < symbol < 2 + n_labels:
            stack.append((symbol - 2, word))
        elif symbol:
            found.add((*stack.pop(), word))
    return found


def prefix_of(known, n_words, n_labels, deepest=DEEPEST, most=None):
    tree = TreePrefix.empty(torch.tensor([n_words]), deepest)
    if most is not None:
        tree = tree._replace(opens_left=torch.tensor([most]))
    extents = SymbolExtents.of([known], [n_words], n_labels, torch.device("cpu"))
    return KnownPrefix.empty(tree, extents)


@lru_cache(maxsize=None)
def written_trees(n_words, n_labels, most, run, deepest):
    symbols = vocabulary(n_labels, run)
    trees = every_tree(n_words, n_labels, most, run, deepest)
    encoded = [tuple(symbols.encode(tree)) for tree in trees]
    return [(ids, nodes_of(ids, n_labels)) for ids in encoded]


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


@pytest.mark.parametrize(
    ("n_words", "run", "deepest"), [(4, 2, 2), (4, 3, 3), (3, 4, 3), (3, 4, 4)]
)
@settings(deadline=None)
@given(data=st.data())
def test_no_dead_ends_where_trees_are_as_deep_as_they_may_be(
    n_words, run, deepest, data
):
    known = data.draw(constraints(n_words, 1, run))
    around = [sum(i <= w < j for i, j, _ in known.required) for w in range(n_words)]
    assume(max(around) <= deepest)
    most = len(known.required) + 1
    rules = grammar(vocabulary(1, run))
    for ids in admitted(prefix_of(known, n_words, 1, deepest, most), rules):
        assert obeys(nodes_of(ids, 1), known)


@settings(deadline=None)
@given(rng=st.randoms(use_true_random=False), n_words=st.integers(1, 15))
def test_what_is_true_of_a_tree_forbids_no_symbol_of_it(rng, n_words):
    rules = grammar(vocabulary(3, 3))
    tree = TreePrefix.empty(torch.tensor([n_words]), DEEPEST)
    ids = []
    while ids[-1:] != [END]:
        [allowed] = tree.allowed(rules).tolist()
        choices = [symbol for symbol, may in enumerate(allowed) if may]
        ids.append(rng.choice(choices))
        tree = tree.extend(torch.tensor(ids[-1:]), rules)
    nodes = nodes_of(ids, 3)
    extents = {node[1:] for node in nodes}
    required = []
    for start, end in rng.sample(sorted(extents), rng.randint(0, len(extents))):
        labels = sorted({label for label, i, j in nodes if (i, j) == (start, end)})
        among = set(rng.sample(labels, rng.randint(0, len(labels))))
        required.append((start, end, among or None))
    others = [(i, j) for j in range(1, n_words + 1) for i in range(j)]
    forbidden = [e for e in others if e not in extents and rng.random() < 0.7]
    assert crowded(required, n_words, 3) == []
    prefix = prefix_of(Constraints(required, forbidden), n_words, 3)
    for symbol in ids:
        assert prefix.allowed(rules)[0, symbol]
        prefix = prefix.extend(torch.tensor([symbol]), rules)


@pytest.mark.parametrize("beam_width", [1, 3])
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_what_is_found_obeys(beam_width, data):
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    known = [
        data.draw(st.none() | constraints(n, 3, 3, most=data.draw(st.integers(0, 12))))
        for n in lengths
    ]
    parser = tiny_parser(vocabulary(3, 3))
    vectors = random_vectors(sum(lengths))
    for constrained in (True, False):
        task = SearchTask(beam_width, beam_width, constrained, n_samples=2)
        free = parser(vectors, lengths, task)
        for batch_words in (1, 4096):
            task = replace(task, batch_words=batch_words, constraints=known)
            for of, hypotheses, others in zip(
                known, parser(vectors, lengths, task), free, strict=True
            ):
                if of is None:
                    assert hypotheses == others
                    continue
                assert hypotheses[0].log_prob > float("-inf")
                assert sum(hypothesis.drawn for hypothesis in hypotheses) == 2
                for hypothesis in hypotheses:
                    assert obeys(nodes_of(hypothesis.output, 3), of)


def test_rows_that_write_anything_raise_nothing():
    rules = grammar(vocabulary(2, 3))
    known = [Constraints([(0, 2, {1}), (0, 3, None)], [(1, 2)])] * 4
    tree = TreePrefix.empty(torch.tensor([3, 3, 3, 3]), deepest=2)
    extents = SymbolExtents.of(known, [3, 3, 3, 3], 2, torch.device("cpu"))
    prefix = start = KnownPrefix.empty(tree, extents)
    for symbol in [2, 2, 2, 2, 3, 3, 4, 5, 4, 5, 5]:
        written = torch.tensor([symbol, symbol ^ 1, END, WORD])
        prefix = prefix.extend(written, rules)
        assert prefix.allowed(rules).shape == (4, 6)
    # Nor do they disturb a neighbour.
    mixed = start.extend(torch.tensor([5, 5, 0, 2]), rules)
    assert mixed.allowed(rules)[3].tolist() == [False, False, False, True, False, False]


def test_what_the_grammar_has_no_room_for():
    required = [(0, 9, None), (0, 3, {1, 2}), (1, 3, None), (4, 9, {1})]
    assert crowded(required, 9, 3) == []
    assert crowded(required, 9, 2) == [(0, 9), (0, 3)]
    assert crowded([(0, 1, range(14))], 1, 20) == [(0, 1)]
    deep = [(i, 500 - i, None) for i in range(DEEPEST + 1)]
    assert crowded(deep[1:], 500, 1) == []
    assert len(crowded(deep, 500, 1)) == DEEPEST + 1


def test_a_search_without_constraints_builds_no_tables(monkeypatch):
    parser, vectors = tiny_parser(vocabulary(3, 3)), random_vectors(9)
    monkeypatch.setattr(SymbolExtents, "of", None)
    parser(vectors, [4, 5], SearchTask())
    known = [Constraints([(0, 4, None)]), None]
    with pytest.raises(TypeError):
        parser(vectors, [4, 5], SearchTask(constraints=known))
