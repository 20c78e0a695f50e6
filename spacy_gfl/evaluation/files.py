"""Bracket files as two lists of lines of which line i belongs to line i.

EVALB takes one tree a line and nothing else. Files of one tree a line are read so,
blank lines (a parser that gave up) and unbalanced ones included; in any other
layout trees end where their brackets do.
"""

import re
from pathlib import Path

_BRACKET = re.compile(r"[()]")


def pair_lines(
    gold: list[str],
    predicted: list[str],
    gold_source: str = "gold",
    predicted_source: str = "predictions",
) -> tuple[list[str], list[str]]:
    """Make the lines of a gold and a predicted file one line a tree.

    Args:
        gold: The lines of the gold file.
        predicted: Those of the predicted one.
        gold_source: The name of the gold file, for errors.
        predicted_source: That of the predicted one.

    Returns:
        Both, line i of one belonging to line i of the other. Blank lines at the end
        of one file alone are left out.

    Raises:
        ValueError: Lines are not brackets, or the numbers of trees differ.
    """
    if not _is_tree_a_line(gold):
        gold = split_trees(gold, gold_source)
    if not any(map(_is_tree, gold)):
        raise ValueError(f"{gold_source}: there are no trees.")
    predicted = _without_blank_end(predicted, len(gold))
    gold = _without_blank_end(gold, len(predicted))
    # Where there are as many lines as trees, an unbalanced line is a tree's.
    if len(predicted) != len(gold) and not _is_tree_a_line(predicted):
        predicted = split_trees(predicted, predicted_source)
    if len(predicted) != len(gold):
        raise ValueError(
            f"{gold_source} has {len(gold)} trees, but {predicted_source} has "
            f"{len(predicted)}."
        )
    return gold, predicted


def read_lines(path: Path) -> list[str]:
    """The lines of a file, which end at line feeds alone.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not UTF-8 text.
    """
    try:
        # EVALB takes a carriage return, or a line separator, as a character.
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            return [line.rstrip("\n") for line in file]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: this is not UTF-8 text.") from error


def split_trees(lines: list[str], source: str) -> list[str]:
    """Join lines to one line a tree, by their brackets alone.

    Raises:
        ValueError: Brackets are not balanced, or text stands outside of all
            brackets; source and line are named.
    """
    trees: list[str] = []
    parts: list[str] = []
    depth = 0
    first = 0
    for number, line in enumerate(lines, start=1):
        begin = 0
        for match in _BRACKET.finditer(line):
            if match[0] == "(":
                if depth == 0:
                    _refuse_text(line[begin : match.start()], source, number)
                    begin, first = match.start(), number
                depth += 1
                continue
            depth -= 1
            if depth < 0:
                raise ValueError(f"{source}, line {number}: a bracket too many closes.")
            if depth == 0:
                trees.append(" ".join([*parts, line[begin : match.end()]]))
                parts, begin = [], match.end()
        if depth:
            parts.append(line[begin:])
        else:
            _refuse_text(line[begin:], source, number)
    if depth:
        raise ValueError(
            f"{source}: the tree that begins in line {first} is not closed."
        )
    return trees


def _refuse_text(text: str, source: str, number: int) -> None:
    if text.strip():
        raise ValueError(
            f"{source}, line {number}: {text.strip()[:40]!r} stands outside of all "
            "brackets."
        )


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(_is_tree(line) for line in lines if line.strip())


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    text = line.strip()
    if not text.startswith("(") or not text.endswith(")"):
        return False
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += 1 if match[0] == "(" else -1
        if depth <= 0:
            return match.end() == len(text)
    return False


def _without_blank_end(lines: list[str], number: int) -> list[str]:
    end = len(lines)
    while end > number and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
