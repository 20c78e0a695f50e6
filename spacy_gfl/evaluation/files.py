"""Bracket files as two lists of lines of which line i belongs to line i.

EVALB takes one tree a line and nothing else. Files of one tree a line are read so,
blank lines (a parser that gave up) and unbalanced ones included; in any other
layout trees end where their brackets do.
"""

import re

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
        gold_source: What errors call the gold file.
        predicted_source: What they call the other.

    Returns:
        Both, line by line; blank lines at the end of one file alone are left out.

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


def split_trees(lines: list[str], source: str) -> list[str]:
    """Join lines to one line a tree, by their brackets alone.

    Raises:
        ValueError: Brackets are not balanced, or text stands outside of all
            brackets; source and line are named.
    """
    text = "\n".join(lines)
    trees = []
    depth = begin = end = 0

    def line_of(position: int) -> int:
        return text.count("\n", 0, position) + 1

    def refuse_text(start: int, stop: int) -> None:
        outside = text[start:stop].strip().split("\n")[0]
        if outside:
            number = line_of(text.index(outside, start))
            raise ValueError(
                f"{source}, line {number}: {outside[:40]!r} stands outside of all "
                "brackets."
            )

    for match in _BRACKET.finditer(text):
        if match[0] == "(":
            if depth == 0:
                begin = match.start()
                refuse_text(end, begin)
            depth += 1
        elif depth == 0:
            number = line_of(match.start())
            raise ValueError(f"{source}, line {number}: a bracket too many closes.")
        else:
            depth -= 1
            if depth == 0:
                end = match.end()
                trees.append(text[begin:end].replace("\n", " "))
    if depth:
        raise ValueError(
            f"{source}: the tree that begins in line {line_of(begin)} is not closed."
        )
    refuse_text(end, len(text))
    return trees


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(_is_tree(line) for line in lines if line.strip())


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    try:
        return split_trees([line], "") == [line.strip()]
    except ValueError:
        return False


def _without_blank_end(lines: list[str], number: int) -> list[str]:
    end = len(lines)
    while end > number and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
