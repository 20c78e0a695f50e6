"""A network's weights as bytes, in full or in a few bits each, and back."""

import io
import json
import math
import pickle
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from spacy_gfl.layers.process import lacks_memory, on

#: Attribute of a module: in how many bits a weight is saved.
SAVED_BITS = "saved_bits"
#: Attribute of a module: by name, in how many bits other weights are saved.
_OTHER_BITS = "saved_in_other_bits"
#: A deflated matrix is this many times its bytes at most: `_keep` writes a bit or more
#: per weight. What says to be larger is refused.
_MAX_RATIO = 8
#: Steps of a weight on either side of zero, at most.
_MOST_STEPS = 127
#: A largest weight counts as this many times the root mean square of its row at most.
_MOST_OF_ROOT = 4
#: A row that has steps of this part of what it would have now, at least, keeps them.
_LIKE = 0.7
#: Numbers of steps that differ by less are equal.
_EQUAL = 1e-3
_OTHER_SIZES = "Its settings and its weights are of different sizes."


def quantize_rows(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Quantize a matrix: round each row to steps of its largest weight.

    A few weights of a pretrained transformer are many times as large as all others, so
    what counts as the largest in under 8 bits is at most four times the root mean
    square of its row, and outliers have more steps. A matrix that has been quantized
    once is not changed by being quantized again.

    Args:
        matrix: Weights; of more than two dimensions, what is under the first is a row.
        bits: Bits per weight, 2 to 8: there are `2 ** (bits - 1) - 1` steps on either
            side of zero, and at most 127 for outliers.

    Returns:
        How many steps each weight has, as int8 in the shape of the matrix, and the
        step of each row in float32.
    """
    rows = matrix.detach().float().cpu().flatten(1)
    scales = _steps_of_rows(rows, bits)
    # The step of what has been quantized is its smallest weight.
    sizes = rows.abs()
    least = torch.where(sizes > 0, sizes, torch.inf).amin(1)
    [like] = ((least >= _LIKE * scales) & least.isfinite()).nonzero(as_tuple=True)
    counts = sizes[like] / least[like, None]
    is_whole = ((counts - counts.round()).abs() < _EQUAL).all(1)
    like = like[is_whole & (counts.amax(1) < _MOST_STEPS + 0.5)]
    scales[like] = least[like]
    steps = (rows / scales[:, None]).round().to(torch.int8)
    return steps.reshape(matrix.shape), scales


def _steps_of_rows(rows: Tensor, bits: int) -> Tensor:
    """The step of each row of weights, of which none has been quantized."""
    largest = rows.abs().amax(1)
    bound = _MOST_OF_ROOT * rows.square().mean(1).sqrt()
    scales = torch.minimum(largest, bound) / (2 ** (bits - 1) - 1)
    scales = torch.maximum(scales, largest / _MOST_STEPS)
    # Rows of zeros.
    return scales.clamp_(min=torch.finfo(torch.float32).tiny)


def dequantize_rows(steps: Tensor, scales: Tensor) -> Tensor:
    """The weights that `quantize_rows` quantized, in float32.

    Raises:
        RuntimeError: If there are more or fewer rows than steps of rows.
    """
    rows = steps.reshape(len(scales), -1) * scales[:, None]
    return rows.reshape(steps.shape)


class Rounded(torch.autograd.Function):
    """A matrix as it is after `quantize_rows`; its gradient is that of the matrix.

    The straight-through estimator of Bengio et al. (2013), section 4.
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, bits: int) -> Tensor:
        """Round to steps of each row's largest weight."""
        scales = _steps_of_rows(matrix, bits)[:, None]
        return (matrix / scales).round_().mul_(scales)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Hand the gradient on."""
        return gradients[0], None


def save_in_bits(
    module: nn.Module, bits: int, others: Mapping[str, int] | None = None
) -> None:
    """Choose how a module's weights are saved, this time and after every loading.

    Fewer bits make the file smaller. In memory the weights stay as they are, and
    loading gives the module its usual precision.

    Args:
        module: The module of a `NetworkShim`.
        bits: Bits per weight: 32, 16 (float16), or 2 to 8, where matrices are
            quantized (`quantize_rows`) and deflated.
        others: Bits per weight of parameters that differ, by name.

    Raises:
        ValueError: If a number of bits is another.
    """
    for number in (bits, *(others or {}).values()):
        if number not in (32, 16) and not 2 <= number <= 8:
            raise ValueError(
                f"Weights are saved in 32, 16 or 2 to 8 bits, not {number}."
            )
    setattr(module, SAVED_BITS, bits)
    setattr(module, _OTHER_BITS, dict(others or {}))


def saved_bits(module: nn.Module, name: str) -> int:
    """In how many bits a module's parameter of a name is saved."""
    usual = getattr(module, SAVED_BITS, 32)
    return getattr(module, _OTHER_BITS, {}).get(name, usual)


@on(torch.device("cpu"))
def save_module(module: nn.Module | None) -> bytes:
    """A module's settings and weights as bytes; none for an uninitialised one."""
    if module is None:
        return b""
    buffer = io.BytesIO()
    settings = json.dumps(getattr(module, "settings", {}), ensure_ascii=False)
    saved = {
        "settings": settings,
        "bits": getattr(module, SAVED_BITS, 32),
        "state": {
            name: _keep(tensor, saved_bits(module, name))
            for name, tensor in module.state_dict().items()
        },
    }
    if others := getattr(module, _OTHER_BITS, {}):
        saved["others"] = others
    torch.save(saved, buffer)
    return buffer.getvalue()


