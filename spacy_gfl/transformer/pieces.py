"""The pieces of words that an encoder reads, and which token each belongs to."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Any

import numpy
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from spacy_gfl.transformer.tokenizer_checks import check_tokenizer

#: The Penn Treebank's quotation marks, which encoders have not read in text.
PENN_QUOTES = frozenset({"``", "''"})


@dataclass
class PieceBatch:
    """The pieces of a batch of Docs.

    Attributes:
        windows: The numbers of each window's pieces. A window is what an encoder reads
            at once, a sentence or a part of one.
        places: The pieces of each token, one token after the other, as places in all
            windows joined.
        offsets: Where the pieces of each token begin in `places`.
    """

    windows: list[list[int]]
    places: numpy.ndarray
    offsets: numpy.ndarray


def make_tokenizer(settings: dict[str, Any]) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`, which neither cuts nor pads.

    Raises:
        ValueError: If it is none, or one that may take more time or memory than its
            text (`tokenizer_checks`).
    """
    check_tokenizer(settings)
    # Nothing is made text of again.
    plain = {**settings, "truncation": None, "padding": None, "decoder": None}
    try:
        return Tokenizer.from_str(json.dumps(plain))
    except Exception as error:
        raise ValueError(f"The tokenizer cannot be read: {error}") from error


def read_pieces(
    tokenizer: Tokenizer,
    docs: Sequence[Doc],
    window: int,
    overlap: int,
    max_pieces: int,
) -> PieceBatch:
    """The pieces of Docs in windows that never reach beyond a sentence.

    An encoder that reads one sentence at a time gives the same tree whatever stands
    beside the sentence. Its input is bounded, so it reads longer sentences in windows,
    and words in two of them have the pieces of both. The Penn Treebank's quotation
    marks (`` and '') are read as those of text.

    A piece belongs to each token that it has a character of; the space before a token
    is the token's, for pieces that begin with it. A Unigram tokenizer reads every word
    with a space before it.

    Args:
        tokenizer: Gives pieces of text, and their characters.
        docs: One without sentence boundaries counts as one sentence, as in training.
        window: Tokens of a window at most.
        overlap: Tokens that a window shares with the one before it.
        max_pieces: What is beyond so many pieces of a window is not read.
    """
    texts: list[str] = []
    # The token of each character, windows one after the other, and where they begin.
    tokens: list[numpy.ndarray] = []
    n_tokens = 0
    # Its pieces reach from word to word where no space is between.
    is_apart = isinstance(tokenizer.model, Unigram)
    for doc in docs:
        words = ['"' if token.text in PENN_QUOTES else token.text for token in doc]
        spaces = ["", *(" " if is_apart else token.whitespace_ for token in doc)]
        for start, end in sentence_windows(doc, window, overlap):
            shown = [*map(add, spaces[start:end], words[start:end])]
            shown[0] = words[start]
            texts.append("".join(shown))
            numbers = numpy.arange(n_tokens + start, n_tokens + end)
            tokens.append(numbers.repeat([len(text) for text in shown]))
        n_tokens += len(doc)
    windows: list[list[int]] = []
    spans: list[Any] = []
    n_characters = 0
    for text in texts:
        # Not `encode_batch`, whose threads a forked process would wait for.
        encoding = tokenizer.encode(text)
        windows.append(encoding.ids[:max_pieces])
        ends = numpy.array(encoding.offsets[:max_pieces], dtype="int64")
        spans.append(ends.reshape(-1, 2) + n_characters)
        n_characters += len(text)
    owners = numpy.concatenate([*tokens, numpy.zeros(1, dtype="int64")])
    first, last = numpy.concatenate([*spans, numpy.zeros((0, 2), dtype="int64")]).T
    # Marks of a window's beginning and end have no characters.
    counts = numpy.where(first < last, owners[last - 1] - owners[first] + 1, 0)
    places = numpy.arange(len(counts)).repeat(counts)
    nth = numpy.arange(len(places)) - (counts.cumsum() - counts).repeat(counts)
    of_token = owners[first].repeat(counts) + nth
    order = of_token.argsort(kind="stable")
    offsets = numpy.searchsorted(of_token[order], numpy.arange(n_tokens))
    return PieceBatch(windows, places[order], offsets)


def sentence_windows(doc: Doc, window: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The first token of each window of a Doc, and the token after its last."""
    starts = numpy.flatnonzero(doc.to_array(SENT_START) == 1).tolist()
    bounds = sorted({0, *starts, len(doc)})
    for start, end in pairwise(bounds):
        for at in range(start, max(start + 1, end - overlap), window - overlap):
            yield at, min(at + window, end)


def trim(
    tokenizer: dict[str, Any], used: Iterable[int]
) -> tuple[dict[str, Any], list[int]]:
    """A tokenizer without the pieces that are not used, and the pieces that it keeps.

    Special pieces stay, and so do single characters, of which any word can be made. A
    text whose pieces are all kept has the same pieces as before.

    Args:
        tokenizer: The settings of a `tokenizer.json` of WordPiece or Unigram.
        used: Numbers of pieces.

    Returns:
        Settings like those given, and the former number of each piece.

    Raises:
        ValueError: If the tokenizer is of another kind.
    """
    model = tokenizer["model"]
    vocabulary, kind = model["vocab"], model.get("type")
    if kind == "Unigram":
        pieces, prefix = {p: i for i, (p, _) in enumerate(vocabulary)}, "▁"
    elif kind == "WordPiece":
        pieces, prefix = vocabulary, model["continuing_subword_prefix"]
    else:
        raise ValueError(
            f"trim_pieces works with pieces of WordPiece and Unigram, not of {kind}."
        )
    special = {token["id"] for token in tokenizer["added_tokens"]}
    single = {i for piece, i in pieces.items() if len(piece.removeprefix(prefix)) < 2}
    kept = sorted({*used, *special, *single})
    new = {old: i for i, old in enumerate(kept)}
    if kind == "Unigram":
        vocabulary = [vocabulary[i] for i in kept if i < len(vocabulary)]
        model = {**model, "unk_id": new[model["unk_id"]]}
    else:
        vocabulary = {piece: new[i] for piece, i in pieces.items() if i in new}
    added = [{**token, "id": new[token["id"]]} for token in tokenizer["added_tokens"]]
    trimmed = {
        **tokenizer,
        "model": {**model, "vocab": vocabulary},
        "added_tokens": added,
        "post_processor": _renumbered(tokenizer["post_processor"], new),
    }
    return trimmed, kept


def _renumbered(processor: Any, new: dict[int, int]) -> Any:
    """What puts special pieces around a window's, with their new numbers."""
    renumbered = dict(processor or {})
    for mark in ("cls", "sep"):
        if mark in renumbered:
            renumbered[mark] = [renumbered[mark][0], new[renumbered[mark][1]]]
    if "special_tokens" in renumbered:
        renumbered["special_tokens"] = {
            name: {**token, "ids": [new[i] for i in token["ids"]]}
            for name, token in renumbered["special_tokens"].items()
        }
    if "processors" in renumbered:
        renumbered["processors"] = [
            _renumbered(one, new) for one in renumbered["processors"]
        ]
    return renumbered or None
