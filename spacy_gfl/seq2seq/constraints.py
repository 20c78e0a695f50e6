"""A search of symbols that obeys what is known of trees: see `constraints`.

Nodes that begin at the same word are opened one after the other, the outermost first,
and so stand together on the stack of those that are open: a *group*. What is required
at its extents its nodes can give if, from the outermost on, they can be cut into runs
of which the first has all labels that are asked for at the latest required end, the
next those at the end before, and so on. To take each run as short as can be is always
right, so how many nodes are still *needed* is known when a node is opened. Every other
node may end where a run does. Then:

- before a word is written, no node may be needed any more of those that begin at it;
- a node may be closed if its extent may be a constituent and, of the group's nodes,
  those that stay open give all that is required at later ends;
- before anything but a closing symbol, the labels required at this end have been
  closed, and the innermost node has a later end: one at which its extent may be a
  constituent, not later than the last such end of the group around it. It crosses
  nothing that is required, so the groups around it have one too.

What has to be closed can be closed, so there are no dead ends, and nothing that obeys
is lost. What is needed counts against the grammar's bounds before it is opened; depth
alone is not exact: in a sentence with required extents other nodes stay as much above
the bound as most of these are around one word.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy
import torch
from torch import Tensor

from spacy_gfl.decoding.constraints import Constraints, Required, possible_extents
from spacy_gfl.layers.nested import take
from spacy_gfl.seq2seq.grammar import (
    CLOSE,
    DEEPEST,
    OPEN,
    WORD,
    Grammar,
    TreePrefix,
    most_constituents,
)

#: The most labels that an extent can be asked for: each is a bit of a number.
MOST_LABELS = 62


def crowded(
    required: Sequence[Required], n_words: int, longest_opening_run: int
) -> list[tuple[int, int]]:
    """Required extents of which one is too many for the grammar; none if none is.

    Args:
        required: As in `Constraints`.
        n_words: Words of the sentence.
        longest_opening_run: The most opening symbols that may follow each other.
    """
    beginning: Counter[int] = Counter()
    around: Counter[int] = Counter()
    for start, end, labels in required:
        beginning[start] += _size(labels)
        for word in range(start, end):
            around[word] += _size(labels)
    for word, size in beginning.most_common(1):
        if size > longest_opening_run:
            return [(start, end) for start, end, _ in required if start == word]
    for word, size in around.most_common(1):
        if size > DEEPEST:
            return [(start, end) for start, end, _ in required if start <= word < end]
    if beginning.total() > most_constituents(n_words):
        return [(start, end) for start, end, _ in required]
    return []


def _size(labels: Collection[int] | None) -> int:
    """How many nodes an extent needs."""
    return len(labels) if labels else 1


class SymbolExtents(NamedTuple):
    """What a batch of trees must and must not have, as tables.

    A sentence has as many rows as it has fenceposts: row `sentence * fences + start`.
    The labels of a required extent are bits; any label is one bit that all have.

    Attributes:
        allowed: Whether the extent to a fencepost may be a constituent,
            `(rows, fences)`.
        latest: The last fencepost up to this one for which it may, 0 for none.
        kinds: What is required at the extent, a row of `bits`; 0 for nothing.
        given: How many nodes are needed at the extents up to this fencepost.
        next_kinds: What is required at the extent whose turn it is when so many
            nodes are needed, `(rows, most + 1)`.
        bits: What a label gives of it, `(kinds, labels)`.
        whole: All of it, `(kinds,)`.
        later: How many nodes are needed that begin after this fencepost, `(rows,)`.
        reserved: The most that are needed around a word of the sentence.
        ends: Its length.
    """

    allowed: Tensor
    latest: Tensor
    kinds: Tensor
    given: Tensor
    next_kinds: Tensor
    bits: Tensor
    whole: Tensor
    later: Tensor
    reserved: Tensor
    ends: Tensor

    @classmethod
    def of(
        cls,
        constraints: Sequence[Constraints | None],
        lengths: Sequence[int],
        n_labels: int,
        device: torch.device,
    ) -> "SymbolExtents":
        """Tables for a batch.

        Args:
            constraints: Of each sentence, with room for all (`crowded`); None for
                nothing.
            lengths: Its words.
            n_labels: How many labels there are, numbered from 0.
            device: Where the tables are to be.
        """
        allowed, places = possible_extents(constraints, lengths)
        n_sents, fences, _ = allowed.shape
        kinds = numpy.zeros_like(allowed, dtype=places.dtype)
        sizes = numpy.zeros_like(kinds)
        around = numpy.zeros((n_sents, fences), dtype="int64")
        numbers: dict[frozenset[int], int] = {}
        in_turn: dict[tuple[int, int], list[int]] = {}
        for i, known in enumerate(constraints):
            # The last node that is needed is at the earliest end.
            for start, end, among in sorted(known.required if known else ()):
                kind = numbers.setdefault(frozenset(among or ()), len(numbers) + 1)
                kinds[i, start, end] = kind
                sizes[i, start, end] = size = _size(among)
                around[i, start:end] += size
                in_turn.setdefault((i, start), [0]).extend([kind] * size)
        most = max(map(len, in_turn.values()), default=1)
        next_kinds = numpy.zeros((n_sents, fences, most), dtype="int64")
        for (i, start), turns in in_turn.items():
            next_kinds[i, start, : len(turns)] = turns
        bits = numpy.zeros((len(numbers) + 1, n_labels), dtype="int64")
        for among, kind in numbers.items():
            for bit, label in enumerate(sorted(among)):
                bits[kind, label] = 1 << bit
            if not among:
                bits[kind] = 1
        given = sizes.cumsum(axis=2, dtype=places.dtype)
        beginning = given[:, :, -1].astype("int64")
        later = beginning[:, ::-1].cumsum(axis=1)[:, ::-1] - beginning
        by_row = (
            allowed,
            numpy.maximum.accumulate(allowed * places, axis=2),
            kinds,
            given,
            next_kinds,
        )
        others = (
            bits,
            numpy.bitwise_or.reduce(bits, axis=1),
            later.reshape(-1),
            around.max(axis=1),
            numpy.array(lengths, dtype="int64"),
        )
        arrays = [*(t.reshape(n_sents * fences, -1) for t in by_row), *others]
        tensors = (torch.from_numpy(numpy.ascontiguousarray(t)) for t in arrays)
        return cls(*(tensor.to(device) for tensor in tensors))


class _Node(NamedTuple):
    """An open node of each hypothesis, `(rows,)`.

    Attributes:
        start: Where it begins.
        latest: Where its group may end at the latest.
        needed: How many nodes its group needs inside of it.
        met: What is there of the required extent whose turn it is, in bits.
    """

    start: Tensor
    latest: Tensor
    needed: Tensor
    met: Tensor


class KnownPrefix(NamedTuple):
    """The beginnings of trees that obey, as `grammar.TreePrefix`.

    Attributes:
        tree: What the grammar knows of them.
        extents: What they obey.
        sentences: The sentence of each row, `(rows,)`.
        nodes: A `_Node` for each open constituent, `(rows, depth, 4)`.
        closed: What has been closed of what is required of the innermost node at this
            fencepost, in bits, `(rows,)`.
    """

    tree: TreePrefix
    extents: SymbolExtents
    sentences: Tensor
    nodes: Tensor
    closed: Tensor

    @classmethod
    def empty(cls, tree: TreePrefix, extents: SymbolExtents) -> "KnownPrefix":
        """Prefixes without a symbol, one row a sentence."""
        sentences = torch.arange(len(tree.depth), device=tree.depth.device)
        nodes = tree.stack.new_zeros(*tree.stack.shape, len(_Node._fields))
        return cls(tree, extents, sentences, nodes, torch.zeros_like(sentences))

    def select(self, rows: Tensor) -> "KnownPrefix":
        """The prefixes of some rows."""
        tree, extents, *own = self
        return KnownPrefix(tree.select(rows), extents, *take(own, rows))

    def allowed(self, grammar: Grammar) -> Tensor:
        """Which symbols can still lead to a tree that obeys: see `TreePrefix`."""
        tree, extents = self.tree, self.extents
        word, top, ends = self._word(), self._node(1), self._ends()
        kind = self._at(extents.kinds, top.start, word)
        latest = torch.where(tree.depth > 0, top.latest, ends)
        is_met = (extents.whole[kind] & ~self.closed) == 0
        goes_on = (tree.depth == 0) | ((latest > word) & is_met)
        below = self._node(2)
        stays = torch.where(
            self._in_group(top, below), below.needed, self._needed(top.start)
        )
        may_close = self._at(extents.allowed, top.start, word).bool()
        may_close &= stays <= self._at(extents.given, top.start, word)
        needed, met = self._turn(word, top)
        kind = self._at(extents.next_kinds, word, needed)
        gives = (extents.bits[kind] & ~met.unsqueeze(1)) != 0
        needed_then = needed.unsqueeze(1) - gives.long()
        longest = grammar.longest_opening_run - tree.opening_run - 1
        later = extents.later.take(self._row(word))
        most = torch.minimum(longest, tree.opens_left - 1 - later)
        reserved = extents.reserved.index_select(0, self.sentences)
        has_room = tree.depth + reserved < tree.stack.shape[1]
        may_open = (needed_then <= most.unsqueeze(1)) & (gives | has_room.unsqueeze(1))
        goes_in = goes_on & (self._at(extents.latest, word, latest) > word)
        may_open &= goes_in.unsqueeze(1)
        kinds = grammar.kinds
        return (
            tree.allowed(grammar)
            & (may_open[:, grammar.labels] | (kinds != OPEN))
            & (may_close.unsqueeze(1) | (kinds != CLOSE))
            & ((goes_on & (needed == 0)).unsqueeze(1) | (kinds != WORD))
        )

    def extend(self, symbols: Tensor, grammar: Grammar) -> "KnownPrefix":
        """The prefixes after one more symbol each, `(rows,)`: see `TreePrefix`."""
        tree, extents = self.tree, self.extents
        kinds = grammar.kinds[symbols]
        # The label of a word counts nowhere.
        labels = grammar.labels[symbols]
        word, top = self._word(), self._node(1)
        needed, met = self._turn(word, top)
        kind = self._at(extents.next_kinds, word, needed)
        gives = extents.bits[kind, labels] & ~met
        met = met | gives
        met = met.masked_fill(met == extents.whole[kind], 0)
        latest = torch.where(tree.depth > 0, top.latest, self._ends())
        latest = self._at(extents.latest, word, latest)
        opened = torch.stack([word, latest, needed - (gives != 0).long(), met], dim=1)
        at = tree.depth.clamp(0, tree.stack.shape[1] - 1).view(-1, 1, 1)
        at = at.expand(-1, 1, opened.shape[1])
        kept = self.nodes.gather(1, at)
        is_opened = (kinds == OPEN).view(-1, 1, 1)
        nodes = self.nodes.scatter(
            1, at, torch.where(is_opened, opened.unsqueeze(1), kept)
        )
        kind = self._at(extents.kinds, top.start, word)
        closed = self.closed | extents.bits[kind, labels]
        goes_on = (kinds == CLOSE) & self._in_group(top, self._node(2))
        closed = closed.masked_fill(~goes_on, 0)
        tree = tree.extend(symbols, grammar)
        return self._replace(tree=tree, nodes=nodes, closed=closed)

    # Rows that are over, or hopeless, may have written anything, so that what they
    # say is kept within the tables.

    def _ends(self) -> Tensor:
        return self.extents.ends.index_select(0, self.sentences)

    def _word(self) -> Tensor:
        """How many words are written."""
        ends = self._ends()
        return torch.minimum((ends - self.tree.words_left).clamp(min=0), ends)

    def _node(self, which: int) -> _Node:
        """An open node of each row, counted from the innermost, from 1."""
        place = (self.tree.depth - which).clamp(0, self.nodes.shape[1] - 1)
        at = place.view(-1, 1, 1).expand(-1, 1, self.nodes.shape[2])
        return _Node(*self.nodes.gather(1, at).squeeze(1).unbind(1))

    def _in_group(self, top: _Node, below: _Node) -> Tensor:
        """Whether the two innermost nodes begin at the same word."""
        return (self.tree.depth > 1) & (below.start == top.start)

    def _turn(self, word: Tensor, top: _Node) -> tuple[Tensor, Tensor]:
        """What nodes that begin here are to give: how many, what is there in bits."""
        is_open = self.tree.opening_run > 0
        needed = torch.where(is_open, top.needed, self._needed(word))
        return needed, top.met.masked_fill(~is_open, 0)

    def _needed(self, starts: Tensor) -> Tensor:
        """How many nodes are needed in all that begin there."""
        return self.extents.given[self._row(starts), -1].long()

    def _row(self, starts: Tensor) -> Tensor:
        return self.sentences * self.extents.allowed.shape[1] + starts

    def _at(self, table: Tensor, starts: Tensor, places: Tensor) -> Tensor:
        """What stands in a row of a table."""
        return table.take(self._row(starts) * table.shape[1] + places).long()
