"""A search of attach-juxtapose actions that obeys constraints on the tree.

Some extents must be constituents, with labels that are asked for or with any; others
must not be. `Extents` says it of a batch of sentences, and `Constrained` forbids the
decoder every choice from which no tree obeys any more.

Nodes of the rightmost chain begin at different words (but for the root), so an open
node is named by the word where it begins, and what is to come depends on little. Let
a node end *at* w if word w leaves it closed, or goes beside it under a new node that
begins where it begins. Node k of the chain may end at e if the extent may be a
constituent (it crosses none that is required, and is not forbidden), if no end that
is required of it comes before, and if at a required end its label is one of those
asked for; and not later than the node above it. Its latest such end is fixed when the
node is made: what changes a node above removes it. Then, before word w:

- a tree that obeys can be reached exactly if the latest end of every node is w or
  later; they fall from the root down, so the deepest node's says it;
- if they all are, some action keeps it so: below the deepest node that must not leave
  at w, nothing stands in the way; that node itself is open longer, or it ends here and
  a new node over it has a later end that is required of it, and every label is free.

So there are no dead ends, and nothing that obeys is lost. Depth alone is not exact: a
chain has room for the required extents that may come inside of one another, so in a
sentence that has them other nodes stay that much above `max_depth`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from spacy_gfl.decoding.decoder import Decoder
from spacy_gfl.decoding.tasks import Constraints, Required


class Extents(NamedTuple):
    """The extents that a batch of trees must and must not have, as tables.

    A sentence has as many rows as it has fenceposts: row `sentence * fences + start`.
    Fenceposts of the other end stand first where a step reads one of them.

    Attributes:
        closable: Whether the nodes that begin there may all have ended at a
            fencepost, `(fences, rows)`.
        allowed: Whether the extent to a fencepost may be a constituent.
        following: The next required end after a fencepost; `fences` if there is none.
        latest: The last fencepost up to this one to which the extent may be a
            constituent, 0 for none, `(rows, fences)`.
        kinds: The labels of a required extent, a row of `labels`,
            `(rows, fences + 1)`.
        labels: Whether a label is among those, `(kinds, labels + 1)`. The first row
            has all.
        nested: How many required extents with different starts are in one another
            from this start on, itself included; 0 if none begins here, `(rows,)`.
        reserved: The most of these in the sentence.
        ends: Its length.
    """

    closable: Tensor
    allowed: Tensor
    following: Tensor
    latest: Tensor
    kinds: Tensor
    labels: Tensor
    nested: Tensor
    reserved: Tensor
    ends: Tensor

    @classmethod
    def of(
        cls,
        constraints: Sequence[Constraints | None],
        lengths: Sequence[int],
        n_labels: int,
        device: torch.device,
    ) -> "Extents":
        """Tables for a batch.

        Args:
            constraints: The constraints on each sentence; None without any.
            lengths: Its words.
            n_labels: How many labels there are, numbered from 1.
            device: Where the tables are to be.
        """
        of_all = [known or Constraints() for known in constraints]
        allowed, places = _possible_extents(of_all, lengths)
        (n_sents, fences, _), small = allowed.shape, places.dtype
        required = numpy.zeros((n_sents, fences, fences), dtype=bool)
        kinds = numpy.zeros((n_sents, fences, fences + 1), dtype=small)
        ends = numpy.array(lengths, dtype="int64")
        labels: dict[frozenset[int], int] = {}
        nested = numpy.zeros((n_sents, fences), dtype="int64")
        for i, known in enumerate(of_all):
            for start, end, among in known.required:
                required[i, start, end] = True
                if among is not None:
                    kind = labels.setdefault(frozenset(among), len(labels) + 1)
                    kinds[i, start, end] = kind
            nested[i] = _nesting(known.required, fences)
        members = numpy.ones((len(labels) + 1, n_labels + 1), dtype=bool)
        for among, kind in labels.items():
            members[kind] = False
            members[kind, list(among)] = True
        latest = numpy.maximum.accumulate(allowed * places, axis=2)
        following = numpy.full((n_sents, fences, fences), fences, dtype=small)
        # From the last end to the first, which is the one after fencepost 0.
        ends_back = numpy.where(required, places, following)[:, :, :0:-1]
        following[:, :, :-1] = numpy.minimum.accumulate(ends_back, axis=2)[:, :, ::-1]
        by_end = [
            table.transpose(2, 0, 1).reshape(fences, -1).copy()
            for table in (allowed & (following == fences), allowed, following)
        ]
        by_start = [table.reshape(n_sents * fences, -1) for table in (latest, kinds)]
        counts = nested.reshape(-1), nested.max(axis=1), ends
        tables = map(torch.from_numpy, (*by_end, *by_start, members, *counts))
        return cls(*(table.to(device) for table in tables))


def _possible_extents(
    constraints: Sequence[Constraints], lengths: Sequence[int]
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Tables of the extents that may be constituents: not forbidden, none crosses.

    Returns:
        Whether it may, `(sentences, fenceposts, fenceposts)`; and the fenceposts'
        numbers, in a type that is small: the tables of a very long sentence are large.
    """
    n_sents, fences = len(lengths), max(lengths) + 1
    small = "int16" if fences < 2**15 else "int32"
    places = numpy.arange(fences, dtype=small)
    allowed = (places[:, None] < places) & (
        places <= numpy.array(lengths)[:, None, None]
    )
    # What a required extent has inside begins no earlier and ends no later.
    earliest = numpy.zeros((n_sents, fences), dtype=small)
    last = numpy.full((n_sents, fences), fences, dtype=small)
    for i, known in enumerate(constraints):
        for start, end, _ in known.required:
            inside = slice(start + 1, end)
            numpy.maximum(earliest[i, inside], start, out=earliest[i, inside])
            numpy.minimum(last[i, inside], end, out=last[i, inside])
        for start, end in known.forbidden:
            allowed[i, start, end] = False
    allowed &= places[:, None] >= earliest[:, None, :]
    allowed &= places <= last[:, :, None]
    return allowed, places


