"""A pretrained encoder of curated-transformers, from Docs' pieces to word vectors."""

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, cast

import numpy
import torch
from curated_transformers.layers import AttentionMask
from curated_transformers.models import (
    ALBERTEncoder,
    BERTEncoder,
    CamemBERTEncoder,
    RoBERTaEncoder,
    XLMREncoder,
)
from spacy.tokens import Doc
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from spacy_gfl.layers.linear import adopt_linear_maps, following
from spacy_gfl.layers.process import on_device
from spacy_gfl.layers.weight_cache import WeightCache
from spacy_gfl.model.weights import build_filled, saved_bits
from spacy_gfl.transformer.mpnet import MPNetEncoder
from spacy_gfl.transformer.pieces import (
    PieceBatch,
    make_tokenizer,
    read_pieces,
    trim,
)

ENCODERS = {
    "albert": ALBERTEncoder,
    "bert": BERTEncoder,
    "camembert": CamemBERTEncoder,
    "mpnet": MPNetEncoder,
    "roberta": RoBERTaEncoder,
    "xlm-roberta": XLMREncoder,
}
#: The settings that an encoder takes from a config of Hugging Face: its sizes.
SIZES = (
    "model_type",
    "vocab_size",
    "hidden_size",
    "embedding_size",
    "intermediate_size",
    "num_attention_heads",
    "num_hidden_groups",
    "relative_attention_num_buckets",
    "inner_group_num",
    "max_position_embeddings",
    "type_vocab_size",
    "pad_token_id",
    "hidden_act",
    "layer_norm_eps",
)
MAX_LAYERS = 100
#: What says how many layers there are, once more. Sizes are those of weights, which
#: are compared; these make modules before there is anything to compare.
_COUNTS = ("num_hidden_groups", "inner_group_num")
#: Word pieces, with padding, that are read at a time; by any GPU, as many as by CUDA.
BATCH_PIECES = {"cpu": 4096, "cuda": 65_536}
#: How many times as long as the shortest of a batch the longest may be.
MAX_STRETCH = 1.25
#: The numbers of pieces that are read together.
_Window = list[int] | numpy.ndarray
#: The parameter with the vectors of word pieces.
PIECES = "encoder.embeddings.piece_embeddings.weight"


