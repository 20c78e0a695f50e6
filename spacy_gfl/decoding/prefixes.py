"""The beam of one sentence as it grows, step by step."""

from typing import Any, NamedTuple

import torch

from spacy_gfl.decoding.beam import Path
from spacy_gfl.decoding.decoder import Decoder, take


class Prefix(NamedTuple):
    """The first choices of a hypothesis.

    Attributes:
        path: The choices, and their log-probability (nats).
        gained: The log-probability of those since the last prefix, given these.
    """

    path: Path
    gained: float


def prefixes(
    decoder: Decoder[Any], n_choices: int, every: int, width: int
) -> list[list[Prefix]]:
    """Search one sentence, and note the beam after each so many choices.

    Args:
        decoder: Scores choices; of one sentence, whose hypotheses end at a limit.
        n_choices: How many choices a hypothesis has.
        every: After how many choices the beam is noted, a divisor of `n_choices`.
        width: Hypotheses kept; 1 is greedy search.

    Returns:
        For each of these times the hypotheses, the best first.
    """
    log_probs, state = decoder.score(decoder.start())
    device = log_probs.device
    state, log_probs = take((state, log_probs), torch.zeros(width, dtype=torch.long))
    # All rows would be alike before the first choice.
    scores = torch.full((width,), float("-inf"), device=device)
    scores[0] = 0.0
    paths: list[list[int]] = [[]] * width
    before = [0.0] * width
    noted: list[list[Prefix]] = []
    for t in range(n_choices):
        if t:
            log_probs, state = decoder.score(state)
        scores, chosen = (scores.unsqueeze(1) + log_probs).flatten().topk(width)
        rows = chosen.div(log_probs.shape[1], rounding_mode="floor")
        choices = chosen % log_probs.shape[1]
        of_rows = zip(rows.tolist(), choices.tolist(), strict=True)
        paths, before = (
            [[*paths[row], choice] for row, choice in of_rows],
            [before[row] for row in rows.tolist()],
        )
        state = decoder.extend(take(state, rows), choices)
        if (t + 1) % every == 0:
            totals = scores.tolist()
            beam = zip(paths, totals, before, strict=True)
            noted.append(
                [
                    Prefix((path, total), total - then)
                    for path, total, then in beam
                    if total > float("-inf")
                ]
            )
            before = totals
    return noted
