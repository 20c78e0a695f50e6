"""Blocks of lines parted into the balanced brackets of trees."""

import re
from typing import NamedTuple

from spacy_gfl.tools.treebanks.bracket_blocks import SGML, Block
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.trees.brackets import CLOSING, LEAF, OPENING, TOKEN


class Split(NamedTuple):
    """The tokens of each balanced bracket of a block."""

    block: Block
    trees: list[list[re.Match[str]]]
    has_stray_bracket: bool


def tree_text(tokens: list[re.Match[str]]) -> str:
    """A tree as it stands."""
    return tokens[0].string[tokens[0].start() : tokens[-1].end()]


class Splitter:
    """Parts the blocks of a text into trees, and rejects text that is no tree.

    Args:
        rejections: What is done with errors.
    """

    def __init__(self, rejections: Rejections) -> None:
        self._rejections = rejections
        #: Text outside of trees is one error, however long it is.
        self._is_after_text = False

    def split(self, block: Block) -> Split:
        """The trees of a block."""
        reject = self._rejections.reject
        stack: list[re.Match[str]] = []
        tokens: list[re.Match[str]] = []
        trees = []
        has_stray_bracket = False
        markup_end = text_end = 0
        for token in TOKEN.finditer("".join(block.lines)):
            kind = token.lastindex
            if not stack and kind == LEAF and token.start() == text_end > 0:
                continue  # Part of the text, as in the dependency det(dog-2, the-1).
            if stack or kind in (LEAF, OPENING):
                self._is_after_text = False
                tokens.append(token)
                if kind == OPENING:
                    stack.append(token)
                elif kind == CLOSING:
                    stack.pop()
                if not stack:
                    trees.append(tokens)
                    tokens = []
            elif kind == CLOSING:
                if not has_stray_bracket:
                    place = block.place(token.start())
                    message = "this closing bracket has no opening bracket"
                    reject("too many closing brackets", place, message)
                has_stray_bracket = True
            elif markup := SGML.match(token.string, token.start()):
                markup_end = markup.end()
            elif token.start() >= markup_end:
                if not self._is_after_text:
                    place = block.place(token.start())
                    message = f"{token[0]!r} stands outside all brackets"
                    reject("text outside of a tree", place, message)
                self._is_after_text = True
                text_end = token.end()
        if stack:
            message = _unclosed(stack, block) + block.ending
            reject("unclosed bracket", block.place(stack[0].start()), message)
        return Split(block, trees, has_stray_bracket)


def _unclosed(stack: list[re.Match[str]], block: Block) -> str:
    if len(stack) == 1:
        return "this bracket is not closed"
    line, column = block.place(stack[-1].start())
    return (
        f"this tree lacks {len(stack)} closing brackets, the first for "
        f"({stack[-1][OPENING]} in line {line}, column {column}"
    )
