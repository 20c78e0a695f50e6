"""A network's weights as bytes, in full or in a few bits each, and back."""

import io
import json
import math
import pickle
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from spacy_gfl.layers.forks import one_thread_after_fork

#: Attribute of a module: in how many bits a weight is saved.
SAVED_BITS = "saved_bits"
#: A deflated matrix that says to be larger than this many times its bytes is refused.
_MAX_RATIO = 100


def quantize_rows(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Quantize a matrix: round each row to steps of its largest weight.

    A matrix that has been quantized once is not changed by being quantized again.

    Args:
        matrix: Weights; of more than two dimensions, what is under the first is a row.
        bits: Bits per weight, 2 to 8: there are `2 ** (bits - 1) - 1` steps on either
            side of zero.

    Returns:
        How many steps each weight has, as int8 in the shape of the matrix, and the
        step of each row in float32.
    """
    rows = matrix.detach().float().cpu().flatten(1)
    scales = rows.abs().amax(1) / (2 ** (bits - 1) - 1)
    # Rows of zeros.
    scales.clamp_(min=torch.finfo(torch.float32).tiny)
    steps = (rows / scales[:, None]).round().to(torch.int8)
    return steps.reshape(matrix.shape), scales


def dequantize_rows(steps: Tensor, scales: Tensor) -> Tensor:
    """The weights that `quantize_rows` quantized, in float32.

    Raises:
        RuntimeError: If there are more or fewer rows than steps of rows.
    """
    rows = steps.reshape(len(scales), -1) * scales[:, None]
    return rows.reshape(steps.shape)


def save_in_bits(module: nn.Module, bits: int) -> None:
    """Choose how a module's weights are saved, this time and after every loading.

    Fewer bits make the file smaller. In memory the weights stay as they are, and
    loading gives the module its usual precision.

    Args:
        module: The module of a `NetworkShim`.
        bits: Bits per weight: 32, 16 (float16), or 2 to 8, where matrices are
            quantized (`quantize_rows`) to a byte per weight.

    Raises:
        ValueError: If the number of bits is another.
    """
    if bits not in (32, 16) and not 2 <= bits <= 8:
        raise ValueError(f"Weights are saved in 32, 16 or 2 to 8 bits, not {bits}.")
    setattr(module, SAVED_BITS, bits)


@one_thread_after_fork()
def save_module(module: nn.Module | None) -> bytes:
    """A module's settings and weights as bytes; none for an uninitialised one."""
    if module is None:
        return b""
    buffer = io.BytesIO()
    bits = getattr(module, SAVED_BITS, 32)
    settings = json.dumps(getattr(module, "settings", {}))
    state = {name: _keep(tensor, bits) for name, tensor in module.state_dict().items()}
    torch.save({"settings": settings, "bits": bits, "state": state}, buffer)
    return buffer.getvalue()


@one_thread_after_fork()
def load_module(
    build: Callable[..., nn.Module],
    model: nn.Module | None,
    data: bytes,
    device: torch.device,
) -> nn.Module | None:
    """Build the module that `save_module` saved, of its settings, on a device.

    The signature is that of thinc's: the module before (`model`) is not looked at.

    Raises:
        ValueError: If the data are damaged or something else than weights.
    """
    if not data:
        return None
    try:
        # Nothing is unpickled but tensors and plain values.
        _check_archive(data)
        saved = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
        settings = json.loads(saved["settings"])
        # A tensor can claim to be larger than where it is kept.
        if _count(saved["state"]) > len(data):
            raise ValueError("Its weights are more than there are bytes.")
        state = {
            name: dequantize_rows(**kept) if isinstance(kept, dict) else kept
            for name, kept in saved["state"].items()
        }
        module = _plan(build, settings, state)
    except Exception as error:
        # torch, zipfile and json each have their own way to say so.
        reason = str(error).partition("\n")[0]
        if isinstance(error, pickle.UnpicklingError):
            reason = "There is something else than weights in it."
        raise ValueError(
            "The parser's weights cannot be loaded: the file is damaged, or none "
            f"that spacy_gfl has saved. {reason}"
        ) from error
    # Of the module's types, each with memory of its own.
    weights = {
        name: state[name].to(planned.dtype, copy=True)
        for name, planned in module.state_dict().items()
    }
    module.load_state_dict(weights, assign=True)
    save_in_bits(module, saved["bits"])
    return module.to(device)


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


def _keep(tensor: Tensor, bits: int) -> Any:
    """A tensor as `save_module` saves it."""
    if bits == 32 or not tensor.is_floating_point():
        return tensor
    if bits == 16 or tensor.dim() < 2:
        return tensor.half()
    steps, scales = quantize_rows(tensor, bits)
    return {"steps": steps, "scales": scales}


def _count(state: dict[str, Any]) -> int:
    """How many numbers there are in what is saved."""
    return sum(
        tensor.numel()
        for kept in state.values()
        for tensor in (kept.values() if isinstance(kept, dict) else [kept])
    )


def _check_archive(data: bytes) -> None:
    """Refuse what takes more memory than the file, or is damaged: torch does not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_bytes = sum(member.file_size for member in archive.infolist())
        if n_bytes > len(data):
            raise ValueError(f"{len(data):,} bytes would become {n_bytes:,} in memory.")
        if damaged := archive.testzip():
            raise ValueError(f"The weights are damaged (in {damaged}).")


def _plan(
    build: Callable[..., nn.Module], settings: dict[str, Any], state: dict[str, Tensor]
) -> nn.Module:
    """The module on the meta device, where its weights take no memory and no time."""
    if settings.get("depth", 0) <= len(state):
        with torch.device("meta"), _NormalsUndrawn():
            module = build(**settings)
        planned = module.state_dict()
        found = {name: tensor.shape for name, tensor in state.items()}
        if found == {name: tensor.shape for name, tensor in planned.items()}:
            return module
    raise ValueError("Its settings and its weights are of different sizes.")


class _NormalsUndrawn(TorchFunctionMode):
    """Fills no tensors at random; on the meta device, torch would load its compiler."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.__name__ == "normal_":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


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
