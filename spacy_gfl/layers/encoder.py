"""Encoders: what reads a sentence's word vectors before a decoder writes its tree.

An encoder is one class with two methods, for the two decoders, and `ENCODERS` is the
one place where it is chosen.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise, zip_longest
from typing import cast

import torch
from torch import Tensor, nn

from spacy_gfl.layers.linear import Linear
from spacy_gfl.layers.lstm import LAYERS, LSTM, State, read, recurrent
from spacy_gfl.layers.padding import drop_features, is_word, reorder


class Encoder(nn.Module, ABC):
    """An encoder of padded sentences.

    Attributes:
        output_width: Width of its states.
    """

    output_width: int

    @abstractmethod
    def forward(self, vectors: Tensor, lengths: Tensor, dropout: float = 0.0) -> Tensor:
        """Read padded sentences.

        Args:
            vectors: `(batch, words, input width)`, sentences padded at the end.
            lengths: `(batch,)`, the words of each sentence.
            dropout: Probability of dropping a value.

        Returns:
            The states, `(batch, words, output_width)`, zero at padding.
        """

    @abstractmethod
    def read_to_ends(
        self,
        vectors: Tensor,
        lengths: Sequence[int],
        first_hidden: Tensor,
        dropout: float = 0.0,
    ) -> tuple[Tensor, list[State]]:
        """Read padded sentences, and give what a decoder of LSTMs begins with.

        Args:
            vectors: `(batch, words, input width)`, sentences padded at the end.
            lengths: The words of each sentence, the longest sentence first.
            first_hidden: h of each of the decoder's layers before the first word,
                `(depth, width)`.
            dropout: Probability of dropping a value.

        Returns:
            The states `(batch, words, output_width)`, zero at padding, and h and m for
            each of the decoder's layers, `(batch, width)`.
        """


class Projection(Encoder):
    """A linear map, for word vectors that have read their sentence, as a transformer's.

    Args:
        input_width: Width of the word vectors.
        width: Width of the states in one direction; the decoders take the first half of
            a state for what is before a word, and the second for what follows.
        depth: Layers of a decoder that begins where the encoder ends.
        bidirectional: Whether states have both halves.
    """

    def __init__(
        self, input_width: int, width: int, depth: int, bidirectional: bool
    ) -> None:
        super().__init__()
        self.output_width = width * (1 + bidirectional)
        self.depth = depth
        self.states = Linear(input_width, self.output_width)
        nn.init.xavier_uniform_(self.states.weight)
        nn.init.zeros_(self.states.bias)

    def forward(self, vectors: Tensor, lengths: Tensor, dropout: float = 0.0) -> Tensor:
        """Map word vectors to states, `(batch, words, output_width)`."""
        real = is_word(lengths, vectors.shape[1])
        states = self.states(drop_features(vectors, dropout, self.training)).tanh()
        states = drop_features(states, dropout, self.training)
        return (states * real.unsqueeze(2)).contiguous()

    def read_to_ends(
        self,
        vectors: Tensor,
        lengths: Sequence[int],
        first_hidden: Tensor,
        dropout: float = 0.0,
    ) -> tuple[Tensor, list[State]]:
        """Map word vectors to states; each layer begins with the last word's."""
        sizes = torch.tensor(lengths, device=vectors.device)
        states = self(vectors, sizes, dropout)
        last = states[torch.arange(len(sizes), device=sizes.device), sizes - 1]
        finals = [(last + hidden, torch.zeros_like(last)) for hidden in first_hidden]
        return states, finals


