"""What trees say of each word, counted by hand and by other programs."""

import re

import pytest
from helpers import strategies
from helpers.docs import make_doc, token_doc
from helpers.growth import work
from hypothesis import given

from spacy_gfl import parse_tree, read_trees
from spacy_gfl.tools.syntax.word_syntax import COUNTS, word_syntax

#: What that script adds up for the words of the first 20 trees in tests/data/dev.ptb.
YNGVE = "13 19 17 19 42 14 10 14 12 23 132 10 30 40 113 14 9 20 23 13"
#: Rows of opened, closed, left_corner, open_nodes, depth, yngve, break_after, label and
#: head, counted by hand.
COUNTED = {
    """(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) (PP (IN in)
    (NP (NNP Rome))))) (. .))""": """
        2 0 1 2 2 3 0 NP dog
        0 1 1 1 2 2 2 NP dog
        1 0 1 2 2 2 2 VP saw
        2 0 1 4 4 3 0 NP cat
        0 1 1 3 4 2 2 NP cat
        1 0 1 4 4 2 1 PP in
        1 4 1 1 5 1 4 NP Rome
        0 1 0 0 1 0 1 S saw""",
    # Unary chains open and close at once.
    "(S (VP (VB Go)) (. !))": """
        2 1 2 1 2 1 1 VP Go
        0 1 0 0 1 0 1 S Go""",
    # From the left: a new node at each word, over what has been read.
    """(NP (NP (NP (NNP Ada) (POS 's)) (NN aunt) (POS 's)) (NN cat))""": """
        3 0 1 3 3 4 0 NP 's
        0 1 1 2 3 3 1 NP 's
        0 0 0 2 2 2 0 NP 's
        0 1 1 1 2 1 1 NP 's
        0 1 0 0 1 0 1 NP cat""",
    # Words and nodes under no bracket of the sentence.
    "(TOP (INTJ (UH Yes)) (, ,) (UH oh))": """
        1 1 1 0 1 2 1 INTJ Yes
        0 0 0 0 0 1 0 - Yes
        0 0 0 0 0 0 0 - Yes""",
}


@pytest.mark.parametrize("brackets", COUNTED)
def test_counts_are_those_by_hand(brackets):
    doc = make_doc(" ".join(brackets.split()))
    rows = []
    for row in doc._.word_syntax:
        counts = [str(row[name]) for name in COUNTS]
        head = doc[int(row["head"])].text
        rows.append(" ".join([*counts, str(row["label"]) or "-", head]))
    assert rows == [line.strip() for line in COUNTED[brackets].strip().splitlines()]


@given(strategies.plain_trees())
def test_openings_and_closings_are_those_of_the_brackets(tree):
    found = word_syntax(make_doc(tree.brackets(root="TOP")))
    leaves = r"((?:\([^\s()]+ )*)\([^\s()]+ [^\s()]+\)(\)*)"
    brackets = tree.brackets(root="TOP").removeprefix("(TOP ")[:-1]
    seen = re.findall(leaves, brackets)
    assert found["opened"].tolist() == [opening.count("(") for opening, _ in seen]
    assert found["closed"].tolist() == [len(closing) for _, closing in seen]
    assert found["left_corner"].sum() == found["opened"].sum() == found["closed"].sum()
    assert (found["open_nodes"] + found["closed"] == found["depth"]).all()


def test_branches_to_the_right_are_those_of_a_published_script(data):
    """neubig/util-scripts, syntactic-complexity.py (after Roark et al. 2007)."""
    trees = read_trees((data / "dev.ptb").read_text(encoding="utf-8").splitlines())
    doc = make_doc(*(tree.brackets() for tree in trees))
    sums = [int(sent._.word_syntax["yngve"].sum()) for sent in doc.sents]
    assert sums[:20] == [int(number) for number in YNGVE.split()]


def test_a_span_has_the_rows_of_its_tokens():
    doc = make_doc(*map(" ".join, map(str.split, COUNTED)))
    table = doc._.word_syntax
    part = doc[2:5]._.word_syntax
    for name in table.dtype.names:
        # Nothing is noted of gold trees: NaN.
        assert str(part[name].tolist()) == str(table[name][2:5].tolist())


def test_white_space_has_no_counts():
    tree = parse_tree("(S (VP (VB Go) (ADVP (RB home))))")
    doc = token_doc("Go|\n|home", trees=[tree])
    table = doc._.word_syntax
    assert table["depth"].tolist() == [2, 0, 3]
    assert table["head"].tolist() == [0, -1, 2]
    assert table["label"].tolist() == ["VP", "", "ADVP"]


def test_time_is_linear_in_the_sentence():
    docs = {n: make_doc("(NP " * n + "(NN a)" + " (NN b))" * n) for n in (50, 200)}
    steps = [work(lambda n: word_syntax(docs[n]), n) for n in docs]
    assert steps[1] < 6 * steps[0]
