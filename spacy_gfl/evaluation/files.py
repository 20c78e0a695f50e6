"""A gold and a predicted bracket file as lists of lines, line i of the same sentence.

Files of one tree a line are read as EVALB does, blank lines (a parser that gave up) and
unbalanced ones included; in any other layout trees end where their brackets do.
"""

from spacy_gfl.trees.brackets import split_trees


def pair_lines(
    gold: list[str], predicted: list[str], gold_source: str, predicted_source: str
) -> tuple[list[str], list[str]]:
    """Make the lines of a gold and a predicted file one line a tree.

    Blank lines at the end of one file alone are left out.

    Raises:
        ValueError: Lines are not brackets, or the numbers of trees differ.
    """
    if not _is_tree_a_line(gold):
        gold = list(split_trees(gold, source=gold_source))
    if not any(map(_is_tree, gold)):
        raise ValueError(f"{gold_source}: there are no trees.")
    predicted = _without_blank_end(predicted, len(gold))
    gold = _without_blank_end(gold, len(predicted))
    # Where there are as many lines as trees, an unbalanced line is a tree's.
    if len(predicted) != len(gold) and not _is_tree_a_line(predicted):
        predicted = list(split_trees(predicted, source=predicted_source))
    if len(predicted) != len(gold):
        raise ValueError(
            f"{gold_source} has {len(gold)} trees, but {predicted_source} has "
            f"{len(predicted)}."
        )
    return gold, predicted


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(_is_tree(line) for line in lines if line.strip())


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    try:
        return list(split_trees([line])) == [line.strip()]
    except ValueError:
        return False


def _without_blank_end(lines: list[str], number: int) -> list[str]:
    end = len(lines)
    while end > number and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
