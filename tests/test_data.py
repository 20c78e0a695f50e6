"""The trees in tests/data are read as nltk reads them, and counted on their page."""

import re
from collections import Counter
from pathlib import Path

import nltk
import pytest
from helpers.reading import read_tree_file

from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts
from spacy_gfl.trees.escaping import unescape_word
from spacy_gfl.trees.tree import ROOT_LABELS

DATA = Path(__file__).parent / "data"
TREEBANKS = ["train", "dev"]


def raw_trees(name: str) -> list[nltk.Tree]:
    """The trees as they stand in the file, with outer brackets and traces."""
    text = (DATA / f"{name}.ptb").read_text(encoding="utf-8")
    return list(nltk.Tree.fromstring(f"(FILE {text})"))


def leaves(node: nltk.Tree) -> list[tuple[str, str]]:
    """The words of a tree with their tags, without traces."""
    return [(unescape_word(word), tag) for word, tag in node.pos() if tag != "-NONE-"]


@pytest.mark.parametrize("name", TREEBANKS)
def test_reader_gives_the_same_trees_as_nltk_and_no_label_alone_under_itself(
    name: str,
) -> None:
    counts = ReadCounts()
    trees = list(read_tree_file(DATA / f"{name}.ptb", counts=counts))
    expected = raw_trees(name)
    assert len(trees) == len(expected) == counts.kept == counts.read
    assert (counts.repairs, counts.untagged) == (0, 0)
    for tree, raw in zip(trees, expected, strict=True):
        raw = raw[0] if raw.label() in ROOT_LABELS else raw
        repeated = [n for n, k in Counter(tree.constituents).items() if k > 1]
        assert not repeated, f"{repeated} in {tree}"
        words = list(zip(tree.words, tree.tags, strict=True))
        assert words == leaves(raw)
        found = [(label, words[i:j]) for label, i, j in tree.constituents]
        above_tags = raw.subtrees(lambda node: node.height() > 2)
        nodes = [(re.split("[-=]", n.label())[0], leaves(n)) for n in above_tags]
        assert found == [(label, words) for label, words in nodes if words]
