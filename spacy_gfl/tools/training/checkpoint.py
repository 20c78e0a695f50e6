"""The state of a training on disk, from which it goes on where it stopped."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, get_current_ops
from thinc.types import FloatsXd
from thinc.util import torch2xp, xp2torch

from spacy_gfl.model.shim import NetworkShim

#: What thinc's optimizer keeps of each parameter: arrays, and counts.
_ARRAYS = ("mom1", "mom2", "averages")
_COUNTS = ("nr_update", "last_seen")


def write_checkpoint(
    path: Path, nlp: Language, optimizer: Optimizer, **progress: Any
) -> None:
    """Write the weights of a pipeline, and what its optimizer knows of them.

    The weights are those that learn: not their averages, and not rounded as in a saved
    pipeline. The file changes only once everything is written.

    Args:
        path: The file.
        nlp: The pipeline.
        optimizer: The optimizer of its training.
        progress: What else to keep, of plain types.
    """
    state: dict[str, Any] = {"progress": progress, "nodes": {}, "shims": {}}
    for name, node in named_nodes(nlp):
        state["nodes"][name] = {
            parameter: xp2torch(node.get_param(parameter)).cpu()
            for parameter in node.param_names
            if node.has_param(parameter)
        }
        state["shims"][name] = [
            shim.training_state() if isinstance(shim, NetworkShim) else shim.to_bytes()
            for shim in node.shims
        ]
    keys = _keys(nlp)
    for table in (*_ARRAYS, *_COUNTS):
        kept = getattr(optimizer, table) or {}
        state[table] = {
            name: xp2torch(kept[key]).cpu() if table in _ARRAYS else kept[key]
            for name, key in keys.items()
            if key in kept
        }
    part = path.with_name(f"{path.name}.part")
    torch.save(state, part)
    os.replace(part, path)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Read what `write_checkpoint` wrote: the state for `resume`, and "progress"."""
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return state


def resume(state: dict[str, Any], nlp: Language, optimizer: Optimizer) -> None:
    """Give a pipeline and an optimizer what they had at a checkpoint.

    Args:
        state: What `read_checkpoint` returned.
        nlp: The pipeline, initialised as it was for the training.
        optimizer: A new optimizer. Its schedules stay where they are.

    Raises:
        RuntimeError: The pipeline has other networks.
        KeyError: The pipeline has other layers.
    """
    for name, node in named_nodes(nlp):
        for parameter, weights in state["nodes"][name].items():
            value = node.ops.asarray_f(cast(FloatsXd, torch2xp(weights)))
            node.set_param(parameter, value)
        for shim, kept in zip(node.shims, state["shims"][name], strict=True):
            if isinstance(shim, NetworkShim):
                shim.resume(kept, optimizer)
            else:
                shim.from_bytes(kept)
    ops = get_current_ops()
    for name, key in _keys(nlp).items():
        for table in (*_ARRAYS, *_COUNTS):
            if (value := state[table].get(name)) is not None:
                kept = ops.asarray(torch2xp(value)) if table in _ARRAYS else value
                getattr(optimizer, table)[key] = kept


def named_nodes(nlp: Language) -> Iterator[tuple[str, Model]]:
    """Every node of a pipeline's models, and a name for it."""
    for component, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        for i, node in enumerate(model.walk() if isinstance(model, Model) else ()):
            yield f"{component} {i}", node


def _keys(nlp: Language) -> dict[str, tuple[int, str]]:
    """By which key the optimizer knows each parameter."""
    keys = {}
    for name, node in named_nodes(nlp):
        for parameter in node.param_names:
            keys[f"{name} {parameter}"] = (node.id, parameter)
        for i, shim in enumerate(node.shims):
            if isinstance(shim, NetworkShim) and shim.network is not None:
                for parameter, _ in shim.network.named_parameters():
                    keys[f"{name}.{i} {parameter}"] = (shim.id, parameter)
    return keys
