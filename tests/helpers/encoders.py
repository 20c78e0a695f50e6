"""Folders of tiny encoders, as Hugging Face has them, without its library."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import torch
from curated_transformers.models import BERTEncoder
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LETTERS = "abcdefghijklmnopqrstuvwxyz.,'\""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
#: Of more than one letter.
LONGER = ("the", "dog", "bark", "cat", "zebra")
CONFIG = {
    "model_type": "bert",
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "max_position_embeddings": 128,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 1,
    # Code that comes with a model: not looked at.
    "auto_map": {"AutoModel": "evil.Model"},
}


def word_piece() -> Tokenizer:
    """Of single letters and a few longer pieces, in small letters."""
    number = count()
    pieces = {piece: next(number) for piece in (*SPECIAL, *LETTERS, *LONGER)}
    pieces |= {f"##{piece}": next(number) for piece in (*LETTERS, "ing")}
    # Named as a setting of networks is, and of a higher number than those have weights.
    pieces["depth"] = next(number)
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return with_marks(tokenizer)


def unigram() -> Tokenizer:
    """The same with pieces that begin with the space."""
    pieces = [(piece, 0.0) for piece in SPECIAL]
    pieces += [(piece, -9.0) for piece in ("▁", *LETTERS)]
    pieces += [(f"▁{piece}", -5.0) for piece in LONGER]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return with_marks(tokenizer)


def with_marks(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    # Of training an encoder: nothing that we read with.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding()
    return tokenizer


def make_folder(path: Path, tokenizer: Tokenizer | None = None) -> Path:
    """A folder with a tiny BERT that knows a few letters."""
    path.mkdir(exist_ok=True)
    tokenizer = tokenizer or word_piece()
    config: dict[str, Any] = {**CONFIG, "vocab_size": tokenizer.get_vocab_size()}
    torch.manual_seed(0)
    encoder = BERTEncoder.from_hf_config(hf_config=config)
    state = dict(BERTEncoder.state_dict_to_hf(encoder.state_dict()))
    # What is no encoder is left out.
    state["pooler.dense.weight"] = torch.zeros(32, 32)
    torch.save(state, path / "pytorch_model.bin")
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tokenizer.save(str(path / "tokenizer.json"))
    return path
