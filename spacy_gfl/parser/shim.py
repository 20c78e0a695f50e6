"""thinc's shim around PyTorch, with PyTorch's Adam and one gradient norm."""

import contextlib
import io
import json
import math
import os
import pickle
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import torch
from spacy.util import logger
from thinc.api import ArgsKwargs, Optimizer, PyTorchShim
from thinc.types import FloatsXd
from thinc.util import convert_recursive, iterate_recursive, torch2xp, xp2torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from spacy_gfl.parser.rounding import restore_rows, round_rows

_IMPORTING_PROCESS = os.getpid()
#: Attribute of a module: in how many bits a weight is saved.
SAVED_BITS = "saved_bits"


@contextlib.contextmanager
def one_thread_after_fork() -> Iterator[None]:
    """Let torch use one thread for a while, if this process has been forked.

    OpenMP's threads stay behind in a fork, and a child that hands them work
    waits for ever: `nlp.pipe(texts, n_process=2)` would never end.
    """
    if os.getpid() == _IMPORTING_PROCESS:
        yield
        return
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


class ParserShim(PyTorchShim):
    """Holds a PyTorch module.

    What thinc's shim lacks: PyTorch's own Adam takes the steps, at thinc's
    settings; the optimizer's averages are used for PyTorch's parameters too;
    gradients are clipped by their global norm (thinc clips tensor by tensor); the
    rate can be a multiple of the optimizer's, which a transformer shares; and a
    batch whose gradients are not finite is left out.

    Args:
        model: The module, or None until the model is initialised.
        build: Makes a module from its settings; used in loading.
        max_gradient_norm: Gradients are scaled down to this norm; 0 never.
        learn_rate_factor: How many times the optimizer's learning rate a step takes.
    """

    def __init__(
        self,
        model: nn.Module | None = None,
        *,
        build: Callable[..., nn.Module],
        max_gradient_norm: float = 0.0,
        learn_rate_factor: float = 1.0,
    ) -> None:
        self.max_gradient_norm = max_gradient_norm
        self.learn_rate_factor = learn_rate_factor
        self._adam: _Adam | None = None
        self._warned = False
        #: Updates that have been finished since it was made or loaded.
        self.n_steps = 0
        self.build = build
        super().__init__(
            model,
            serialize_model=serialize_module,
            deserialize_model=_Deserializer(build),
        )

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without the optimizer's moments."""
        return {**self.__dict__, "_adam": None}

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the module; the next update begins with new moments."""
        self._adam = None
        if self._model is not None:
            super().to_device(device_type, device_id)

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output in evaluation mode, without gradients.

        The module stays in that mode (thinc's shim would set it back), so that it is
        in no other while one of several threads that share it predicts.
        """
        self._model.eval()
        with one_thread_after_fork(), torch.no_grad():
            return self._model(*inputs.args, **inputs.kwargs)

    def begin_update(
        self, inputs: ArgsKwargs
    ) -> tuple[Any, Callable[[ArgsKwargs], ArgsKwargs]]:
        """The module's output in training mode, and its backpropagation.

        A batch whose gradients are not finite is left out: the parameters keep
        the gradients of the batches before, and those of its inputs are zeros.
        One such would make every weight NaN.

        Args:
            inputs: Arguments of the module's forward.

        Returns:
            The result, and a callback that takes the arguments of
            `torch.autograd.backward` and gives the gradients of the inputs.
        """
        output, backprop_all = super().begin_update(inputs)

        def backprop(d_output: ArgsKwargs) -> ArgsKwargs:
            parameters = list(self._model.parameters())
            before = [
                None if parameter.grad is None else parameter.grad.clone()
                for parameter in parameters
            ]
            d_inputs = backprop_all(d_output)
            tensors = iterate_recursive(torch.is_tensor, d_inputs)
            gradients = [p.grad for p in parameters if p.grad is not None]
            if _all_finite([*gradients, *tensors]):
                return d_inputs
            for parameter, gradient in zip(parameters, before, strict=True):
                parameter.grad = gradient
            if not self._warned:
                logger.warning("Left out a batch: its gradients are not finite.")
            self._warned = True
            return convert_recursive(torch.is_tensor, torch.zeros_like, d_inputs)

        return output, backprop

    def finish_update(self, optimizer: Optimizer) -> None:
        """Clip the gradients and take the optimizer's step.

        The step is PyTorch's if the optimizer is Adam, otherwise thinc's.
        Parameters without a gradient are left alone.
        """
        self._warned = False
        self.n_steps += 1
        if self._model is None:
            return
        named = {
            name: parameter
            for name, parameter in self._model.named_parameters()
            if parameter.grad is not None
        }
        if not named:
            return
        if self.max_gradient_norm > 0:
            nn.utils.clip_grad_norm_(named.values(), self.max_gradient_norm)
        with self._own_rate(optimizer):
            if optimizer.use_radam or not (optimizer.b1 > 0 and optimizer.b2 > 0):
                super().finish_update(optimizer)
            else:
                if self._adam is None or not self._adam.serves(self._model, optimizer):
                    self._adam = _Adam(self._model, optimizer)
                self._adam.step()
                for name, parameter in named.items():
                    optimizer.nr_update[self.id, name] += 1
                    keep_average(optimizer, (self.id, name), parameter.data)
        _mark_changed(named.values())
        # Zeros instead would let the optimizer's momentum move the weights in an
        # update that has no trees.
        self._model.zero_grad(set_to_none=True)

    @contextlib.contextmanager
    def _own_rate(self, optimizer: Optimizer) -> Iterator[None]:
        """Take this network's rate: one optimizer steps the whole pipeline."""
        shared = optimizer.learn_rate
        optimizer.learn_rate = shared * self.learn_rate_factor
        try:
            yield
        finally:
            optimizer.learn_rate = shared

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use other parameters for a while, keyed as the optimizer keys them."""
        backup = {}
        named = {} if self._model is None else dict(self._model.named_parameters())
        for name, parameter in named.items():
            value = params.get((self.id, name))
            if value is not None:
                backup[name] = parameter.data
                parameter.data = xp2torch(value, device=self.device)
        _mark_changed(named.values())
        try:
            yield
        finally:
            for name, data in backup.items():
                named[name].data = data
            _mark_changed(named.values())


class _Adam:
    """PyTorch's Adam at the settings of thinc's, with the same numbers.

    Args:
        module: Whose parameters are stepped.
        optimizer: Its settings are read anew at every step.
    """

    def __init__(self, module: nn.Module, optimizer: Optimizer) -> None:
        self.module = module
        self.optimizer = optimizer
        self.n_steps = 0
        parameters = list(module.parameters())
        fused = all(p.device.type in ("cpu", "cuda") for p in parameters)
        self.torch_adam = torch.optim.Adam(
            parameters, fused=fused, foreach=None if fused else True
        )

    def serves(self, module: nn.Module, optimizer: Optimizer) -> bool:
        """Whether it was made for this module and this optimizer."""
        return self.module is module and self.optimizer is optimizer

    def step(self) -> None:
        """Step all parameters that have a gradient."""
        thinc = self.optimizer
        parameters = [p for p in self.module.parameters() if p.grad is not None]
        weights = [p.data for p in parameters]
        gradients = [p.grad for p in parameters if p.grad is not None]
        if thinc.L2 and not thinc.L2_is_weight_decay:
            torch._foreach_add_(gradients, weights, alpha=thinc.L2)
        if thinc.grad_clip:
            for norm, gradient in zip(
                torch._foreach_norm(gradients), gradients, strict=True
            ):
                gradient.mul_((thinc.grad_clip / norm).clamp(max=1.0))
        self.n_steps += 1
        [group] = self.torch_adam.param_groups
        group["lr"] = thinc.learn_rate
        group["betas"] = (thinc.b1, thinc.b2)
        # thinc adds epsilon before it corrects the second moment's bias, PyTorch
        # afterwards.
        group["eps"] = thinc.eps / math.sqrt(1.0 - thinc.b2**self.n_steps)
        self.torch_adam.step()
        if thinc.L2 and thinc.L2_is_weight_decay:
            # thinc decays after the step; PyTorch's AdamW would before.
            torch._foreach_mul_(weights, 1.0 - thinc.learn_rate * thinc.L2)


def keep_average(optimizer: Optimizer, key: tuple[int, str], values: Tensor) -> None:
    """Count a step's values in their average as thinc does, if one is kept."""
    if optimizer.averages is None:
        return
    if key not in optimizer.averages:
        zeros = torch2xp(torch.zeros_like(values))
        optimizer.averages[key] = cast(FloatsXd, zeros)
    t = optimizer.nr_update[key]
    decay = min((1.0 + t) / (10.0 + t), 0.9999)
    average = xp2torch(optimizer.averages[key], device=values.device)
    average.lerp_(values, 1.0 - decay)


