import nltk
import pytest
from helpers.strategies import deep_tree, labels, plain_trees, trees
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.trees.binarization import binarize, unbinarize
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.tree import Constituent, Tree

SHORT = parse_tree(
    "(S (NP (DT the) (JJ old) (JJ red) (NN car)) (VP (VBD stopped)) (. .))"
)
settings = st.fixed_dictionaries(
    {
        "factor": st.sampled_from(["left", "right"]),
        "horizontal": st.sampled_from([None, 0, 1, 2]),
        "vertical": st.sampled_from([1, 2, 3]),
        "join_unary": st.booleans(),
    }
)
# Labels made of what marks a label.
marked = st.lists(
    st.sampled_from(["NP", "|", "^", "+", "\\", "<", ">", "-", "|<", "^<", "\n"]),
    min_size=1,
    max_size=5,
).map("".join)


@pytest.mark.parametrize(
    ("arguments", "brackets"),
    [
        (
            {},
            "(S (NP (DT the) (NP|<JJ-JJ-NN> (JJ old) (NP|<JJ-NN> (JJ red) (NN car))))"
            " (S|<VP-.> (VP (VBD stopped)) (. .)))",
        ),
        (
            {"factor": "left"},
            "(S (S|<NP-VP> (NP (NP|<DT-JJ-JJ> (NP|<DT-JJ> (DT the) (JJ old)) (JJ red))"
            " (NN car)) (VP (VBD stopped))) (. .))",
        ),
        (
            {"horizontal": 1},
            "(S (NP (DT the) (NP|<JJ> (JJ old) (NP|<JJ> (JJ red) (NN car))))"
            " (S|<VP> (VP (VBD stopped)) (. .)))",
        ),
        (
            {"factor": "left", "horizontal": 0, "vertical": 2},
            "(S (S|<> (NP^<S> (NP|<>^<S> (NP|<>^<S> (DT the) (JJ old)) (JJ red))"
            " (NN car)) (VP^<S> (VBD stopped))) (. .))",
        ),
    ],
)
def test_binary_trees(arguments, brackets):
    binary = binarize(SHORT, **arguments)
    assert binary.brackets() == brackets
    assert unbinarize(binary) == SHORT


def test_unary_chains_are_joined():
    tree = parse_tree("(S (VP (VB Go)))")
    assert binarize(tree, join_unary=True).brackets() == "(S+VP (VB Go))"
    assert unbinarize(binarize(tree, join_unary=True)) == tree
    tree = parse_tree("(SBAR (S (VP (VB Go) (ADVP (RB away)) (NP (NN fool)))))")
    binary = binarize(tree, join_unary=True, vertical=2)
    assert binary.brackets() == (
        "(SBAR+S+VP (VB Go) (SBAR+S+VP|<ADVP-NP> (ADVP^<SBAR+S+VP> (RB away)) "
        "(NP^<SBAR+S+VP> (NN fool))))"
    )
    assert unbinarize(binary) == tree


def test_three_generations():
    tree = parse_tree("(S (VP (VP (VB Go)) (CC and) (VP (VB see))))")
    assert binarize(tree, vertical=3).brackets() == (
        "(S (VP^<S> (VP^<VP-S> (VB Go)) "
        "(VP|<CC-VP>^<S> (CC and) (VP^<VP-S> (VB see)))))"
    )


def test_a_forest_is_binary_under_its_root():
    tree = Tree(("a", "b", "c"), ("A", "B", "C"), (("X", 1, 2),))
    binary = binarize(tree, vertical=2)
    assert binary.constituents == (("TOP|<X-C>", 1, 3), ("X", 1, 2))
    assert unbinarize(binary) == tree


@pytest.mark.parametrize(
    ("label", "escaped"),
    [("NP|NX", "NP\\|NX"), ("A+B", "A\\+B"), ("\\", "\\\\"), ("^<S>", "\\^<S>")],
)
def test_marks_in_labels_are_escaped(label, escaped):
    tree = Tree(("a",), ("A",), ((label, 0, 1), ("X", 0, 1)))
    binary = binarize(tree, join_unary=True)
    assert binary.constituents == ((f"{escaped}+X", 0, 1),)
    assert unbinarize(binary) == tree


@given(trees(labels=labels() | marked), settings)
def test_every_tree_is_binary_and_comes_back(tree, arguments):
    binary = binarize(tree, **arguments)
    assert unbinarize(binary) == tree
    assert max(map(len, binary.children())) <= 2
    assert (binary.words, binary.tags) == (tree.words, tree.tags)
    if arguments["join_unary"]:
        extents = [node[1:] for node in binary.constituents]
        assert len(extents) == len(set(extents))


@given(
    plain_trees().filter(lambda tree: len(tree.children()[-1]) == 1 < len(tree)),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, 0, 1, 2]),
    st.sampled_from([1, 2, 3]),
)
def test_labels_are_those_of_nltk(tree, factor, horizontal, vertical):
    # nltk neither escapes the mark in this label, nor starts with a forest.
    plain = [
        node._replace(label=node.label.replace("|", "")) for node in tree.constituents
    ]
    tree = Tree(tree.words, tree.tags, tuple(plain))
    expected = tree.to_nltk()
    expected.chomsky_normal_form(factor, horizontal, vertical - 1)
    found = binarize(tree, factor=factor, horizontal=horizontal, vertical=vertical)
    assert found.to_nltk() == expected


def test_joined_chains_are_those_of_nltk():
    text = "(S (NP (NP (NN Rain))) (VP (VBD fell) (ADVP (ADVP (ADVP (RB hard))))))"
    expected = nltk.Tree.fromstring(text)
    expected.collapse_unary(collapsePOS=False)
    assert binarize(parse_tree(text), join_unary=True).to_nltk() == expected


def test_deep_and_wide_trees():
    deep = deep_tree(3000)
    for join_unary in (False, True):
        assert unbinarize(binarize(deep, vertical=2, join_unary=join_unary)) == deep
    wide = Tree(("w",) * 1000, ("NN",) * 1000, (("S", 0, 1000),))
    for factor in ("left", "right"):
        binary = binarize(wide, factor=factor, horizontal=2)
        assert len(binary.constituents) == 999
        assert unbinarize(binary) == wide


def test_small_trees_stay():
    for tree in (Tree((), (), ()), Tree.flat("ab", "XX"), parse_tree("(NN dog)")):
        assert binarize(tree) == tree == unbinarize(tree)


def test_a_predicted_label_of_marks_alone_is_kept():
    tree = Tree(("a",), ("A",), (("+", 0, 1),))
    assert unbinarize(tree).constituents == (Constituent("+", 0, 1),)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factor": "up"}, "factor must be"),
        ({"horizontal": -1}, "horizontal must be 0 or more"),
        ({"vertical": 0}, "vertical must be 1 or more"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        binarize(SHORT, **arguments)
