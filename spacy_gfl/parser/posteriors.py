"""How probable constituents are, by the trees that a model draws of a sentence."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_gfl.trees.tree import Constituent


class Occurrence(NamedTuple):
    """A constituent, and how many of its label and extent are around it."""

    constituent: Constituent
    number: int


class DrawnTree(NamedTuple):
    """A tree, and how often it was drawn."""

    constituents: Sequence[Constituent]
    times: int


def occurrences(constituents: Iterable[Constituent]) -> list[Occurrence]:
    """Tell constituents apart whose label and extent are the same."""
    seen: Counter[Constituent] = Counter()
    found = []
    for node in constituents:
        found.append(Occurrence(node, seen[node]))
        seen[node] += 1
    return found


def posteriors(trees: Sequence[DrawnTree]) -> dict[Occurrence, float]:
    """The probability of every constituent: the share of the trees that have it."""
    n_drawn = sum(times for _, times in trees)
    found: Counter[Occurrence] = Counter()
    for constituents, times in trees:
        for occurrence in occurrences(constituents):
            found[occurrence] += times
    return {occurrence: times / n_drawn for occurrence, times in found.items()}


def likely_tree(trees: Sequence[DrawnTree]) -> list[Constituent]:
    """The tree of the constituents that more than half of the trees have.

    An extent that more than half have, but with labels of which none is in more than
    half, gets the most frequent one.

    Returns:
        The constituents in pre-order. The labels of a unary chain are in the order in
        which the trees have them: of the chains with the most of these labels, the
        most frequent counts.
    """
    # Two events of which each has a probability above 1/2 have one above 0 together:
    # P(A and B) >= P(A) + P(B) - 1. So, of two extents that are taken, some tree has
    # both, and therefore they do not cross; and extents of which no two cross are
    # the nodes of a tree. No constituent below 1/2 would add more to what is expected
    # to be right than to what is expected to be wrong.
    half = sum(times for _, times in trees) / 2
    chains: dict[tuple[int, int], Counter[tuple[str, ...]]] = defaultdict(Counter)
    for constituents, times in trees:
        at: dict[tuple[int, int], list[str]] = defaultdict(list)
        for label, start, end in constituents:
            at[start, end].append(label)
        for extent, labels in at.items():
            chains[extent][tuple(labels)] += times
    kept = [extent for extent, found in chains.items() if found.total() > half]
    return [
        Constituent(label, start, end)
        for start, end in sorted(kept, key=lambda extent: (extent[0], -extent[1]))
        for label in _likely_chain(chains[start, end], half)
    ]


def _likely_chain(chains: Counter[tuple[str, ...]], half: float) -> list[str]:
    """The labels that more than half have, or the most frequent one alone."""
    frequencies: Counter[tuple[str, int]] = Counter()
    for chain, times in chains.items():
        for label in _numbered(chain):
            frequencies[label] += times
    kept = {label for label, times in frequencies.items() if times > half}
    if not kept:
        return [frequencies.most_common(1)[0][0][0]]
    best = max(chains, key=lambda c: (len(kept.intersection(_numbered(c))), chains[c]))
    labels = [label for label in _numbered(best) if label in kept]
    # No chain may have them all, though each two are together in one.
    others = sorted(kept.difference(labels), key=lambda label: -frequencies[label])
    return [label for label, _ in [*labels, *others]]


def _numbered(chain: Sequence[str]) -> list[tuple[str, int]]:
    return [(label, chain[:i].count(label)) for i, label in enumerate(chain)]