def _mark_changed(parameters: Iterable[nn.Parameter]) -> None:
    """Count a change of parameters whose data have been exchanged.

    PyTorch does not, and an average that is used again stands where it stood: what
    is cached with a count (`WeightCache.cached`) would be that of older weights.
    """
    for parameter in parameters:
        torch.autograd.graph.increment_version(parameter)


def _all_finite(tensors: list[Tensor]) -> bool:
    if not tensors:
        return True
    norms = torch._foreach_norm(tensors)
    return bool(torch.stack([norm.float() for norm in norms]).isfinite().all())


class _Deserializer:
    """Builds a module from the settings saved with its weights."""

    def __init__(self, build: Callable[..., nn.Module]) -> None:
        self.build = build

    def __call__(
        self, model: nn.Module | None, data: bytes, device: torch.device
    ) -> nn.Module | None:
        if not data:
            return None
        try:
            # Nothing is unpickled but tensors and plain values.
            _check_archive(data)
            saved = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
            settings = json.loads(saved["settings"])
            # en_gfl_sm 0.3.0 does not say how many.
            bits = saved.get("bits", 16 if "half_precision" in saved else 32)
            # A tensor can claim to be larger than where it is kept.
            if _count(saved["state"]) > len(data):
                raise ValueError("Its weights are more than there are bytes.")
            state = {name: _restore(kept) for name, kept in saved["state"].items()}
            self._check_sizes(settings, state)
        except Exception as error:
            # torch, zipfile and json each have their own way to say so.
            reason = str(error).partition("\n")[0]
            if isinstance(error, pickle.UnpicklingError):
                reason = "There is something else than weights in it."
            raise ValueError(
                "The parser's weights cannot be loaded: the file is damaged, or none "
                f"that spacy_gfl has saved. {reason}"
            ) from error
        # The weights drawn here are replaced: leave the random numbers alone.
        with torch.random.fork_rng(devices=[]):
            module = self.build(**settings)
        # Weights saved in half precision become what the module's are.
        module.load_state_dict(state)
        save_in_bits(module, bits)
        return module.to(device)

    def _check_sizes(self, settings: dict[str, Any], state: dict[str, Any]) -> None:
        """Refuse to build what has other sizes than the weights that are there."""
        if settings.get("depth", 0) <= len(state):
            with torch.device("meta"), _NormalsUndrawn():
                planned = self.build(**settings).state_dict()
            found = {name: tensor.shape for name, tensor in state.items()}
            if found == {name: tensor.shape for name, tensor in planned.items()}:
                return
        raise ValueError("Its settings and its weights are of different sizes.")


