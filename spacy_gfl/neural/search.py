"""Greedy and beam search for symbols, for a whole batch of sentences at once."""

from typing import (
    Callable,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
)

import torch
from torch import Tensor

#: Kinds of symbols, in the numbering of `linearization.SymbolLinearization.kinds`.
END, WORD, OPEN, CLOSE = range(4)
#: Sentences that are over leave the batch when no more than this share runs on:
#: taking rows out copies the whole memory.
SHRINK_BELOW = 0.875


SelfT = TypeVar("SelfT")


class Selectable(Protocol):
    """What a search carries along for each row: it can take some of the rows."""

    def select(self: SelfT, rows: Tensor) -> SelfT:
        """Take the rows with these indices."""


class Grammar(NamedTuple):
    """What the symbols are.

    kinds: END, WORD, OPEN or CLOSE of each symbol, `(symbols,)`.
    labels: The label of each opening or closing symbol, -1 elsewhere.
    longest_opening_run: The most opening symbols that may follow each other.
    """

    kinds: Tensor
    labels: Tensor
    longest_opening_run: int


def most_constituents(n_words: Tensor) -> Tensor:
    """How many constituents a constrained search may open in a sentence.

    Treebanks have about one a word; the bound only makes the search end.
    """
    return 3 * n_words + 10


def most_symbols(n_words: int) -> int:
    """The longest linearization that a search may write, its end included."""
    return 2 * (3 * n_words + 10) + n_words + 1


class TreePrefix(NamedTuple):
    """The beginnings of trees: one row a hypothesis.

    stack: Labels of the open constituents, the outermost first, `(rows, depth)`.
    depth: How many are open. words_left: Words not yet written. opening_run: How
        many opening symbols were written last. opens_left: How many constituents
        may still be opened. All `(rows,)`.
    """

    stack: Tensor
    depth: Tensor
    words_left: Tensor
    opening_run: Tensor
    opens_left: Tensor

    @classmethod
    def empty(cls, n_words: Tensor, deepest: int) -> "TreePrefix":
        """Prefixes without a symbol, of sentences with `n_words` `(rows,)` words."""
        zeros = torch.zeros_like(n_words)
        stack = n_words.new_zeros(len(n_words), deepest)
        return cls(stack, zeros, n_words, zeros, most_constituents(n_words))

    def select(self, rows: Tensor) -> "TreePrefix":
        return TreePrefix(*(part.index_select(0, rows) for part in self))

    def allowed(self, grammar: Grammar) -> Tensor:
        """Which symbols can still lead to a tree over exactly these words.

        Returns a mask `(rows, symbols)` with at least one True a row.
        """
        words_left = self.words_left > 0
        just_opened = self.opening_run > 0
        may_open = (
            words_left
            & (self.opens_left > 0)
            & (self.opening_run < grammar.longest_opening_run)
            & (self.depth < self.stack.shape[1])
        )
        may_close = (self.depth > 0) & ~just_opened
        may_end = (self.depth == 0) & ~words_left
        by_kind = torch.stack([may_end, words_left, may_open, may_close], dim=1)
        # Rows that are over, or hopeless, may have written anything: see `extend`.
        place = (self.depth - 1).clamp(0, self.stack.shape[1] - 1).unsqueeze(1)
        top = self.stack.gather(1, place)
        matching = (grammar.kinds != CLOSE) | (grammar.labels == top)
        return by_kind[:, grammar.kinds] & matching

    def extend(self, symbols: Tensor, grammar: Grammar) -> "TreePrefix":
        """The prefixes after one more symbol each, `(rows,)`.

        A row that reads a symbol that is not allowed is no prefix any more; it
        raises nothing, and disturbs no other row.
        """
        kinds = grammar.kinds[symbols]
        opened, closed = kinds == OPEN, kinds == CLOSE
        place = self.depth.clamp(0, self.stack.shape[1] - 1).unsqueeze(1)
        kept = self.stack.gather(1, place).squeeze(1)
        value = torch.where(opened, grammar.labels[symbols], kept)
        return TreePrefix(
            self.stack.scatter(1, place, value.unsqueeze(1)),
            self.depth + opened.long() - closed.long(),
            self.words_left - (kinds == WORD).long(),
            torch.where(opened, self.opening_run + 1, 0),
            self.opens_left - opened.long(),
        )


class Found(NamedTuple):
    """The best hypothesis of a sentence and the model's log-probability of it."""

    symbols: List[int]
    log_prob: float


StateT = TypeVar("StateT", bound=Selectable)
#: Reads symbols `(rows,)`; returns log-probabilities `(rows, symbols)` of the
#: next ones and the new state. The third argument holds the sentences in play.
Step = Callable[[Tensor, StateT, Tensor], Tuple[Tensor, StateT]]


