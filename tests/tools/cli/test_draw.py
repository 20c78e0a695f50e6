from functools import partial

import pytest
from helpers.cli import done, refusal, run
from helpers.svg import texts, x_positions

from spacy_gfl import parse_tree
from spacy_gfl.tools.pictures.page import picture_file

pytest.importorskip("svgling", reason="pictures need the extra viz")
pytest.importorskip("resvg_py", reason="pictures need the extra viz")

TREE = "(S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)))"

draw = partial(done, "draw")


def test_brackets_are_printed_wherever_they_come_from(tmp_path):
    once = draw("--brackets", TREE).output
    assert once == picture_file(parse_tree(TREE), ".txt").decode()
    path = tmp_path / "trees.ptb"
    path.write_text(f"{TREE}\n{TREE}\n")
    twice = draw("--brackets", path).output
    assert twice.count("NP-SBJ") == 2
    assert draw("--brackets", "-", stdin=path.read_text()).output == twice
    bare = draw("--brackets", "(S (NP the dog) (VP barks))").output
    assert bare.split()[-3:] == ["the", "dog", "barks"]
    assert "XX" not in bare
    assert "no sentence to draw" in refusal(run("draw", "--brackets", ""))


def test_options_reach_the_picture(tmp_path):
    out = tmp_path / "new" / "tree.svg"
    draw("--brackets", TREE, "-o", out, "--color", "VP=hsl(0 50% 50%)", "--no-tags")
    assert texts(out.read_bytes()) == ["S", "NP", "the", "dog", "VP", "barks"]
    assert "SBJ" in out.read_text()
    assert "fill: hsl(0 50% 50%);" in out.read_text()
    sizes = ["--max-depth", 1, "--font-size", 20, "--max-width", 500]
    draw("--brackets", TREE, "-o", out, "--compact", "--align-words", *sizes)
    assert texts(out.read_bytes()) == ["S", "the dog barks"]
    assert "font-size: 20px" in out.read_text()
    draw("-b", "(S (UH Go) (. !))", "-o", out, "--no-punctuation")
    assert texts(out.read_bytes()) == ["S", "UH", "Go"]
    draw("-b", TREE, "-o", out, "--direction", "rtl")
    at = x_positions(out.read_text())
    assert at["the"] > at["dog"] > at["barks"]


def test_the_ending_of_the_file_is_the_kind_of_picture(tmp_path):
    starts = {"png": b"\x89PNG", "HTML": b"<!DOCTYPE html>", "txt": b"  "}
    for ending, start in starts.items():
        out = tmp_path / f"tree.{ending}"
        draw("--brackets", TREE, "-o", out)
        assert out.read_bytes().startswith(start)


def test_text_is_parsed_by_the_shipped_pipeline_or_another(
    model, tmp_path, monkeypatch
):
    out = tmp_path / "tree.svg"
    draw("-", "-m", model, "-o", out, stdin="Read\nthis")
    assert {"Read", "this"} < set(texts(out.read_bytes()))
    latin = refusal(run("draw", "-", "-m", model, stdin=b"caf\xe9"))
    assert "<stdin>:1: this is not UTF-8" in latin
    for given, of_stdin in (("-", "Dogs bark.\nCats"), ("Dogs bark.\nCats", "")):
        text = draw(given, "-m", model, "--input-format", "tokens", stdin=of_stdin)
        assert "bark." in text.output.split()
    monkeypatch.setattr("spacy_gfl.tools.cli.draw.DEFAULT_MODEL", str(model))
    draw("Dogs bark. Cats sleep.", "-o", out)
    assert {"Dogs", "bark", "Cats", "sleep"} < set(texts(out.read_bytes()))


def test_attention_is_drawn_as_symbols_by_words(paper, tmp_path):
    out = tmp_path / "attention.svg"
    draw("Dogs bark.", "-m", paper, "-o", out, "--style", "attention")
    drawn = texts(out.read_bytes())
    assert "</s>" in drawn
    assert "XX" not in drawn
    assert drawn.count("bark") == 2  # a column and a row
