"""Studies of networks: each runs small, and what they rest on."""

import re

import pytest
import recursive_network
import torch
from helpers.reading import ROOT
from recursive_network import binary_nodes

from spacy_gfl.tools.treebanks.bracket_reader import parse_tree

TREES = ROOT / "tests/data"
BANK = ["--train", TREES / "train.ptb", "--dev", TREES / "dev.ptb"]
#: Arguments of each study beside --small, and what a line of its table looks like.
STUDIES = {
    "cells": (
        [*BANK, "--only", "gru", "--output", "out"],
        r"gru +gru +2 +8 +[\d,]+ +[\d,]+ +3 +\d+\.\d\d",
    ),
    "tagging": (
        [*BANK, "--output", "out"],
        # A network that hardly learnt says little; a word's usual tag is known.
        r"most frequent tag of the word +[6-9]\d\.\d\d +\d+\.\d\d",
    ),
    "recursive_network": (
        [*BANK],
        # Far more than the third that the most frequent label has.
        r"recursive, all nodes +[\d,]+ +\d+\.\d +[6-9]\d\.\d ",
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_studies_run_small(name, run_small, tmp_path, monkeypatch):
    arguments, line = STUDIES[name]
    monkeypatch.chdir(tmp_path)
    printed = run_small(name, *arguments)
    assert re.search(line, printed), printed


SENTIMENT = [
    "(3 (2 It) (4 (2 's) (4 (3 quite) (4 good))))",
    "(2 Yes)",
    "(1 (2 (2 The) (2 film)) (1 (1 (1 (1 is) (1 dull)) (2 and)) (0 long)))",
]


def test_classes_stand_at_all_nodes():
    found = [binary_nodes(parse_tree(text), classes=True) for text in SENTIMENT]
    labels = [[node.label for node in tree] for tree in found]
    assert labels == [list("2234443"), ["2"], list("22112011121")]


def test_a_tree_made_binary_lists_children_before_their_parent():
    tree = parse_tree("(S (NP (NN a)) (VP (VBZ b) (S (VP (TO c) (VP (VB d)))) (RB e)))")
    assert [tuple(node) for node in binary_nodes(tree)] == [
        ("NP", 0, 1, 0, ()),
        ("", 1, 2, 0, ()),
        ("", 2, 3, 0, ()),
        ("VP", 3, 4, 0, ()),
        ("", 4, 5, 0, ()),
        ("S+VP", 2, 4, 1, (2, 3)),
        ("", 2, 5, 2, (5, 4)),
        ("VP", 1, 5, 3, (1, 6)),
        ("S", 0, 5, 4, (0, 7)),
    ]


def test_heights_at_once_equal_node_by_node():
    trees = [binary_nodes(parse_tree(text), classes=True) for text in SENTIMENT]
    batch = recursive_network.make_batch(
        [([node.start + 1 for node in t if not node.children], t) for t in trees],
        ["2", "1"],
    )
    vectors = torch.randn(9, 4)
    network = recursive_network.Labeller("recursive", vectors, n_labels=2, width=3)
    words = network.words(batch.words)
    found = network.recursive(words, batch, torch.arange(len(batch.words)))
    first = 0
    for tree in trees:
        for at, node in enumerate(tree, first):
            if node.children:
                both = torch.cat([found[first + i] for i in node.children])
                expected = network.compose(both).tanh()
            else:
                expected = network.leaf(words[at]).tanh()
            torch.testing.assert_close(found[at], expected)
        first += len(tree)
    assert batch.labels[:7].tolist() == [0, 0, -1, -1, -1, -1, -1]
    assert batch.roots.tolist() == [6, 7, 18]
