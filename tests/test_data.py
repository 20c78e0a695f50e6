"""The trees in tests/data are Penn trees, and as uneven as treebanks are."""

import re
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Iterator, List, Tuple

import nltk
import pytest

from spacy_gfl.trees.bracket_errors import ReadCounts
from spacy_gfl.trees.brackets import read_tree_file
from spacy_gfl.trees.escaping import unescape_word
from spacy_gfl.trees.tree import ROOT_LABELS

DATA = Path(__file__).parent / "data"
TREEBANKS = ["train", "dev"]
TAG_NAMES = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS "
    "RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB # $ . , : `` '' -LRB- -RRB- "
    "-NONE-"
)
LABEL_NAMES = (
    "S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC "
    "UCP VP WHADJP WHADVP WHNP WHPP X"
)
TAGS = frozenset(TAG_NAMES.split())
LABELS = frozenset(LABEL_NAMES.split())
FINITE_OR_BASE = frozenset({"VB", "VBD", "VBP", "VBZ", "MD", "TO"})


def text_of(name: str) -> str:
    return (DATA / f"{name}.ptb").read_text(encoding="utf-8")


def raw_trees(name: str) -> List[nltk.Tree]:
    """The trees as they stand in the file, with outer brackets and traces."""
    return list(nltk.Tree.fromstring(f"(FILE {text_of(name)})"))


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


def sentences(name: str) -> List[str]:
    return [" ".join(words_of(tree)).lower() for tree in raw_trees(name)]


@pytest.mark.parametrize("name", TREEBANKS)
def test_trees_are_well_formed(name: str) -> None:
    for tree in raw_trees(name):
        assert isinstance(tree, nltk.Tree)
        if tree.label() in ROOT_LABELS:
            assert len(tree) == 1
        for node in without_root(tree).subtrees():
            assert node.label(), tree
            if is_preterminal(node):
                assert len(node) == 1, f"{node} has not one word in {tree}"
            else:
                words = [child for child in node if isinstance(child, str)]
                assert not words, f"{words} beside subtrees in {tree}"


@pytest.mark.parametrize("name", TREEBANKS)
def test_tags_and_labels_are_penns(name: str) -> None:
    for tree in map(without_root, raw_trees(name)):
        tags = {tag for _, tag in tree.pos()}
        labels = {bare(node.label()) for node in inner_nodes(tree)}
        assert tags <= TAGS, f"{tags - TAGS} in {tree}"
        assert labels <= LABELS, f"{labels - LABELS} in {tree}"


@pytest.mark.parametrize("name", TREEBANKS)
def test_no_label_stands_alone_under_itself(name: str) -> None:
    for tree in read_tree_file(DATA / f"{name}.ptb"):
        repeated = [n for n, k in Counter(tree.constituents).items() if k > 1]
        assert not repeated, f"{repeated} in {tree}"


@pytest.mark.parametrize("name", TREEBANKS)
def test_words_and_tags_agree(name: str) -> None:
    for tree in raw_trees(name):
        for word, tag in tree.pos():
            if word in {"-LRB-", "-RRB-", "``", "''", ",", "$", "#"}:
                assert tag == word, tree
            if word.lower() == "to":
                assert tag == "TO", tree
            if word in {"n't", "'s", "'re", "'ve", "'m"}:
                assert tag in {"RB", "POS", "PRP", "VBZ", "VBP"}, tree
            assert word != '"', tree
            assert not re.search("[a-z](n't|'(s|re|ve|m|d|ll))$", word), tree


@pytest.mark.parametrize("name", TREEBANKS)
def test_each_auxiliary_has_its_own_verb_phrase(name: str) -> None:
    """No verb phrase holds two finite or base verbs, unless coordinated."""
    for tree in raw_trees(name):
        for node in inner_nodes(tree):
            if bare(node.label()) != "VP":
                continue
            children = [bare(c.label()) or c.label() for c in node]
            verbs = [label for label in children if label in FINITE_OR_BASE]
            assert len(verbs) <= 1 or "CC" in children, node
            if "TO" in children:
                assert children[-1] == "VP", node


