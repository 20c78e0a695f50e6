"""Greedy and beam search for any decoder, for a whole batch of sentences at once."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from spacy_gfl.decoding.decoder import Decoder, StateT, take

#: Sentences that are over leave the batch when no more than this share runs on:
#: taking rows out copies the states.
SHRINK_BELOW = 0.875

#: The choices of a hypothesis, and its log-probability (nats).
Path = tuple[list[int], float]


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
    with torch.no_grad():
        if beam_width == 1:
            return walk(decoder, limits, 1, lambda log_probs: log_probs.max(dim=1))
        return _beam(decoder, limits, beam_width, n_best)


def walk(
    decoder: Decoder[StateT],
    limits: Sequence[int],
    width: int,
    choose: Callable[[Tensor], tuple[Tensor, Tensor]],
) -> list[list[Path]]:
    """Take hypotheses of each sentence to their ends, each by itself.

    Args:
        decoder: Scores choices.
        limits: How many choices a hypothesis of each sentence has at most.
        width: Hypotheses of each sentence.
        choose: Takes log-probabilities `(rows, choices)`, gives a choice for each row:
            its log-probability, and which it is.

    Returns:
        For each sentence its hypotheses, in the order of its rows.
    """
    log_probs, state = decoder.score(decoder.start())
    device = log_probs.device
    all_ends = torch.tensor(limits, device=device).repeat_interleave(width)
    all_totals = log_probs.new_zeros(len(all_ends))
    choices = torch.zeros(len(all_ends), max(limits), dtype=torch.long, device=device)
    ending = {limit - 1 for limit in limits}
    # Of the rows in play; what they choose is noted when some of them leave.
    active = torch.arange(len(all_ends), device=device)
    at_limit, ends, totals = all_ends.clone(), all_ends.clone(), all_totals.clone()
    running = torch.ones_like(active, dtype=torch.bool)
    waiting: list[Tensor] = []
    if width > 1:
        rows = active.div(width, rounding_mode="floor")
        state, log_probs = take((state, log_probs), rows)
    for t in range(max(limits)):
        if t:
            log_probs, state = decoder.score(state)
        scores, chosen = choose(log_probs)
        waiting.append(chosen)
        state = decoder.extend(state, chosen)
        if decoder.end is None:
            totals += scores
            if t not in ending:
                continue
            running = at_limit > t + 1
        else:
            totals += scores.masked_fill(~running, 0.0)
            # NaN compares as False, so that a broken sentence stops here too.
            goes_on = (chosen != decoder.end) & (totals <= 0) & (at_limit > t + 1)
            ends = ends.masked_fill(running & ~goes_on, t + 1)
            running = running & goes_on
        # The rows of a sentence leave together: decoders count on as many for each.
        in_play = running.view(-1, width).any(dim=1)
        n_left = int(in_play.sum())
        if n_left > SHRINK_BELOW * len(in_play) and decoder.end is not None:
            continue
        first = t + 1 - len(waiting)
        choices[active, first : t + 1] = torch.stack(waiting, dim=1)
        all_totals[active], all_ends[active] = totals, ends
        if n_left == 0:
            break
        rows = in_play.repeat_interleave(width).nonzero().squeeze(1)
        active, at_limit, ends, running, totals = take(
            (active, at_limit, ends, running, totals), rows
        )
        waiting, state = [], take(state, rows, in_play.nonzero().squeeze(1))
    found = [
        (path[:end], total)
        for path, end, total in zip(
            choices.tolist(), all_ends.tolist(), all_totals.tolist(), strict=True
        )
    ]
    return [found[i : i + width] for i in range(0, len(found), width)]


def _beam(
    decoder: Decoder[StateT], limits: Sequence[int], width: int, n_best: int
) -> list[list[Path]]:
    log_probs, state = decoder.score(decoder.start())
    device, n_sents = log_probs.device, len(limits)
    active = torch.arange(n_sents, device=device)
    rows = active.repeat_interleave(width)
    state, log_probs = take((state, log_probs), rows)
    at_limit = torch.tensor(limits, device=device)
    # All of a sentence's rows would be alike before the first choice.
    scores = log_probs.new_full((n_sents, width), float("-inf"))
    scores[:, 0] = 0.0
    best = _Best(scores.new_full((n_sents, n_best), float("-inf")))
    steps: list[Tensor] = []
    for t in range(max(limits)):
        if t:
            log_probs, state = decoder.score(state)
        n_choices = log_probs.shape[1]
        log_probs = log_probs.view(-1, width, n_choices)
        totals = (scores.unsqueeze(2) + log_probs).flatten(1)
        scores, chosen = totals.topk(width, dim=1)
        parents = chosen.div(n_choices, rounding_mode="floor")
        choices = chosen % n_choices
        step = chosen.new_zeros(2, n_sents, width)
        step[:, active] = torch.stack([choices, parents])
        steps.append(step)
        first = torch.arange(len(active), device=active.device).unsqueeze(1) * width
        rows = first + parents
        runs_on = at_limit[active] > t + 1
        if decoder.end is None:
            over = ~runs_on
            best.offer(active[over], scores[over], t)
            running = runs_on
        else:
            ended = choices == decoder.end
            best.offer(active, scores.masked_fill(~ended, float("-inf")), t)
            scores = scores.masked_fill(ended, float("-inf"))
            # NaN compares as False, so that a broken sentence stops here too.
            hopeful = scores.max(dim=1).values > best.scores[active, -1]
            running = hopeful & runs_on
            over = ~running & best.scores[active, 0].isneginf()
            best.offer(active[over], scores[over], t)
        # It may stay in the batch for a while, but what it writes does not count.
        scores = scores.masked_fill(~running.unsqueeze(1), float("-inf"))
        n_running = int(running.sum())
        if n_running == 0:
            break
        left: Tensor | None = None
        may_leave = n_running <= SHRINK_BELOW * len(active) or decoder.end is None
        if may_leave and n_running < len(active):
            left = running.nonzero().squeeze(1)
            active, scores, rows, choices = take((active, scores, rows, choices), left)
        state = decoder.extend(take(state, rows.flatten(), left), choices.flatten())
    return _trace(steps, best)


class _Best:
    """The best finished hypotheses of each sentence.

    Attributes:
        scores: Their log-probabilities, `(sentences, n_best)`.
        ends: Of each the last step, and its place in the beam there,
            `(2, sentences, n_best)`.
    """

    def __init__(self, scores: Tensor) -> None:
        self.scores = scores
        self.ends = torch.zeros_like(scores, dtype=torch.long).repeat(2, 1, 1)

    def offer(self, sentences: Tensor, scores: Tensor, step: int) -> None:
        """Keep the best of the hypotheses so far and of these, `(sentences, beam)`."""
        if not len(sentences):
            return
        slots = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
        offered = torch.stack([torch.full_like(slots, step), slots])
        both = torch.cat([self.scores[sentences], scores], dim=1)
        self.scores[sentences], places = both.topk(self.scores.shape[1], dim=1)
        ends = torch.cat([self.ends[:, sentences], offered], dim=2)
        self.ends[:, sentences] = ends.gather(2, places.expand(2, -1, -1))


def _trace(steps: Sequence[Tensor], best: _Best) -> list[list[Path]]:
    """Follow the best hypotheses back to their first choices.

    Args:
        steps: Of each step the choice of each hypothesis, and the place in the beam of
            the one that it extends, `(2, sentences, beam)`.
        best: The hypotheses.
    """
    ends, slots = best.ends
    written = []
    for t in reversed(range(len(steps))):
        choices, parents = steps[t].gather(2, slots.expand(2, -1, -1))
        written.append(choices)
        slots = torch.where(ends >= t, parents, slots)
    table = torch.stack(written[::-1], dim=2).tolist()
    found = []
    for paths, lasts, scores in zip(
        table, ends.tolist(), best.scores.tolist(), strict=True
    ):
        of_sentence = [
            (path[: last + 1], score)
            for path, last, score in zip(paths, lasts, scores, strict=True)
            if score > float("-inf") or score != score
        ]
        found.append(of_sentence or [(paths[0][: lasts[0] + 1], scores[0])])
    return found
