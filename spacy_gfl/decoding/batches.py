"""Batches of Docs, and of sentences of like length, each worked on by one thread.

PyTorch's own threads share the work of one operation. A step of a search is dozens of
operations of some microseconds: threads that meet after each of them wait more than
they work, above all where other programs use the processor too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import torch

#: More threads than this wait for each other: between operations Python runs, and
#: that one thread at a time.
MOST_THREADS = 8
#: Words that a thread is at least given.
LEAST_WORDS = 512

ItemT = TypeVar("ItemT")
SizedT = TypeVar("SizedT", bound=Sized)
ResultT = TypeVar("ResultT")


def doc_batches(
    docs: Iterable[SizedT], most: int, budget: int
) -> Iterator[list[SizedT]]:
    """Group a stream of Docs in their order, without waiting for one that has to wait.

    Args:
        docs: The Docs.
        most: How many a group has at most.
        budget: Tokens of a group at most; a Doc beyond the budget is a group of its
            own.
    """
    batch: list[SizedT] = []
    n_tokens = 0
    for doc in docs:
        if batch and n_tokens + len(doc) > budget:
            yield batch
            batch, n_tokens = [], 0
        batch.append(doc)
        n_tokens += len(doc)
        if len(batch) >= most:
            yield batch
            batch, n_tokens = [], 0
    if batch:
        yield batch


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group sentences so that each group, padded, has at most `budget` words.

    Args:
        lengths: Words of each sentence.
        budget: Sentences times the longest one's words; a sentence beyond the
            budget is a group of its own.

    Yields:
        The sentences' indices, the longest first.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    start = 0
    while start < len(order):
        stop = start + max(1, budget // max(1, lengths[order[start]]))
        yield order[start:stop]
        start = stop


def thread_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Deal sentences out to all threads: `length_batches` of a fair share of words.

    Args:
        lengths: Words of each sentence.
        budget: Padded words of a group at most.
    """
    n_words, longest = sum(lengths), max(lengths, default=0)
    n_batches = min(torch.get_num_threads(), MOST_THREADS, n_words // LEAST_WORDS)
    if n_batches > 1:
        # Sentences are not divided, and padding counts: a little more than the share.
        budget = min(budget, n_words // n_batches + longest)
    return list(length_batches(lengths, budget))


def side_by_side(
    work: Callable[[ItemT], ResultT], items: Sequence[ItemT]
) -> Iterable[ResultT]:
    """Do work on each item in threads; the results are in the items' order.

    As many are worked on at a time as PyTorch has threads, each by one of them alone.
    Gradient modes are a thread's own: `work` has to set its.
    """
    n_threads = torch.get_num_threads()
    n_workers = min(n_threads, MOST_THREADS, len(items))
    if n_workers < 2:
        return map(work, items)
    started = Barrier(n_workers + 1)

    def start() -> None:
        # A setting made before a thread has first asked for it does not last.
        torch.get_num_threads()
        torch.set_num_threads(1)
        started.wait()

    with ThreadPoolExecutor(n_workers, initializer=start) as pool:
        try:
            results = pool.map(work, items)
            started.wait()
        except BaseException:
            # Threads that have started would wait for ever for one that has not.
            started.abort()
            raise
        finally:
            # It is also what threads get that use PyTorch later for the first time.
            torch.set_num_threads(n_threads)
        return list(results)
