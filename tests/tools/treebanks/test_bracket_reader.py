import re
import warnings
from pathlib import Path

import pytest
from helpers.reading import A, B, places, read
from helpers.strategies import deep_tree, trees
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import Constituent, Tree, parse_tree, read_trees
from spacy_gfl.tools.evalb.bracket_lines import BracketLine
from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts, Rejections
from spacy_gfl.tools.treebanks.bracket_reader import split_trees
from spacy_gfl.tools.treebanks.schemes import SchemeWarning
from spacy_gfl.trees.brackets import BracketError


@pytest.mark.parametrize(
    "text",
    [
        f"{A}\n{B}\n",
        f"{A}{B}",
        f"\ufeff{A}\r\n{B}\r\n",
        f"(ROOT {A})\n(TOP {B})\n",
        f"(S1 {A})\n(VROOT {B})",
        "(S\n  (NP (DT The)\n   (NN dog))\n  (VP (VBZ\n barks)))\n(INTJ\n\t(UH Yes))",
        "(S\n(NP (DT The)\n(NN dog))\n(VP (VBZ barks)\n)\n)\n(INTJ\n(UH Yes))",
        "(S\n\n  (NP (DT The) (NN dog))\n\n  (VP (VBZ barks)))\n (INTJ (UH Yes))",
        "(ROOT\n(S\n(NP\n(DT\nThe)(NN dog\n)) (VP (VBZ barks))))(ROOT (INTJ (UH Yes)))",
        f"# sent_id = (1\n{A}\n;; a comment :-)\n# another\n{B}\n# the end",
        A.replace(" ", "\t") + "\n" + B.replace(" ", "\u00a0 "),
    ],
)
def test_every_layout_is_read(text):
    printed, errors, counts = read(text)
    assert (printed, errors) == ([A, B], [])
    assert counts == ReadCounts(read=2, kept=2)


def test_what_only_looks_like_a_comment_is_none():
    (tree,) = read_trees(["(NP\n", "# 1\n", " (NN a)\n", "; b)\n"])
    assert tree.words == ("#", "1", "a", ";", "b")
    _, (error,), _ = read(f" # {A}")
    assert error.reason == "text outside of a tree"


def test_a_no_break_space_inside_a_word_stays():
    text = "(NP (NN 10\u00a0000) (NNP a\u202fb\u3000c \u00a0 d\u00a0) (NN\u00a0e))"
    (tree,) = read_trees([text])
    assert tree.words == ("10\u00a0000", "a\u202fb", "c", "d", "e")
    assert tree.tags == ("NN", "NNP", "NNP", "NNP", "NN")
    assert BracketLine.read(text).words[0] == tree.words[0]
    (tree,) = read_trees(["(NP 10\u202f000 (NN a) b)"])
    assert tree.words == ("10\u202f000", "a", "b")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(ROOT (TOP word))", "(TOP word)"),
        ("(TOP (TOP (NN a)))", "(TOP (TOP (NN a)))"),
        ("( (NP (NN a)) (. .))", "(TOP (NP (NN a)) (. .))"),
        ("(S (TOP (NN a)))", "(S (TOP (NN a)))"),
    ],
)
def test_only_an_outermost_bracket_that_holds_subtrees_is_dropped(text, printed):
    assert read(text)[0] == [printed]


@given(
    trees(),
    st.sampled_from([None, "TOP", "ROOT", "S1", ""]),
    st.randoms(use_true_random=False),
)
def test_every_tree_is_read_from_any_layout(tree, root, random):
    line = tree.brackets(root)
    assert "\n" not in line
    assert parse_tree(line) == tree
    layouts = [" ", " ", "\n  ", "\n\t", "\r\n ", "\n \n ", "\u2003"]
    text = re.sub(" ", lambda _: random.choice(layouts), line)
    text = re.sub(r"(?=\))", lambda _: random.choice(["", "", " ", "\n"]), text)
    for lines in (text, text.split("\n")):
        assert list(read_trees(lines, clean=False, repair=False)) == [tree]


def test_depth_is_no_limit():
    tree = deep_tree(20_000)
    text = tree.brackets().replace(" (", "\n (")
    assert list(read_trees(text.split("\n"))) == [tree]


