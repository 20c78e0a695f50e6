"""Treebanks in brackets that write traces, lemmas and features in their own ways."""

import warnings
from itertools import permutations
from pathlib import Path

import pytest

from spacy_gfl import read_trees
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.tools.treebanks.formats import brackets
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.schemes import SchemeWarning, find_scheme

DATA = Path(__file__).parents[2] / "data" / "schemes"
FILES = {
    "historical": "historical.psd",
    "spmrl": "spmrl.ptb",
    "lemma": "lemma.tbf",
    "penn": "penn.mrg",
}


def lines(name):
    return (DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)


def read(text, **settings):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        trees = [tree.brackets() for tree in read_trees(text, **settings)]
    return trees, [str(warning.message) for warning in said]


@pytest.mark.parametrize(
    ("scheme", "file"), [*FILES.items(), ("penn", "switchboard.mrg")]
)
def test_twenty_trees_are_read_by_their_scheme(scheme, file):
    wanted = [line.rstrip("\n") for line in lines(Path(file).with_suffix(".txt"))]
    assert len(wanted) == 20
    found = read_trees(lines(file), scheme=scheme)
    assert [tree.brackets() for tree in found] == wanted


def test_trees_of_nodes_that_are_no_text_are_left_out_and_counted():
    text = "( (CODE <begin>))\n(S (CODE <a b>) (X (CODE <i>)) (VP (VB go) (-DFL- E_S)))"
    rejections = Rejections()
    found = read_trees(text, rejections=rejections)
    assert [tree.brackets() for tree in found] == ["(S (VP (VB go)))"]
    assert (rejections.counts.kept, rejections.counts.vanished) == (1, 1)


def test_what_is_no_text_does_not_tell_whether_leaves_have_lemmas():
    aside = "(CODE <P_1>) (NP-SBJ *con*) (C 0)"
    trees = f"( (IP-MAT {aside} (VBD sang-sing) (. .-.)) (ID x,1.1))"
    assert read(trees, scheme="historical")[0] == ["(IP (VBD sang) (. .))"]
    trees = f"( (IP-MAT {aside} (VBD well-sang)) (ID X-Y,1-1) (ID X-Y,1-2))"
    trees += "\n( (IP-MAT (VBD went) (PRO he)))"
    found = ["(IP (VBD well-sang))", "(IP (VBD went) (PRO he))"]
    assert read(trees, scheme="historical")[0] == found


@pytest.mark.parametrize("scheme", ["historical", "spmrl", "lemma"])
def test_no_treebank_is_misread_without_a_word(scheme):
    found = read_trees(lines(FILES[scheme]), rejections=Rejections("a.psd"))
    with pytest.warns(SchemeWarning, match=f"try --scheme {scheme}") as said:
        assert len(list(found)) >= 20
    assert len(said) == 1
    assert str(said[0].message).startswith("a.psd: there are ")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("(IP-MAT (NP-SBJ *con*) (VBD sang))", "(1, such as (NP-SBJ *con*))"),
        ("(IP (NP 0) (VBD sang))", "such as (NP 0)"),
        ("(IP (WNP-1 0) (VBD sang))", "--scheme historical"),
        ("(IP (N {COM:torn}) (VBD sang))", "comments in the place of words"),
        ("( (IP (VBD sang)) (ID X,1))", "such as (ID)"),
        ("(IP (METADATA (X a)) (VBD sang))", "nodes that are not text"),
        ("(S (sn.e *0*) (v ladra))", "--scheme lemma"),
        ("(NP##f=1## (N##g=f## mer))", "--scheme spmrl"),
        ("(S (N 0=a) (N 1=b) (N 2=c) (N 3=d) (N 4=e))", "--input-format discbracket"),
        ("(S (N 0=a) (N 1=b))", "2, such as (N 0=a)"),
        ("(sn (n perra perra) (a vieja viejo))", "--scheme lemma"),
        ("(S (NP-FOO (NN a)) (NP-FOO-1 (NN b)))", "(2, such as NP-FOO, now NP)"),
    ],
)
def test_each_sign_of_another_scheme_is_told_with_an_example(text, advice):
    [message] = read(text)[1]
    assert advice in message


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (-NONE- *T*-1)) (VP (VB go)) (CODE {TEXT:went}))",
        "(S (NP (-NONE- 0)) (VP (JJ *great*) (CD 0)))",
        "(NP (JJ well-known) (JJ self-made) (NN x-y) (NN a-b) (NN c-d) (NN e-f))",
        "(S (NP-SBJ The boat) (VP was (VP sold (NP *-1))))",
        "(NP (NP the dog) (NP a cat) (NP the hen) (NP an owl) (VP ran off))",
    ],
)
def test_what_other_treebanks_have_too_is_no_sign(text):
    assert read(text)[1] == []


def test_words_with_hyphens_are_whole_where_leaves_have_no_lemmas():
    assert read("(S (CD twenty-one))") == (["(S (CD twenty-one))"], [])


