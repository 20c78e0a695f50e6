from hypothesis import example, given
from hypothesis import strategies as st

from spacy_gfl.decoding.batching import length_batches


@example([0, 0, 0], 2)
@example([1, 2], 0)
@given(st.lists(st.integers(0, 50)), st.integers(0, 200))
def test_every_sentence_is_in_one_group_within_the_budget(lengths, budget):
    groups = list(length_batches(lengths, budget))
    # The longest first; equal lengths keep their order.
    longest_first = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    assert [i for group in groups for i in group] == longest_first
    for group in groups:
        assert len(group) * lengths[group[0]] <= budget or len(group) == 1
    # No group has room for the next sentence, which counts as a word at least.
    for group in groups[:-1]:
        assert (len(group) + 1) * max(1, lengths[group[0]]) > budget
