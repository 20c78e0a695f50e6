"""Recurrent layers on padded batches, in two directions or one, and their dropout."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import Any, cast

import torch
from torch import Tensor, nn

from spacy_gfl.layers.process import on_device
from spacy_gfl.layers.products import LSTM, linear_map, read

#: Weights around the paper's cell start uniformly in [-START, START] (Sutskever et
#: al. 2014). Nothing bounds its h = m * o: from larger weights gradients explode.
START = 0.08

#: A layer's hidden vector h and its memory m, each `(batch, width)`.
State = tuple[Tensor, Tensor]


def lstm_step(sums: Tensor, memory: Tensor, bounded: bool) -> State:
    """An LSTM's h and m after a step.

    Args:
        sums: Of i, f, i', o, before the gates' logistic function and the tanh of i',
            `(batch, 4 * width)`.
        memory: m before the step, `(batch, width)`.
        bounded: Whether h is made of tanh(m), or of m as in the paper.
    """
    i, f, candidate, o = sums.chunk(4, dim=1)
    memory = memory * f.sigmoid() + i.sigmoid() * candidate.tanh()
    return (memory.tanh() if bounded else memory) * o.sigmoid(), memory


class PaperLSTM(LSTM):
    """An LSTM layer with the paper's h = m * o, step by step: no kernel has it."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Read sentences from the first word on, as `torch.nn.LSTM` does.

        Args:
            input: `(batch, words, input width)`.
            hx: h and m before the first word, `(1, batch, width)` each; None for zeros.

        Returns:
            The states at all words `(batch, words, width)`, and h and m after the last.
        """
        bias = self.bias_ih_l0 + self.bias_hh_l0
        projected = linear_map(self.weight_ih_l0, bias)(input)
        recurrent = linear_map(self.weight_hh_l0)
        if hx is None:
            hidden = memory = input.new_zeros(len(input), self.hidden_size)
        else:
            hidden, memory = hx[0][0], hx[1][0]
        states = []
        for sums in projected.unbind(1):
            sums = sums + recurrent(hidden)
            hidden, memory = lstm_step(sums, memory, bounded=False)
            states.append(hidden)
        last = hidden.unsqueeze(0), memory.unsqueeze(0)
        return torch.stack(states, dim=1), last


#: The layers that there are: the usual LSTM, the paper's (h = m * o), GRU, and Elman's
#: RNN (h' = tanh(W x + U h + b)).
LAYERS: dict[str, Callable[..., nn.RNNBase]] = {
    "lstm": LSTM,
    "paper": PaperLSTM,
    "gru": nn.GRU,
    "rnn": nn.RNN,
}


def check_layers(cell: str, cells: Collection[str], **sizes: int) -> None:
    """Raise ValueError for a cell that is not among `cells`, or a size below 1."""
    if cell not in cells:
        raise ValueError(f"cell must be one of {', '.join(cells)}, not {cell!r}.")
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} ({size}) must be at least 1.")


class RecurrentStack(nn.Module):
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
            raise ValueError(f"The longest sentence must stand first, not {lengths}.")
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


def lstm(input_width: int, width: int) -> LSTM:
    """An LSTM layer with gates of unit gain."""
    return cast(LSTM, recurrent(input_width, width, "lstm"))


def recurrent(input_width: int, width: int, cell: str) -> nn.RNNBase:
    """A recurrent layer, one of `LAYERS`, with gates of unit gain."""
    layer = LAYERS[cell](input_width, width, batch_first=True)
    for name, parameter in layer.named_parameters():
        gates = parameter.data.split(width)
        if name.startswith("weight_ih"):
            for gate in gates:
                nn.init.xavier_uniform_(gate)
        elif name.startswith("weight_hh"):
            for gate in gates:
                nn.init.orthogonal_(gate)
        else:
            # The attach-juxtapose decoder's network learns worse with a bias of 1 for
            # the forget gate (experiments/training/README.md).
            nn.init.zeros_(parameter)
        if cell == "paper":
            nn.init.uniform_(parameter, -START, START)
    return layer


def drop_features(vectors: Tensor, rate: float, train: bool) -> Tensor:
    """Dropout with one mask a sentence: `vectors` are `(batch, words, width)`."""
    if not train or rate == 0:
        return vectors
    mask = torch.ones_like(vectors[:, :1])
    return vectors * nn.functional.dropout(mask, rate)


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
