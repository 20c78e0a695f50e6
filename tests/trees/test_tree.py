import nltk
import pytest
from helpers.strategies import deep_tree, texts, trees
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_gfl import Constituent, Tree, TreeError, parse_tree
from spacy_gfl.trees.escaping import (
    escape_name,
    escape_word,
    unescape_name,
    unescape_word,
)
from spacy_gfl.trees.tree import TreeBuilder

DOG = Tree(
    ("The", "dog", "barks", "."),
    ("DT", "NN", "VBZ", "."),
    (("S", 0, 4), ("NP", 0, 2), ("VP", 2, 3)),
)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("dog", "dog"),
        ("(", "-LRB-"),
        ("f(x)", "f-LRB-x-RRB-"),
        ("[", "["),
        ("a b", "a-U+0020-b"),
        ("1\u00a01/2", "1-U+00A0-1/2"),
        ("-LRB-", "-U+002D-LRB-"),
        ("-LRB(", "-U+002D-LRB-LRB-"),
        ("-LRB-LRB-", "-U+002D-LRB-U+002D-LRB-"),
        ("-U+0028-", "-U+002D-U+0028-"),
        ("-(", "--LRB-"),
        ("well-known", "well-known"),
        ("\\/", "-U+005C-/"),
        ("/.", "-U+002F-."),
        ("a/.", "a/."),
        ("\\", "\\"),
        ("a\\b", "a\\b"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_a_word_is_escaped_and_read_back(word, text):
    assert escape_word(word) == text
    assert unescape_word(text) == word


@pytest.mark.parametrize(
    ("escape", "unescape"), [(escape_word, unescape_word), (escape_name, unescape_name)]
)
@given(texts())
def test_everything_survives_escaping(escape, unescape, text):
    escaped = escape(text)
    assert not any(c in "()" or c.isspace() for c in escaped)
    assert unescape(escaped) == text


def test_escapes_of_other_treebanks_are_read():
    assert unescape_word("-LSB--RSB--LCB--RCB--U+110000-") == "[]{}-U+110000-"
    assert unescape_word(r"1\/2 \* US\$ \\n") == r"1/2 * US$ \\n"
    # Half a character, which no Doc could have.
    assert unescape_word("-U+D83D-") == "-U+D83D-"
    assert escape_name("-LRB-") == "-LRB-" == unescape_name("-LRB-")


def test_a_tree_is_compared_and_hashed_by_value():
    same = Tree(list(DOG.words), list(DOG.tags), [tuple(c) for c in DOG.constituents])
    assert same == DOG
    assert hash(same) == hash(DOG)
    assert same.constituents[0] == Constituent("S", 0, 4)
    assert len(DOG) == 4


@pytest.mark.parametrize(
    ("words", "tags", "nodes", "message"),
    [
        (["a", "b"], ["X"], [], "2 words but 1 tags"),
        (["a", ""], ["X", "X"], [], "word 1 is empty"),
        (["a", "b"], ["X", ""], [], "the tag of word 1 is empty"),
        ("abc", "XXX", [("", 0, 2)], "the label of 0-2 is empty"),
        ("abc", "XXX", [("S", 0, 4)], "does not lie within 3 words"),
        ("abc", "XXX", [("S", 1, 1)], "does not lie within 3 words"),
        ("abc", "XXX", [("S", -1, 1)], "does not lie within 3 words"),
        ("abc", "XXX", [("S", 1, 2), ("S", 0, 1)], "not in pre-order"),
        ("abc", "XXX", [("A", 0, 1), ("B", 0, 2)], "B 0-2 is not in pre-order"),
        ("abc", "XXX", [("S", 0, 2), ("S", 1, 3)], "crosses"),
        ("abc", "XXX", [("A", 0, 3), ("B", 0, 2), ("C", 1, 3)], "crosses"),
    ],
)
def test_what_is_no_tree_is_refused(words, tags, nodes, message):
    with pytest.raises(TreeError, match=message):
        Tree(words, tags, nodes)


def test_children_are_listed_left_to_right_and_last_those_of_the_root():
    found = ["".join("cw"[c.is_word] + str(c.at) for c in at) for at in DOG.children()]
    assert found == ["c1c2w3", "w0w1", "w2", "c0"]
    assert Tree.flat("ab", "XX").children() == [[(True, 0), (True, 1)]]
    assert Tree((), (), ()).children() == [[]]


@given(trees())
def test_children_have_their_parents_and_all_words(tree):
    children, parents = tree.children(), tree.parents()
    assert len(children) == len(parents) + 1
    above = [*range(len(parents)), -1]
    found = [(c, i) for i, inside in zip(above, children, strict=True) for c in inside]
    assert {c.at: i for c, i in found if not c.is_word} == dict(enumerate(parents))
    assert sorted(c.at for c, _ in found if c.is_word) == list(range(len(tree)))


def test_the_builder_refuses_what_is_no_tree():
    builder = TreeBuilder()
    with pytest.raises(TreeError, match="no open constituent"):
        builder.close()
    builder.open("NP")
    with pytest.raises(TreeError, match="NP is not closed"):
        builder.finish()
    with pytest.raises(TreeError, match="NP has no words"):
        builder.close()


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (DOG, "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"),
        (Tree.flat(["a"], ["X"]), "(X a)"),
        (Tree.flat(["a", "b"], ["X", "Y"]), "(TOP (X a) (Y b))"),
        (Tree(("a", "b"), ("X", "Y"), (("S", 0, 1),)), "(TOP (S (X a)) (Y b))"),
        (Tree(("a",), ("X",), (("TOP", 0, 1),)), "(TOP (TOP (X a)))"),
        (Tree(("a",), ("X",), (("S", 0, 1), ("S", 0, 1))), "(S (S (X a)))"),
        (Tree.flat(["a b"], ["("]), "(-U+0028- a-U+0020-b)"),
        (Tree((), (), ()), ""),
    ],
)
def test_trees_are_printed_as_brackets_and_read_back(tree, text):
    assert tree.brackets() == str(tree) == text
    assert not text or parse_tree(text) == tree