def test_trees_come_as_soon_as_they_are_whole():
    taken = []

    def lines():
        for number in range(1000):
            taken.append(number)
            yield f"(S (NN w{number}))\n"

    stream = read_trees(lines())
    assert [next(stream).words for _ in range(2)] == [("w0",), ("w1",)]
    assert len(taken) == 3


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(S-1 (NP-SBJ=2 (PRP$ a)) (NP=2-3 (X b)))", "(S (NP (PRP$ a)) (NP (X b)))"),
        ("(-LRB- (-RRB- -RRB-))", "(-LRB- (-RRB- -RRB-))"),
        ("(-NONE- (NN a))", "(-NONE- (NN a))"),
        ("(S (NN-X a) (: --) (-LRB- -LSB-))", "(S (NN-X a) (: --) (-LRB- [))"),
        ("(S (NP (NP (-NONE- *)) (X (-NONE- 0))) (VB go))", "(S (VB go))"),
        ("( (S (VB go) (NP (-NONE- *))) )", "(S (VB go))"),
        ("(S (NP-SBJ=2 (-NONE- *T*-1)) (VP (VB go)))", "(S (VP (VB go)))"),
    ],
)
def test_cleaning_takes_out_function_tags_indices_and_traces(text, printed):
    assert read(text)[0] == [printed]
    assert parse_tree(text, clean=True).brackets() == printed
    as_it_stands = text.removeprefix("( ").removesuffix(" )").replace("-LSB-", "[")
    assert read(text, clean=False)[0] == [as_it_stands]
    assert parse_tree(text).brackets() == as_it_stands


def test_cleaning_is_counted():
    text = "(S (NP (NX (-NONE- *)) (-NONE- 0)) (VB go))\n( (S (NP (-NONE- *))) )\n"
    printed, _, counts = read(text)
    assert printed == ["(S (VB go))"]
    assert counts == ReadCounts(read=2, kept=1, traces=3, emptied=4, vanished=1)


@pytest.mark.parametrize(
    ("text", "printed", "repairs", "untagged"),
    [
        ("(NP (NN Xpd TTD) (NNS mice))", "(NP (NN Xpd) (NN TTD) (NNS mice))", 1, 0),
        ("(NP (NN Xpd\u3000TTD))", "(NP (NN Xpd) (NN TTD))", 1, 0),
        ("(NN a b)", "(TOP (NN a) (NN b))", 1, 0),
        ("(NP the big\n (NN dog))", "(NP (XX the) (XX big) (NN dog))", 1, 2),
        ("(NP (DT the) dog ,)", "(NP (DT the) (XX dog) (XX ,))", 1, 2),
        ("(ROOT a b)", "(TOP (XX a) (XX b))", 1, 2),
        ("(S (NP a dog) (VP go))", "(S (NP (XX a) (XX dog)) (VP (XX go)))", 2, 3),
        (
            "(S-1 (VP=2 Let (NP-SBJ the dog)) (NP-TMP now))",
            "(S (VP (XX Let) (NP (XX the) (XX dog))) (NP (XX now)))",
            *(3, 4),
        ),
    ],
)
def test_words_that_share_or_lack_a_tag_are_repaired_and_counted(
    text, printed, repairs, untagged
):
    result, errors, counts = read(text)
    assert (result, errors) == ([printed], [])
    assert counts == ReadCounts(1, 1, 1, repairs, untagged)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        # The name says what it is.
        ("(S (NP a))\n(S (NP b c))", "(S (NP (XX b) (XX c)))"),
        # Else the file does.
        ("(A (N a))\n(A (N b c))", "(A (N b) (N c))"),
        ("(A (N a))\n(A (B c d))", "(A (B (XX c) (XX d)))"),
        ("(A (N (B a)))\n(A (N b))\n(A (N b c))", "(A (N (XX b) (XX c)))"),
    ],
)
def test_a_label_over_several_words_is_a_tag_or_a_constituent(text, printed):
    assert read(text)[0][-1] == printed


@pytest.mark.parametrize("start", ["", "\ufeff", "\n; a comment\n", "  "])
def test_square_brackets_are_read_as_round_ones(start):
    text = "[S\n [NP [DT The] [NN dog(s)]]\n [VP [VBZ barks]]]"
    found = "(S (NP (DT The) (NN dog-LRB-s-RRB-)) (VP (VBZ barks)))"
    assert read(start + text + "\n" + text)[0] == [found] * 2
    assert parse_tree(text).brackets() == found
    assert parse_tree(text, clean=True).brackets() == found
    text = "(S (NN [NP) (VBZ [VP]))"
    assert read(text)[0] == [text]


