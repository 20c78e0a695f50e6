"""A bidirectional LSTM on padded batches, with fused kernels and its dropout."""

import functools
from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn

from spacy_gfl.neural.keeping import Keeping

#: What PyTorch calls an LSTM among its recurrent layers.
_LSTM_MODE = 2


class LSTM(Keeping, nn.LSTM):
    """An LSTM layer whose parameters' types are known, batch first.

    Its states depend on a matrix for the input and one for the state before, each
    with the rows of i, f, g, o in this order.
    """

    weight_ih_l0: nn.Parameter
    weight_hh_l0: nn.Parameter
    bias_ih_l0: nn.Parameter
    bias_hh_l0: nn.Parameter

    def states(self, inputs: Tensor) -> Tensor:
        """Read sentences from the first word on.

        Args:
            inputs: `(batch, words, input width)`.

        Returns:
            The states at all words, `(batch, words, width)`.
        """
        if torch.is_grad_enabled() or not _can_pack(inputs.device.type, inputs.dtype):
            return self(inputs)[0]
        return self._packed_states(inputs)

    def _packed_states(self, inputs: Tensor) -> Tensor:
        # `forward` brings the weights into oneDNN's order anew at every call, which
        # takes as long as a dozen words of one sentence.
        packed = self.keep("packed", self._packed)
        zeros = inputs.new_zeros(1, len(inputs), self.hidden_size)
        states, *_ = torch.ops.aten.mkldnn_rnn_layer(
            # Steps first, and in this order in memory: it does not look.
            inputs.transpose(0, 1).contiguous(),
            *packed,
            self.bias_ih_l0,
            self.bias_hh_l0,
            zeros,
            zeros,
            reverse=False,
            batch_sizes=[],
            mode=_LSTM_MODE,
            hidden_size=self.hidden_size,
            num_layers=1,
            has_biases=True,
            bidirectional=False,
            batch_first=False,
            train=False,
        )
        return states.transpose(0, 1)

    def _packed(self) -> list[Tensor]:
        return torch.ops.mkldnn._reorder_mkldnn_rnn_layer_weight(
            self.weight_ih_l0,
            self.weight_hh_l0,
            hidden_size=self.hidden_size,
            reverse=False,
            has_biases=True,
            batch_first=False,
        )


@functools.cache
def _can_pack(device: str, dtype: torch.dtype) -> bool:
    """Whether oneDNN's LSTM takes weights that are packed for it.

    These operators are there for PyTorch's compiler. As nobody promises that they
    stay, they are tried before they are used.
    """
    if device != "cpu" or dtype not in (torch.float32, torch.bfloat16):
        return False
    # Outside inference mode, where changes of weights are not counted.
    with torch.inference_mode(False), torch.no_grad():
        with torch.random.fork_rng(devices=[]):
            layer = LSTM(3, 4, batch_first=True).to(dtype)
        inputs = torch.linspace(-1, 1, 30).view(2, 5, 3).to(dtype)
        try:
            found = layer._packed_states(inputs)
        except (AttributeError, RuntimeError, TypeError):
            return False
        return torch.allclose(found, layer(inputs)[0], atol=1e-2)


class BiLSTMEncoder(nn.Module):
    """Layers of two LSTMs, one a direction.

    Batches are padded, not packed: packed sequences leave the CPU's fused kernel.
    Instead the backward direction reads sentences that are reversed by index.

    Args:
        input_width: Width of the word vectors.
        width: Units of a layer in one direction.
        depth: Number of layers.
    """

    def __init__(self, input_width: int, width: int, depth: int) -> None:
        super().__init__()
        self.width = width
        widths = [input_width] + [2 * width] * (depth - 1)
        self.forwards = nn.ModuleList(lstm(w, width) for w in widths)
        self.backwards = nn.ModuleList(lstm(w, width) for w in widths)

    def forward(
        self,
        vectors: Tensor,
        lengths: Tensor,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
    ) -> tuple[Tensor, Tensor]:
        """Read padded sentences.

        Args:
            vectors: `(batch, words, input_width)`, sentences padded at the end.
            lengths: `(batch,)`, the words of each sentence.
            dropout: Probability of dropping a value of the input and the output of
                each layer, the same values for all words of a sentence.
            recurrent_dropout: Probability of dropping a weight between the states of
                two words (Merity et al. 2018, section 2).

        Returns:
            The top layer's states in either direction, `(batch, words, width)` each:
            of the words up to and with a word, and of those from it on. Zero at
            padding.
        """
        n_words = vectors.shape[1]
        places = torch.arange(n_words, device=vectors.device)
        real = places < lengths.unsqueeze(1)
        # Padding stays where it is, words change places.
        mirrored = torch.where(real, lengths.unsqueeze(1) - 1 - places, places)
        # In memory words come first and sentences second, as the kernels read them.
        layer = vectors
        layers = zip(self.forwards, self.backwards, strict=True)
        for ahead, back in cast(Iterable[tuple[LSTM, LSTM]], layers):
            layer = drop_features(layer, dropout, self.training)
            left = run(ahead, layer, recurrent_dropout, self.training)
            flipped = reorder(layer, mirrored)
            right = reorder(
                run(back, flipped, recurrent_dropout, self.training), mirrored
            )
            both = [left.transpose(0, 1), right.transpose(0, 1)]
            layer = torch.cat(both, dim=2).transpose(0, 1)
        layer = drop_features(layer, dropout, self.training)
        layer = layer * real.unsqueeze(2)
        return layer[:, :, : self.width], layer[:, :, self.width :]


def lstm(input_width: int, width: int) -> LSTM:
    """An LSTM layer with gates of unit gain that at first forgets little."""
    layer = LSTM(input_width, width, batch_first=True)
    for name, parameter in layer.named_parameters():
        if name.startswith("weight_ih"):
            for gate in parameter.data.chunk(4):
                nn.init.xavier_uniform_(gate)
        elif name.startswith("weight_hh"):
            for gate in parameter.data.chunk(4):
                nn.init.orthogonal_(gate)
        else:
            nn.init.zeros_(parameter)
            if name.startswith("bias_ih"):
                nn.init.ones_(parameter.data.chunk(4)[1])
    return layer


def run(layer: LSTM, inputs: Tensor, recurrent_dropout: float, train: bool) -> Tensor:
    """The layer's states `(batch, words, width)`."""
    if not train or recurrent_dropout == 0:
        return layer.states(inputs)
    weight = nn.functional.dropout(layer.weight_hh_l0, recurrent_dropout)
    parameters = {"weight_hh_l0": weight}
    return torch.func.functional_call(layer, parameters, (inputs,))[0]


def drop_features(vectors: Tensor, rate: float, train: bool) -> Tensor:
    """Dropout with one mask a sentence: `vectors` are `(batch, words, width)`."""
    if not train or rate == 0:
        return vectors
    mask = torch.ones_like(vectors[:, :1])
    return vectors * nn.functional.dropout(mask, rate)


def reorder(vectors: Tensor, places: Tensor) -> Tensor:
    """The words of each sentence in the order of `places`, `(batch, words)`.

    What comes out stands in memory as it does in the encoder: words first.
    """
    n_sents, n_words = places.shape
    rows = places.t() * n_sents + torch.arange(n_sents, device=places.device)
    words = vectors.transpose(0, 1).flatten(0, 1).index_select(0, rows.flatten())
    return words.view(n_words, n_sents, -1).transpose(0, 1)
