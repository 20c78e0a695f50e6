from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.decoding.batching import length_batches


def test_equal_lengths_keep_their_order():
    assert list(length_batches([2, 2, 2, 2], 4)) == [[0, 1], [2, 3]]


def test_empty_sentences_and_budgets_are_survived():
    assert list(length_batches([0, 0, 0], 2)) == [[0, 1], [2]]
    assert list(length_batches([1, 2], 0)) == [[1], [0]]


@given(st.lists(st.integers(1, 50)), st.integers(1, 200))
def test_every_sentence_is_in_one_group_within_the_budget(lengths, budget):
    groups = list(length_batches(lengths, budget))
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        padded = len(group) * max(lengths[i] for i in group)
        assert padded <= budget or len(group) == 1
    ordered = [lengths[i] for group in groups for i in group]
    assert ordered == sorted(lengths, reverse=True)
    # No group has room for the next sentence.
    for group in groups[:-1]:
        assert (len(group) + 1) * lengths[group[0]] > budget
