import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_gfl.decoding.batches import (
    MOST_THREADS,
    doc_batches,
    length_batches,
    side_by_side,
    thread_batches,
)


@pytest.mark.parametrize("number", [1, 3, MOST_THREADS + 5])
def test_work_is_done_side_by_side_with_one_torch_thread_each(threads, number):
    threads(number)
    together = Barrier(min(number, MOST_THREADS))

    def work(item):
        together.wait(timeout=10)
        return item, threading.get_ident(), torch.get_num_threads()

    items = list(range(2 * together.parties))
    found, idents, n_threads = zip(*side_by_side(work, items), strict=True)
    assert list(found) == items
    assert len(set(idents)) == together.parties
    assert set(n_threads) == {1}


def test_one_item_has_all_threads_and_they_are_afterwards_what_they_were(threads):
    threads(3)
    assert list(side_by_side(lambda _: torch.get_num_threads(), [0])) == [3]
    list(side_by_side(str, range(10)))
    assert torch.get_num_threads() == 3
    with ThreadPoolExecutor() as new:
        assert new.submit(torch.get_num_threads).result() == 3


def test_errors_of_threads_are_raised(threads):
    threads(2)
    with pytest.raises(ZeroDivisionError):
        list(side_by_side(lambda item: 1 / item, [1, 0, 2]))
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([0, 0, 0, 0, 0], [[0, 0, 0], [0, 0]]),
        ([1, 1, 1, 1], [[1, 1, 1], [1]]),
        ([9, 2, 2, 1, 12, 1], [[9], [2, 2, 1], [12], [1]]),
        ([5, 5, 1], [[5, 5], [1]]),
    ],
)
def test_docs_are_together_up_to_a_number_of_docs_and_of_tokens(lengths, expected):
    batches = doc_batches(map(range, lengths), most=3, budget=10)
    assert [list(map(len, batch)) for batch in batches] == expected


def test_a_full_batch_waits_for_no_doc():
    batches = doc_batches(map(range, iter(lambda: 1, None)), most=1, budget=10)
    assert len(next(batches)) == 1


@example([0, 0, 0], 2)
@example([1, 2], 0)
@given(st.lists(st.integers(0, 50)), st.integers(0, 200))
def test_every_sentence_is_in_one_batch_within_the_budget(lengths, budget):
    batches = list(length_batches(lengths, budget))
    # The longest first; equal lengths keep their order.
    longest_first = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    assert [i for batch in batches for i in batch] == longest_first
    for batch in batches:
        assert len(batch) * lengths[batch[0]] <= budget or len(batch) == 1
    # No batch has room for the next sentence, which counts as a word at least.
    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(1, lengths[batch[0]]) > budget


@pytest.mark.parametrize(
    ("number", "lengths", "sizes"),
    [
        # One thread, or too few words for two: all at once, padding and all.
        (1, [1000, 1000], [2]),
        (2, [60, 5, 5], [3]),
        (2, [], []),
        (4, [20] * 400, [101] * 3 + [97]),
        (4, [20] * 60, [31, 29]),
        # No more words at a time than are allowed.
        (4, [20] * 1000, [200] * 5),
    ],
)
def test_few_words_stay_together_and_many_are_shared_among_threads(
    threads, number, lengths, sizes
):
    threads(number)
    assert [len(batch) for batch in thread_batches(lengths, 4000)] == sizes
