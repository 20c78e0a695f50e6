"""What a beam tells about each word as a reader meets it, from left to right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spacy_gfl.left_to_right.prefixes import Grown

if TYPE_CHECKING:
    from spacy_gfl.left_to_right.word_codec import WordedAttachJuxtapose

#: What `of_words` gives of each word.
OF_BEAM = (
    *("surprisal", "entropy", "entropy_reduction", "known"),
    *("expected_opened", "expected_closed", "expected_open_nodes"),
)


def shares(beam: Sequence[Grown]) -> list[float]:
    """The probability of each partial tree of a beam, given the words and the beam."""
    best = max(one.log_prob for one in beam)
    weights = [math.exp(one.log_prob - best) for one in beam]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def surprisal(beam: Sequence[Grown], of_each: Sequence[float] | None = None) -> float:
    """How surprising the next word is (bits): the beam's trees foresee it together.

    NaN for a network that does not predict words. The beam's mean of the predictions
    of its trees is a distribution over words, whatever trees were left out before.

    Args:
        beam: The partial trees.
        of_each: Their `shares`, if they are known.
    """
    if math.isnan(beam[0].next_word):
        return math.nan
    best = max(one.next_word for one in beam)
    foreseen = zip(of_each or shares(beam), beam, strict=True)
    mean = math.fsum(share * math.exp(one.next_word - best) for share, one in foreseen)
    return -(best + math.log(mean)) / math.log(2)


def entropy(of_each: Sequence[float]) -> float:
    """The entropy of a beam's partial trees (bits), of their shares."""
    return -math.fsum(share * math.log2(share) for share in of_each if share)


def of_words(
    beams: Sequence[Sequence[Grown]],
    codec: WordedAttachJuxtapose,
    words: Sequence[str],
) -> dict[str, list[float]]:
    """`OF_BEAM` for each word of a sentence; NaN where nothing was searched.

    Args:
        beams: The beam before the first word and after each.
        codec: What hypotheses are written in.
        words: The sentence.
    """
    columns: dict[str, list[float]] = {name: [] for name in OF_BEAM}
    if not all(beams):
        return {name: [math.nan] * len(words) for name in OF_BEAM}
    sizes = [0, *map(len, codec.chains)]
    # Of each partial tree the labels of each node of its rightmost chain.
    chains: list[list[int]] = [[0]]
    weights = shares(beams[0])
    bits = entropy(weights)
    for word, before, beam in zip(words, beams, beams[1:], strict=False):
        counts, after = [], []
        for one in beam:
            target, new, parent = one.action
            chain = chains[one.origin]
            kept = chain[: target + 1]
            if new:
                kept[target] = sizes[new]
            if parent:
                kept.append(sizes[parent])
            opened = sizes[new] + sizes[parent]
            closed = sum(chain[target if new else target + 1 :])
            counts.append((opened, closed, sum(kept)))
            after.append(kept)
        columns["surprisal"].append(surprisal(before, weights))
        chains, weights, bits_before = after, shares(beam), bits
        bits = entropy(weights)
        columns["entropy"].append(bits)
        columns["entropy_reduction"].append(bits_before - bits)
        columns["known"].append(float(codec.is_known(word)))
        means = (
            math.fsum(w * n for w, n in zip(weights, column, strict=True))
            for column in zip(*counts, strict=True)
        )
        for name, mean in zip(OF_BEAM[4:], means, strict=True):
            columns[name].append(mean)
    return columns
