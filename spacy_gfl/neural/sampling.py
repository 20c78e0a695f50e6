"""Trees drawn from a decoder's distribution, for a whole batch of sentences at once."""

from collections.abc import Sequence

import torch
from torch import Tensor

from spacy_gfl.neural.beam import SHRINK_BELOW, Decoder, Path, StateT

#: Of the random numbers. All sentences share them, so that what is drawn for one
#: depends neither on its neighbours nor on the process that it is parsed in.
SEED = 0


def draw(
    decoder: Decoder[StateT],
    limits: Sequence[int],
    *,
    n_samples: int,
    temperature: float = 1.0,
) -> list[list[Path]]:
    """Draw hypotheses for each sentence of a batch, the same at every call.

    Each is drawn choice by choice, with the probabilities that the decoder gives.
    Together they are spread evenly: at each step, one number out of each of
    `n_samples` equal parts of [0, 1] picks the choices of a sentence's hypotheses
    (McKay et al. 1979, Latin hypercube sampling), so that what nine of ten should
    choose, nine of ten do choose. Shares of hypotheses vary much less than those of
    independent draws, and are as true on average.

    Args:
        decoder: Scores choices.
        limits: How many choices a hypothesis of each sentence has at most.
        n_samples: Hypotheses of each sentence; some may be the same.
        temperature: What log-probabilities are divided by at each step.

    Returns:
        For each sentence its hypotheses, in no order, with the model's own
        log-probabilities, whatever the temperature. These are not finite if the
        decoder's are not.
    """
    with torch.no_grad():
        return _draw(decoder, limits, n_samples, temperature)


def _draw(
    decoder: Decoder[StateT], limits: Sequence[int], width: int, temperature: float
) -> list[list[Path]]:
    state = decoder.start()
    generator = torch.Generator().manual_seed(SEED)
    n_sents = len(limits)
    history: list[tuple[Tensor, Tensor]] = []
    log_probs, state = decoder.score(state)
    device = log_probs.device
    rows = torch.arange(n_sents, device=device).repeat_interleave(width)
    # Of the rows in play.
    state, log_probs = state.select(rows), log_probs.index_select(0, rows)
    active = torch.arange(n_sents * width, device=device)
    at_limit = torch.tensor(limits, device=device).repeat_interleave(width)
    running = torch.ones_like(active, dtype=torch.bool)
    totals = torch.zeros(len(active), device=device)
    all_totals, all_ends = totals.clone(), at_limit.clone()
    for t in range(max(limits)):
        if t:
            log_probs, state = decoder.score(state)
        points = _points(width, generator).to(device).repeat(len(active) // width)
        chosen = _choose(log_probs / temperature, points)
        scores = log_probs.gather(1, chosen.unsqueeze(1)).squeeze(1)
        totals = totals + scores.masked_fill(~running, 0.0)
        history.append((active, chosen))
        state = decoder.extend(state, chosen)
        goes_on = running & (at_limit > t + 1)
        if decoder.end is not None:
            # NaN compares as False, so that a broken sentence stops here too.
            goes_on &= (chosen != decoder.end) & (totals <= 0)
        over = running & ~goes_on
        all_ends[active[over]], all_totals[active[over]] = t + 1, totals[over]
        running = goes_on
        # The rows of a sentence leave together: decoders count on as many for each.
        in_play = running.view(-1, width).any(dim=1)
        n_left = int(in_play.sum())
        if n_left == 0:
            break
        if n_left <= SHRINK_BELOW * len(in_play) or (
            decoder.end is None and n_left < len(in_play)
        ):
            kept = in_play.repeat_interleave(width).nonzero().squeeze(1)
            active, at_limit, running, totals = (
                part.index_select(0, kept)
                for part in (active, at_limit, running, totals)
            )
            state = state.select(kept, in_play.nonzero().squeeze(1))
    choices = torch.zeros(n_sents * width, len(history), dtype=torch.long)
    for t, (rows, chosen) in enumerate(history):
        choices[rows.cpu(), t] = chosen.cpu()
    paths = [
        (path[:end], total)
        for path, end, total in zip(
            choices.tolist(), all_ends.tolist(), all_totals.tolist(), strict=True
        )
    ]
    return [paths[i : i + width] for i in range(0, len(paths), width)]


def _points(width: int, generator: torch.Generator) -> Tensor:
    """A number out of each of `width` equal parts of [0, 1), in random order."""
    order = torch.randperm(width, generator=generator)
    within = torch.rand(width, generator=generator, dtype=torch.double)
    return ((order + within) / width).float()


def _choose(log_probs: Tensor, points: Tensor) -> Tensor:
    """For each row the choice on which a point of [0, 1) falls, `(rows,)`."""
    sums = log_probs.softmax(dim=1).cumsum(dim=1)
    # Below the sum of all even if it is rounded: what is impossible is not chosen.
    points = points.clamp(max=1 - 2**-20) * sums[:, -1]
    chosen = (sums <= points.unsqueeze(1)).sum(dim=1)
    return chosen.clamp_(max=log_probs.shape[1] - 1)