class TransformerEncoder(WeightCache):
    """An encoder with its tokenizer.

    Args:
        config: `SIZES` of a config of Hugging Face.
        n_layers: The first so many of its layers, 1 to 100.
        tokenizer: The settings of its `tokenizer.json`.
        dropout: Probability of dropping a value in training.

    Raises:
        ValueError: If these are not possible or not known.
    """

    def __init__(
        self,
        *,
        config: Mapping[str, Any],
        n_layers: int,
        tokenizer: dict[str, Any],
        dropout: float,
    ) -> None:
        super().__init__()
        self.settings: dict[str, Any] = {
            "config": dict(config),
            "n_layers": n_layers,
            "tokenizer": tokenizer,
            "dropout": dropout,
        }
        if not 1 <= n_layers <= MAX_LAYERS:
            raise ValueError(
                f"An encoder has 1 to {MAX_LAYERS} layers, not {n_layers}."
            )
        if math.prod(config.get(name, 1) for name in _COUNTS) > MAX_LAYERS:
            raise ValueError(
                f"An encoder has at most {MAX_LAYERS} layers in its groups."
            )
        if unknown := config.keys() - set(SIZES):
            raise ValueError(f"Unknown settings of an encoder: {', '.join(unknown)}.")
        if config["model_type"] not in ENCODERS:
            raise ValueError(
                f"An encoder of {config['model_type']} cannot be read, only one "
                f"of {', '.join(ENCODERS)}."
            )
        self.encoder = ENCODERS[config["model_type"]].from_hf_config(
            hf_config={
                **config,
                "num_hidden_layers": n_layers,
                "hidden_dropout_prob": dropout,
                "attention_probs_dropout_prob": 0.0,
            }
        )
        adopt_linear_maps(self.encoder)
        #: Whether its matrices are rounded as they are saved while it learns.
        self.learns_rounded = False
        self.tokenizer = make_tokenizer(tokenizer)
        highest = max(self.tokenizer.get_vocab().values(), default=-1)
        if not 0 <= highest < config["vocab_size"]:
            raise ValueError("The tokenizer and the encoder have different pieces.")

    def read(self, docs: Sequence[Doc], window: int, overlap: int) -> PieceBatch:
        """The pieces of Docs that `forward` takes: `pieces.read_pieces`."""
        most = self.encoder.max_seq_len
        return read_pieces(self.tokenizer, docs, window, overlap, most)

    def trimmed(self, used: Iterable[int]) -> "TransformerEncoder":
        """An encoder like this with the pieces alone that are used: `pieces.trim`."""
        config, state = self.settings["config"], self.state_dict()
        # RoBERTa counts positions from the number of padding.
        padding = range((config.get("pad_token_id") or 0) + 1)
        tokenizer, kept = trim(self.settings["tokenizer"], {*used, *padding})
        sizes = {
            "config": {**config, "vocab_size": len(kept)},
            "tokenizer": tokenizer,
        }
        state[PIECES] = state[PIECES][kept]
        settings = {**self.settings, **sizes}
        return cast(
            TransformerEncoder, build_filled(TransformerEncoder, settings, state)
        )

    @property
    def width(self) -> int:
        """The width of its vectors."""
        return self.settings["config"]["hidden_size"]

    def forward(self, batch: PieceBatch) -> Tensor:
        """Vectors `(tokens, width)`: the means of the states of their pieces.

        A token without pieces (white space) has zeros.
        """
        device = next(self.parameters()).device
        states, starts, n_rows = [], numpy.zeros(len(batch.windows), dtype="int64"), 0
        lengths = numpy.array([len(window) for window in batch.windows], dtype="int64")
        padding = self.settings["config"].get("pad_token_id") or 0
        windows: Sequence[_Window] = batch.windows
        encoder, learning = self.encoder, dict[str, Tensor]()
        if torch.is_grad_enabled():
            windows, learning = self._learning(windows, padding)
        elif self.learns_rounded:
            encoder = self.cached("rounded", self._round)
        limit = BATCH_PIECES.get(device.type, BATCH_PIECES["cuda"])
        for chosen in _of_like_length(lengths, limit):
            shape = len(chosen), int(lengths[chosen].max())
            is_piece = numpy.arange(shape[1]) < lengths[chosen, None]
            pieces = numpy.full(shape, padding)
            pieces[is_piece] = numpy.concatenate([windows[i] for i in chosen])
            numbers, mask = on_device(device, pieces, is_piece)
            with following(device):
                output = functional_call(
                    encoder, learning, (numbers, AttentionMask(mask))
                )
            states.append(output.all_outputs[-1].float().flatten(0, 1))
            starts[chosen] = n_rows + shape[1] * numpy.arange(shape[0])
            n_rows += shape[0] * shape[1]
        if not states:
            return next(self.parameters()).new_zeros(len(batch.offsets), self.width)
        # From places among all pieces to those in batches, padding counted.
        shifts = (starts - (lengths.cumsum() - lengths)).repeat(lengths)
        places = batch.places + shifts[batch.places]
        of_tokens, offsets = on_device(device, places, batch.offsets)
        return functional.embedding_bag(
            of_tokens, torch.cat(states), offsets, mode="mean"
        )

    def _learning(
        self, windows: Sequence[_Window], padding: int
    ) -> tuple[Sequence[_Window], dict[str, Tensor]]:
        """Windows with other numbers of pieces, and what stands for matrices.

        The gradient of the vectors of all pieces is as large as the vectors, once for
        each time that they are read. So the vectors of the pieces in use are read once,
        and numbered anew, up to padding as before. An encoder that learns rounded
        computes with the matrices that will be saved.
        """
        # A window without pieces would make them floats.
        some = filter(len, windows)
        pieces = numpy.concatenate([numpy.arange(padding + 1), *some])
        used, numbers = numpy.unique(pieces, return_inverse=True)
        ends = padding + 1 + numpy.cumsum([0, *map(len, windows)])
        name = PIECES.removeprefix("encoder.")
        vectors = self.encoder.get_parameter(name)
        (of_pieces,) = on_device(vectors.device, used)
        weights = {name: functional.embedding(of_pieces, vectors)}
        if self.learns_rounded:
            weights = self._rounded(dict(self.encoder.named_parameters()) | weights)
        return numpy.split(numbers, ends)[1:-1], weights

    def _round(self) -> nn.Module:
        """A copy of the encoder with its matrices rounded."""
        encoder = copy.deepcopy(self.encoder)
        rounded = self._rounded(dict(self.encoder.named_parameters()))
        encoder.load_state_dict(rounded, strict=False)
        return encoder

    def _rounded(self, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The encoder's matrices by name, rounded by rows."""
        # Above, for those who train.
        rounded = resolve_name("spacy_gfl.tools.training.few_bits:Rounded").apply
        return {
            name: cast(Tensor, rounded(weight, saved_bits(self, f"encoder.{name}")))
            for name, weight in weights.items()
            if weight.dim() > 1
        }


def _of_like_length(lengths: numpy.ndarray, size: int) -> Iterator[numpy.ndarray]:
    """Numbers of windows in batches of about one length, the shortest first."""
    order = lengths.argsort(kind="stable")
    order = order[lengths[order] > 0]
    start = 0
    for end in range(1, len(order) + 1):
        if end < len(order):
            length = lengths[order[end]]
            is_full = (end + 1 - start) * length > size
            if not is_full and length <= MAX_STRETCH * lengths[order[start]]:
                continue
        yield order[start:end]
        start = end
