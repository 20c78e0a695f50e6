"""Which `tokenizer.json` may be read: those whose work is bounded by their text.

Such a file is a program: of steps that lengthen a text one after the other, of patterns
that try again, of templates. Known kinds of steps alone are read, each at most once,
and none that lengthens a text by more than a bounded part.
"""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

#: What each part of a tokenizer may be made of.
KINDS = {
    "normalizer": "BertNormalizer ByteLevel Lowercase NFC NFD NFKC NFKD Nmt Precompiled"
    " Prepend Replace Sequence Strip StripAccents",
    "pre_tokenizer": "BertPreTokenizer ByteLevel Digits Metaspace Punctuation Sequence"
    " Split Whitespace WhitespaceSplit",
    "post_processor": "BertProcessing ByteLevel RobertaProcessing Sequence"
    " TemplateProcessing",
    "model": "BPE Unigram WordPiece",
}
#: What the steps of a sequence are called.
_STEPS = ("normalizers", "pretokenizers", "processors")
#: Kinds that a sequence may have several of, which lengthen no text.
_REPEATED = {"Replace", "Sequence", "Strip", "Split"}
_MOST_STEPS = 16
#: Characters that one character becomes, at most.
_LONGEST = 64
#: Pieces around a text, and in a template.
_MOST_PIECES = 16
#: Characters of a word that WordPiece reads: it takes the square of them.
_LONGEST_WORD = 1000
#: A character or a class of them, once or in a run, or before a class.
_CLASS = r"(?:\\[sdwSDW]|\\[pP]\{\w+\}|\[[^\[\]]+\]|[^\\()\[\]*+?{}|^$.])"
_PATTERN = re.compile(rf"{_CLASS}(?:\+|\{{[1-9]\d?,\d*\}}|\(\?=\[[^\[\]]+\]\))?")


def check_tokenizer(settings: Mapping[str, Any]) -> None:
    """Refuse a tokenizer that may take more time or memory than its text.

    Args:
        settings: A `tokenizer.json`.

    Raises:
        ValueError: If it is such a one, or none.
    """
    try:
        _check(settings)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"The tokenizer cannot be read: {error!r}") from error


def _check(settings: Mapping[str, Any]) -> None:
    n_pieces = len(settings["model"]["vocab"]) + len(settings.get("added_tokens") or ())
    for part, kinds in KINDS.items():
        steps = list(_steps(settings.get(part), part))
        counts = Counter(step.get("type") for step in steps)
        for kind, count in counts.items():
            # Old files do not say what kind their model is.
            if kind not in kinds.split() and (kind, part) != (None, "model"):
                raise ValueError(f"The tokenizer has an unknown {part} {kind!r:.40}.")
            if count > 1 and kind not in _REPEATED:
                raise ValueError(f"The tokenizer has {count} {part} {kind}.")
        for step in steps:
            if reason := _excess(step, n_pieces):
                raise ValueError(f"The tokenizer's {part} {step.get('type')} {reason}.")
    for token in settings.get("added_tokens") or ():
        if not 0 <= token["id"] < n_pieces:
            raise ValueError(
                f"The tokenizer has a piece with the number {token['id']}."
            )


def _steps(step: Any, part: str) -> Iterator[Mapping[str, Any]]:
    """A part of a tokenizer, or what it is a sequence of."""
    waiting, n_steps = [step] if step else [], 0
    while waiting:
        step = waiting.pop()
        if (n_steps := n_steps + 1) > _MOST_STEPS:
            raise ValueError(f"The tokenizer's {part} has over {_MOST_STEPS} steps.")
        yield step
        for name in _STEPS:
            waiting += step.get(name) or ()


def _excess(step: Mapping[str, Any], n_pieces: int) -> str | None:
    """What a step has too much of."""
    pattern = step.get("pattern") or {}
    if "Regex" in pattern and not _PATTERN.fullmatch(pattern["Regex"]):
        return f"has the pattern {pattern['Regex']!r:.60}, which may backtrack"
    shortest = 1 if "Regex" in pattern else len(pattern.get("String", " "))
    if not shortest or len(step.get("content") or "") > shortest:
        return "makes a text longer"
    added = step.get("prepend") or "", step.get("replacement") or ""
    if max(map(len, added)) > _MOST_PIECES:
        return "adds too much"
    if step.get("type") == "Precompiled" and _longest(step) > _LONGEST:
        return f"makes over {_LONGEST} characters of one"
    if (step.get("max_input_chars_per_word") or 0) > _LONGEST_WORD:
        return f"reads words of over {_LONGEST_WORD} characters"
    templates = [step.get(name) or () for name in ("single", "pair")]
    special = step.get("special_tokens") or {}
    marks = [step[name][1] for name in ("cls", "sep") if name in step]
    ids = [i for one in special.values() for i in one["ids"]]
    if max(map(len, (*templates, special, ids))) > _MOST_PIECES:
        return "adds too much around a text"
    unknown = [i for i in (*marks, *ids) if not 0 <= i < n_pieces]
    return f"has a piece with the number {unknown[0]}" if unknown else None


def _longest(step: Mapping[str, Any]) -> int:
    """The bytes of the longest text in a map of characters, as sentencepiece makes it.

    The texts, each with a zero after it, follow a table and its size.
    """
    try:
        data = base64.b64decode(step.get("precompiled_charsmap") or "", validate=True)
    except binascii.Error as error:
        raise ValueError(f"The tokenizer cannot be read: {error}") from error
    texts = data[4 + int.from_bytes(data[:4], "little") :]
    return max(map(len, texts.split(b"\0")))