@on(torch.device("cpu"))
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
        MemoryError: If there is too little memory. PyTorch raises RuntimeError.
    """
    if not data:
        return None
    try:
        # Nothing is unpickled but tensors and plain values.
        _check_archive(data)
        saved = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
        state = saved["state"]
        # A tensor can claim to be larger than where it is kept.
        if sum(map(_n_bytes, state.values())) > len(data):
            raise ValueError("Its weights are more than there are bytes.")
        module = build_filled(build, json.loads(saved["settings"]), state)
    except Exception as error:
        if lacks_memory(error):
            raise
        # torch, zipfile, zlib and json each have their own way to say so.
        reason = str(error).partition("\n")[0]
        if isinstance(error, pickle.UnpicklingError):
            reason = "There is something else than weights in it."
        raise ValueError(
            "The parser's weights cannot be loaded: the file is damaged, or none "
            f"that spacy_gfl has saved. {reason}"
        ) from error
    save_in_bits(module, saved["bits"], saved.get("others"))
    return module.to(device)


def build_filled(
    build: Callable[..., nn.Module], settings: dict[str, Any], state: dict[str, Any]
) -> nn.Module:
    """Build a module with given weights; nothing is allocated before all sizes agree.

    Args:
        build: Makes the module of its settings.
        settings: Its arguments.
        state: Each weight by its name, as a tensor or as `save_module` keeps it.

    Raises:
        ValueError: If a weight is missing, of another size, damaged or not known.
    """
    shapes = {name: _shape(kept) for name, kept in state.items()}
    if max(_depths(settings), default=0) > len(state):
        raise ValueError(_OTHER_SIZES)
    # On the meta device weights take no memory and no time.
    with torch.device("meta"), _NormalsUndrawn():
        module = build(**settings)
    planned = module.state_dict()
    if shapes != {name: tuple(tensor.shape) for name, tensor in planned.items()}:
        raise ValueError(_OTHER_SIZES)
    # Of the module's types, each with memory of its own.
    weights = {
        name: _restore(state[name]).to(
            torch.float32 if tensor.is_floating_point() else tensor.dtype, copy=True
        )
        for name, tensor in planned.items()
    }
    module.load_state_dict(weights, assign=True)
    return module


def _depths(settings: Any) -> Iterator[int]:
    """What settings, and settings of members among them, say of numbers of layers."""
    waiting = [settings]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found.get("depth", 0)
        if isinstance(found, (dict, list)):
            waiting += found.values() if isinstance(found, dict) else found


def _keep(tensor: Tensor, bits: int) -> Any:
    """A tensor as `save_module` saves it, with memory of its own.

    Where a tensor is a part of a larger one, as an LSTM's weights are on a GPU, PyTorch
    would save the larger one.
    """
    if bits == 16 and tensor.is_floating_point():
        return tensor.half()
    if bits >= 16 or tensor.dim() < 2 or not tensor.is_floating_point():
        return tensor.detach().cpu().clone()
    steps, scales = quantize_rows(tensor, bits)
    # Weights repeat no sequences: looking for them makes 4 bits 13 % longer.
    packer = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    deflated = bytearray(packer.compress(steps.numpy().tobytes()) + packer.flush())
    return {
        "shape": list(steps.shape),
        "deflated": torch.frombuffer(deflated, dtype=torch.uint8),
        "scales": scales,
    }


def _shape(kept: Any) -> tuple[int, ...]:
    """The shape of the tensor that `_keep` took."""
    if isinstance(kept, dict):
        return tuple(kept["shape"] if "shape" in kept else kept["steps"].shape)
    return tuple(kept.shape)


def _n_bytes(kept: Any) -> int:
    """How many bytes what is kept of a tensor claims to have, at least."""
    tensors = kept.values() if isinstance(kept, dict) else [kept]
    return sum(tensor.numel() for tensor in tensors if isinstance(tensor, Tensor))


def _restore(kept: Any) -> Tensor:
    """The tensor that `_keep` took, with quantized weights."""
    if not isinstance(kept, dict):
        return kept
    if "steps" in kept:  # as before spacy_gfl 1.0.0
        return dequantize_rows(kept["steps"], kept["scales"])
    shape, deflated = kept["shape"], kept["deflated"]
    size = math.prod(shape)
    if size > _MAX_RATIO * len(deflated):
        raise ValueError(f"{len(deflated):,} bytes would become {size:,}.")
    decompressor = zlib.decompressobj()
    # One byte more than there should be, or else the checksum is not read.
    steps = decompressor.decompress(deflated.numpy().tobytes(), size + 1)
    if not decompressor.eof or len(steps) != size:
        raise ValueError(f"Its weights are not {size:,} numbers.")
    matrix = torch.frombuffer(bytearray(steps), dtype=torch.int8).reshape(shape)
    return dequantize_rows(matrix, kept["scales"])


def _check_archive(data: bytes) -> None:
    """Refuse what takes more memory than the file, or is damaged: torch does not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_bytes = sum(member.file_size for member in archive.infolist())
        if n_bytes > len(data):
            raise ValueError(f"{len(data):,} bytes would become {n_bytes:,} in memory.")
        if damaged := archive.testzip():
            raise ValueError(f"The weights are damaged (in {damaged}).")


class _NormalsUndrawn(TorchFunctionMode):
    """Fills no tensors at random; on the meta device, torch would load its compiler."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.__name__ == "normal_":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
