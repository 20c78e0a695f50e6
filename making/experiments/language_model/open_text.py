"""Open text as words: documents, the parts they belong to, and a vocabulary."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly

ROOT = Path(__file__).resolve().parents[3]
TEXTS = [ROOT / f"../shared/text/{name}.txt" for name in ("gov", "peps", "books")]
SMALL_TEXTS = [
    ROOT / "tests/data/sentences.txt",
    *sorted((ROOT / "examples/data").glob("*.txt")),
]
UNKNOWN, END = "<unk>", "<eos>"


def settings(folder: Path, small: bool) -> dict[str, Any]:
    """A study's config.json; what is under "small" there replaces the rest."""
    config = srsly.read_json(folder / "config.json")
    return {**config, **(config["small"] if small else {})}


def read_documents(paths: list[Path]) -> list[str]:
    """The documents of some files, which empty lines part."""
    texts = (path.read_text(encoding="utf8") for path in paths)
    return [part for text in texts for part in text.split("\n\n") if part.strip()]


def parts(n: int, config: dict[str, Any]) -> list[str]:
    """The part that each of n documents belongs to: train, dev or test."""
    order = random.Random(config["seed"]).sample(range(n), n)
    dev, test = (max(1, int(config[part] * n)) for part in ("dev", "test"))
    names = ["dev"] * dev + ["test"] * test + ["train"] * (n - dev - test)
    return [name for _, name in sorted(zip(order, names, strict=True))]


def normalize(word: str) -> str:
    """A word as the models see it: in small letters, each digit 0, plain quotes."""
    word = word.lower().replace("’", "'").replace("‘", "'")
    return "".join("0" if char.isdigit() else char for char in word)


def words_of(document: str, nlp: spacy.Language) -> list[str]:
    """The words of a document, and an END for each of its lines."""
    docs = nlp.tokenizer.pipe(filter(str.strip, document.splitlines()))
    return [
        word
        for doc in docs
        for word in [*(normalize(t.text) for t in doc if not t.is_space), END]
    ]


class Vocabulary:
    """Words by falling frequency, as the adaptive softmax needs them."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.ids = {word: i for i, word in enumerate(words)}

    @classmethod
    def of(cls, words: list[str], size: int) -> "Vocabulary":
        """The most frequent words of a text, and UNKNOWN for all others."""
        counts = Counter(words)
        kept = dict(counts.most_common(size - 1))
        kept[UNKNOWN] = counts.total() - sum(kept.values())
        return cls(sorted(kept, key=lambda word: -kept[word]))

    def __call__(self, words: list[str]) -> np.ndarray:
        unknown = self.ids[UNKNOWN]
        return np.array([self.ids.get(word, unknown) for word in words])
