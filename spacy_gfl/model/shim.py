"""thinc's shim around PyTorch, with PyTorch's Adam and one gradient norm."""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, cast

import numpy
import torch
from spacy.tokens import Doc
from spacy.util import logger
from thinc.api import ArgsKwargs, Model, Optimizer, PyTorchShim
from thinc.shims.shim import Shim
from thinc.types import Floats2d, FloatsXd, Ints1d
from thinc.util import (
    convert_recursive,
    get_torch_default_device,
    iterate_recursive,
    torch2xp,
    xp2torch,
)
from torch import Tensor, nn

from spacy_gfl.layers.process import on, running
from spacy_gfl.model.weights import load_module, save_module


class NetworkShim(PyTorchShim):
    """Holds a PyTorch module.

    Unlike thinc's shim, it steps with PyTorch's own Adam, uses the optimizer's averages
    for PyTorch's parameters too, clips gradients by their global norm instead of tensor
    by tensor, and leaves out a batch whose gradients are not finite.

    Args:
        model: The module, or None until the model is initialised.
        build: Makes a module from its settings; used in loading.
        max_gradient_norm: Gradients are scaled down to this norm; 0 never.
        learn_rate_factor: How many times the optimizer's learning rate a step takes.
        checks: Whether to leave out a batch whose gradients are not finite. A layer of
            word vectors gets none such from the network, and needs not wait for a GPU.
    """

    def __init__(
        self,
        model: nn.Module | None = None,
        *,
        build: Callable[..., nn.Module],
        max_gradient_norm: float = 0.0,
        learn_rate_factor: float = 1.0,
        checks: bool = True,
    ) -> None:
        self.checks = checks
        #: Whether the last batch was left out.
        self.left_out = False
        self.max_gradient_norm = max_gradient_norm
        self.learn_rate_factor = learn_rate_factor
        self._adam: _Adam | None = None
        self._warned = False
        #: Updates that have been finished since the shim was made or loaded.
        self.n_steps = 0
        self.build = build
        with on(get_torch_default_device()):
            super().__init__(
                model,
                serialize_model=save_module,
                deserialize_model=partial(load_module, build),
            )

    @property
    def network(self) -> Any:
        """The module; None until it is built."""
        return self._model

    @network.setter
    def network(self, module: nn.Module) -> None:
        self._model = module

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without the optimizer's moments."""
        return {**self.__dict__, "_adam": None}

    def copy(self) -> "NetworkShim":
        """A copy with an id of its own, by which an optimizer keeps its average."""
        copied = super().copy()
        copied.id = Shim(None).id
        return copied

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the module; the next update begins with new moments."""
        self._adam = None
        if self._model is not None:
            super().to_device(device_type, device_id)

    def predict(self, inputs: ArgsKwargs) -> Any:
        """The module's output in evaluation mode, without gradients.

        Unlike in thinc's shim, the module stays in that mode: threads may share it.
        """
        if self._model.training:  # going through all modules takes a while
            self._model.eval()
        with running(), torch.no_grad():
            return self._model(*inputs.args, **inputs.kwargs)

    def begin_update(
        self, inputs: ArgsKwargs
    ) -> tuple[Any, Callable[[ArgsKwargs], ArgsKwargs]]:
        """The module's output in training mode, and its backpropagation.

        A batch whose gradients are not finite, which would make every weight NaN, is
        left out: the parameters keep the gradients of the batches before, and the
        batch's inputs get zeros.

        Returns:
            The result, and a callback that takes the arguments of
            `torch.autograd.backward` and gives the gradients of the inputs.
        """
        with running():
            output, backprop_all = super().begin_update(inputs)

        @running()
        def backprop(d_output: ArgsKwargs) -> ArgsKwargs:
            if not self.checks:
                return backprop_all(d_output)
            parameters = list(self._model.parameters())
            before = [None if p.grad is None else p.grad.clone() for p in parameters]
            d_inputs = backprop_all(d_output)
            tensors = iterate_recursive(torch.is_tensor, d_inputs)
            gradients = [p.grad for p in parameters if p.grad is not None]
            norms = torch._foreach_norm([*gradients, *tensors])
            # The one wait for a GPU in an update.
            self.left_out = not torch.stack(norms).isfinite().all()
            if not self.left_out:
                return d_inputs
            for parameter, gradient in zip(parameters, before, strict=True):
                parameter.grad = gradient
            if not self._warned:
                logger.warning(
                    "Left out a batch, because its gradients are not finite."
                )
            self._warned = True
            return convert_recursive(torch.is_tensor, torch.zeros_like, d_inputs)

        return output, backprop

    def finish_update(self, optimizer: Optimizer) -> None:
        """Clip the gradients, and take PyTorch's step for Adam, else thinc's."""
        self._warned = False
        self.n_steps += 1
        if self._model is None:
            return
        with running(), torch.no_grad():
            self._step(optimizer)

    def _step(self, optimizer: Optimizer) -> None:
        named = {
            name: parameter
            for name, parameter in self._model.named_parameters()
            if parameter.grad is not None
        }
        if not named:
            return
        if self.max_gradient_norm > 0:
            nn.utils.clip_grad_norm_(named.values(), self.max_gradient_norm)
        # The whole pipeline shares the optimizer, and so the rate.
        shared = optimizer.learn_rate
        optimizer.learn_rate = shared * self.learn_rate_factor
        try:
            if optimizer.use_radam or not (optimizer.b1 > 0 and optimizer.b2 > 0):
                super().finish_update(optimizer)
            else:
                if self._adam is None or not self._adam.serves(self._model, optimizer):
                    self._adam = _Adam(self._model, optimizer)
                self._adam.step(list(named.values()))
                for name, parameter in named.items():
                    optimizer.nr_update[self.id, name] += 1
                    keep_average(optimizer, (self.id, name), parameter.data)
        finally:
            optimizer.learn_rate = shared
        _mark_changed(named.values())
        # Zeros instead would let the optimizer's momentum move the weights in an
        # update that has no trees.
        for parameter in named.values():
            parameter.grad = None

    def training_state(self) -> dict[str, Any]:
        """The weights, Adam's moments and the number of updates."""
        if self._model is None:
            return {}
        state = {"weights": self._model.state_dict(), "n_steps": self.n_steps}
        if self._adam is not None:
            state["adam_steps"] = self._adam.n_steps
            state["moments"] = self._adam.torch_adam.state_dict()["state"]
        return state

    def resume(self, state: dict[str, Any], optimizer: Optimizer) -> None:
        """Go on from a `training_state` with a new optimizer."""
        if not state:
            return
        self._model.load_state_dict(state["weights"])
        self.n_steps = state["n_steps"]
        if "moments" in state:
            self._adam = _Adam(self._model, optimizer)
            self._adam.n_steps = state["adam_steps"]
            torch_adam = self._adam.torch_adam
            groups = torch_adam.state_dict()["param_groups"]
            torch_adam.load_state_dict(
                {"state": state["moments"], "param_groups": groups}
            )

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


