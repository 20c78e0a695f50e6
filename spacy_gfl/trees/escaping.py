"""Words, tags and labels as they stand between brackets."""

import re
from collections.abc import Sequence

_BRACKETS = dict(
    zip(("-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-"), "(){}[]", strict=True)
)
#: Half a character of UTF-16, which Python has and UTF-8, hence a Doc, has not.
SURROGATE = re.compile(r"[\ud800-\udfff]")
#: White space that may stand inside a word: no-break, thin and wide spaces.
INNER_SPACE = r"[\u00a0\u1680\u2000-\u200a\u202f\u205f]"
#: What turns the direction of the text after it, so that a line shows another one.
BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{BIDI}]")

#: OntoNotes' marks at the ends of utterances, which are `.`, `?` and `-`.
_SLASHED = frozenset({"/.", "/?", "/-"})
_SLASH = r"\A/(?=[.?-]\Z)"
_WORD_ESCAPE = re.compile(rf"-(?:[LR][RCS]B|U\+[0-9A-F]{{4,6}})-|\\[/*$]|{_SLASH}")
# What Penn treebanks escape, as people have it in texts, in small letters too.
_PENN_ESCAPE = re.compile(rf"-[LRlr][RCSrcs][Bb]-|\\[/*$]|{_SLASH}")
_PENN_IN_TEXT = re.compile(r"-[LRlr][RCSrcs][Bb]-|\\[/*$]|/[.?-]")
_NAME_ESCAPE = re.compile(r"-U\+[0-9A-F]{4,6}-")
# What could be taken for the start of an escape, brackets, white space.
_WORD_SPECIAL = re.compile(rf"-(?=[LR][RCS]B|U\+)|\\(?=[/*$])|[()\s]|{_SLASH}")
_NAME_SPECIAL = re.compile(rf"-(?=U\+)|[()\s]|{_CONTROL.pattern}")


def escape_word(word: str) -> str:
    """Write a word as in brackets: `(` as -LRB-, white space as -U+0020-."""
    brackets = {"(": "-LRB-", ")": "-RRB-"}
    return _WORD_SPECIAL.sub(lambda m: brackets.get(m[0]) or _escape(m), word)


def escape_words(words: Sequence[str]) -> Sequence[str]:
    """Write words as `escape_word` does; most sentences have nothing to escape."""
    if _WORD_SPECIAL.search("".join(words)) or not _SLASHED.isdisjoint(words):
        return [escape_word(word) for word in words]
    return words


def escape_names(names: Sequence[str]) -> Sequence[str]:
    """Write tags or labels as `escape_name` does."""
    if _NAME_SPECIAL.search("".join(names)):
        return [escape_name(name) for name in names]
    return names


def unescape_word(text: str) -> str:
    r"""Undo `escape_word`; -LSB-, -LCB-, Penn's `\/`, OntoNotes' `/.` are read too."""
    return _WORD_ESCAPE.sub(_unescape, text)


def has_penn_escapes(text: str) -> bool:
    r"""Whether a text may have words as Penn treebanks escape them: -LRB-, `\/`."""
    # Most texts are through at once.
    is_likely = "-" in text or "\\" in text or "/" in text
    return is_likely and _PENN_IN_TEXT.search(text) is not None


def unescape_penn(word: str) -> str:
    """A word without Penn's escapes, in capitals or not: `(` for -lrb-."""
    return _PENN_ESCAPE.sub(lambda match: _unescape(match, match[0].upper()), word)


def escape_name(name: str) -> str:
    """Write a tag or label as in brackets; the tag -LRB- stays as it is.

    Controls are written as white space is, -U+202E-: a label has no use for them.
    """
    return _NAME_SPECIAL.sub(_escape, name)


def unescape_name(text: str) -> str:
    """Undo `escape_name`."""
    return _NAME_ESCAPE.sub(_unescape, text)


def visible(text: str) -> str:
    r"""Text with `\u001b` and its likes for what a terminal would obey."""
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    return f"-U+{ord(match[0]):04X}-"


def _unescape(match: re.Match[str], text: str = "") -> str:
    text = text or match[0]
    if text[0] in "\\/":
        return text[1:]
    if text in _BRACKETS:
        return _BRACKETS[text]
    code_point = int(text[3:-1], 16)
    is_none = code_point > 0x10FFFF or SURROGATE.match(chr(code_point))
    return text if is_none else chr(code_point)
