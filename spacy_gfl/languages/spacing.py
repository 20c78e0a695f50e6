"""White space between the words of a treebank, which keeps none.

A treebank of brackets has words and tags; a Doc has a text. The rules here give
the spaces that an English text most likely had, so that `doc.text` reads as
text; marks and clitics that only other languages have are among them. They change no
word: the quotes `` and '' stay as the treebank has them.
"""

import re
from collections.abc import Sequence

#: Of English, and Indonesian's -nya.
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|d|m|ll|re|ve)|nya)", re.IGNORECASE)
_CLOSING = re.compile(r"[.,;:?!…]+|[)\]}”’»%′″™®°]+|''")
_OPENING = re.compile(r"[(\[{“‘«]+|``|(?:[A-Z]{0,3})?[$£€¥]")
_OPENING_TAGS = frozenset({"-LRB-", "``", "$"})
_CLOSING_TAGS = frozenset({"-RRB-", "''", "POS"})
_SIGNS = frozenset({"-", "−", "–", "+", "~", "∼", "#", "±"})
_RANGES = frozenset({"-", "−", "–", ":"})
#: Words that Penn tokenization cuts out of one.
_CUT_WORDS = {"can not", "gim me", "gon na", "got ta", "lem me", "wan na"}


def guess_spaces(words: Sequence[str], tags: Sequence[str]) -> list[bool]:
    """Guess whether white space follows each word of a sentence.

    Args:
        words: The words as Penn treebanks cut them.
        tags: One tag a word. They tell opening from closing quotes and hyphens from
            dashes; any string will do where the tag is unknown.

    Returns:
        One value a word. The last is true: another sentence may follow.
    """
    spaces = [True] * len(words)
    open_quote = False
    for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
        attach_left, attach_right = _attaches(word, tag)
        if word == '"' and not attach_left and not attach_right:
            attach_left, attach_right = open_quote, not open_quote
        if word == '"':
            open_quote = attach_right
        if tag == "SYM" and word in _SIGNS | _RANGES:
            after_number = i > 0 and tags[i - 1] == "CD"
            before_number = i + 1 < len(tags) and tags[i + 1] == "CD"
            is_range = word in _RANGES and after_number and before_number
            is_sign = word in _SIGNS and before_number and not after_number
            attach_left = attach_left or is_range
            attach_right = attach_right or is_range or is_sign
        is_cut = i > 0 and f"{words[i - 1]} {word}".lower() in _CUT_WORDS
        if i > 0 and (attach_left or is_cut):
            spaces[i - 1] = False
        if attach_right and i + 1 < len(words):
            spaces[i] = False
    return spaces


def _attaches(word: str, tag: str) -> tuple[bool, bool]:
    """Whether a word has no white space before it, and none after it."""
    # ICON has a hyphen in reduplications (tahun-tahun), which is punctuation.
    if tag == "HYPH" or word == "/" or (word, tag) == ("-", "PUN"):
        return True, True
    if tag in _OPENING_TAGS:
        return False, True
    if tag in _CLOSING_TAGS:
        return True, False
    closes = _CLOSING.fullmatch(word) or _CLITIC.fullmatch(word)
    return closes is not None, _OPENING.fullmatch(word) is not None
