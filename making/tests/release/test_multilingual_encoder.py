"""multilingual_encoder.py: weights out of 4 bits, and fewer word pieces."""

import json
import runpy
import struct

import pytest
import spacy
from helpers.reading import ROOT

from spacy_gfl.tools.treebanks.formats import docbin

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


def test_the_words_of_a_folder_are_those_of_its_docs(tmp_path):
    doc = spacy.tokens.Doc(spacy.blank("xx").vocab, ["kucing", "tidur"])
    docbin.write(tmp_path / "id.spacy", [doc])
    (tmp_path / "more.txt").write_text("ikan", "utf-8")
    found = SCRIPT["words_of"]([tmp_path, tmp_path / "more.txt"])
    assert found == {"kucing", "tidur", "ikan"}


def test_words_in_chinese_characters_have_no_space_before_them():
    whole = whole_tokenizer()
    whole["model"]["vocab"] += [["書", -1.0], ["美國", -1.0]]
    trimmed, _ = SCRIPT["trim"](whole, {"kucing", "美國", "書"})
    found = tokenizers.Tokenizer.from_str(json.dumps(trimmed)).encode("kucing 美國 書")
    assert found.tokens == ["▁ku", "cing", "美國", "書"]
    assert found.offsets == [(0, 2), (2, 6), (7, 9), (10, 11)]
