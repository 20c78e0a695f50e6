"""White space between the words of a treebank, which keeps none.

A treebank of brackets has words and tags; a Doc has a text. The rules here give
the spaces that the text most likely had, so that `doc.text` reads as text. They
change no word: the quotes `` and '' stay as the treebank has them.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from spacy_gfl.languages.base import Spacing

_CLOSING = re.compile(r"[.,;:?!…)\]}”’»›%′″™®°。，、；：？！।॥؟،؛۔」』）】》〉]+|''")
_OPENING = re.compile(r"[(\[{“‘«„‚‹¿¡「『（【《〈]+|``")
# Scripts without white space between words.
_UNPARTED = re.compile(
    r"[\u0e00-\u0fff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_CURRENCY = re.compile(r"(?:[A-Z]{0,3})?[$£€¥]")
#: The quotation marks that may close an opening one, in whatever language.
_CLOSED_BY = {"„": "“”", "‚": "‘’", "“": "”", "‘": "’", "«": "»", "‹": "›"}
_OPENING_TAGS = frozenset({"-LRB-", "``", "$"})
_CLOSING_TAGS = frozenset({"-RRB-", "''", "POS"})
_SIGNS = frozenset({"-", "−", "–", "+", "~", "∼", "#", "±"})
_RANGES = frozenset({"-", "−", "–", ":"})


def guess_spaces(
    words: Sequence[str], tags: Sequence[str], spacing: Spacing
) -> list[bool]:
    """Guess whether white space follows each word of a sentence.

    Args:
        words: The words as treebanks cut them.
        tags: One tag a word. They tell opening from closing quotes and hyphens from
            dashes; any string will do where the tag is unknown.
        spacing: That of the language.

    Returns:
        One value a word. The last is that between sentences.
    """
    if not spacing.parts_words:
        pairs = [a[-1] + b[0] for a, b in pairwise([*words, "。"])]
        return [pair.isascii() and pair.isalnum() for pair in pairs]
    spaces = [True] * len(words)
    following = [*words, ""][1:]
    marks = _Quotes(spacing.quotes)
    for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
        before = words[i - 1] if i else ""
        sides = None if word in spacing.spaced else marks.attaches(word, tag)
        attach_left, attach_right = sides or _attaches(word, tag, spacing)
        is_after_digit = before[-1:].isdigit()
        is_before_digit = following[i][:1].isdigit()
        if attach_right and _CURRENCY.fullmatch(word):
            # In €5, but not in 5 €.
            attach_right = is_before_digit or not is_after_digit
        if word == "%" and attach_left and is_before_digit and not is_after_digit:
            # %5, as in Turkish.
            attach_left, attach_right = False, True
        if tag == "SYM" and word in _SIGNS | _RANGES:
            after_number = i > 0 and tags[i - 1] == "CD"
            before_number = i + 1 < len(tags) and tags[i + 1] == "CD"
            is_range = word in _RANGES and after_number and before_number
            is_sign = word in _SIGNS and before_number and not after_number
            attach_left = attach_left or is_range
            attach_right = attach_right or is_range or is_sign
        if i > 0 and (attach_left or f"{before} {word}".lower() in spacing.cut):
            spaces[i - 1] = False
        is_unparted = _UNPARTED.match(word[-1]) and _UNPARTED.match(following[i])
        if (attach_right or is_unparted) and i + 1 < len(words):
            spaces[i] = False
    return spaces


class _Quotes:
    """The quotation marks that are open in a sentence."""

    def __init__(self, pairs: str) -> None:
        own = dict(zip(pairs[::2], pairs[1::2], strict=True))
        self._closed_by = {**_CLOSED_BY, '"': '"', **own}
        self._open: list[str] = []

    def attaches(self, word: str, tag: str) -> tuple[bool, bool] | None:
        """Whether a quotation mark is at what is before and at what is after it."""
        is_closing = tag in _CLOSING_TAGS
        if not is_closing and tag not in _OPENING_TAGS:
            is_closing = any(word in marks for marks in self._open)
        if is_closing:
            at = [i for i, marks in enumerate(self._open) if word in marks]
            del self._open[at[-1] if at else len(self._open) :]
            return (True, False) if at else None
        if word not in self._closed_by:
            return None
        self._open.append(self._closed_by[word])
        return False, True


def _attaches(word: str, tag: str, spacing: Spacing) -> tuple[bool, bool]:
    """Whether a word has no white space before it, and none after it."""
    if tag == "HYPH" or word == "/" or (word, tag) in spacing.joining:
        return True, True
    if set(word) <= set(spacing.spaced):
        return False, False
    if tag in _OPENING_TAGS:
        return False, True
    if tag in _CLOSING_TAGS:
        return True, False
    closes = _CLOSING.fullmatch(word) or _matches(spacing.clitics, word)
    opens = _OPENING.fullmatch(word) or _CURRENCY.fullmatch(word)
    return bool(closes), bool(opens or _matches(spacing.elided, word))


def _matches(pattern: str, word: str) -> re.Match[str] | None:
    # `re` keeps the patterns that it has compiled.
    return re.fullmatch(pattern, word, re.IGNORECASE) if pattern else None
