import subprocess
import sys

import pytest
import spacy
from helpers.pipelines import make_examples, make_pipeline
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.cli import app as cli
from spacy_gfl.data.conversion import Conversion
from spacy_gfl.data.inputs import InputFormat, detect_format, text_docs, token_docs
from spacy_gfl.trees.brackets import parse_tree

TREEBANK = """\
( (S (NP-SBJ (DT The) (NN mayor)) (VP (VBD slept)) (. .)))
( (S (-LRB- -LRB-) (NP (PRP We)) (VP (VBD left)) (-RRB- -RRB-)))
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A pipeline that writes trees, if not the right ones."""
    folder = tmp_path_factory.mktemp("model")
    nlp = make_pipeline()
    nlp.initialize(lambda: make_examples(nlp))
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bank.ptb").write_text(TREEBANK)
    (tmp_path / "text.txt").write_text(
        "The mayor slept. We left.\n\nA title\n\n\nGo!\n"
    )
    conversion = Conversion(n_sents=0)
    conversion.read(tmp_path / "bank.ptb")
    conversion.write(tmp_path / "bank.spacy")
    return tmp_path


def run(*arguments, text=None):
    return CliRunner().invoke(cli.app, ["parse", *map(str, arguments)], input=text)


def printed(result):
    assert result.exit_code == 0, result.output
    return [parse_tree(line) for line in result.stdout.splitlines()]


def words(trees):
    return [" ".join(tree.words) for tree in trees]


def test_text(model, folder):
    trees = printed(run(model, folder / "text.txt"))
    assert words(trees) == ["The mayor slept .", "We left .", "A title", "Go !"]
    assert {tag for tree in trees for tag in tree.tags} == {"XX"}


def test_text_option(model):
    trees = printed(run(model, "--text", "We left. Go!", "--text", "A (dog)"))
    assert words(trees) == ["We left .", "Go !", "A ( dog )"]


def test_standard_input(model):
    for name in ([], ["-"]):
        assert words(printed(run(model, *name, text="Go!\n"))) == ["Go !"]
    result = run(model, "--input-format", "brackets", text=TREEBANK)
    assert printed(result)[1].tags == ("-LRB-", "PRP", "VBD", "-RRB-")


def test_tokens(model):
    lines = "Do n't go.\n\n \nA.B. is\there\n"
    trees = printed(run(model, "--input-format", "tokens", text=lines))
    assert words(trees) == ["Do n't go.", "A.B. is here"]


@pytest.mark.parametrize("name", ["bank.ptb", "bank.spacy"])
def test_treebanks_keep_words_tags_and_sentences(model, folder, name):
    trees = printed(run(model, folder / name))
    assert words(trees) == ["The mayor slept .", "( We left )"]
    assert [tree.tags for tree in trees] == [
        ("DT", "NN", "VBD", "."),
        ("-LRB-", "PRP", "VBD", "-RRB-"),
    ]


def test_gold_trees_are_not_looked_at(model, folder):
    with_trees = printed(run(model, folder / "bank.ptb"))
    (folder / "flat.ptb").write_text(
        "(S (DT The) (NN mayor) (VBD slept) (. .))\n"
        "(S (-LRB- -LRB-) (PRP We) (VBD left) (-RRB- -RRB-))\n"
    )
    assert printed(run(model, folder / "flat.ptb")) == with_trees


def test_docs_to_be_scored(model, folder):
    out = folder / "deep" / "out.spacy"
    result = run(model, folder / "bank.spacy", "-o", out)
    assert (result.exit_code, result.stdout) == (0, "")
    (doc,) = DocBin().from_disk(out).get_docs(spacy.blank("en").vocab)
    assert get_trees(doc) == printed(run(model, folder / "bank.spacy"))
    assert len(doc.spans[SPANS_KEY].attrs["log_probs"]) == 2
    scores = CliRunner().invoke(
        cli.app, ["evaluate", str(folder / "bank.spacy"), str(out)]
    )
    assert scores.exit_code == 0


def test_brackets_file(model, folder):
    assert run(model, folder / "bank.ptb", "-o", folder / "out.ptb").exit_code == 0
    lines = (folder / "out.ptb").read_text().splitlines()
    assert lines == run(model, folder / "bank.ptb").stdout.splitlines()


def test_several_files_in_their_order(model, folder):
    both = run(model, folder / "text.txt", folder / "bank.ptb")
    assert words(printed(both))[3:] == ["Go !", "The mayor slept .", "( We left )"]


