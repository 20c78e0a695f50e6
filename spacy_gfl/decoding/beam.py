"""Search of any decoder: greedy, with a beam, or at random, for a batch at once."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

import torch
from torch import Tensor

from spacy_gfl.decoding.decoder import Decoder, StateT, take

#: Sentences that are over leave the batch when no more than this share runs on:
#: taking rows out copies the states.
SHRINK_BELOW = 0.875

#: The choices of a hypothesis, and its log-probability (nats).
Path = tuple[list[int], float]
#: Takes log-probabilities `(rows, choices)`, gives a choice for each row: its
#: log-probability, and which it is, `(rows,)`.
Pick = Callable[[Tensor], tuple[Tensor, Tensor]]


def beam_search(
    decoder: Decoder[StateT],
    limits: Sequence[int],
    *,
    beam_width: int = 1,
    n_best: int = 1,
) -> list[list[Path]]:
    """Search the most probable choices for each sentence of a batch.

    A sentence is over as soon as no hypothesis can overtake its finished ones.

    Args:
        decoder: Scores choices.
        limits: How many choices a hypothesis of each sentence has at most.
        beam_width: Hypotheses kept for a sentence; 1 is greedy search.
        n_best: How many are returned of a sentence, at most.

    Returns:
        For each sentence its hypotheses, the best first. If none is finished within
        the limit, the best that is not. A log-probability is NaN if the decoder's
        are.
    """
    if beam_width == 1:
        return search(decoder, limits, 1, 1, lambda log_probs: log_probs.max(dim=1))
    return search(decoder, limits, beam_width, n_best, None)


@torch.no_grad()
def search(
    decoder: Decoder[StateT],
    limits: Sequence[int],
    width: int,
    n_best: int,
    pick: Pick | None,
) -> list[list[Path]]:
    """Find hypotheses of each sentence of a batch.

    Args:
        decoder: Scores choices.
        limits: How many choices a hypothesis of each sentence has at most.
        width: Hypotheses of each sentence that are in play.
        n_best: How many are returned of a sentence, at most.
        pick: Says how each hypothesis goes on, by itself. Without it, the most
            probable continuations of all are kept: a beam.

    Returns:
        For each sentence its hypotheses, the best first. A hypothesis that is not
        finished within the limit is among them only if none is, or if it was picked.
    """
    log_probs, state = decoder.score(decoder.start())
    device = log_probs.device
    # Of the sentences in play; the rows of a sentence leave together.
    active = torch.arange(len(limits), device=device)
    limit = torch.tensor(limits, device=device)
    scores = log_probs.new_zeros(len(limits), width)
    if width > 1:
        state, log_probs = take((state, log_probs), active.repeat_interleave(width))
    if pick is None:
        # All of a sentence's rows would be alike before the first choice.
        scores[:, 1:] = float("-inf")
    best = _Best(limit, n_best, scores, keeps_all=pick is not None)
    steps: list[_Step] = []
    for t in range(1, max(limits) + 1):
        if t > 1:
            log_probs, state = decoder.score(state)
        if pick is None:
            scores, choices, parents = continuations(scores, log_probs)
            first = width * torch.arange(len(active), device=device)
            rows = first.unsqueeze(1) + parents
        else:
            gained, picked = pick(log_probs)
            scores = scores + gained.view_as(scores)
            choices, parents, rows = picked.view_as(scores), None, None
        step = _Step(active, choices, parents)
        steps.append(step)
        stay: Tensor | None = None
        if decoder.end is not None or t in limits:
            scores, running = best.note(step, scores, limit <= t, decoder.end, t)
            n_running = int(running.sum())
            if n_running == 0:
                break
            may_leave = n_running <= SHRINK_BELOW * len(active) or decoder.end is None
            if may_leave and n_running < len(active):
                stay = running.nonzero().squeeze(1)
                if rows is None:
                    rows = torch.arange(scores.numel(), device=device).view_as(scores)
                active, limit, scores, rows, choices = take(
                    (active, limit, scores, rows, choices), stay
                )
        if rows is not None:
            state = take(state, rows.flatten(), stay)
        state = decoder.extend(state, choices.flatten())
    return best.paths(steps)


def continuations(scores: Tensor, log_probs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The most probable continuations of the hypotheses of sentences.

    Args:
        scores: Their log-probabilities, `(sentences, width)`.
        log_probs: Those of each one's next choice, `(sentences * width, choices)`.

    Returns:
        As many continuations, `(sentences, width)`: their log-probabilities, what
        each chooses, and which hypothesis of its sentence it extends.
    """
    n_choices = log_probs.shape[1]
    totals = scores.unsqueeze(2) + log_probs.view(*scores.shape, n_choices)
    scores, chosen = totals.flatten(1).topk(scores.shape[1], dim=1)
    return scores, chosen % n_choices, chosen.div(n_choices, rounding_mode="floor")


