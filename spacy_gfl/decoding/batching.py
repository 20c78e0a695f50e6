"""Batches of sentences of like length."""

from collections.abc import Iterator, Sequence


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group sentences so that each group, padded, has at most `budget` words.

    Args:
        lengths: Words of each sentence.
        budget: Sentences times the longest one's words; a sentence beyond the
            budget is a group of its own.

    Yields:
        The sentences' indices, the longest first.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        longest = max(1, lengths[order[start]])
        stop = start + max(1, budget // longest)
        yield order[start:stop]
        start = stop