def _nesting(required: Sequence[Required], fences: int) -> numpy.ndarray:
    """`Extents.nested` of a sentence: the longest required extent's at each start."""
    reach: dict[int, int] = {}
    for start, end, _ in required:
        reach[start] = max(end, reach.get(start, 0))
    around = numpy.zeros(fences, dtype="int64")
    for start, end in reach.items():
        around[start:end] += 1
    nested = numpy.zeros_like(around)
    for start, end in reach.items():
        nested[start] = around[start:end].max() - around[start] + 1
    return nested


class Chains(NamedTuple):
    """The rightmost chains of hypotheses, as far as constraints go.

    Attributes:
        state: The state of the decoder that is constrained.
        word: The word that is being added.
        sentences: The sentence of each row, `(rows,)`.
        starts: Where the nodes begin, from the root down, `(rows, room)`.
        latest: Where they may end at the latest.
        sizes: How many there are.
        action: What is chosen of the word's action: its target, then with its new
            label where the target may end at the latest.
    """

    state: Any
    word: int
    sentences: Tensor
    starts: Tensor
    latest: Tensor
    sizes: Tensor
    action: tuple[Tensor, ...] = ()


class Constrained:
    """A decoder of attach-juxtapose actions that obeys: a `decoding.decoder.Decoder`.

    It forbids choices and leaves the log-probabilities of the others as they are, so
    that a tree has the one that it has without constraints.

    Args:
        decoder: Chooses a target, a new label and a parent label per word.
        extents: What it is to obey.
        max_depth: Nodes of the chain at most. Must be larger than what is reserved.
    """

    end = None

    def __init__(self, decoder: Decoder[Any], extents: Extents, max_depth: int) -> None:
        self.decoder = decoder
        self.extents = extents
        self.max_depth = max_depth
        self.fences = len(extents.allowed)
        device = extents.allowed.device
        self.places = torch.arange(min(max_depth, self.fences) + 2, device=device)

    def start(self) -> Chains:
        """Only the root, which ends with the sentence; one row per sentence."""
        ends = self.extents.ends
        starts = ends.new_zeros(len(ends), len(self.places))
        latest = starts.clone()
        latest[:, 0] = ends
        sentences = torch.arange(len(ends), device=ends.device)
        sizes = torch.ones_like(ends)
        return Chains(self.decoder.start(), 0, sentences, starts, latest, sizes)

    def score(self, state: Chains) -> tuple[Tensor, Chains]:
        """Log-probabilities of the next choice, -inf where no tree could obey."""
        scores, inner = self.decoder.score(state.state)
        if len(state.action) == 0:
            allowed = self._targets(state, scores.shape[1])
        elif len(state.action) == 1:
            allowed = self._new_labels(state)
        else:
            allowed = self._parent_labels(state)
        scores = scores.masked_fill(~allowed, float("-inf"))
        return scores, state._replace(state=inner)

    def _targets(self, state: Chains, n_places: int) -> Tensor:
        """Whether the word may go to each node, `(rows, places)`."""
        extents, word, places = self.extents, state.word, self.places[:n_places]
        rows = self._rows(state, state.starts[:, :n_places])
        latest = state.latest[:, :n_places]
        stays = ~extents.closable[word].take(rows)
        stays &= (places > 0) & (places < state.sizes.unsqueeze(1))
        highest = (places * stays).max(dim=1, keepdim=True).values
        above = latest.roll(1, dims=1)
        is_required = extents.following[word].take(rows) < self.fences
        has_room = places + self._reserved(state).unsqueeze(1) < self.max_depth
        goes_on = self._latest(rows, above) > word
        may_juxtapose = (
            (places > 0)
            & extents.allowed[word].take(rows)
            & (is_required | (goes_on & has_room))
        )
        # A required node with its own inside must find room below the target.
        nested = extents.nested.take(self._rows(state, word)).unsqueeze(1)
        has_room = (nested == 0) | (places + 1 + nested <= self.max_depth)
        return (places >= highest) & ((latest > word) | may_juxtapose) & has_room

    def _new_labels(self, state: Chains) -> Tensor:
        """Whether a node over the target may have each label, `(rows, labels + 1)`."""
        word, [target] = state.word, state.action
        rows, latest, above = self._target(state)
        may_end = (target > 0) & self.extents.allowed[word].take(rows)
        allowed = self._labels(state, rows, above, target) & may_end.unsqueeze(1)
        allowed[:, 0] = latest > word
        return allowed

    def _parent_labels(self, state: Chains) -> Tensor:
        """Whether a node over the word may have each label, `(rows, labels + 1)`."""
        word, (target, above) = state.word, state.action
        rows = self._rows(state, word)
        allowed = self._labels(state, rows, above, target + 1)
        allowed[:, 0] = self.extents.following[word].take(rows) == self.fences
        return allowed

    def extend(self, state: Chains, choices: Tensor) -> Chains:
        """Take a choice `(rows,)`; with the parent label the word is added.

        The state that is given is changed, and not to be used again.
        """
        inner, word = self.decoder.extend(state.state, choices), state.word
        if len(state.action) == 0:
            return state._replace(state=inner, action=(choices,))
        if len(state.action) == 1:
            [target] = state.action
            rows, latest, above = self._target(state)
            made = self._latest_of_new(rows, above, choices, word)
            latest = torch.where(choices > 0, made, latest)
            return state._replace(state=inner, action=(target, latest))
        target, latest = state.action
        made = self._latest_of_new(self._rows(state, word), latest, choices, word)
        place = target.unsqueeze(1)
        state.latest.scatter_(1, place, latest.unsqueeze(1))
        state.latest.scatter_(1, place + 1, made.unsqueeze(1))
        state.starts.scatter_(1, place + 1, word)
        # Rows without hope may have chosen what is forbidden.
        sizes = (target + 1 + (choices > 0)).clamp_(max=self.max_depth)
        return state._replace(state=inner, word=word + 1, sizes=sizes, action=())

    def _rows(self, state: Chains, starts: Tensor | int) -> Tensor:
        """The rows of the tables for nodes that begin there."""
        first = state.sentences * self.fences
        if isinstance(starts, int):
            return first + starts
        return first.unsqueeze(1) + starts

    def _reserved(self, state: Chains) -> Tensor:
        return self.extents.reserved.index_select(0, state.sentences)

    def _target(self, state: Chains) -> tuple[Tensor, Tensor, Tensor]:
        """The target's rows of the tables, and the latest ends of it and its mother."""
        target = state.action[0].unsqueeze(1)
        rows = self._rows(state, state.starts.gather(1, target)).squeeze(1)
        latest = state.latest.gather(1, target).squeeze(1)
        above = state.latest.gather(1, (target - 1).clamp_(min=0)).squeeze(1)
        return rows, latest, above

    def _labels(
        self, state: Chains, rows: Tensor, above: Tensor, place: Tensor
    ) -> Tensor:
        """The labels of a node in a place of the chain that may end after this word."""
        extents, word = self.extents, state.word
        end = extents.following[word].take(rows)
        right = extents.labels.index_select(0, self._kinds(rows, end))
        with_right = self._latest(rows, torch.minimum(above, end)) > word
        with_wrong = self._latest(rows, torch.minimum(above, end - 1)) > word
        allowed = torch.where(right, with_right.unsqueeze(1), with_wrong.unsqueeze(1))
        has_room = place + self._reserved(state) < self.max_depth
        return allowed & ((end < self.fences) | has_room).unsqueeze(1)

    def _kinds(self, rows: Tensor, ends: Tensor) -> Tensor:
        return self.extents.kinds.take(rows * (self.fences + 1) + ends).long()

    def _latest(self, rows: Tensor, above: Tensor) -> Tensor:
        """Where nodes may end at the latest if their mothers may end at `above`."""
        return self.extents.latest.take(rows * self.fences + above).long()

    def _latest_of_new(
        self, rows: Tensor, above: Tensor, labels: Tensor, word: int
    ) -> Tensor:
        """Where nodes made at a word may end at the latest: required ends count."""
        end = self.extents.following[word].take(rows)
        is_right = self.extents.labels[self._kinds(rows, end), labels]
        end = torch.where(is_right, end, end - 1)
        return self._latest(rows, torch.minimum(above, end))
