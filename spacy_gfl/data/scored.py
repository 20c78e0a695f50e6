"""Gold and predicted trees of files, side by side, to be scored."""

import warnings
from dataclasses import replace
from pathlib import Path

from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.inputs import find_treebank_format, holds_docs, read_treebank
from spacy_gfl.evaluation.evalb import SentenceScore, score_lines
from spacy_gfl.evaluation.lines import copy_tags, map_root, map_words
from spacy_gfl.evaluation.parameters import Parameters
from spacy_gfl.evaluation.scorer import prediction_flags, score_doc
from spacy_gfl.formats import ENDINGS, ending_of
from spacy_gfl.formats.files import read_lines
from spacy_gfl.formats.reading import AUTO, Reading
from spacy_gfl.trees.brackets import split_trees
from spacy_gfl.trees.schemes import PENN, SchemeCheck, SchemeWarning
from spacy_gfl.trees.tree import ROOT_LABEL


def score_files(
    gold: Path,
    predicted: Path,
    parameters: Parameters,
    *,
    gold_tags: bool,
    raw: bool,
    reading: Reading | None = None,
) -> tuple[list[SentenceScore], list[str] | None]:
    """Score predicted trees in a file against gold trees in another, as EVALB does.

    Two files of Docs need the same texts, but not the same tokens. Trees in brackets
    are given the gold tags if `gold_tags`, and keep their root labels if `raw`. What
    `reading` says of the format is of files whose ending tells none, and of gold.

    Returns:
        The scores of all sentences; and what the parser says of each of its trees, or
        None where it says nothing.

    Raises:
        OSError: If a file cannot be read.
        ValueError: If there are no gold trees, or texts or numbers of trees differ.
    """
    how, other_how = readings(gold, predicted, reading)
    if not (holds_docs(gold, how.format) and holds_docs(predicted, other_how.format)):
        lines = read_pairs(
            gold, predicted, parameters, gold_tags=gold_tags, raw=raw, reading=reading
        )
        return score_lines(*lines, parameters), None
    golds = list(read_treebank(gold, Vocab(), how))
    predictions = list(read_treebank(predicted, Vocab(), other_how, need_trees=False))
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


def readings(
    gold: Path, predicted: Path, reading: Reading | None
) -> tuple[Reading, Reading]:
    """How two files are read: predicted trees by their ending, if it is known."""
    reading = reading or Reading()
    is_known = ending_of(predicted) in ENDINGS
    return reading, replace(reading, format=AUTO) if is_known else reading


def read_pairs(
    gold: Path,
    predicted: Path,
    parameters: Parameters,
    *,
    gold_tags: bool,
    raw: bool,
    reading: Reading | None = None,
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
        reading: How the files are read, as in `score_files`.

    Returns:
        The lines of the gold trees, and as many of the predicted ones.

    Raises:
        OSError: If a file cannot be read.
        ValueError: If there are no gold trees, or the numbers of trees differ.
    """
    how, other_how = readings(gold, predicted, reading)
    lines, others = _lines(gold, how), _lines(predicted, other_how)
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


def _lines(path: Path, reading: Reading) -> list[str]:
    """The lines of a file of brackets; or a line for each tree with words of others.

    Lines are as they stand in the scheme `penn`, which EVALB knows.
    """
    row = find_treebank_format(path, reading.format)
    if row.name == "brackets" and reading.scheme.name == PENN.name:
        lines = read_lines(path, encoding=reading.encoding)
        found = [line.rstrip("\n") for line in lines]
        check = SchemeCheck(reading.scheme)
        for line in found:
            check.look(line)
        if message := check.message(str(path)):
            warnings.warn(message, SchemeWarning, stacklevel=2)
        return found
    docs = read_treebank(path, Vocab(), reading)
    trees = (tree for doc in docs for tree in get_trees(doc))
    return [tree.brackets(ROOT_LABEL) for tree in trees if len(tree)]


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(map(_is_tree, filter(str.strip, lines)))


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    try:
        return list(split_trees([line])) == [line.strip()]
    except ValueError:
        return False
