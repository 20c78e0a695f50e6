"""Gold and predicted trees of files, side by side, to be scored."""

from pathlib import Path

from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.inputs import holds_docs, read_treebank
from spacy_gfl.evaluation.evalb import SentenceScore, score_lines
from spacy_gfl.evaluation.lines import copy_tags, map_root, map_words
from spacy_gfl.evaluation.parameters import Parameters
from spacy_gfl.evaluation.scorer import prediction_flags, score_doc
from spacy_gfl.formats.files import read_lines
from spacy_gfl.trees.brackets import split_trees
from spacy_gfl.trees.tree import ROOT_LABEL


def score_files(
    gold: Path, predicted: Path, parameters: Parameters, *, gold_tags: bool, raw: bool
) -> tuple[list[SentenceScore], list[str] | None]:
    """Score predicted trees in a file against gold trees in another, as EVALB does.

    Two files of Docs need the same texts, but not the same tokens. Trees in brackets
    are given the gold tags if `gold_tags`, and keep their root labels if `raw`.

    Returns:
        The scores of all sentences; and what the parser says of each of its trees, or
        None where it says nothing.

    Raises:
        OSError: If a file cannot be read.
        ValueError: If there are no gold trees, or texts or numbers of trees differ.
    """
    if not (holds_docs(gold) and holds_docs(predicted)):
        lines = read_pairs(gold, predicted, parameters, gold_tags=gold_tags, raw=raw)
        return score_lines(*lines, parameters), None
    golds = list(read_treebank(gold, Vocab()))
    predictions = list(read_treebank(predicted, Vocab(), need_trees=False))
    if not golds:
        raise ValueError(f"{gold}: there are no trees.")
    if len(golds) != len(predictions):
        raise ValueError(
            f"{gold} has {len(golds)} Docs, but {predicted} has {len(predictions)}."
        )
    scores: list[SentenceScore] = []
    pairs = zip(golds, predictions, strict=True)
    for number, (doc, other) in enumerate(pairs, start=1):
        if "".join(doc.text.split()) != "".join(other.text.split()):
            raise ValueError(
                f"Doc {number} of {gold} and of {predicted} differ in their text."
            )
        scores.extend(score_doc(doc, other, parameters=parameters))
    return scores, prediction_flags(predictions)


def read_pairs(
    gold: Path, predicted: Path, parameters: Parameters, *, gold_tags: bool, raw: bool
) -> tuple[list[str], list[str]]:
    """The trees of two files as lines of brackets, one a tree, ready for EVALB.

    Files of one tree a line are read as EVALB does, blank lines (a parser that gave up)
    and unbalanced ones included; in any other layout trees end where their brackets
    do. Blank lines at the end of one file alone are left out, and so are all where
    the files do not have as many lines. Words are the same if they stand for the same
    characters, such as -LCB- and `{`.

    Args:
        gold: The file of gold trees.
        predicted: The file of predicted trees of the same sentences, in their order.
        parameters: EVALB's parameters.
        gold_tags: Put the gold tags into the predicted trees.
        raw: Leave root labels and words as they are.

    Returns:
        The lines of the gold trees, and as many of the predicted ones.

    Raises:
        OSError: If a file cannot be read.
        ValueError: If there are no gold trees, or the numbers of trees differ.
    """
    lines, others = _lines(gold), _lines(predicted)
    if not _is_tree_a_line(lines):
        lines = list(split_trees(lines, source=str(gold)))
    if not any(map(_is_tree, lines)):
        raise ValueError(f"{gold}: there are no trees.")
    for some, other in ((others, lines), (lines, others)):
        while len(some) > len(other) and not some[-1].strip():
            some.pop()
    if len(others) != len(lines):
        lines = list(filter(str.strip, lines))
    # Where there are as many lines as trees, an unbalanced line is a tree's.
    if len(others) != len(lines) and not _is_tree_a_line(others):
        others = list(split_trees(others, source=str(predicted)))
    if len(others) != len(lines):
        others = list(filter(str.strip, others))
    if len(others) != len(lines):
        raise ValueError(
            f"{gold} has {len(lines)} trees, but {predicted} has {len(others)}."
        )
    if not raw:
        lines, others = (
            [map_words(map_root(line)) for line in some] for some in (lines, others)
        )
    if gold_tags:
        others = [
            copy_tags(line, other, parameters)
            for line, other in zip(lines, others, strict=True)
        ]
    return lines, others


def _lines(path: Path) -> list[str]:
    """The lines of a file of brackets; or a line for each tree with words of Docs."""
    if not holds_docs(path):
        return [line.rstrip("\n") for line in read_lines(path)]
    trees = (tree for doc in read_treebank(path, Vocab()) for tree in get_trees(doc))
    return [tree.brackets(ROOT_LABEL) for tree in trees if len(tree)]


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(map(_is_tree, filter(str.strip, lines)))


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    try:
        return list(split_trees([line])) == [line.strip()]
    except ValueError:
        return False