@pytest.mark.parametrize("name", TREEBANKS)
def test_reader_gives_the_same_trees_as_nltk(name: str) -> None:
    counts = ReadCounts()
    trees = list(read_tree_file(DATA / f"{name}.ptb", counts=counts))
    expected = raw_trees(name)
    assert len(trees) == len(expected)
    for tree, raw in zip(trees, map(without_root, expected), strict=True):
        pairs = [
            (unescape_word(word), tag) for word, tag in raw.pos() if tag != "-NONE-"
        ]
        assert list(zip(tree.words, tree.tags, strict=True)) == pairs
        nodes = [(bare(node.label()), words_of(node)) for node in inner_nodes(raw)]
        assert [
            (label, tree.words[start:end]) for label, start, end in tree.constituents
        ] == [(label, words) for label, words in nodes if words]


def test_no_sentence_occurs_twice() -> None:
    everything = sentences("train") + sentences("dev")
    repeated = [text for text, n in Counter(everything).items() if n > 1]
    assert not repeated


def test_train_has_every_label() -> None:
    nodes = [n for tree in raw_trees("train") for n in inner_nodes(without_root(tree))]
    assert {bare(node.label()) for node in nodes} == LABELS


def test_train_has_what_cleaning_takes_out() -> None:
    nodes = [n for tree in raw_trees("train") for n in tree.subtrees()]
    labels = {node.label() for node in nodes}
    assert {"-NONE-", "NP-SBJ-1", "PP-LOC", "NP=2", "S-TPC-1"} <= labels
    tags = [{tag for _, tag in tree.pos()} for tree in raw_trees("train")]
    assert sum("-NONE-" in tree_tags for tree_tags in tags) >= 15


def test_train_has_every_layout() -> None:
    text = text_of("train")
    roots = Counter(
        tree.label() if tree.label() in ROOT_LABELS else "none"
        for tree in raw_trees("train")
    )
    assert min(roots[root] for root in ("", "ROOT", "none")) >= 50
    begins = [line for line in text.splitlines() if line.startswith("(")]
    whole = [line for line in begins if line.count("(") == line.count(")")]
    assert len(begins) == len(raw_trees("train"))
    assert len(whole) >= 50
    assert len(begins) - len(whole) >= 50


def test_dev_resembles_train() -> None:
    known = {word for text in sentences("train") for word in text.split()}
    words = [word for text in sentences("dev") for word in text.split()]
    assert sum(word in known for word in words) / len(words) > 0.9


@pytest.mark.parametrize(
    ("name", "least", "n_long"), [("train", 150, 8), ("dev", 30, 1)]
)
def test_size(name: str, least: int, n_long: int) -> None:
    lengths = [len(words_of(tree)) for tree in raw_trees(name)]
    assert len(lengths) >= least
    assert sum(35 <= length <= 60 for length in lengths) >= n_long
    assert min(lengths) <= 2


@pytest.mark.parametrize("name", TREEBANKS)
def test_readme_has_the_counts(name: str) -> None:
    lengths = [len(words_of(tree)) for tree in raw_trees(name)]
    figures = [len(lengths), sum(lengths), int(median(lengths)), max(lengths)]
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if f"`{name}.ptb` |" in line)
    cells = [cell.strip().replace(",", "") for cell in row.strip("|").split("|")]
    assert cells[2:] == [str(figure) for figure in figures]


def test_paragraph_has_what_a_parser_may_stumble_over() -> None:
    text = (DATA / "paragraph.txt").read_text(encoding="utf-8")
    assert "\n\n" in text
    assert re.search(r"[a-z]\n[a-z]", text), "no newline inside a sentence"
    assert re.search("[\U0001f300-\U0001faff]", text), "no emoji"
    assert {"(", ")", "[", "]", '"'} <= set(text)
    assert len(re.findall(r'[.?!](?="?\s)', text)) >= 8
