"""The beams of sentences as they grow, step by step."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from spacy_gfl.decoding.beam import continuations
from spacy_gfl.decoding.decoder import Decoder, take


class Grown(NamedTuple):
    """A partial tree of a beam.

    Attributes:
        action: The codec's action that added its last word; None before the first.
        log_prob: The log-probability (nats) of the tree so far, and of its words if the
            decoder predicts them.
        gained: The log-probability (nats) of the action, given the tree before it.
        origin: The index of the tree before it, in the beam of the word before.
        next_word: The log-probability of the next word, or of the end; NaN if the
            decoder does not predict words.
    """

    action: Any
    log_prob: float
    gained: float
    origin: int
    next_word: float


#: Makes an action of the choices that add a word.
ActionOf = Callable[[list[int]], Any]


def prefixes(
    decoder: Decoder[Any],
    lengths: Sequence[int],
    every: int,
    width: int,
    action_of: ActionOf,
) -> list[list[list[Grown]]]:
    """Search sentences together, and note their beams after each so many choices.

    Args:
        decoder: Scores choices; of sentences whose hypotheses end at a limit.
        lengths: How often each sentence's beam is noted, the longest first.
        every: After how many choices.
        width: Hypotheses kept of a sentence; 1 is greedy search.
        action_of: Makes an action of these choices.

    Returns:
        For each sentence the beam before the first choice and at each of these times,
        the best first.
    """
    n_sents = len(lengths)
    log_probs, state = decoder.score(decoder.start())
    nothing = _next_words(state, log_probs[:, :1].double())
    device = log_probs.device
    rows = torch.arange(n_sents, device=device).repeat_interleave(width)
    state, log_probs = take((state, log_probs), rows)
    # All rows of a sentence would be alike before the first choice. Sums are in double
    # precision, so that what a row gains does not depend on how much it has.
    scores = torch.full((n_sents, width), float("-inf"), device=device).double()
    scores[:, 0] = 0.0
    noted = [[[Grown(None, 0.0, 0.0, 0, word)]] for [word] in nothing.tolist()]
    # Of each row what it has before these choices.
    before = nothing.nan_to_num().expand(n_sents, width)
    for t in range(1, lengths[0] + 1):
        active = sum(length >= t for length in lengths)
        first = width * torch.arange(active, device=device).unsqueeze(1)
        if active < n_sents:
            rows = torch.arange(active * width, device=device)
            state, scores, before = take(state, rows), scores[:active], before[:active]
            n_sents = active
        origins = torch.arange(width, device=device).expand(active, width)
        chosen = origins.unsqueeze(2)[..., :0]
        for k in range(every):
            if t > 1 or k:
                log_probs, state = decoder.score(state)
            scores, choices, parents = continuations(scores, log_probs)
            origins = origins.gather(1, parents)
            places = parents.unsqueeze(2).expand(-1, -1, k)
            chosen = torch.cat([chosen.gather(1, places), choices.unsqueeze(2)], dim=2)
            state = take(state, (first + parents).flatten())
            state = decoder.extend(state, choices.flatten())
        next_words = _next_words(state, scores)
        gained = scores - before.gather(1, origins)
        before = scores + next_words.nan_to_num()
        parts = (chosen, scores, gained, origins, next_words)
        for i, beam in enumerate(zip(*(part.tolist() for part in parts), strict=True)):
            noted[i].append(
                [
                    Grown(action_of(choices), *rest)
                    for choices, *rest in zip(*beam, strict=True)
                    if rest[0] > float("-inf")
                ]
            )
    return noted


def _next_words(state: Any, like: Tensor) -> Tensor:
    """The log-probability of the next word in each row, NaN if it is not known.

    The result has the shape `(sentences, width)` and the type of the tensor `like`.
    """
    next_word = getattr(state, "next_word", None)
    return (
        like.new_full(like.shape, torch.nan)
        if next_word is None
        else next_word.view_as(like).to(like)
    )
