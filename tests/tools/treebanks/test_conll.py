import pytest
import spacy
from helpers.docs import token_doc
from helpers.strategies import labels, trees
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_gfl import Tree, get_trees, parse_tree, trees_to_docs
from spacy_gfl.tools.treebanks.formats import WRITERS, conll
from spacy_gfl.tools.treebanks.formats.conll import (
    doc_to_conll,
    tree_to_conll,
    trees_from_conll,
)
from spacy_gfl.tools.treebanks.formats.names import document_name
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.tools.treebanks.inputs import read_treebank

NLP = spacy.blank("en")
DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))")
GO = parse_tree("(S (VP (VB Go)) (. !))")
starred = labels() | st.lists(st.sampled_from("*()-+U"), min_size=1).map("".join)


def read(text, **arguments):
    return list(trees_from_conll(text.splitlines(keepends=True), **arguments))


def test_columns_are_those_of_the_style_asked_for():
    assert tree_to_conll(DOG, style="2005") == (
        "The\tDT\t(TOP(S(NP*\ndog\tNN\t*)\nbarks\tVBZ\t(VP*)\n.\t.\t*))\n\n"
    )
    assert tree_to_conll(GO, document="bc/x", part=3).splitlines()[1].split() == [
        *("bc/x", "3", "1", "!", ".", "*))"),
        *("-", "-", "-", "-", "*", "-"),
    ]


# Only one root is dropped, and none that is not the root of all.
@example(Tree(("a",), ("A",), (("TOP", 0, 1), ("TOP", 0, 1))), "2012")
@example(Tree(("a", "b"), ("A", "B"), (("TOP", 0, 1),)), "2012")
@given(trees(labels=starred), st.sampled_from(["2012", "2005"]))
def test_every_tree_comes_back(tree, style):
    text = tree_to_conll(tree, style=style)
    assert list(trees_from_conll(text.split("\n"))) == [tree]


@pytest.mark.parametrize(
    "text",
    [
        "The DT (S(NP*\ndog NN *)\nbarks VBZ (VP*)\n. . *)\n",
        "The DT (S1(S(NP*\ndog NN *)\nbarks VBZ (VP*)\n. . *))\n\n",
        "The DT (S(NP*\r\ndog  NN  *NP)\r\nbarks\tVBZ\t(VP*VP)\r\n. . *S)\r\n",
        "The DT (S(NP* 1 2 3 4 5 6 7 8\ndog NN *)\nbarks VBZ (VP*) - *\n. . *)\n",
        "\n\nThe DT ((S(NP*\ndog NN *)\nbarks VBZ (VP*)\n. . *))\n",
    ],
)
def test_what_others_write_is_read(text):
    assert read(text) == [DOG]


def test_documents_become_docs(tmp_path):
    docs = list(trees_to_docs([DOG, GO, DOG], NLP.vocab, n_sents=2))
    for style, expected in (("2012", [[DOG, GO], [DOG]]), ("2005", [[DOG, GO, DOG]])):
        path = tmp_path / style
        conll.write(path, docs, style=style)
        assert [get_trees(doc) for doc in conll.read(path, NLP.vocab)] == expected
    text = "".join(doc_to_conll(doc) for doc in docs)
    assert read(text) == [DOG, GO, DOG]


def test_white_space_tokens_are_left_out():
    sentences, trees = ("\n", "Go|\n|!", " "), ([], GO.constituents, [])
    doc = token_doc(*sentences, tags="|VB||.|", trees=trees)
    assert read(doc_to_conll(doc)) == [GO]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n", "f:1: the parse bit should stand in column 3, but there are 2"),
        ("a A (S*)\n\nb B S\n", "f:3: 'S' is not a parse bit"),
        ("a A (S*\nb B *))\n", "f:2: there is no open constituent to close"),
        ("a A (S(NP*\nb B *)\n\n", "f:2: the constituent S is not closed"),
    ],
)
def test_lines_that_make_no_tree_are_named(text, message):
    with pytest.raises(FormatError) as error:
        read(text, source="f")
    assert str(error.value).startswith(message)


def test_unknown_styles_are_refused():
    with pytest.raises(ValueError, match='style must be "2012" or "2005"'):
        tree_to_conll(DOG, style="2000")


@pytest.mark.parametrize(
    "text",
    [
        # As CoNLL-2005 documents it, with and without frames.
        "The * DT (NP* (S* (S(NP* - -\ndog * NN *) * *) - -\n"
        "barks * VBZ (VP*) * (VP*) bark (V*)\n. * . * *) *) - -\n",
        "The (X* DT (NP* (S* (S(NP*\ndog *) NN *) * *)\nbarks * VBZ (VP*) * (VP*)\n"
        ". * . * *) *)\n",
        "The DT (NP* (S* (S(NP*\ndog NN *) * *)\nbarks VBZ (VP*) * (VP*)\n"
        ". . * *) *)\n",
        "d 0 0 The DT (TOP(S(NP* -\nd 0 1 dog NN *) -\nd 0 2 barks VBZ (VP*) -\n"
        "d 0 3 . . *)) -\n",
        "d 0 1 The DT (TOP(S(NP*\nd 0 2 dog NN *)\nd 0 3 barks VBZ (VP*)\n"
        "d 0 4 . . *))",
    ],
)
def test_columns_are_recognized(text):
    assert read(text) == [DOG]


@pytest.mark.parametrize(
    "text",
    [
        # Chunks, or clauses, and no trees.
        "The DT (NP* (S*\ndog NN *) *\nbarks VBZ (VP*) *\n. . * *)\n",
        "The DT B-NP (S*\ndog NN I-NP *)\n",
        "The * DT (NP* (S* -\ndog * NN *) *) -\n",
        # Trees where chunks should be.
        "The DT (S(NP* (S* (NP*\ndog NN *) * *)\nbarks VBZ (VP*) * (VP*)\n"
        ". . *) *) *\n",
        # Dependencies.
        "1 The the DT DT _ 2 det _ _\n2 dog dog NN NN _ 0 root _ _\n",
        "The\tDT\tB-NP\ndog\tNN\tI-NP\n",
    ],
)
def test_unknown_columns_are_refused(text):
    with pytest.raises(FormatError, match=r"f:1: these \d+ columns are unknown"):
        read(text, source="f")


def test_columns_without_brackets_are_no_tree():
    with pytest.raises(FormatError, match="f:2: the parse bits have no brackets"):
        read("d 0 0 We PRP * -\nd 0 1 left VBD * -\n", source="f")


NAMED = """\
#begin document (bn/abc/00/abc_0001); part 001
bn/abc/00/abc_0001	1	0	Go	VB	(TOP(S(VP*)	-	-	-	-	*	-
bn/abc/00/abc_0001	1	1	!	.	*))	-	-	-	-	*	-

#end document
#begin document (empty); part 000
#end document
"""


def test_names_and_empty_documents_come_back(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(NAMED)
    docs = list(conll.read(path, NLP.vocab))
    assert docs[0].user_data == {"document": {"id": "bn/abc/00/abc_0001", "part": 1}}
    assert [get_trees(doc) for doc in docs] == [[GO], []]
    for ending in (".spacy", ".jsonl"):
        other = tmp_path / f"b{ending}"
        WRITERS[ending](other, docs)
        docs = list(read_treebank(other, NLP.vocab))
    conll.write(path, docs)
    assert path.read_text() == NAMED
    [doc] = conll.docs_from_conll(NAMED.splitlines(True)[1:4], NLP.vocab)
    assert document_name(doc) == ("bn/abc/00/abc_0001", 1)
