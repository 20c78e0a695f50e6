"""The beam of one sentence as it grows, step by step."""

import math
from typing import Any, NamedTuple

import torch

from spacy_gfl.decoding.beam import continuations
from spacy_gfl.decoding.decoder import Decoder, take


class Prefix(NamedTuple):
    """The first choices of a hypothesis.

    Attributes:
        choices: The choices since the prefix that this one extends. All choices of
            every prefix would take memory that grows with the square of a sentence.
        total: The log-probability (nats) of all choices, with that of the words where
            the decoder predicts them.
        gained: The log-probability of `choices`, given those before.
        origin: The place in the beam before of the prefix that this one extends.
        next_word: The log-probability of the next word, or of the end, given these
            choices; NaN where the decoder does not predict words.
    """

    choices: list[int]
    total: float
    gained: float
    origin: int
    next_word: float


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
        The beam before the first choice and at each of these times, the best first.
    """
    state = decoder.start()
    [nothing] = _next_words(state, 1)
    log_probs, state = decoder.score(state)
    device = log_probs.device
    first = torch.zeros(width, dtype=torch.long, device=device)
    state, log_probs = take((state, log_probs), first)
    # All rows would be alike before the first choice.
    scores = torch.full((width,), float("-inf"), device=device)
    scores[0] = 0.0
    paths: list[list[int]] = [[]] * width
    # Of each row the prefix that it extends, and its log-probability before.
    origins, before = [0] * width, [0.0 if math.isnan(nothing) else nothing] * width
    noted = [[Prefix([], 0.0, 0.0, 0, nothing)]]
    for t in range(n_choices):
        if t:
            log_probs, state = decoder.score(state)
        found = continuations(scores.unsqueeze(0), log_probs)
        scores, choices, rows = (part[0] for part in found)
        places = rows.tolist()
        of_rows = zip(places, choices.tolist(), strict=True)
        paths = [[*paths[row], choice] for row, choice in of_rows]
        origins = [origins[row] for row in places]
        before = [before[row] for row in places]
        state = decoder.extend(take(state, rows), choices)
        if (t + 1) % every == 0:
            totals, words = scores.tolist(), _next_words(state, width)
            beam = zip(paths, totals, before, origins, words, strict=True)
            noted.append(
                [
                    Prefix(path, total, total - then, origin, word)
                    for path, total, then, origin, word in beam
                    if total > float("-inf")
                ]
            )
            before = [
                total if math.isnan(word) else total + word
                for total, word in zip(totals, words, strict=True)
            ]
            origins, paths = list(range(width)), [[]] * width
    return noted


def _next_words(state: Any, width: int) -> list[float]:
    """The log-probability of the next word in each row, NaN if it is not known."""
    found = getattr(state, "next_word", None)
    return [math.nan] * width if found is None else found.tolist()
