import re
import shutil
import subprocess

import pytest
from helpers.strategies import deep_tree, trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.formats.latex import (
    doc_to_latex,
    escape_latex,
    latex_document,
    tree_to_latex,
)
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.tree import Tree, TreeError

DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))")
packages = st.sampled_from(["forest", "qtree"])


def test_trees_are_written_for_the_package_forest_or_qtree():
    flat = tree_to_latex(Tree.flat("ab", "AB"))
    assert flat == (
        "\\begin{forest}\n[{TOP}\n  [{A} [{a}]]\n  [{B} [{b}]]]\n\\end{forest}"
    )
    assert tree_to_latex(DOG, package="qtree") == (
        "\\Tree [.{S}\n"
        "  [.{NP}\n"
        "    [.{DT} {The} ]\n"
        "    [.{NN} {dog} ] ]\n"
        "  [.{VP}\n"
        "    [.{VBZ} {barks} ] ] ]"
    )


def test_tags_alignment_and_the_root_are_as_asked_for():
    aligned = tree_to_latex(DOG, tags=False, align_words=True)
    assert "where n children=0{tier=word}{}\n[{S}\n  [{NP}\n    [{The}]" in aligned
    assert tree_to_latex(DOG, root="ROOT").splitlines()[1] == "[{ROOT}"
    one = Tree.flat(["yes"], ["UH"])
    assert tree_to_latex(one, package="qtree") == "\\Tree [.{UH} {yes} ]"
    assert tree_to_latex(one, package="qtree", tags=False).startswith("\\Tree [.{TOP}")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50%", r"50\%"),
        ("$", r"\$"),
        ("a_b&c#", r"a\_b\&c\#"),
        ("{}", r"\{\}"),
        ("\\~^", r"\textbackslash{}\textasciitilde{}\textasciicircum{}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("--", "-{}-{}"),
        ("?`", "?{}`"),
        ("a b\n", "a~b~"),
        ("\x07\u200b", "U+0007U+200B"),
        ("[é]", "[é]"),
        ("می\u200cروم", "می\u200cروم"),
    ],
)
def test_special_characters_are_escaped(text, latex):
    assert escape_latex(text) == latex


def structure(latex):
    """The brackets and groups of a tree, a group for each label and word."""
    text = re.sub(r"\\(?:[a-z]+\{\}|.)|[-?!]\{\}", "x", latex.partition("[")[2])
    return re.findall(r"\{[^{}]*\}|[\[\]{}]", "[" + text)


@given(trees(), packages, st.booleans())
def test_every_tree_is_balanced_and_escaped(tree, package, tags):
    latex = tree_to_latex(tree, package=package, tags=tags)
    body = latex.removesuffix("\n\\end{forest}")
    assert "\n\n" not in body
    parts = structure(body)
    groups = [part for part in parts if len(part) > 1]
    extra = len(groups) - len(tree.constituents) - len(tree) * (1 + tags)
    assert extra in (0, 1)  # 1 where a root is drawn
    depth = 0
    for i, part in enumerate(parts):
        depth += (part == "[") - (part == "]")
        assert part not in ("{", "}")
        assert depth > 0 or i == len(parts) - 1
    assert depth == 0
    unescaped = re.sub(r"\\[#$%&_{}]|\\text[a-z]+\{\}", "", body)
    assert not set("#$%&_~^<>|") & set(unescaped.replace("~", ""))


def test_a_tree_a_thousand_levels_deep_is_written_briefly():
    assert len(tree_to_latex(deep_tree(1000))) < 100_000


def test_each_sentence_of_a_doc_is_written():
    oh = Tree.flat(["Oh"], ["UH"])
    doc = next(trees_to_docs([DOG, oh], Vocab(), n_sents=0))
    assert doc_to_latex(doc, package="qtree") == [
        tree_to_latex(DOG, package="qtree"),
        "\\Tree [.{UH} {Oh} ]",
    ]


def test_wrong_options_and_trees_without_words_are_refused():
    with pytest.raises(ValueError, match='package must be "forest" or "qtree"'):
        tree_to_latex(DOG, package="tikz")
    with pytest.raises(ValueError, match="align_words is an option of forest"):
        tree_to_latex(DOG, package="qtree", align_words=True)
    with pytest.raises(TreeError, match="without words"):
        tree_to_latex(Tree((), (), ()))


ODD = Tree(
    ("a", "[b]", "(c),=d", "--", "``x''", "?`", "#$%&_{}~^\\<>|"),
    ("X", "[", ",", "=", "-LRB-", "PRP$", "''"),
    (("NP|<A-B>", 0, 7), ("S[1]", 0, 7), ("]", 1, 3), ("a,b=c", 4, 7)),
)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("package", ["forest", "qtree"])
def test_latex_typesets_what_is_written(package, tmp_path):
    if not shutil.which("kpsewhich"):
        pytest.skip("there is no kpsewhich to ask for packages")
    find = ["kpsewhich", f"{package}.sty", "elocalloc.sty"]
    if len(subprocess.run(find, capture_output=True).stdout.splitlines()) < 2:
        pytest.skip(f"the LaTeX package {package} is not installed")
    pictures = [tree_to_latex(tree, package=package) for tree in (DOG, ODD)]
    (tmp_path / "trees.tex").write_text(latex_document(pictures, package=package))
    result = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert result.returncode == 0, result.stdout[-2000:]
    assert (tmp_path / "trees.pdf").stat().st_size > 5000
