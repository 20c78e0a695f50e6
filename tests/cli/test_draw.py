import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import spacy
import typer
from spacy.training import Example
from typer.testing import CliRunner

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.cli import app as cli
from spacy_gfl.pictures.page import picture_file
from spacy_gfl.trees.brackets import parse_tree

pytest.importorskip("svgling", reason="pictures need the extra viz")
pytest.importorskip("resvg_py", reason="pictures need the extra viz")

TREE = "(S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)))"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A pipeline with the weights that it has before training."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    parser = {
        "@architectures": "spacy_gfl.Seq2Seq.v1",
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "pretrained_vectors": None,
            "width": 8,
            "depth": 1,
            "embed_size": 50,
            "window_size": 1,
            "maxout_pieces": 2,
            "subword_features": False,
        },
        "width": 8,
        "depth": 1,
    }
    nlp.add_pipe("constituency_parser", config={"model": parser})
    docs = list(trees_to_docs([parse_tree("(S (NP (DT a)) (VP (VB b)))")], nlp.vocab))
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    folder = tmp_path_factory.mktemp("model")
    nlp.to_disk(folder)
    return str(folder)


def draw(*arguments, stdin=None):
    return CliRunner().invoke(cli.app, ["draw", *map(str, arguments)], input=stdin)


def texts(path):
    root = ElementTree.fromstring(path.read_bytes())
    return [node.text for node in root.iter(f"{SVG}text")]


def test_brackets_are_printed():
    result = draw("--brackets", TREE)
    assert result.exit_code == 0
    assert result.output == picture_file(parse_tree(TREE), ".txt").decode()
    assert "NP-SBJ" in result.output


def test_brackets_of_a_file_and_of_standard_input(tmp_path):
    path = tmp_path / "trees.ptb"
    path.write_text(f"{TREE}\n{TREE}\n")
    twice = draw("--brackets", path)
    assert twice.output.count("NP-SBJ") == 2
    assert draw("--brackets", "-", stdin=f"{TREE}\n{TREE}\n").output == twice.output


def test_svg(tmp_path):
    out = tmp_path / "new" / "tree.svg"
    result = draw("--brackets", TREE, "-o", out, "--color", "VP=#ff0000", "--no-tags")
    assert result.exit_code == 0, result.output
    assert texts(out) == ["S", "NP-SBJ", "the", "dog", "VP", "barks"]
    assert 'fill="#ff0000"' in out.read_text()


def test_options_reach_the_picture(tmp_path):
    out = tmp_path / "tree.svg"
    sizes = ["--max-depth", 1, "--font-size", 20, "--max-width", 500]
    draw("--brackets", TREE, "-o", out, "--compact", "--align-words", *sizes)
    assert texts(out) == ["S", "the dog barks"]
    assert "font-size: 20px" in out.read_text()


def test_other_kinds_of_files(tmp_path):
    for name, start in (
        ("tree.png", b"\x89PNG"),
        ("tree.HTML", b"<!DOCTYPE html>"),
        ("tree.txt", b"  "),
    ):
        out = tmp_path / name
        assert draw("--brackets", TREE, "-o", out).exit_code == 0
        assert out.read_bytes().startswith(start)


def test_text_is_parsed(model, tmp_path):
    out = tmp_path / "tree.svg"
    result = draw("Dogs bark. Cats sleep.", "--model", model, "--output", out)
    assert result.exit_code == 0, result.output
    assert {"Dogs", "bark", "Cats", "sleep"} < set(texts(out))
    assert draw("-", "-m", model, "-o", out, stdin="Read\nthis").exit_code == 0
    assert {"Read", "this"} < set(texts(out))


def test_the_shipped_pipeline_is_the_default(model, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_gfl.cli.draw.DEFAULT_MODEL", str(model))
    out = tmp_path / "tree.svg"
    assert draw("Dogs bark.", "-o", out).exit_code == 0
    assert {"Dogs", "bark"} < set(texts(out))


def test_help_says_all_that_it_should():
    """Rich takes what stands in square brackets for a style, and shows nothing."""
    command = typer.main.get_command(cli.app).commands["draw"]
    helps = [command.help, *(getattr(param, "help", "") for param in command.params)]
    said = set(re.findall(r"\w+", draw("--help").output))
    assert set(re.findall(r"\w+", " ".join(helps))) <= said
    assert "viz" in said


def test_an_error_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    def fill(self, data):
        with open(self, "wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device", str(self))

    out = tmp_path / "tree.svg"
    out.write_text("old")
    monkeypatch.setattr(Path, "write_bytes", fill)
    result = draw("--brackets", TREE, "-o", out)
    assert result.exit_code == 1
    assert "No space left" in result.output
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_attention(model, tmp_path):
    out = tmp_path / "attention.svg"
    result = draw("Dogs bark.", "-m", model, "-o", out, "--style", "attention")
    assert result.exit_code == 0, result.output
    drawn = texts(out)
    assert "</s>" in drawn
    assert "XX" not in drawn
    assert drawn.count("bark") == 2  # a column and a row


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["text", "--brackets", TREE], "without a text"),
        (["--model", "x"], "Give a text to parse"),
        (["text", "--model", "no-such-model"], "no pipeline no-such-model"),
        (["--brackets", TREE, "--model", "x"], "drawn as they are"),
        (["--brackets", "missing.ptb"], "missing.ptb: No such file"),
        (["--brackets", "(S (NN x)"], "--brackets:1:1: this bracket is not closed"),
        (["--brackets", "-"], "no trees"),
        (["--brackets", TREE, "--color", "NP"], "--color takes LABEL=COLOUR"),
        (["--brackets", TREE, "--color", "NP=<", "-o", "x.svg"], "colors.NP"),
        (
            ["--brackets", TREE, "--max-depth", "999"],
            "option max_depth: Input",
        ),
        (["--brackets", TREE, "-o", "tree.pdf"], "does not end in one of .svg"),
        (["--brackets", TREE, "-o", "."], ". is a folder"),
        (
            ["--brackets", TREE, "--style", "attention"],
            "an .svg, .png or .html --output",
        ),
        (
            ["--brackets", TREE, "--style", "attention", "-o", "x.svg"],
            "drawn as they are",
        ),
    ],
)
def test_errors_are_one_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = draw(*arguments, stdin="")
    assert result.exit_code == 1
    assert message in result.output
    assert re.fullmatch(r"Error: .+\n", result.output)
    assert list(tmp_path.iterdir()) == []


def test_attention_needs_a_file_and_no_option_of_trees(model, tmp_path):
    result = draw("Dogs bark.", "-m", model, "--style", "attention")
    assert result.exit_code == 1
    assert "an .svg, .png or .html --output" in result.output
    out = tmp_path / "x.svg"
    result = draw(
        "Dogs bark.", "-m", model, "--style", "attention", "-o", out, "--max-depth", 2
    )
    assert result.exit_code == 1
    assert "no option max_depth" in result.output