class _Step(NamedTuple):
    """A step of a search.

    Attributes:
        active: The sentences in play, `(sentences,)`.
        choices: What each of their hypotheses chooses, `(sentences, width)`.
        parents: Which hypothesis of the step before it extends; None for itself.
    """

    active: Tensor
    choices: Tensor
    parents: Tensor | None


def _same_rows(step: _Step) -> int:
    return id(step.active if step.parents is None else step)


class _Best:
    """The best finished hypotheses of each sentence.

    Args:
        limit: How many choices a hypothesis of each sentence has at most.
        n_best: How many are kept of a sentence.
        scores: Log-probabilities of the type and on the device of those to come.
        keeps_all: Whether there are places for all, also for those that are not
            finished within the limit; otherwise one is kept if none is finished.

    Attributes:
        scores: Their log-probabilities, `(sentences, n_best)`; -inf for none.
        sizes: How many choices each has.
        slots: Which of the sentence's hypotheses it was at its last choice.
    """

    def __init__(
        self, limit: Tensor, n_best: int, scores: Tensor, keeps_all: bool
    ) -> None:
        self.scores = scores.new_full((len(limit), n_best), float("-inf"))
        self.sizes = limit.unsqueeze(1).expand_as(self.scores).clone()
        self.slots = torch.zeros_like(self.sizes)
        self.keeps_all = keeps_all

    def note(
        self, step: _Step, scores: Tensor, at_limit: Tensor, end: int | None, size: int
    ) -> tuple[Tensor, Tensor]:
        """Keep the hypotheses that a step ends, and find the sentences that run on.

        Args:
            step: The step.
            scores: The log-probabilities of its hypotheses, `(sentences, width)`.
            at_limit: Whether a sentence's hypotheses have no more choices.
            end: The choice that ends a hypothesis; None if only the limit does.
            size: How many choices have been made.

        Returns:
            The log-probabilities of the hypotheses that go on, -inf for the others,
            which may stay in the batch for a while; and whether a sentence runs on.
        """
        active = step.active
        if end is None:
            running = ~at_limit
            self.offer(active[at_limit], scores[at_limit], size)
            return scores.masked_fill(at_limit.unsqueeze(1), float("-inf")), running
        ended = step.choices == end
        if self.keeps_all:
            # NaN compares as False, so that a broken sentence stops here too.
            ended |= at_limit.unsqueeze(1) | ~(scores <= 0)
        if bool(ended.any()):
            self.offer(active, scores.masked_fill(~ended, float("-inf")), size)
            scores = scores.masked_fill(ended, float("-inf"))
        if self.keeps_all:
            return scores, (scores > float("-inf")).any(dim=1)
        running = scores.max(dim=1).values > self.scores[active, -1]
        running &= ~at_limit
        over = ~running & self.scores[active, 0].isneginf()
        self.offer(active[over], scores[over], size)
        return scores.masked_fill(~running.unsqueeze(1), float("-inf")), running

    def offer(self, sentences: Tensor, scores: Tensor, size: int) -> None:
        """Keep the best of the hypotheses so far and of these, `(sentences, width)`."""
        if not len(sentences):
            return
        slots = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
        both = torch.cat([self.scores[sentences], scores], dim=1)
        self.scores[sentences], places = both.topk(self.scores.shape[1], dim=1)
        for known, new in (
            (self.sizes, torch.full_like(slots, size)),
            (self.slots, slots),
        ):
            known[sentences] = torch.cat([known[sentences], new], 1).gather(1, places)

    def paths(self, steps: Sequence[_Step]) -> list[list[Path]]:
        """Follow the hypotheses back to their first choices."""
        slots = self.slots.clone()
        written = slots.new_zeros(*slots.shape, len(steps))
        stop = len(steps)
        # Steps of the same sentences in which each hypothesis extends itself are one.
        for _, of_same in groupby(reversed(steps), key=_same_rows):
            same = list(of_same)
            active, _, parents = same[0]
            start, at = stop - len(same), slots[active]
            choices = torch.stack([step.choices for step in reversed(same)], dim=2)
            of_each = at.unsqueeze(2).expand(-1, -1, len(same))
            written[active, :, start:stop] = choices.gather(1, of_each)
            if parents is not None:
                before = parents.gather(1, at)
                slots[active] = torch.where(self.sizes[active] > start, before, at)
            stop = start
        of_sents = []
        for paths, sizes, scores in zip(
            written.tolist(), self.sizes.tolist(), self.scores.tolist(), strict=True
        ):
            ranked = [
                (path[:size], score)
                for path, size, score in zip(paths, sizes, scores, strict=True)
            ]
            # NaN is not -inf: it stays, so that the caller sees it.
            kept = [one for one in ranked if one[1] != float("-inf")]
            of_sents.append(kept or ranked[:1])
        return of_sents
