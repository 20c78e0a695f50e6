"""The grammar of linearized trees: the symbols that may come next."""

from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

#: Kinds of symbols, in the numbering of `seq2seq.symbol_codec.Symbols`.
END, WORD, OPEN, CLOSE = range(4)
#: Constituents that a constrained search may have open at a time.
DEEPEST = 200


class Grammar(NamedTuple):
    """The vocabulary of symbols.

    Attributes:
        kinds: END, WORD, OPEN or CLOSE of each symbol, `(symbols,)`.
        labels: The label of each opening or closing symbol, -1 elsewhere.
        longest_opening_run: The most opening symbols that may follow each other.
    """

    kinds: Tensor
    labels: Tensor
    longest_opening_run: int


_CountT = TypeVar("_CountT", int, Tensor)


def most_constituents(n_words: _CountT) -> _CountT:
    """How many constituents a constrained search may open in a sentence.

    Treebanks have about one per word; the bound only makes the search end.
    """
    return 3 * n_words + 10


def most_symbols(n_words: int) -> int:
    """The longest linearization that a search may write, its end included."""
    return 2 * most_constituents(n_words) + n_words + 1


class TreePrefix(NamedTuple):
    """The beginnings of trees: one row per hypothesis.

    Attributes:
        stack: Labels of the open constituents, the outermost first, `(rows, depth)`.
        depth: How many are open, `(rows,)` as the others.
        words_left: Words not yet written.
        opening_run: How many opening symbols were written last.
        opens_left: How many constituents may still be opened.
    """

    stack: Tensor
    depth: Tensor
    words_left: Tensor
    opening_run: Tensor
    opens_left: Tensor

    @classmethod
    def empty(cls, n_words: Tensor, deepest: int) -> "TreePrefix":
        """Prefixes without a symbol, of sentences with `n_words` `(rows,)` words."""
        zeros = torch.zeros_like(n_words)
        stack = n_words.new_zeros(len(n_words), deepest)
        return cls(stack, zeros, n_words, zeros, most_constituents(n_words))

    def allowed(self, grammar: Grammar) -> Tensor:
        """Find the symbols that can still lead to a tree over exactly these words.

        Returns:
            A mask `(rows, symbols)` with at least one True a row.
        """
        words_left = self.words_left > 0
        just_opened = self.opening_run > 0
        may_open = (
            words_left
            & (self.opens_left > 0)
            & (self.opening_run < grammar.longest_opening_run)
            & (self.depth < self.stack.shape[1])
        )
        may_close = (self.depth > 0) & ~just_opened
        may_end = (self.depth == 0) & ~words_left
        by_kind = torch.stack([may_end, words_left, may_open, may_close], dim=1)
        # Rows that are over, or hopeless, may have written anything: see `extend`.
        place = (self.depth - 1).clamp(0, self.stack.shape[1] - 1).unsqueeze(1)
        top = self.stack.gather(1, place)
        matching = (grammar.kinds != CLOSE) | (grammar.labels == top)
        return by_kind[:, grammar.kinds] & matching

    def extend(self, symbols: Tensor, grammar: Grammar) -> "TreePrefix":
        """The prefixes after one more symbol each, `(rows,)`.

        A row that reads a symbol that is not allowed is no prefix any more; it
        raises nothing, and disturbs no other row.
        """
        kinds = grammar.kinds[symbols]
        opened, closed = kinds == OPEN, kinds == CLOSE
        place = self.depth.clamp(0, self.stack.shape[1] - 1).unsqueeze(1)
        kept = self.stack.gather(1, place).squeeze(1)
        value = torch.where(opened, grammar.labels[symbols], kept)
        return TreePrefix(
            self.stack.scatter(1, place, value.unsqueeze(1)),
            self.depth + opened.long() - closed.long(),
            self.words_left - (kinds == WORD).long(),
            torch.where(opened, self.opening_run + 1, 0),
            self.opens_left - opened.long(),
        )
