"""Attention over the words of a sentence."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from spacy_gfl.layers.linear import Linear


class Source(NamedTuple):
    """The states that a decoder attends to.

    Attributes:
        vectors: Encoder states, `(batch, words, width)`.
        keys: W1 times the encoder states, `(batch, words, width)`.
        mask: False at padding, `(batch, words)`.
    """

    vectors: Tensor
    keys: Tensor
    mask: Tensor


class AdditiveAttention(nn.Module):
    """The paper's attention (Vinyals et al. 2015, section 2.1).

    u_i = v' tanh(W1 h_i + W2 d_t);  a = softmax(u);  d'_t = sum_i a_i h_i

    Args:
        width: Width of the encoder's hidden vectors, and of the decoder's.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = Linear(width, width, bias=False)
        self.query = Linear(width, width, bias=False)
        self.score = nn.Parameter(torch.empty(width).uniform_(-1, 1) / width**0.5)
        nn.init.xavier_uniform_(self.key.weight)
        nn.init.xavier_uniform_(self.query.weight)

    def source(self, vectors: Tensor, mask: Tensor) -> Source:
        """Prepare the encoder states of a batch for many queries."""
        return Source(vectors, self.key(vectors), mask)

    def forward(self, hidden: Tensor, source: Source) -> tuple[Tensor, Tensor]:
        """Look at the words from a decoder's states.

        Args:
            hidden: d, `(batch, queries, width)`; the queries of a sentence are steps
                or hypotheses.
            source: The states of the sentences to attend to.

        Returns:
            d' `(batch, queries, width)` and a `(batch, queries, words)`.
        """
        queries = self.query(hidden).unsqueeze(2)
        scores = (source.keys.unsqueeze(1) + queries).tanh() @ self.score
        scores = scores.masked_fill(~source.mask.unsqueeze(1), float("-inf"))
        weights = scores.softmax(dim=2)
        return weights @ source.vectors, weights
