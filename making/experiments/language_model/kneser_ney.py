"""N-grams with interpolated Kneser-Ney smoothing, of millions of words in seconds.

`nltk.lm.KneserNeyInterpolated` gives the same figures (a test compares them), but goes
through all contexts that it has seen for every word that it scores.
"""

import numpy as np


class KneserNey:
    """Interpolated Kneser-Ney smoothing, one discount an order, by arrays.

    The id of an n-gram is its place among those of its order. They are found by a key:
    the id of the context times the size of the vocabulary, plus the last word.

    Args:
        ids: The text, a number per word. Words must come after another to have a
            probability, so put what ends a sentence first.
        n_words: The size of the vocabulary.
        order: The length of the longest n-grams.
        discount: What is taken from every count; by default, for each order,
            n1 / (n1 + 2 n2) of the numbers of n-grams that count one and two.
    """

    def __init__(
        self, ids: np.ndarray, n_words: int, order: int, discount: float | None = None
    ) -> None:
        self.n_words, self.order = n_words, order
        #: By order: sorted keys; counts less discount; and for each context what is
        #: left for shorter ones, and the sum of the counts.
        self.tables: dict[int, tuple[np.ndarray, ...]] = {}
        keys, n_contexts = np.arange(n_words), 1
        at, counts = ids, np.bincount(ids, minlength=n_words)
        for n in range(1, order + 1):
            if n < order:
                longer, first, following, longer_counts = np.unique(
                    at[:-1] * n_words + ids[n:], True, True, True
                )
                # Below the highest order, an n-gram counts once for every different
                # word that it was seen after.
                counts = np.bincount(at[first + 1], minlength=len(keys))
            if n == 1:
                self.unigrams = counts / counts.sum()
            else:
                once, twice = (counts == 1).sum(), (counts == 2).sum()
                d = once / max(once + 2 * twice, 1) if discount is None else discount
                contexts, size = keys // n_words, n_contexts
                left = d * np.bincount(contexts, counts > 0, size)
                total = np.bincount(contexts, counts, size)
                self.tables[n] = (keys, np.maximum(counts - d, 0), left, total)
            if n < order:
                n_contexts = len(keys)
                keys, at, counts = longer, following, longer_counts

    def log_prob(self, windows: np.ndarray) -> np.ndarray:
        """Natural logarithms of the probabilities of words.

        Args:
            windows: (words, order): each word after what it follows, -1 for nothing.
        """
        found = self.unigrams[windows[:, -1]]
        for n in range(2, self.order + 1):
            context = windows[:, -n]
            for length in range(2, n):
                context = self._find(length, context, windows[:, length - 1 - n])
            ngram = self._find(n, context, windows[:, -1])
            _, discounted, left, totals = self.tables[n]
            total = np.where(context >= 0, totals[context], 0)
            high = np.where(ngram >= 0, discounted[ngram], 0) + left[context] * found
            found = np.where(total > 0, high / np.maximum(total, 1), found)
        return np.log(found)

    def _find(self, n: int, context: np.ndarray, word: np.ndarray) -> np.ndarray:
        """The ids of n-grams, -1 for those that were not seen."""
        keys, wanted = self.tables[n][0], context * self.n_words + word
        place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        is_there = (context >= 0) & (word >= 0) & (keys[place] == wanted)
        return np.where(is_there, place, -1)


def windows(ids: np.ndarray, order: int) -> np.ndarray:
    """Each word of a text after the `order - 1` before it, -1 before the first."""
    padded = np.concatenate([np.full(order - 1, -1), ids])
    return np.lib.stride_tricks.sliding_window_view(padded, order)
