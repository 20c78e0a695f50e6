"""Reading the brackets of one tree as they stand.

Brackets are strict: each word has a tag of its own, each constituent a label. An outer
bracket that has no label or one of `ROOT_LABELS` is dropped if it holds subtrees. How
treebanks depart from this is known to `tools.treebanks`, whose reader repairs it.
Nothing is recursive.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spacy_gfl.trees.escaping import INNER_SPACE, unescape_name, unescape_word
from spacy_gfl.trees.tree import ROOT_LABELS, Tree, TreeBuilder, TreeError

#: A word, which may have white space inside at which lines do not break.
WORDS = re.compile(rf"[^()\s]+(?:{INNER_SPACE}+[^()\s]+)*")
#: A bracket over words alone or over nothing; one that holds brackets; a closing
#: bracket; a word beside brackets. `lastindex` tells which.
TOKEN = re.compile(
    rf"\(([^()\s]*)((?:\s+[^()\s]+)*)\s*\)|\(([^()\s]*)|(\))|({WORDS.pattern})"
)
LEAF, OPENING, CLOSING, WORD = 2, 3, 4, 5
NO_LABEL = "this bracket has no label (which must follow it without a space)"
_WORD_NEXT = re.compile(r"\s*[^()\s]")
#: How trees in square brackets begin, [S [NP ...: another bracket, or a word alone.
_SQUARE = re.compile(r"\s*\[[^()\[\]\s]*(?:\s*\[|\s+[^()\[\]\s]+\s*\]\s*\Z|\s*\Z)")
#: What has no brackets and ends like the name of a file.
_FILE_NAME = re.compile(r"[^()\[\]\n]*[^()\[\]\s]\.[A-Za-z]\w{0,7}")
_ROUND = str.maketrans({"[": "(", "]": ")", "(": "-LRB-", ")": "-RRB-"})
#: What is wrong with brackets, in words fit for a table.
Reason: TypeAlias = Literal[
    "unclosed bracket",
    "too many closing brackets",
    "empty label",
    "node without children",
    "word without a tag of its own",
    "text outside of a tree",
    "not exactly one tree",
]


@dataclass(eq=False)
class BracketError(TreeError):
    """Malformed brackets, and where they stand.

    Attributes:
        reason: The kind of error.
        source: Name of the file or stream.
        line: The line, from 1.
        column: The column, from 1, in characters. For a tree that is not closed and
            a node without children, line and column are where it opens.
        explanation: What is wrong.
    """

    reason: Reason
    source: str
    line: int
    column: int
    explanation: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.explanation}"


def check_text(text: object, *, lines: bool = False) -> None:
    """Refuse what cannot be the text of trees: bytes, a path, the name of a file.

    Args:
        text: What was given.
        lines: Whether lines may be given too.

    Raises:
        TypeError: It is no text.
        BracketError: It looks like the name of a file.
    """
    are_lines = isinstance(text, Iterable) and not isinstance(text, bytes | bytearray)
    read = 'To read a file, pass its text: Path(name).read_text(encoding="utf-8")'
    if not (isinstance(text, str) or (lines and are_lines)):
        kind = type(text).__name__
        raise TypeError(f"Trees are read from text, but this is of type {kind}. {read}")
    if isinstance(text, str) and _FILE_NAME.fullmatch(text):
        message = f"{text[-80:]!r} looks like the name of a file, not a tree. {read}"
        raise BracketError("text outside of a tree", "<input>", 1, 1, message)


def begins_square(text: str) -> bool:
    """Whether a text, or its first line, begins with a tree in square brackets."""
    return _SQUARE.match(text) is not None


def make_round(text: str) -> str:
    """Trees in square brackets, as linguists draw them, in round ones."""
    return text.translate(_ROUND)


def parse_tree(text: str) -> Tree:
    """Read the one tree in a string, of which nothing is changed.

    Args:
        text: The brackets, round or square, in any layout.

    Raises:
        BracketError: The tree is malformed, or there is not exactly one.
        TypeError: This is no string.
    """
    check_text(text)
    text = text.removeprefix("\ufeff")
    text = make_round(text) if begins_square(text) else text
    builder = TreeBuilder()
    # Where brackets open that are open now, and whether the outermost is dropped.
    opened: list[int] = []
    has_root, n_trees = False, 0
    for token in TOKEN.finditer(text):
        kind, at = token.lastindex, token.start()
        if kind == CLOSING:
            if not opened:
                message = "this closing bracket has no opening bracket"
                raise _error(text, "too many closing brackets", at, message)
            opened.pop()
            if opened or not has_root:
                builder.close()
            n_trees += not opened
        elif n_trees and not opened and kind in (LEAF, OPENING):
            break
        elif kind == LEAF:
            builder.word(*_leaf(text, token))
            n_trees += not opened
        elif kind == OPENING:
            label = token[OPENING]
            is_root = not opened and label in ROOT_LABELS
            if not label and not (is_root and not _WORD_NEXT.match(text, token.end())):
                raise _error(text, "empty label", at, NO_LABEL)
            has_root |= is_root
            opened.append(at)
            if not is_root:
                builder.open(unescape_name(label))
        elif opened:
            message = f"the word {token[0]!r} stands beside subtrees and has no tag"
            raise _error(text, "word without a tag of its own", at, message)
        else:
            message = f"{token[0]!r} stands outside all brackets"
            raise _error(text, "text outside of a tree", at, message)
    if opened:
        message = "this bracket is not closed"
        raise _error(text, "unclosed bracket", opened[0], message)
    if n_trees != 1 or token.end() < len(text.rstrip()):
        how_many = "none" if not n_trees else "more"
        message = f"expected one tree, but there are {how_many}"
        raise _error(text, "not exactly one tree", 0, message)
    return builder.finish()


def _leaf(text: str, token: re.Match[str]) -> tuple[str, str]:
    """The word and the tag of a bracket that holds no brackets."""
    tag, words, at = token[1], WORDS.findall(token[LEAF]), token.start()
    if not words:
        message = f"the node ({tag}) has no children"
        raise _error(text, "node without children", at, message)
    if not tag:
        raise _error(text, "empty label", at, NO_LABEL)
    if len(words) > 1:
        first = text.index(words[0], token.start(LEAF))
        second = text.index(words[1], first + len(words[0]))
        message = f"{tag} has a second word, {words[1]!r}, but a tag has only one"
        raise _error(text, "word without a tag of its own", second, message)
    return unescape_word(words[0]), unescape_name(tag)


def _error(text: str, reason: Reason, at: int, message: str) -> BracketError:
    before = text[:at].split("\n")
    return BracketError(reason, "<input>", len(before), len(before[-1]) + 1, message)