def test_search_settings(model, folder):
    greedy = run(model, folder / "bank.ptb", "--beam-width", "1")
    beam = run(model, folder / "bank.ptb", "--beam-width", "4", "--batch-size", "1")
    assert words(printed(greedy)) == words(printed(beam))
    # A network that has not been trained writes no tree in free search.
    free = run(model, folder / "bank.ptb", "--unconstrained")
    assert words(printed(free)) == words(printed(greedy))
    assert "2 of 2 sentences had a malformed tree" in free.stderr
    assert "malformed" not in greedy.stderr


def test_processes(model, folder):
    arguments = (model, folder / "text.txt", "--batch-size", "1")
    alone = run(*arguments)
    assert printed(run(*arguments, "--n-process", "2")) == printed(alone)


def test_as_a_program(model):
    command = [sys.executable, "-m", "spacy_gfl", "parse", model, "--text", "Go!"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert words([parse_tree(done.stdout.strip())]) == ["Go !"]


def assert_fails(result, *parts):
    assert (result.exit_code, result.stdout) == (1, "")
    for part in parts:
        assert part in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


class TestErrors:
    def test_no_model(self, tmp_path):
        result = run("no_such_pipeline", "--text", "Go!")
        assert_fails(result, "There is no pipeline no_such_pipeline")
        assert_fails(run(tmp_path, "--text", "Go!"), "not a pipeline's folder")

    def test_no_parser(self, tmp_path):
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.to_disk(tmp_path)
        result = run(tmp_path, "--text", "Go!")
        assert_fails(result, "no constituency_parser", "components are: sentencizer")

    def test_no_sentences(self, tmp_path, model):
        nlp = spacy.load(model)
        nlp.remove_pipe("sentencizer")
        nlp.to_disk(tmp_path)
        result = run(tmp_path, "--text", "Go on!")
        assert_fails(result, 'nlp.add_pipe("sentencizer"')

    def test_inputs(self, model, folder):
        assert_fails(run(model, folder / "no.txt"), "There is no file", "no.txt")
        assert_fails(run(model, folder), "is a folder")
        assert_fails(run(model, folder / "text.txt", "--text", "Go!"), "not both")
        (folder / "latin.txt").write_bytes(b"caf\xe9")
        assert_fails(run(model, folder / "latin.txt"), "latin.txt is not UTF-8")
        (folder / "bad.spacy").write_bytes(b"no such thing")
        assert_fails(run(model, folder / "bad.spacy"), "not a .spacy file")
        (folder / "bad.ptb").write_text("(S (NP")
        assert_fails(run(model, folder / "bad.ptb"), "bad.ptb:1:")
        result = run(model, "--input-format", "spacy", text="")
        assert_fails(result, "Standard input cannot be a .spacy file")

    def test_outputs(self, model, folder):
        bank = folder / "bank.ptb"
        assert_fails(run(model, bank, "-o", folder), "is a folder")
        assert_fails(run(model, bank, "-o", bank), "both read and written")
        assert bank.read_text() == TREEBANK

    def test_gpu(self, model, monkeypatch):
        def refuse(gpu_id):
            raise RuntimeError("there is none")

        monkeypatch.setattr(spacy, "require_gpu", refuse)
        result = run(model, "--text", "Go!", "--gpu-id", "0")
        assert_fails(result, "GPU 0 cannot be used: there is none")
        result = run(model, "--text", "Go!", "--gpu-id", "0", "--n-process", "2")
        assert_fails(result, "--n-process is for the CPU")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.spacy", InputFormat.SPACY),
        ("a.PTB", InputFormat.BRACKETS),
        ("a.tree", InputFormat.BRACKETS),
        ("a.txt", InputFormat.TEXT),
        ("a", InputFormat.TEXT),
    ],
)
def test_detect_format(tmp_path, name, expected):
    assert detect_format(tmp_path / name) is expected
    assert detect_format(None) is InputFormat.TEXT


def test_paragraphs_are_docs():
    nlp = spacy.blank("en")
    lines = ["\n", "One\n", "two.\n", " \n", "\n", "Three\n"]
    assert [doc.text for doc in text_docs(nlp, lines)] == ["One\ntwo.", "Three"]
    nlp.max_length = 5
    with pytest.raises(ValueError, match="8 characters is longer than the 5"):
        list(text_docs(nlp, lines))


def test_lines_of_tokens_are_sentences():
    docs = list(token_docs(spacy.blank("en"), ["a b.c\n", "\n", "d"]))
    assert [[token.text for token in doc] for doc in docs] == [["a", "b.c"], ["d"]]
    assert [len(list(doc.sents)) for doc in docs] == [1, 1]


def test_version():
    result = CliRunner().invoke(cli.app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("spacy-gfl 0.1.0 (spacy 3.8")
