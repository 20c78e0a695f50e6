"""The trees in tests/data are Penn trees, and as uneven as treebanks are."""

import re
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Iterator, List, Tuple

import nltk
import pytest
from helpers.penn import PENN_LABELS, PENN_TAGS
from helpers.reading import read_tree_file

from spacy_gfl.trees.bracket_errors import ReadCounts
from spacy_gfl.trees.escaping import unescape_word
from spacy_gfl.trees.tree import ROOT_LABELS

DATA = Path(__file__).parent / "data"
TREEBANKS = ["train", "dev"]
TAGS = frozenset(PENN_TAGS.split())
LABELS = frozenset(PENN_LABELS.split())


def raw_trees(name: str) -> List[nltk.Tree]:
    """The trees as they stand in the file, with outer brackets and traces."""
    text = (DATA / f"{name}.ptb").read_text(encoding="utf-8")
    return list(nltk.Tree.fromstring(f"(FILE {text})"))


def without_root(tree: nltk.Tree) -> nltk.Tree:
    return tree[0] if tree.label() in ROOT_LABELS else tree


def is_preterminal(node: nltk.Tree) -> bool:
    return not any(isinstance(child, nltk.Tree) for child in node)


def inner_nodes(tree: nltk.Tree) -> Iterator[nltk.Tree]:
    return tree.subtrees(lambda node: not is_preterminal(node))


def bare(label: str) -> str:
    return re.split("[-=]", label)[0]


def words_of(node: nltk.Tree) -> Tuple[str, ...]:
    return tuple(unescape_word(word) for word, tag in node.pos() if tag != "-NONE-")


@pytest.mark.parametrize("name", TREEBANKS)
def test_tags_and_labels_are_penns(name: str) -> None:
    for tree in map(without_root, raw_trees(name)):
        tags = {tag for _, tag in tree.pos()}
        labels = {bare(node.label()) for node in inner_nodes(tree)}
        assert tags <= TAGS, f"{tags - TAGS} in {tree}"
        assert labels <= LABELS, f"{labels - LABELS} in {tree}"


@pytest.mark.parametrize("name", TREEBANKS)
def test_reader_gives_the_same_trees_as_nltk_and_no_label_alone_under_itself(
    name: str,
) -> None:
    counts = ReadCounts()
    trees = list(read_tree_file(DATA / f"{name}.ptb", counts=counts))
    expected = raw_trees(name)
    assert len(trees) == len(expected) == counts.kept == counts.read
    assert (counts.repairs, counts.untagged) == (0, 0)
    for tree, raw in zip(trees, map(without_root, expected), strict=True):
        repeated = [n for n, k in Counter(tree.constituents).items() if k > 1]
        assert not repeated, f"{repeated} in {tree}"
        pairs = [
            (unescape_word(word), tag) for word, tag in raw.pos() if tag != "-NONE-"
        ]
        assert list(zip(tree.words, tree.tags, strict=True)) == pairs
        nodes = [(bare(node.label()), words_of(node)) for node in inner_nodes(raw)]
        assert [
            (label, tree.words[start:end]) for label, start, end in tree.constituents
        ] == [(label, words) for label, words in nodes if words]


def test_train_has_what_cleaning_takes_out() -> None:
    nodes = [n for tree in raw_trees("train") for n in tree.subtrees()]
    labels = {node.label() for node in nodes}
    assert {"-NONE-", "NP-SBJ-1", "PP-LOC", "NP=2", "S-TPC-1"} <= labels
    tags = [{tag for _, tag in tree.pos()} for tree in raw_trees("train")]
    assert sum("-NONE-" in tree_tags for tree_tags in tags) >= 15


@pytest.mark.parametrize("name", TREEBANKS)
def test_readme_has_the_counts(name: str) -> None:
    lengths = [len(words_of(tree)) for tree in raw_trees(name)]
    figures = [len(lengths), sum(lengths), int(median(lengths)), max(lengths)]
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if f"`{name}.ptb` |" in line)
    cells = [cell.strip().replace(",", "") for cell in row.strip("|").split("|")]
    assert cells[2:] == [str(figure) for figure in figures]
