"""Sentences side by side: padded batches, their words' places, and their dropout."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from spacy_gfl.layers.process import on_device


def pad(sentences: Sequence[Tensor], *, reverse: bool = False) -> Tensor:
    """Put sentences side by side, in memory too, with zeros after their ends.

    The gradient of PyTorch's `pad_sequence` is as large as the batch for each sentence.

    Args:
        sentences: `(words, width)` of each.
        reverse: Whether the last word stands first.

    Returns:
        `(words of the longest, batch, width)`.
    """
    if len(sentences) == 1 and not reverse:
        return sentences[0].unsqueeze(1)
    lengths = torch.tensor([len(one) for one in sentences], device="cpu")
    words = torch.arange(int(lengths.max()), device="cpu").unsqueeze(1)
    places = lengths - 1 - words if reverse else words
    ends = lengths.cumsum(0)
    rows = torch.where(words < lengths, ends - lengths + places, ends[-1])
    table = nn.functional.pad(torch.cat(list(sentences)), (0, 0, 0, 1))
    [rows] = on_device(table.device, rows)
    return nn.functional.embedding(rows, table)


def is_word(lengths: Tensor, n_words: int) -> Tensor:
    """Whether each of `n_words` places is a word, no padding, `(batch, n_words)`."""
    return torch.arange(n_words, device=lengths.device) < lengths.unsqueeze(1)


def reorder(vectors: Tensor, places: Tensor) -> Tensor:
    """The words of each sentence in the order of `places`, `(batch, words)`.

    In memory the result has words first, as the encoder has them.
    """
    n_sents, n_words = places.shape
    rows = places.t() * n_sents + torch.arange(n_sents, device=places.device)
    words = vectors.transpose(0, 1).flatten(0, 1).index_select(0, rows.flatten())
    return words.view(n_words, n_sents, -1).transpose(0, 1)


def drop_features(vectors: Tensor, rate: float, train: bool) -> Tensor:
    """Dropout with one mask a sentence: `vectors` are `(batch, words, width)`."""
    if not train or rate == 0:
        return vectors
    mask = torch.ones_like(vectors[:, :1])
    return vectors * nn.functional.dropout(mask, rate)
