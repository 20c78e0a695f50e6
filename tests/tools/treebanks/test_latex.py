import shutil
import subprocess

import pytest
from helpers.strategies import deep_tree
from spacy.vocab import Vocab

from spacy_gfl import Tree, TreeError, parse_tree, trees_to_docs
from spacy_gfl.tools.treebanks.formats.latex import escape_latex, tree_to_latex, write

DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))")


def test_trees_are_written_for_the_package_forest():
    assert tree_to_latex(DOG) == (
        "\\begin{forest}\n[{S}\n  [{NP}\n    [{DT} [{The}]]\n    [{NN} [{dog}]]]\n"
        "  [{VP}\n    [{VBZ} [{barks}]]]]\n\\end{forest}"
    )
    flat = tree_to_latex(Tree.flat("ab", "AB"))
    assert flat == (
        "\\begin{forest}\n[{TOP}\n  [{A} [{a}]]\n  [{B} [{b}]]]\n\\end{forest}"
    )
    with pytest.raises(TreeError, match="without words"):
        tree_to_latex(Tree((), (), ()))


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


def test_a_tree_a_thousand_levels_deep_is_written_briefly():
    assert len(tree_to_latex(deep_tree(1000))) < 100_000


ODD = Tree(
    ("a", "[b]", "(c),=d", "--", "``x''", "?`", "#$%&_{}~^\\<>|"),
    ("X", "[", ",", "=", "-LRB-", "PRP$", "''"),
    (("NP|<A-B>", 0, 7), ("S[1]", 0, 7), ("]", 1, 3), ("a,b=c", 4, 7)),
)


def test_latex_typesets_what_is_written(tmp_path):
    """Each sentence of each Doc has its picture."""
    docs = trees_to_docs([DOG, ODD, DOG], Vocab(), n_sents=2)
    write(tmp_path / "trees.tex", docs)
    text = (tmp_path / "trees.tex").read_text()
    assert text.count(tree_to_latex(DOG)) == 2
    assert text.count(r"\begin{forest}") == 3
    labels = [node.label for node in ODD.constituents]
    for name in (*ODD.words, *ODD.tags, *labels):
        assert f"{{{escape_latex(name)}}}" in text
    # TeX would end the tree there.
    assert "\n\n" not in tree_to_latex(ODD)
    find = ["kpsewhich", "forest.sty", "elocalloc.sty"]
    has_latex = all(map(shutil.which, ("pdflatex", "kpsewhich")))
    if (
        not has_latex
        or len(subprocess.run(find, capture_output=True).stdout.splitlines()) < 2
    ):
        pytest.skip("there is no pdflatex with the package forest")
    result = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert result.returncode == 0, result.stdout[-2000:]
    assert (tmp_path / "trees.pdf").stat().st_size > 5000