def test_nltk_reads_what_is_printed():
    assert nltk.Tree.fromstring(DOG.brackets()) == DOG.to_nltk()
    assert DOG.to_nltk("TOP").label() == "TOP"
    assert DOG.to_nltk("").label() == ""
    with pytest.raises(TreeError, match="without words"):
        Tree((), (), ()).to_nltk()


@given(trees(), st.sampled_from([None, "TOP", "ROOT", ""]))
@example(deep_tree(5000, 1), None)
@example(deep_tree(5000, 3), "TOP")
def test_every_tree_survives_nltk(tree, root):
    assert Tree.from_nltk(tree.to_nltk(root)) == tree


def test_leaves_of_nltk_may_be_pairs_of_word_and_tag():
    chunk = nltk.Tree("NP", [("the", "DT"), ("dog", "NN")])
    found = Tree.from_nltk(nltk.Tree("S", [chunk, ("barks", "VBZ"), ("!", None)]))
    assert str(found) == "(S (NP (DT the) (NN dog)) (VBZ barks) (XX !))"
    assert str(Tree.from_nltk(nltk.Tree("NP", [("dog", "NN")]))) == "(NP (NN dog))"


def test_labels_of_nltk_may_be_features_and_words_without_tags_are_said():
    grammar = nltk.grammar.FeatureGrammar.fromstring(
        "S -> NP[NUM=?n] V[NUM=?n]\nNP[NUM=sg] -> 'dog'\nV[NUM=sg] -> 'barks'"
    )
    [tree] = nltk.parse.FeatureEarleyChartParser(grammar).parse(["dog", "barks"])
    found = Tree.from_nltk(tree)
    assert found.tags == ("NP[NUM='sg']", "V[NUM='sg']")
    assert found.constituents == (("S[]", 0, 2),)
    with pytest.warns(UserWarning, match=r"1 word has no tag, such as \(NP dog\)"):
        found = Tree.from_nltk(nltk.Tree.fromstring("(S (NP dog) (VBZ barks))"))
    assert str(found) == "(S (NP (XX dog)) (VBZ barks))"


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (nltk.Tree("S", ["the", nltk.Tree("NN", ["dog"])]), "'the' has no tag"),
        (nltk.Tree("TOP", ["the", nltk.Tree("NN", ["dog"])]), "'the' has no tag"),
        (nltk.Tree("NN", ["the", "dog"]), "'the' has no tag"),
        (nltk.Tree("S", [nltk.Tree("NP", [])]), "NP has no words"),
    ],
)
def test_nltk_trees_of_bare_or_no_words_are_refused(tree, message):
    with pytest.raises(TreeError, match=message):
        Tree.from_nltk(tree)
