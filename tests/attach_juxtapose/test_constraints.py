from functools import lru_cache
from itertools import combinations

import pytest
import torch
from helpers.searching import random_vectors
from helpers.strategies import extents
from helpers.transitions import (
    codec,
    deepest,
    every_sequence,
    transition_parser,
    tree_of,
)
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.decoding.decoder import take
from spacy_gfl.decoding.tasks import Constraints, SearchTask


@lru_cache(maxsize=None)
def tiny(n_labels, max_depth=64):
    return transition_parser(n_labels, max_depth=max_depth)


def constrained(known, n_words, n_labels, max_depth=64):
    """The decoder of one sentence."""
    parser = tiny(n_labels, max_depth)
    encoded = parser.encode([random_vectors(n_words)], [n_words], 0.0)
    decoder, task = parser.decoder_of(encoded), SearchTask(constraints=[known])
    return parser.constrain(decoder, [n_words], task)


def nodes(actions, n_labels):
    """The label of each extent that is a node."""
    tree = tree_of(codec(n_labels), actions)
    return {(i, j): int(label[1:]) + 1 for label, i, j in tree.constituents}


def obeys(found, known):
    return not any(extent in found for extent in known.forbidden) and all(
        found.get((start, end), 0) in (range(1, 99) if among is None else among)
        for start, end, among in known.required
    )


@st.composite
def constraints(draw, n_words, n_labels, most=4):
    """Extents that some tree has, and others that it has not."""
    labels = st.none() | st.sets(st.integers(1, n_labels), min_size=1)
    required = dict.fromkeys(draw(extents(n_words, most)))
    every = st.sampled_from(list(combinations(range(n_words + 1), 2)))
    forbidden = draw(st.lists(every, max_size=2 * most))
    return Constraints(
        [(*extent, draw(labels)) for extent in required],
        [extent for extent in forbidden if extent not in required],
    )


def walk(decoder, n_words):
    """Every sequence of choices that is allowed; dead ends raise AssertionError."""
    state, paths = decoder.start(), [()]
    for _ in range(3 * n_words):
        scores, state = decoder.score(state)
        allowed = scores > float("-inf")
        assert allowed.any(dim=1).all(), "a dead end"
        parents, choices = allowed.nonzero(as_tuple=True)
        state = decoder.extend(take(state, parents), choices)
        chosen = zip(parents.tolist(), choices.tolist(), strict=True)
        paths = [(*paths[parent], choice) for parent, choice in chosen]
    return [list(zip(path[::3], path[1::3], path[2::3], strict=True)) for path in paths]


@lru_cache(maxsize=None)
def every_tree(n_words, n_labels):
    every = every_sequence(n_words, n_labels)
    return [(actions, nodes(actions, n_labels)) for actions in every]


@pytest.mark.parametrize(
    ("n_words", "n_labels"), [(1, 2), (2, 2), (3, 2), (3, 3), (4, 1)]
)
@given(data=st.data())
def test_the_trees_that_can_be_written_are_those_that_obey(n_words, n_labels, data):
    known = data.draw(constraints(n_words, n_labels))
    bound = deepest_nesting(known.required) + data.draw(st.sampled_from([64, 1, 2]))
    with torch.no_grad():
        found = walk(constrained(known, n_words, n_labels, bound), n_words)
    expected = [tree for tree, of in every_tree(n_words, n_labels) if obeys(of, known)]
    assert found
    if bound >= 64:
        assert sorted(found) == sorted(expected)
    # Where chains are at their bound there are no dead ends either.
    assert all(tree in expected and deepest(tree) <= bound for tree in found)


def deepest_nesting(required):
    """How many nodes of one chain some extents need, none of which crosses another."""
    return max(len({i for i, j, _ in required if i <= word < j}) for word in range(12))


@pytest.mark.parametrize("beam_width", [1, 3])
@given(data=st.data())
def test_what_is_found_obeys_within_the_bound_on_depth(beam_width, data):
    lengths = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    known = [
        data.draw(st.none() | constraints(n, 3, most=data.draw(st.integers(0, 12))))
        for n in lengths
    ]
    most = max(deepest_nesting(of.required if of else ()) for of in known)
    max_depth = most + data.draw(st.integers(1, 4))
    parser = tiny(3, max_depth)
    vectors = random_vectors(sum(lengths))
    task = SearchTask(beam_width, n_best=beam_width)
    free = parser(vectors, lengths, task)
    for batch_words in (1, 4096):
        task = SearchTask(
            beam_width, beam_width, batch_words=batch_words, constraints=known
        )
        for of, hypotheses, others in zip(
            known, parser(vectors, lengths, task), free, strict=True
        ):
            if of is None:
                assert [h.output for h in hypotheses] == [h.output for h in others]
                # Few sentences may be searched one by one, with other arithmetic.
                scores = [other.log_prob for other in others]
                assert [h.log_prob for h in hypotheses] == pytest.approx(
                    scores, rel=1e-4, abs=1e-6
                )
            assert hypotheses[0].log_prob > float("-inf")
            for hypothesis in hypotheses:
                assert deepest(hypothesis.output) <= max_depth
                assert of is None or obeys(nodes(hypothesis.output, 3), of)


def test_a_part_of_a_task_has_the_constraints_of_its_sentences():
    known = [Constraints([(0, 4, None)]), None]
    task = SearchTask(constraints=known)
    assert task.part([1]).constraints is None
    assert task.part([1, 0]).constraints == [None, known[0]]
    assert SearchTask().part([0]) == SearchTask()
