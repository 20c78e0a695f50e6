"""A network's weights as bytes, in full or in a few bits each, and back."""

import io
import json
import math
import pickle
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pkgutil import resolve_name
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from spacy_gfl.layers.process import lacks_memory, on

#: Attribute of a module: in how many bits a weight is saved.
SAVED_BITS = "saved_bits"
#: Attribute of a module: by name, in how many bits other weights are saved.
OTHER_BITS = "saved_in_other_bits"
#: A deflated matrix is this many times its bytes at most: `_keep` writes a bit or more
#: per weight. What says to be larger is refused.
_MAX_RATIO = 8
_OTHER_SIZES = "The sizes of its settings and its weights differ."


def dequantize_rows(steps: Tensor, scales: Tensor) -> Tensor:
    """Weights of their steps and the step of each row, in float32.

    Raises:
        RuntimeError: If there are more or fewer rows than steps of rows.
    """
    rows = steps.reshape(len(scales), -1) * scales[:, None]
    return rows.reshape(steps.shape)


def saved_bits(module: nn.Module, name: str) -> int:
    """In how many bits a module's parameter of a name is saved."""
    usual = getattr(module, SAVED_BITS, 32)
    return getattr(module, OTHER_BITS, {}).get(name, usual)


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
    if others := getattr(module, OTHER_BITS, {}):
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
            raise ValueError("It declares more weights than it has bytes.")
        module = build_filled(build, json.loads(saved["settings"]), state)
    except Exception as error:
        if lacks_memory(error):
            raise
        # torch, zipfile, zlib and json each have their own way to say so.
        reason = str(error).partition("\n")[0]
        if isinstance(error, pickle.UnpicklingError):
            reason = "It has something other than weights."
        raise ValueError(
            "The parser's weights cannot be loaded: the file is damaged, or "
            f"spacy_gfl has not saved it. {reason}"
        ) from error
    setattr(module, SAVED_BITS, saved["bits"])
    setattr(module, OTHER_BITS, saved.get("others") or {})
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
    """The numbers of layers in settings, and in settings of members among them."""
    waiting = [settings]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value.get("depth", 0)
            waiting += value.get("members", ())


def _keep(tensor: Tensor, bits: int) -> Any:
    """A tensor as `save_module` saves it, with memory of its own.

    Where a tensor is a part of a larger one, as an LSTM's weights are on a GPU, PyTorch
    would save the larger one.
    """
    if bits == 16 and tensor.is_floating_point():
        return tensor.half()
    if bits >= 16 or tensor.dim() < 2 or not tensor.is_floating_point():
        return tensor.detach().cpu().clone()
    # Above, for those who train: most weights are saved as they are.
    return resolve_name("spacy_gfl.tools.training.few_bits:pack_matrix")(tensor, bits)


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
        raise ValueError(f"It does not have {size:,} weights.")
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
