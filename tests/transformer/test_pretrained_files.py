"""A saved transformer that was damaged, or made to do harm."""

import io
import json
import zlib
from contextlib import nullcontext

import pytest
import srsly
import torch
from helpers.encoders import make_folder
from spacy.util import registry

from spacy_gfl.tools.training.few_bits import save_in_bits

MATRIX = "encoder.layers.0.ffn.output.weight"


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    config = {
        "@architectures": "spacy_gfl.Transformer.v1",
        "name": str(make_folder(tmp_path_factory.mktemp("bert"))),
    }
    layer = registry.resolve({"layer": config})["layer"]
    layer.initialize()
    save_in_bits(layer.shims[0].network, 6)
    return layer.shims[0]


@pytest.fixture(scope="module")
def saved(shim):
    return shim.to_bytes()


def changed(saved, settings=None, state=None, config=None, tokenizer=None):
    """Saved bytes with other settings or weights."""
    message = srsly.msgpack_loads(saved)
    kept = torch.load(io.BytesIO(message["state"]), weights_only=True)
    own = json.loads(kept["settings"])
    own["config"] |= config or {}
    own["tokenizer"] |= tokenizer or {}
    kept["settings"] = json.dumps(own | (settings or {}))
    kept["state"] = {**kept["state"], **(state or {})}
    kept["state"] = {k: v for k, v in kept["state"].items() if v is not None}
    buffer = io.BytesIO()
    torch.save(kept, buffer)
    return srsly.msgpack_dumps({**message, "state": buffer.getvalue()})


def matrix(**parts):
    """How a matrix of 32 x 64 is kept, with other parts."""
    own = {
        "shape": [32, 64],
        "deflated": as_tensor(deflate(bytes(2048))),
        "scales": torch.ones(32),
    }
    return {MATRIX: own | parts}


def deflate(data):
    """Deflated as weights are, a bit per weight at least."""
    packer = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(data) + packer.flush()


def as_tensor(data):
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"state": matrix()}, None),
        # Sizes that are not those of the weights, before they are allocated.
        ({"config": {"vocab_size": 3_000_000}}, "sizes of its settings"),
        ({"config": {"vocab_size": 10**30}}, "damaged"),
        ({"config": {"max_position_embeddings": 10**9}}, "sizes of its settings"),
        ({"settings": {"n_layers": 2000}}, "1 to 100 layers, not 2000"),
        ({"config": {"vocab_size": 20}}, "have different pieces"),
        # Code, names of files, what is not known.
        ({"config": {"auto_map": {"AutoModel": "evil.Model"}}}, "Unknown.*auto_map"),
        ({"config": {"model_type": "evil"}}, "evil"),
        ({"settings": {"/any/where.py": "print()"}}, "damaged"),
        ({"tokenizer": {"model": {"type": "/any/where.json"}}}, "tokenizer cannot"),
        (
            {"tokenizer": {"model": {"type": "BPE", "vocab": "/etc"}}},
            "tokenizer cannot",
        ),
        # Weights under another name, missing ones, others.
        (
            {"state": {MATRIX: None, "renamed": torch.ones(32, 64)}},
            "sizes of its settings",
        ),
        ({"state": {"more": torch.ones(1)}}, "sizes of its settings"),
        # Matrices that are not what they say.
        ({"state": matrix(shape=[-1, 64])}, "sizes of its settings"),
        ({"state": matrix(shape=[10**5, 10**5])}, "sizes of its settings"),
        ({"state": matrix(scales=torch.ones(31))}, "damaged"),
        ({"state": matrix(scales=torch.ones(1).expand(10**9))}, "more weights than"),
        ({"state": matrix(deflated=as_tensor(zlib.compress(bytes(10**6))))}, "2,048"),
        ({"state": matrix(deflated=as_tensor(zlib.compress(bytes(2047))))}, "2,048"),
        ({"state": matrix(deflated=as_tensor(bytes(50)))}, "damaged"),
        ({"state": matrix(steps=torch.ones(1))}, "damaged"),
    ],
)
def test_what_is_not_what_was_saved_is_refused(
    change, message, shim, saved, little_memory
):
    with (
        pytest.raises(ValueError, match=f"(?s){message}") if message else nullcontext()
    ):
        shim.from_bytes(changed(saved, **change))


def test_a_bomb_is_refused_that_settings_agree_with(shim, saved, little_memory):
    """A gigabyte of zeros is a megabyte, deflated."""
    table = "encoder.embeddings.position_embeddings.weight"
    size = 10**9 // 32
    deflater = zlib.compressobj()
    first, second = (
        deflater.compress(bytes(10**7)) + deflater.flush(zlib.Z_FULL_FLUSH)
        for _ in range(2)
    )
    # Each piece stands alone, so that it may come again and again.
    bomb = as_tensor(first + 99 * second + deflater.flush())
    kept = {"shape": [size, 32], "deflated": bomb, "scales": torch.ones(1)}
    change = {"state": {table: kept}, "config": {"max_position_embeddings": size}}
    with pytest.raises(ValueError, match="bytes would become 1,000,000,000"):
        shim.from_bytes(changed(saved, **change))