class RecurrentStack(Encoder):
    """Recurrent layers that read padded sentences, in one direction or in two.

    Batches are padded, not packed: packed sequences leave the CPU's fused kernel. The
    backward direction reads sentences that are reversed by index.

    Args:
        input_width: Width of the word vectors.
        width: Units of a layer in one direction.
        depth: Number of layers.
        cell: One of `LAYERS`.
        bidirectional: Whether to read in both directions, or from the first word on.
    """

    def __init__(
        self, input_width: int, width: int, depth: int, cell: str, bidirectional: bool
    ) -> None:
        super().__init__()
        self.output_width = width * (1 + bidirectional)
        widths = [input_width] + [self.output_width] * (depth - 1)
        self.forwards = nn.ModuleList(recurrent(n, width, cell) for n in widths)
        # Empty in one direction.
        self.backwards = nn.ModuleList(
            recurrent(n, width, cell) for n in widths if bidirectional
        )

    def forward(self, vectors: Tensor, lengths: Tensor, dropout: float = 0.0) -> Tensor:
        """Read padded sentences.

        Args:
            vectors: `(batch, words, input_width)`, sentences padded at the end.
            lengths: `(batch,)`, the words of each sentence.
            dropout: Probability of dropping a value of the input and the output of
                each layer, the same values for all words of a sentence.

        Returns:
            The top layer's states, `(batch, words, output_width)`: first over the
            words up to and with a word, then over the words from it on. Zero at
            padding.
        """
        real = is_word(lengths, vectors.shape[1])
        # From the last word to the first; padding stays where it is.
        places = torch.arange(vectors.shape[1], device=lengths.device)
        places = torch.where(real, lengths.unsqueeze(1) - 1 - places, places)
        layers = zip_longest(self.forwards, self.backwards)
        pairs = cast(Iterable[tuple[nn.RNNBase, nn.RNNBase | None]], layers)
        for depth, (ahead, back) in enumerate(pairs):
            vectors = drop_features(vectors, dropout, self.training)
            if back is None:
                both = read([ahead], [vectors], of_states=depth > 0)
            else:
                given = [vectors, reorder(vectors, places)]
                both = read([ahead, back], given, of_states=depth > 0)
                both[1] = reorder(both[1], places)
            # In memory words come first and sentences second, as the kernels read them.
            joined = torch.cat([states.transpose(0, 1) for states in both], dim=2)
            vectors = joined.transpose(0, 1)
        vectors = drop_features(vectors, dropout, self.training)
        return (vectors * real.unsqueeze(2)).contiguous()

    def read_to_ends(
        self,
        vectors: Tensor,
        lengths: Sequence[int],
        first_hidden: Tensor,
        dropout: float = 0.0,
    ) -> tuple[Tensor, list[State]]:
        """Read padded sentences in one direction, and keep the state at their ends.

        Args:
            vectors: `(batch, words, input_width)`, sentences padded at the end.
            lengths: The words of each sentence, the longest sentence first.
            first_hidden: h of every layer before the first word, `(depth, width)`.
            dropout: Probability of dropping a value between two layers (Zaremba et
                al. 2014, section 3.2).

        Returns:
            The top layer's states `(batch, words, width)`, zero at padding, and h and
            m of every LSTM layer after each sentence's last word, `(batch, width)`.

        Raises:
            ValueError: If a sentence is longer than one before it.
        """
        if any(one < other for one, other in pairwise(lengths)):
            raise ValueError(f"The longest sentence must come first, not {lengths}.")
        finals: list[State] = []
        layers = cast(Iterable[LSTM], self.forwards)
        for layer, hidden in zip(layers, first_hidden, strict=True):
            if finals:
                vectors = nn.functional.dropout(vectors, dropout, self.training)
            vectors, final = _read_to_ends(layer, vectors, lengths, hidden)
            finals.append(final)
        return vectors, finals


def _read_to_ends(
    layer: LSTM, vectors: Tensor, lengths: Sequence[int], first_hidden: Tensor
) -> tuple[Tensor, State]:
    """One layer's states `(batch, words, width)`, and its h and m at the ends.

    PyTorch's kernels give m after the last step only. So they run from one sentence's
    end to the next, with the sentences that go on.
    """
    n_sents = n_rows = len(lengths)
    hidden = first_hidden.expand(1, n_sents, -1)
    memory = torch.zeros_like(hidden)
    states: list[Tensor] = []
    ends: list[State] = []
    start = 0
    for end in sorted(set(lengths)):
        before = hidden[:, :n_rows].contiguous(), memory[:, :n_rows].contiguous()
        part, (hidden, memory) = layer(vectors[:n_rows, start:end], before)
        states.append(nn.functional.pad(part, (0, 0, 0, 0, 0, n_sents - n_rows)))
        start, n_rows = end, sum(length > end for length in lengths)
        ends.append((hidden[0, n_rows:], memory[0, n_rows:]))
    # The sentences that end first stand last.
    last_hidden, last_memory = zip(*reversed(ends), strict=True)
    return torch.cat(states, dim=1), (torch.cat(last_hidden), torch.cat(last_memory))


#: The encoders by the name that the architectures call `cell`: stacks of a recurrent
#: layer, or none.
ENCODERS: dict[str, Callable[..., Encoder]] = {
    **{cell: partial(RecurrentStack, cell=cell) for cell in LAYERS},
    "none": Projection,
}


def build_encoder(
    cell: str, input_width: int, width: int, depth: int, bidirectional: bool
) -> Encoder:
    """The encoder of a name, with random weights.

    Args:
        cell: One of `ENCODERS`.
        input_width: Width of the word vectors.
        width: Width of its states in one direction.
        depth: Layers.
        bidirectional: Whether it reads in both directions.
    """
    return ENCODERS[cell](input_width, width, depth, bidirectional=bidirectional)


def check_layers(cell: str, cells: Collection[str], **sizes: int) -> None:
    """Raise ValueError for a cell that is not among `cells`, or a size below 1."""
    if cell not in cells:
        raise ValueError(f"cell must be one of {', '.join(cells)}, not {cell!r}.")
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} ({size}) must be at least 1.")
