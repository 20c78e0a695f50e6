"""Reads pretrained encoders from folders and from Hugging Face's hub."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from curated_transformers.repository import (
    FsspecRepository,
    HfHubRepository,
    ModelRepository,
)
from fsspec.implementations.local import LocalFileSystem

from spacy_gfl.model.weights import build_filled
from spacy_gfl.transformer.pretrained_encoder import ENCODERS, SIZES, TransformerEncoder


def read_encoder(
    name: str, revision: str, n_layers: int | None, dropout: float
) -> TransformerEncoder:
    """Read an encoder from a folder or from Hugging Face's hub.

    Raises:
        OSError: If there is neither, or a file is missing.
        ValueError: If there is no encoder of a known kind in it.
    """
    is_folder = Path(name).is_dir()
    repository = (
        FsspecRepository(LocalFileSystem(), name)
        if is_folder
        else HfHubRepository(name, revision=revision)
    )
    files = ModelRepository(repository)
    try:
        model_config = files.model_config()
    except (OSError, ValueError) as error:
        if is_folder:
            raise
        raise OSError(
            f"There is no folder {name}, and Hugging Face's hub has no model of "
            f"this name that could be read: {error}"
        ) from error
    config = {size: model_config[size] for size in SIZES if size in model_config}
    if n_layers is None:
        n_layers = int(model_config["num_hidden_layers"])
    settings = {
        "config": config,
        "n_layers": n_layers,
        "tokenizer": repository.json_file("tokenizer.json"),
        "dropout": dropout,
    }
    state: dict[str, Any] = {}
    parts, kind = files.model_checkpoints()
    for part in kind.loader(parts):
        state.update(part)
    return encoder_of(settings, state)


def encoder_of(
    settings: dict[str, Any], state: Mapping[str, Any]
) -> TransformerEncoder:
    """An encoder of its settings and of weights as Hugging Face names them.

    Layers beyond `n_layers` and all that is no encoder (a pooler) are left out.
    """
    kind = settings["config"].get("model_type")
    if kind not in ENCODERS:
        known = ", ".join(ENCODERS)
        raise ValueError(f"{kind} is not a kind of encoder that can be read: {known}.")
    layers = [f"layers.{i}." for i in range(settings["n_layers"])]
    kept = ("embeddings.", "groups.", "distances.", *layers)
    weights = {
        f"encoder.{name}": weight
        for name, weight in ENCODERS[kind].state_dict_from_hf(state).items()
        if name.startswith(kept) and not name.endswith("_ids")
    }
    return cast(TransformerEncoder, build_filled(TransformerEncoder, settings, weights))