def test_function_tags_can_be_kept_without_indices():
    text = "(S (NP-SBJ-1 (NN a)) (PP-LOC-PRD=2 (IN b)) (NP-TMP|<NN>-3 (NN c)))"
    [found], _ = read(text, scheme=find_scheme("penn", keep_functions=True))
    assert found == "(S (NP-SBJ (NN a)) (PP-LOC-PRD (IN b)) (NP-TMP|<NN>-3 (NN c)))"
    text = "(SENT (NP-SUJ##fct=SUJ## (N##g=f## mer)))"
    [found], _ = read(text, scheme=find_scheme("spmrl", keep_functions=True))
    assert found == "(SENT (NP-SUJ (N mer)))"
    with pytest.raises(ValueError, match=r"no scheme 'tiger'\. The schemes are penn"):
        read(text, scheme="tiger")


def test_an_outer_bracket_with_features_is_dropped_too():
    trees, _ = read("(ROOT##_## (NP (N##g=f## mer) (A##_## bleue)))", scheme="spmrl")
    assert trees == ["(NP (N mer) (A bleue))"]


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        *(("R-SIMPX", "R-SIMPX"), ("R-SIMPX-1", "R-SIMPX"), ("C-CP=2", "C-CP")),
        *(("PX-MOD", "PX"), ("CNP-SB", "CNP"), ("NP-SBJ-LOC-1", "NP"), ("LK-2", "LK")),
    ],
)
def test_a_hyphen_is_part_of_a_label_that_is_not_known_with_what_follows(label, wanted):
    assert read(f"(S ({label} (N a)))") == ([f"(S ({wanted} (N a)))"], [])


@pytest.mark.parametrize("label", ["NP|<JJ-NN>", "NP^<S>", "NP|<JJ-NN>^<S-VP>"])
def test_labels_of_binary_trees_are_whole(label):
    assert read(f"(S ({label} (JJ a) (NN b)))")[0] == [f"(S ({label} (JJ a) (NN b)))"]
    cut = read(f"(S (NP-SBJ-1{label[2:]} (JJ a) (NN b)))")[0]
    assert cut == [f"(S ({label} (JJ a) (NN b)))"]


FOREST = [
    "(S (NP (Np Bà Nà)) (VP (V cao)))",
    "(S (NP (Np Huế)) (VP (V cao)))",
    "(S (NP (Nx a b)) (VP (V cao)))",
    "(FRAG (INTJ Oh))",
]


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_a_file_has_one_reading_whatever_its_order(order):
    wanted = [
        "(S (NP (Np Bà) (Np Nà)) (VP (V cao)))",
        "(S (NP (Np Huế)) (VP (V cao)))",
        "(S (NP (Nx (XX a) (XX b))) (VP (V cao)))",
        "(FRAG (INTJ Oh))",
    ]
    found, _ = read("\n".join(FOREST[i] for i in order))
    assert found == [wanted[i] for i in order]


def test_a_tree_that_may_have_tags_has_none_if_another_has_none():
    trees = ["(S (NP The dog) (VP barks))", "(FRAG (INTJ Oh))"]
    wanted = ["(S (NP (XX The) (XX dog)) (VP (XX barks)))", "(FRAG (INTJ (XX Oh)))"]
    assert read("\n".join(trees))[0] == wanted
    assert read("\n".join(trees[::-1]))[0] == wanted[::-1]


@pytest.mark.parametrize(
    "text",
    [
        "(\n  (S (NP (NNP Mia)) (VP (VBZ sleeps))\n(. .)))",
        "(S (NP (NNP Mia))\n(VP (VBZ sleeps))\n(. .))",
        "( (S\n  (NP (NNP Mia))\n(VP\n(VBZ sleeps)) (. .)))",
    ],
)
def test_a_balanced_tree_may_go_on_in_column_1(text):
    mia = "(S (NP (NNP Mia)) (VP (VBZ sleeps)) (. .))"
    assert read(f"{text}\n{mia}\n{text}")[0] == [mia] * 3


@pytest.mark.parametrize("around", [("<DOC>", "</DOC>"), ("<S ID=1>", "</S>")])
def test_lines_and_tags_of_sgml_are_no_trees(around):
    first, last = around
    text = (
        f"<DOCID> chtb (1) </DOCID>\n*x*x* Copyright (C) 1995 *x*x*\n{first}\n(A a)\n"
    )
    text += f"{last}\n{first} (A b) {last}\n{first}\n(\n(A\n c) ) {last}"
    assert read(text)[0] == ["(A a)", "(A b)", "(A c)"]


@pytest.mark.parametrize("piece", ["-", "a-", "-LRB-", "<!--", "a=", "0", "*"])
def test_long_words_take_no_longer_than_others(piece):
    # The square of such a length would take minutes.
    lines = [f"(S (A {piece * (100_000 // len(piece))} b))\n", "(S (A a))\n"]
    for scheme in ("penn", "historical", "spmrl", "lemma"):
        reading = Reading(given=lines, scheme=find_scheme(scheme), on_error=len)
        assert len(list(brackets.read(reading))) >= 1
