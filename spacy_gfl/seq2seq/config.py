"""The settings of the paper's network."""

from collections.abc import Sequence
from dataclasses import dataclass

#: The usual LSTM, and the paper's, without the tanh of its memory.
CELLS = ("lstm", "paper")


@dataclass(frozen=True)
class Seq2SeqConfig:
    """The settings of a network: `spacy_gfl.Seq2Seq.v1`'s, and vocabulary sizes.

    Attributes:
        input_width: Width of the word vectors.
        symbol_kinds: The kind of each symbol: END, WORD, OPEN or CLOSE (`grammar`).
        symbol_labels: The index of each symbol's label, -1 without one.
        longest_opening_run: The most opening symbols that may follow each other.
    """

    input_width: int
    symbol_kinds: Sequence[int]
    symbol_labels: Sequence[int]
    longest_opening_run: int
    width: int
    depth: int
    cell: str
    attention: bool
    input_feeding: bool
    reverse_input: bool