class _NormalsUndrawn(TorchFunctionMode):
    """Leaves tensors as they are that would be filled at random.

    On the meta device torch would load its compiler for it, which takes a second.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.__name__ == "normal_":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def _check_archive(data: bytes) -> None:
    """Refuse what takes more memory than the file, or is damaged.

    torch would load both: it passes checksums over.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_bytes = sum(member.file_size for member in archive.infolist())
        if n_bytes > len(data):
            raise ValueError(f"{len(data):,} bytes would become {n_bytes:,} in memory.")
        if damaged := archive.testzip():
            raise ValueError(f"The weights are damaged (in {damaged}).")


def serialize_module(module: nn.Module | None) -> bytes:
    """A module's settings and weights as bytes; none for an uninitialised one."""
    if module is None:
        return b""
    buffer = io.BytesIO()
    bits = getattr(module, SAVED_BITS, 32)
    saved = {
        "settings": json.dumps(getattr(module, "settings", {})),
        "bits": bits,
        "state": {
            name: _keep(tensor, bits) for name, tensor in module.state_dict().items()
        },
    }
    torch.save(saved, buffer)
    return buffer.getvalue()


def save_in_bits(module: nn.Module, bits: int) -> None:
    """Choose how a module's weights are saved, this time and after every loading.

    Fewer bits make the file smaller. In memory the weights stay as they are, and
    loading gives the module its usual precision.

    Args:
        module: The module of a `ParserShim`.
        bits: Of a weight: 32, 16 (float16), or 2 to 8, where the rows of matrices are
            rounded to steps of their largest weight; those take a byte each.

    Raises:
        ValueError: If the number of bits is another.
    """
    if bits not in (32, 16) and not 2 <= bits <= 8:
        raise ValueError(f"Weights are saved in 32, 16 or 2 to 8 bits, not {bits}.")
    setattr(module, SAVED_BITS, bits)


def _keep(tensor: Tensor, bits: int) -> Any:
    """A tensor as it is saved."""
    if bits == 32 or not tensor.is_floating_point():
        return tensor
    if bits == 16 or tensor.dim() < 2:
        return tensor.half()
    steps, scales = round_rows(tensor, bits)
    return {"steps": steps, "scales": scales}


def _restore(kept: Any) -> Tensor:
    """The tensor that was saved so."""
    return restore_rows(**kept) if isinstance(kept, dict) else kept


def _count(state: dict[str, Any]) -> int:
    """How many numbers there are in what is saved."""
    return sum(
        tensor.numel()
        for kept in state.values()
        for tensor in (kept.values() if isinstance(kept, dict) else [kept])
    )