@pytest.mark.parametrize("tag", ["INTJ", "X"])
def test_universal_tags_that_are_also_labels_are_tags_without_a_warning(tag):
    text = f"(S ({tag} boh) (VP (VERB dorme)))"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(text)[0] == [text]


def test_a_label_over_one_word_is_a_tag_in_a_file_with_tags():
    text = "(S (INTJ Oh) (PUNCT !))\n(S (VP bark))"
    said = r"\(2, such as \(INTJ Oh\)\), which are read as tags"
    with pytest.warns(SchemeWarning, match=said):
        assert read(text)[0] == text.split("\n")
    faulty = "(S Oh (INTJ oh) (PUNCT !))\n(S (INTJ oh))"
    with pytest.warns(SchemeWarning, match="read as tags"):
        assert read(faulty)[0] == faulty.replace("Oh", "(XX Oh)").split("\n")
    without = "(S (NP The dog) (VP barks))\n(FRAG Yes)\n(X-LOC (N a))"
    assert read(without)[0][1:] == ["(FRAG (XX Yes))", "(X (N a))"]
    assert read(without, clean=False)[0][2] == "(X-LOC (N a))"
    with pytest.warns(SchemeWarning, match=r"\(1, such as \(NP dog\)\), which gets XX"):
        assert read("(S (NP dog))")[0] == ["(S (NP (XX dog)))"]
    assert read("(S a (NP-SBJ b))", clean=False)[0] == ["(S (XX a) (NP-SBJ (XX b)))"]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(NP (NN a\u00a0b c))", 13),
        ("(NP (DT the) dog)", 14),
        ("(ROOT the (NN dog))", 7),
    ],
)
def test_without_repairs_bare_words_are_errors(text, column):
    printed, errors, _ = read(f"{text}\n{B}", repair=False)
    assert printed == [B]
    assert places(errors) == [("word without a tag of its own", 1, column)]


def test_one_tree_is_parsed_as_it_stands():
    for text in ("", " \n", A + B, f"{A}\n{B}"):
        with pytest.raises(BracketError, match="expected one tree"):
            parse_tree(text)
    assert parse_tree("(S\n  (VB go))") == Tree(("go",), ("VB",), (("S", 0, 1),))
    # No new tree is expected here, wherever its lines begin.
    assert parse_tree("(S (NP (NN a))\n(VP (VB b)))").words == ("a", "b")
    with pytest.raises(BracketError, match=":2:7: "):
        parse_tree("(S\n (X a the) (VB go))")


def test_trees_are_split_as_they_stand():
    lines = ["(A a) (B", "", "  b)(C-1", " (D d) e)", ""]
    assert list(split_trees(lines)) == ["(A a)", "(B    b)", "(C-1  (D d) e)"]
    with pytest.raises(BracketError, match=r"^gold:2:6: this closing bracket"):
        list(split_trees(["(A a)", "(B b))"], rejections=Rejections("gold")))


@pytest.mark.parametrize("control", ["\u202e", "\u2067", "\u200f", "\x1b", "\x9b"])
def test_controls_in_labels_and_tags_are_written_as_escapes(control):
    tree = Tree(("dog",), (f"N{control}N",), (Constituent(f"N{control}P", 0, 1),))
    assert control not in tree.brackets()
    assert parse_tree(tree.brackets()) == tree


@pytest.mark.parametrize("read", [read_trees, split_trees, parse_tree])
@pytest.mark.parametrize(
    "given", [Path("my.ptb"), b"(S (VB go))", bytearray(b"(S (VB go))"), None, 3]
)
def test_trees_are_read_from_text_alone(read, given):
    with pytest.raises(TypeError, match=r"of type \w+\. To read a file, pass its text"):
        list(read(given))


@pytest.mark.parametrize("read", [read_trees, split_trees, parse_tree])
@pytest.mark.parametrize("name", ["my.ptb", "C:\\my trees\\dev.mrg", "../a/b.conllu"])
def test_the_name_of_a_file_is_no_tree(read, name):
    with pytest.raises(
        BracketError, match=r"not a tree\. To read a file, pass its text"
    ):
        list(read(name))
    for text in ("The dog barks.", "3.5 (NN a)", "go.\n"):
        with pytest.raises(BracketError, match="stands outside all brackets"):
            list(read(text))
