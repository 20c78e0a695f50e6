"""Batches of sentences of like length."""

from typing import Iterator, List, Sequence


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[List[int]]:
    """Group sentences so that each group, padded, has at most `budget` words.

    lengths: Words of each sentence.
    budget: Sentences times the longest one's words; a sentence beyond the budget
        is a group of its own.

    Yields the sentences' indices, the longest first.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        longest = max(1, lengths[order[start]])
        stop = start + max(1, budget // longest)
        yield order[start:stop]
        start = stop
