"""Put `spacy_gfl.Transformer.v1` in the place of a pipeline's spacy-transformers.

Reads a saved pipeline whose parser listens to a `transformer` component, without
spacy-transformers, and writes one that gives the same trees:

    python release/repack_transformer.py training/model-best training/repacked
"""

import argparse
import io
import json
import math
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy
import spacy
import srsly
import torch
from spacy.util import load_config, load_model_from_config

from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.model.weights import dequantize_rows, save_in_bits
from spacy_gfl.transformer.encoder import SIZES, Encoder
from spacy_gfl.transformer.layer import encoder_of

PARSER, TRANSFORMER = "constituency_parser", "transformer"
#: What the parser has of spacy-transformers: a layer, and the nodes of its model.
LISTENER = "spacy-transformers.TransformerListener.v1"
NODES = ("transformer", "trfs2arrays", "reduce_mean")
#: What nobody needs without spacy-transformers' data on Docs.
CLEANER = "doc_cleaner"


def encoder_in(message: dict[str, Any]) -> Encoder:
    """The encoder that spacy-transformers or `CompactTransformer` has saved."""
    config, saved = message["config"], message["state"]
    if isinstance(saved, bytes):
        state = torch.load(io.BytesIO(saved), map_location="cpu", weights_only=True)
    else:
        state = {name: inflate(kept) for name, kept in saved.items()}
    sizes = {name: config[name] for name in SIZES if config.get(name) is not None}
    # spacy-transformers has saved 1e-12 as 0.
    sizes["layer_norm_eps"] = sizes["layer_norm_eps"] or 1e-12
    settings = {
        "config": sizes,
        "n_layers": config["num_hidden_layers"],
        "tokenizer": json.loads(message["tokenizer"]["tokenizer.json"]),
        "dropout": config["hidden_dropout_prob"],
    }
    return encoder_of(settings, state)


def inflate(kept: dict[str, Any]) -> torch.Tensor:
    """A tensor that `CompactTransformer` has deflated."""
    shape, data = kept["shape"], kept["data"]
    if "scales" not in kept:
        found = numpy.frombuffer(data, "float32").reshape(shape)
        return torch.from_numpy(found.copy())
    steps = zlib.decompress(data, bufsize=math.prod(shape))
    matrix = numpy.frombuffer(steps, "int8").reshape(shape)
    scales = numpy.frombuffer(kept["scales"], "float32")
    return dequantize_rows(torch.tensor(matrix), torch.tensor(scales))


def with_layer(block: Any, layer: dict[str, Any]) -> Any:
    """A block of a config with the layer in spacy-transformers' place."""
    if not isinstance(block, dict):
        return block
    if block.get("@architectures") == LISTENER:
        return layer
    return {name: with_layer(part, layer) for name, part in block.items()}


def renewed(
    old: dict[str, Any], new: dict[str, Any], encoder: bytes, width: int
) -> Any:
    """A parser's saved model with the nodes of another, and the encoder in its place.

    Raises:
        ValueError: If they have other nodes beside the transformer's.
    """
    kept = [
        i
        for i, node in enumerate(old["nodes"])
        if "|" in node["name"] or not any(name in node["name"] for name in NODES)
    ]
    at = [node["name"] for node in new["nodes"]].index(TRANSFORMER)
    kept.insert(at, -1)
    if len(kept) != len(new["nodes"]):
        raise ValueError("The model has other layers than were expected.")
    for name in ("attrs", "params", "shims"):
        own = new[name][at]
        new[name] = [old[name][i] for i in kept]
        new[name][at] = own
    new["shims"][at] = [encoder]
    for node, i in zip(new["nodes"], kept, strict=True):
        node["dims"] = {"nO": width} if i < 0 else old["nodes"][i]["dims"]
    return new


def repack(
    source: Path,
    target: Path,
    name: str | None = None,
    bits: int | None = None,
    version: str | None = None,
) -> None:
    """Write a pipeline like the one in `source` to `target`.

    Args:
        source: A pipeline on spacy-transformers.
        target: Folder of the new one.
        name: Of the pretrained model, where a folder's is saved.
        bits: Of the transformer's weights; if not given, 6 for a
            `CompactTransformer`, otherwise 32.
        version: Of the new pipeline.
    """
    config = load_config(source / "config.cfg")
    saved = srsly.msgpack_loads((source / TRANSFORMER / "model").read_bytes())
    [[message]] = filter(None, saved["shims"])
    model = config["components"][TRANSFORMER]["model"]
    encoder = encoder_in(srsly.msgpack_loads(message))
    save_in_bits(encoder, bits or model.get("bits", 32))
    layer = {
        "@architectures": "spacy_gfl.Transformer.v1",
        "name": name or model["name"],
        "window": model["get_spans"]["window"],
        "overlap": model["get_spans"]["overlap"],
    }
    gone = {TRANSFORMER, CLEANER}
    for pipe in gone & config["components"].keys():
        del config["components"][pipe]
    pipeline = [pipe for pipe in config["nlp"]["pipeline"] if pipe not in gone]
    config["nlp"]["pipeline"] = pipeline
    block = config["components"][PARSER]
    block["model"]["tok2vec"] = with_layer(block["model"]["tok2vec"], layer)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*gone))
    nlp = load_model_from_config(config, auto_fill=True)
    nlp.config.to_disk(target / "config.cfg")
    file = target / PARSER / "model"
    old = srsly.msgpack_loads(file.read_bytes())
    new = nlp.get_pipe(PARSER).model.to_dict()
    shim = NetworkShim(encoder, build=Encoder)
    data = renewed(old, new, shim.to_bytes(), encoder.width)
    file.write_bytes(srsly.msgpack_dumps(data))
    meta = srsly.read_json(source / "meta.json")
    wanted = [
        one for one in meta.get("requirements", []) if "spacy-transformers" not in one
    ]
    meta |= {"requirements": wanted, "version": version or meta["version"]}
    for key in ("pipeline", "components"):
        meta[key] = [pipe for pipe in meta[key] if pipe not in gone]
    meta["labels"] = {k: v for k, v in meta["labels"].items() if k not in gone}
    srsly.write_json(target / "meta.json", meta)
    # As spaCy writes it; and it loads.
    spacy.load(target).to_disk(target)


def main() -> None:
    """Repack a pipeline."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="a pipeline on spacy-transformers")
    parser.add_argument("target", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--name", help="of the pretrained model")
    parser.add_argument("--bits", type=int, help="the transformer's weights have")
    parser.add_argument("--version", help="of the new pipeline")
    repack(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