def beam_search(
    step: "Step[StateT]",
    state: StateT,
    n_words: Sequence[int],
    grammar: Grammar,
    *,
    beam_width: int = 1,
    constrained: bool = True,
    deepest: int = 200,
) -> List[Found]:
    """Search the most probable symbols for each sentence of a batch.

    step: Scores the next symbols of every row.
    state: Of the decoder before the first symbol, one row a sentence.
    n_words: Words of each sentence.
    beam_width: Hypotheses kept for a sentence; 1 is greedy search.
    constrained: Allow only symbols that can still end in a tree over exactly
        the sentence's words, with at most `deepest` open constituents.

    Log-probabilities are the model's own, also under constraints. A sentence is
    over as soon as no hypothesis can overtake its best finished one.
    """
    device = grammar.kinds.device
    n_sents, width, n_symbols = len(n_words), beam_width, len(grammar.kinds)
    lengths = torch.tensor(n_words, dtype=torch.long, device=device)
    rows = torch.arange(n_sents, device=device).repeat_interleave(width)
    state = state.select(rows)
    prefix: Optional[TreePrefix] = None
    if constrained:
        prefix = TreePrefix.empty(lengths[rows], deepest)
    active = torch.arange(n_sents, device=device)
    symbols = torch.zeros(n_sents * width, dtype=torch.long, device=device)
    scores = torch.full((n_sents, width), float("-inf"), device=device)
    scores[:, 0] = 0.0
    best = Best(n_sents, device)
    history = History(n_sents, width, device)
    limits = torch.tensor([most_symbols(n) for n in n_words], device=device)
    for t in range(int(limits.max())):
        log_probs, state = step(symbols, state, active)
        if prefix is not None:
            log_probs = log_probs.masked_fill(~prefix.allowed(grammar), float("-inf"))
        # Single precision, whatever the model computes in.
        log_probs = log_probs.float().view(-1, width, n_symbols)
        totals = (scores.unsqueeze(2) + log_probs).flatten(1)
        scores, chosen = totals.topk(min(width, totals.shape[1]), dim=1)
        parents = chosen.div(n_symbols, rounding_mode="floor")
        symbols = (chosen % n_symbols).flatten()
        history.add(active, symbols.view(-1, width), parents)
        first = torch.arange(len(active), device=device).unsqueeze(1) * width
        rows = (first + parents).flatten()
        ended = grammar.kinds[symbols].view(-1, width) == END
        best.offer(active, torch.where(ended, scores, float("-inf")), t)
        scores = scores.masked_fill(ended, float("-inf"))
        # NaN compares as False, so that a broken sentence stops here too.
        running = (scores.max(dim=1).values > best.scores[active]) & (
            t + 1 < limits[active]
        )
        over = ~running & ~best.found[active]
        best.offer(active[over], scores[over], t)
        # It may stay in the batch for a while, but what it writes does not count.
        scores = scores.masked_fill(~running.unsqueeze(1), float("-inf"))
        n_running = int(running.sum())
        if n_running == 0:
            break
        shrinks = n_running <= SHRINK_BELOW * len(active)
        if shrinks:
            active, scores = active[running], scores[running]
            kept = running.repeat_interleave(width)
            rows, symbols = rows[kept], symbols[kept]
        if shrinks or width > 1:
            state = state.select(rows)
            prefix = None if prefix is None else prefix.select(rows)
        if prefix is not None:
            prefix = prefix.extend(symbols, grammar)
    return history.trace(best)


class Best:
    """The best finished hypothesis of each sentence: its score and place."""

    def __init__(self, n_sents: int, device: torch.device) -> None:
        self.scores = torch.full((n_sents,), float("-inf"), device=device)
        self.found = torch.zeros(n_sents, dtype=torch.bool, device=device)
        self.steps = torch.zeros(n_sents, dtype=torch.long, device=device)
        self.slots = torch.zeros(n_sents, dtype=torch.long, device=device)

    def offer(self, sentences: Tensor, scores: Tensor, step: int) -> None:
        """Take hypotheses `(sentences, beam)` that are better than those so far."""
        if not len(sentences):
            return
        values, slots = scores.max(dim=1)
        better = values > self.scores[sentences]
        chosen = sentences[better]
        self.scores[chosen] = values[better]
        self.found[chosen] = True
        self.steps[chosen] = step
        self.slots[chosen] = slots[better]


class History:
    """Which symbol each hypothesis wrote at each step, and what it went on from."""

    def __init__(self, n_sents: int, width: int, device: torch.device) -> None:
        self._shape = (n_sents, width)
        self._device = device
        self._symbols: List[Tensor] = []
        self._parents: List[Tensor] = []

    def add(self, active: Tensor, symbols: Tensor, parents: Tensor) -> None:
        """Note one step of the sentences in play."""
        for parts, values in ((self._symbols, symbols), (self._parents, parents)):
            full = torch.zeros(self._shape, dtype=torch.long, device=self._device)
            full[active] = values
            parts.append(full)

    def trace(self, best: Best) -> List[Found]:
        """Follow the best hypotheses back to their first symbols."""
        slots, written = best.slots.clone(), []
        for t in reversed(range(len(self._symbols))):
            inside = best.steps >= t
            here = slots.unsqueeze(1)
            written.append(self._symbols[t].gather(1, here).squeeze(1))
            parents = self._parents[t].gather(1, here).squeeze(1)
            slots = torch.where(inside, parents, slots)
        table = torch.stack(written[::-1], dim=1).tolist()
        ends, scores = best.steps.tolist(), best.scores.tolist()
        return [
            Found(symbols[: end + 1], score)
            for symbols, end, score in zip(table, ends, scores, strict=True)
        ]