def vectors_of_docs(
    model: Model, docs: list[Doc], inputs: tuple[Any, ...], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Let the module of a layer of word vectors work on a batch of Docs.

    Args:
        model: The layer, with a `NetworkShim`.
        docs: The Docs.
        inputs: The module's arguments, of the Docs' tokens one after the other.
        is_train: Whether there are to be gradients.

    Returns:
        The vectors `(tokens, width)` of each Doc, and a callback that takes their
        gradients.
    """
    shim = cast(NetworkShim, model.shims[0])
    result, backprop_torch = shim(ArgsKwargs(inputs, {}), is_train)
    vectors = cast(Floats2d, torch2xp(result.detach()))
    # Lengths stay on the CPU, where thinc wants them.
    lengths = cast(Ints1d, numpy.array([*map(len, docs)], dtype="int32"))
    split = model.ops.unflatten(vectors, lengths)

    def backprop(d_vectors: list[Floats2d]) -> list[Doc]:
        d_result = xp2torch(model.ops.flatten(d_vectors), device=shim.device)
        gradients = {"grad_tensors": (d_result,)}
        backprop_torch(ArgsKwargs(((result,),), gradients))
        return []

    return split, backprop


class _Adam:
    """PyTorch's Adam with the numbers of thinc's, whose settings every step reads."""

    def __init__(self, module: nn.Module, optimizer: Optimizer) -> None:
        self.module = module
        self.optimizer = optimizer
        self.n_steps = 0
        parameters = list(module.parameters())
        fused = all(p.device.type in ("cpu", "cuda") for p in parameters)
        # The first optimizer imports PyTorch's compiler, which in PyTorch 2.6 fails
        # where `running` has switched torch functions off.
        with torch._C._EnableTorchFunction():
            self.torch_adam = torch.optim.Adam(
                parameters, fused=fused, foreach=None if fused else True
            )

    def serves(self, module: nn.Module, optimizer: Optimizer) -> bool:
        """Whether this Adam was made for this module and this optimizer."""
        return self.module is module and self.optimizer is optimizer

    def step(self, parameters: Sequence[nn.Parameter]) -> None:
        """Step parameters of the module, each of which has a gradient."""
        thinc = self.optimizer
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
    """Count a change of parameters whose data have been exchanged: PyTorch does not.

    Otherwise `WeightCache.cached` would give what belongs to older weights.
    """
    for parameter in parameters:
        torch.autograd.graph.increment_version(parameter)
