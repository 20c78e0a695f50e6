"""Vectors of words made of the words themselves and of their characters."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from spacy_gfl.layers.weight_cache import WeightCache

#: Characters of a word that are read: so many of its beginning and of its end.
FIRST_CHARACTERS, LAST_CHARACTERS = 16, 8
#: Rows of the table of characters that stand for no character: padding, the
#: marks around a word, and characters that training has too seldom.
PADDING, BEGIN, END, UNKNOWN = range(4)
N_MARKS = 4
#: Characters that a convolution looks at.
KERNELS = (3, 5)
_REACH = max(KERNELS) // 2


class WordFeatures(WeightCache):
    """A trained vector of each word beside features of its characters.

    Features are the convolutions of a word's characters, each maximal over the
    positions in the word, `tanh(max_i(b + sum_j W_j c_(i+j)))`, after Ma and Hovy
    (2016), section 2.1.

    Args:
        n_words: Rows of the table of words; row 0 is the unknown word.
        n_characters: Rows of the table of characters, marks included.
        word_width: Width of the words' vectors.
        char_width: Width of the characters' vectors.
        char_features: Features of each of the two convolutions, over 3 and over 5
            characters.
        static_width: Width of the vectors that come in ready-made; 0 for none.
        word_dropout: Probability that a word is the unknown one in training.
    """

    def __init__(
        self,
        *,
        n_words: int,
        n_characters: int,
        word_width: int,
        char_width: int,
        char_features: int,
        static_width: int,
        word_dropout: float,
    ) -> None:
        super().__init__()
        self.settings: dict[str, Any] = {
            "n_words": n_words,
            "n_characters": n_characters,
            "word_width": word_width,
            "char_width": char_width,
            "char_features": char_features,
            "static_width": static_width,
            "word_dropout": word_dropout,
        }
        self.word_dropout = word_dropout
        self.output_width = word_width + len(KERNELS) * char_features + static_width
        self.words = nn.Embedding(n_words, word_width)
        self.characters = nn.Embedding(n_characters, char_width)
        convolutions = [
            nn.Conv1d(char_width, char_features, kernel) for kernel in KERNELS
        ]
        self.convolutions = nn.ModuleList(convolutions)
        # Vectors of length 1: a word's vector is mostly what training makes of it.
        nn.init.normal_(self.words.weight, std=word_width**-0.5)
        for convolution in convolutions:
            kernel, bias = convolution.parameters()
            nn.init.xavier_uniform_(kernel)
            nn.init.zeros_(bias)

    def forward(
        self,
        words: Tensor,
        spellings: Tensor,
        inside: Tensor,
        places: Tensor,
        static: Tensor | None,
    ) -> Tensor:
        """The features of each token.

        Args:
            words: The tokens' rows in the table of words, `(tokens,)`.
            spellings: Rows of the characters of each different word, marks
                included, padded at the end, `(different words, characters)`.
            inside: Where these are no padding, as places in all rows joined.
            places: Each token's row in `spellings`, `(tokens,)`.
            static: Ready-made vectors of the different words, `(different words,
                static_width)`; None if there are none.

        Returns:
            `(tokens, output_width)`: word, characters, static vector.
        """
        if self.training and self.word_dropout > 0:
            dropped = (
                torch.rand(words.shape, dtype=torch.float32, device=words.device)
                < self.word_dropout
            )
            words = words.masked_fill(dropped, 0)
        different = [self.spell(spellings, inside)]
        if static is not None:
            different.append(static)
        return torch.cat(
            [self.words(words), torch.cat(different, dim=1)[places]], dim=1
        )

    def spell(self, spellings: Tensor, inside: Tensor) -> Tensor:
        """Features of words' characters.

        Args:
            spellings: Rows of the characters of each word, marks included, padded
                at the end, `(words, characters)`.
            inside: Where these are no padding, as places in all rows joined.

        Returns:
            `(words, 2 * char_features)`.
        """
        # There are few characters: what each gives at each offset is computed
        # once, and a convolution only adds up rows. On one CPU thread that is some
        # 20 times as fast as convolving all words (training: 7 times).
        if torch.is_grad_enabled():
            table, bias = self._table_and_bias()
        else:
            table, bias = self.cached("table", self._table_and_bias)
        n_offsets = 2 * _REACH + 1
        windows = F.pad(spellings, (_REACH, _REACH)).unfold(1, n_offsets, 1)
        n_rows = len(table) // n_offsets
        offsets = torch.arange(n_offsets, device=table.device) * n_rows
        windows = windows.flatten(0, 1).index_select(0, inside)
        sums = F.embedding_bag(windows + offsets, table, mode="sum")
        owners = (inside // spellings.shape[1]).unsqueeze(1).expand_as(sums)
        maxima = sums.new_full((len(spellings), sums.shape[1]), -torch.inf)
        maxima = maxima.scatter_reduce(0, owners, sums, "amax")
        return torch.tanh(maxima + bias)

    def _table_and_bias(self) -> tuple[Tensor, Tensor]:
        """Features of each character at each offset, `(offsets * rows, features)`."""
        kernels: list[Tensor] = []
        biases: list[Tensor] = []
        for convolution in self.convolutions:
            kernel, bias = convolution.parameters()
            # Small kernels are widened with zeros.
            missing = _REACH - kernel.shape[2] // 2
            kernels.append(F.pad(kernel, (missing, missing)))
            biases.append(bias)
        # Padding adds nothing, whatever is learnt.
        rows = F.pad(self.characters.weight[PADDING + 1 :], (0, 0, 1, 0))
        table = torch.einsum("fcj,rc->jrf", torch.cat(kernels), rows)
        return table.flatten(0, 1), torch.cat(biases)
