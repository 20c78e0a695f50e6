"""thinc's shim around PyTorch, with averaged parameters and one gradient norm."""

import contextlib
import io
import json
import math
import os
from typing import Any, Callable, Dict, Iterator, Optional

import torch
from spacy.util import logger
from thinc.api import ArgsKwargs, Optimizer, PyTorchShim
from thinc.util import xp2torch
from torch import nn

_IMPORTING_PROCESS = os.getpid()


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
    """Holds the parser's PyTorch module.

    What thinc's shim lacks: the optimizer's averages are used for PyTorch's
    parameters too, and gradients are clipped by their global norm (thinc clips
    tensor by tensor).

    model: The module, or None until the model is initialised.
    build: Makes a module from its settings; used in loading.
    max_gradient_norm: Gradients are scaled down to this norm; 0 never.
    """

    def __init__(
        self,
        model: Optional[nn.Module] = None,
        *,
        build: Callable[..., nn.Module],
        max_gradient_norm: float = 0.0,
    ) -> None:
        self.max_gradient_norm = max_gradient_norm
        super().__init__(
            model,
            serialize_model=serialize_module,
            deserialize_model=_Deserializer(build),
        )

    def predict(self, inputs: ArgsKwargs) -> Any:
        """What the module gives in evaluation mode, without gradients."""
        with one_thread_after_fork():
            return super().predict(inputs)

    def finish_update(self, optimizer: Optimizer) -> None:
        """Clip the gradients and let the optimizer use them.

        An update whose gradients are not finite is left out: one such would
        make every weight NaN.
        """
        if self._model is None:
            return
        limit = self.max_gradient_norm if self.max_gradient_norm > 0 else math.inf
        norm = float(nn.utils.clip_grad_norm_(self._model.parameters(), limit))
        if math.isfinite(norm):
            super().finish_update(optimizer)
        else:
            logger.warning("Left out an update: the gradients' norm is %s.", norm)
        # Zeros instead would let the optimizer's momentum move the weights in an
        # update that has no trees.
        self._model.zero_grad(set_to_none=True)

    @contextlib.contextmanager
    def use_params(self, params: Dict[Any, Any]) -> Iterator[None]:
        """Use other parameters for a while, keyed as the optimizer keys them."""
        backup = {}
        named = {} if self._model is None else dict(self._model.named_parameters())
        for name, parameter in named.items():
            value = params.get((self.id, name))
            if value is not None:
                backup[name] = parameter.data
                parameter.data = xp2torch(value, device=self.device)
        try:
            yield
        finally:
            for name, data in backup.items():
                named[name].data = data


class _Deserializer:
    """Builds a module from the settings saved with its weights."""

    def __init__(self, build: Callable[..., nn.Module]) -> None:
        self.build = build

    def __call__(
        self, model: Optional[nn.Module], data: bytes, device: torch.device
    ) -> Optional[nn.Module]:
        if not data:
            return None
        # Nothing is unpickled but tensors and plain values.
        saved = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
        # The weights drawn here are replaced: leave the random numbers alone.
        with torch.random.fork_rng(devices=[]):
            module = self.build(**json.loads(saved["settings"]))
        module.load_state_dict(saved["state"])
        return module.to(device)


def serialize_module(module: Optional[nn.Module]) -> bytes:
    """A module's settings and weights as bytes; none for an uninitialised one."""
    if module is None:
        return b""
    buffer = io.BytesIO()
    settings = json.dumps(getattr(module, "settings", {}))
    torch.save({"settings": settings, "state": module.state_dict()}, buffer)
    return buffer.getvalue()
