"""Trees drawn from a decoder's distribution, for a whole batch of sentences at once."""

from collections.abc import Sequence

import torch
from torch import Tensor

from spacy_gfl.decoding.beam import Path, search
from spacy_gfl.decoding.decoder import Decoder, StateT

#: The seed. All sentences share its random numbers, so that a sentence's draws depend
#: neither on its neighbours nor on the process that parses it.
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
    choose, nine of ten do choose. Shares of hypotheses vary much less than in
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
    generator = torch.Generator("cpu").manual_seed(SEED)

    def pick(log_probs: Tensor) -> tuple[Tensor, Tensor]:
        points = _points(n_samples, generator).to(log_probs.device)
        points = points.repeat(len(log_probs) // n_samples)
        chosen = _choose(log_probs / temperature, points)
        return log_probs.gather(1, chosen.unsqueeze(1)).squeeze(1), chosen

    return search(decoder, limits, n_samples, n_samples, pick)


def _points(width: int, generator: torch.Generator) -> Tensor:
    """A number out of each of `width` equal parts of [0, 1), in random order."""
    order = torch.randperm(width, generator=generator, device="cpu")
    within = torch.rand(width, generator=generator, dtype=torch.double, device="cpu")
    return ((order + within) / width).float()


def _choose(log_probs: Tensor, points: Tensor) -> Tensor:
    """For each row the choice on which a point of [0, 1) falls, `(rows,)`."""
    sums = log_probs.softmax(dim=1).cumsum(dim=1)
    # Below the sum of all even if it is rounded: what is impossible is not chosen.
    points = points.clamp(max=1 - 2**-20) * sums[:, -1]
    chosen = (sums <= points.unsqueeze(1)).sum(dim=1)
    return chosen.clamp_(max=log_probs.shape[1] - 1)
