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


#: A unary chain, outermost first.
Chain = tuple[Occurrence, ...]


def occurrences(constituents: Iterable[Constituent]) -> list[Occurrence]:
    """Tell constituents apart whose label and extent are the same."""
    seen: Counter[Constituent] = Counter()
    numbered = []
    for node in constituents:
        numbered.append(Occurrence(node, seen[node]))
        seen[node] += 1
    return numbered


def posteriors(trees: Sequence[DrawnTree]) -> dict[Occurrence, float]:
    """The probability of every constituent: the share of the trees that have it."""
    n_drawn = sum(times for _, times in trees)
    times_found: Counter[Occurrence] = Counter()
    for constituents, times in trees:
        for occurrence in occurrences(constituents):
            times_found[occurrence] += times
    return {occurrence: times / n_drawn for occurrence, times in times_found.items()}


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
    # the nodes of a tree. No extent below 1/2 would add more to what is expected
    # to be right than to what is expected to be wrong.
    known = posteriors(trees)
    chains: dict[tuple[int, int], Counter[Chain]] = defaultdict(Counter)
    for constituents, times in trees:
        at: dict[tuple[int, int], list[Occurrence]] = defaultdict(list)
        for occurrence in occurrences(constituents):
            at[occurrence.constituent[1:]].append(occurrence)
        for extent, chain in at.items():
            chains[extent][tuple(chain)] += times
    half = sum(times for _, times in trees) / 2
    kept = [extent for extent, occurring in chains.items() if occurring.total() > half]
    return [
        occurrence.constituent
        for extent in sorted(kept, key=lambda extent: (extent[0], -extent[1]))
        for occurrence in _likely_chain(chains[extent], known)
    ]


def _likely_chain(
    chains: Counter[Chain], known: dict[Occurrence, float]
) -> list[Occurrence]:
    """The labels that more than half of the trees have, or the most frequent one."""
    in_any = dict.fromkeys(occurrence for chain in chains for occurrence in chain)
    ranked = sorted(in_any, key=lambda occurrence: -known[occurrence])
    kept = [occurrence for occurrence in ranked if known[occurrence] > 0.5]
    if not kept:
        return ranked[:1]
    best = max(chains, key=lambda c: (len(set(kept).intersection(c)), chains[c]))
    # No chain may have them all, though each two are together in one.
    others = [occurrence for occurrence in kept if occurrence not in best]
    return [*(occurrence for occurrence in best if occurrence in kept), *others]
