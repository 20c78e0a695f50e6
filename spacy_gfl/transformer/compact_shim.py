"""A transformer whose matrices are saved in a few bits a weight (spacy-transformers).

Only what registers it imports this module: it needs `spacy-gfl[transformers]`.
"""

import io
import math
import zlib
from collections.abc import Iterator
from typing import Any

import srsly
import torch
from spacy_transformers.layers.hf_shim import HFShim
from thinc.types import ArgsKwargs
from torch import Tensor

from spacy_gfl.layers.forks import one_thread_after_fork
from spacy_gfl.layers.products import Precision, resolve_precision
from spacy_gfl.model.weights import dequantize_rows, quantize_rows

#: Word pieces, with padding, that are read at a time.
BATCH_PIECES = 4096
#: How many times as long as the shortest of a batch the longest may be.
MAX_STRETCH = 1.25


class CompactShim(HFShim):
    """spacy-transformers' shim with weights saved in few bits, and for workers.

    Like the parser's (`NetworkShim`), it predicts in one thread where this process has
    been forked, and leaves the module in evaluation mode: several threads share it.
    """

    bits: int
    precision: Precision

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The transformer's output in evaluation mode, without gradients.

        Spans are read with spans of like length: they come padded to the longest of
        their Doc, most of them to many times their length.

        Args:
            inputs: What the transformer's `forward` takes, tensors of spans by pieces.

        Returns:
            The transformer's output, in the order and the shape of its inputs.
        """
        module, pieces = self._model, inputs.kwargs
        config, mask = module.config, pieces["attention_mask"]
        is_padded_left = not bool(mask[:, 0].all())
        if config.output_hidden_states or config.output_attentions or is_padded_left:
            # Where other outputs are asked for, or words come after the padding,
            # spans are read all at once, as by spacy-transformers.
            return super().predict(inputs)
        module.eval()
        rough = resolve_precision(self.precision, mask.device) == "bf16"
        with (
            one_thread_after_fork(),
            torch.no_grad(),
            torch.autocast("cuda", enabled=self._mixed_precision),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled=rough),
        ):
            lengths = mask.sum(1)
            states = mask.new_zeros(
                (*mask.shape, config.hidden_size), dtype=torch.float
            )
            for rows in _of_one_length(lengths):
                n = int(lengths[rows].max())
                part = {name: tensor[rows, :n] for name, tensor in pieces.items()}
                output = module(**part)
                states[rows, :n] = output.last_hidden_state.float()
        return type(output)(last_hidden_state=states)

    def to_bytes(self) -> bytes:
        """The transformer, its tokenizer and its quantized weights."""
        with one_thread_after_fork():
            saved = srsly.msgpack_loads(super().to_bytes())
            if saved["state"]:
                saved["state"] = deflate_state(saved["state"], self.bits)
        return srsly.msgpack_dumps(saved)

    def from_bytes(self, bytes_data: bytes) -> "CompactShim":
        """Load what was saved here or by spacy-transformers.

        Raises:
            ValueError: If the weights are damaged.
        """
        saved = srsly.msgpack_loads(bytes_data)
        if set(saved["tokenizer"].get("kwargs", {})) - {"use_fast"}:
            # One of them is to run code that comes with a tokenizer.
            raise ValueError(
                "The transformer's tokenizer has settings it may not have."
            )
        with one_thread_after_fork():
            if isinstance(saved["state"], dict):
                saved["state"] = inflate_state(saved["state"])
            super().from_bytes(srsly.msgpack_dumps(saved))
        return self


def _of_one_length(lengths: Tensor) -> Iterator[Tensor]:
    """Indices of spans in batches of about one length, the shortest first."""
    order = lengths.argsort()
    start = 0
    shortest = int(lengths[order[0]])
    for end, length in enumerate(lengths[order].tolist()):
        is_full = (end + 1 - start) * length > BATCH_PIECES
        if end > start and (is_full or length > MAX_STRETCH * shortest):
            yield order[start:end]
            start, shortest = end, length
    yield order[start:]


_MAX_RATIO = 100


def deflate_state(data: bytes, bits: int) -> dict[str, dict[str, Any]]:
    """The weights of a transformer, quantized to 2 to 8 bits, by name, as plain data.

    `data` is what `torch.save` made of the module's state.
    """
    state = torch.load(io.BytesIO(data), weights_only=True)
    return {name: _deflate(tensor, bits) for name, tensor in state.items()}


def inflate_state(packed: dict[str, dict[str, Any]]) -> bytes:
    """The bytes that `torch.save` makes of the weights that `deflate_state` took.

    Raises:
        ValueError: If the weights are damaged.
    """
    state = {}
    for name, kept in packed.items():
        try:
            state[name] = _inflate(kept)
        except (ValueError, TypeError, KeyError, RuntimeError, zlib.error) as error:
            raise ValueError(
                "The transformer's weights cannot be loaded: the file is damaged "
                f"({name}: {error})."
            ) from error
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def _deflate(tensor: Tensor, bits: int) -> dict[str, Any]:
    """A tensor as bytes; a matrix is quantized and deflated.

    Whole numbers, such as the places of word pieces, are no weights: they stay exact.
    """
    shape = list(tensor.shape)
    if tensor.dim() < 2 or not tensor.is_floating_point():
        return {"shape": shape, "data": tensor.float().cpu().numpy().tobytes()}
    steps, scales = quantize_rows(tensor, bits)
    data = zlib.compress(steps.numpy().tobytes(), 9)
    return {"shape": shape, "scales": scales.numpy().tobytes(), "data": data}


def _inflate(packed: dict[str, Any]) -> Tensor:
    """The tensor that `_deflate` took, with quantized weights."""
    shape, data = packed["shape"], packed["data"]
    size = math.prod(shape)
    if "scales" not in packed:
        return torch.frombuffer(bytearray(data), dtype=torch.float32).reshape(shape)
    if not 0 <= size <= _MAX_RATIO * len(data):
        raise ValueError(f"{len(data):,} bytes would become {size:,}")
    decompressor = zlib.decompressobj()
    # One byte more than there should be, or else the checksum is not read.
    steps = decompressor.decompress(data, size + 1)
    if not decompressor.eof or len(steps) != size:
        raise ValueError(f"they are not {size:,} numbers")
    scales = torch.frombuffer(bytearray(packed["scales"]), dtype=torch.float32)
    matrix = torch.frombuffer(bytearray(steps), dtype=torch.int8).reshape(shape)
    return dequantize_rows(matrix, scales)
