"""`spacy-gfl complexity`: tables of texts and trees."""

import csv
import io
import json

import pytest
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gfl import formats, parse_tree, trees_to_docs
from spacy_gfl.cli.app import app
from spacy_gfl.syntax.complexity import measure

DOG = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))) (. .))"
YES = "(INTJ (UH Yes) (. !))"


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["complexity", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.stderr


def test_a_row_a_text(tmp_path):
    trees, docs = tmp_path / "trees.ptb", tmp_path / "docs.spacy"
    trees.write_text(f"{DOG}\n{YES}\n", encoding="utf-8")
    formats.docbin.write(docs, trees_to_docs(map(parse_tree, (DOG, YES)), Vocab()))
    rows = list(csv.DictReader(io.StringIO(run(trees, docs))))
    assert [row["text"] for row in rows] == [str(trees), f"{docs}:1", f"{docs}:2"]
    assert [row["W"] for row in rows] == ["5", "4", "1"]
    assert rows[0]["MLS"] == "2.5000"
    expected = measure([parse_tree(DOG)])
    assert list(rows[1])[1:] == list(expected)

    table = tmp_path / "new" / "table.json"
    assert run(trees, docs, "-o", table) == ""
    assert json.loads(table.read_text())[1] == {"text": f"{docs}:1", **expected}
    run(trees, "-o", table.with_suffix(".csv"))
    written = table.with_suffix(".csv").read_bytes().decode()
    assert written.startswith("text,W,S,VP")
    assert len(written.splitlines()) == 2


def test_a_text_is_parsed(tmp_path, en_gfl_sm):
    text = tmp_path / "letter.txt"
    text.write_text("The bridge was closed by the council.\n\nWho needs them?\n")
    (row,) = csv.DictReader(io.StringIO(run(text, "--model", en_gfl_sm)))
    assert (row["text"], row["W"], row["S"], row["T"]) == (str(text), "10", "2", "2")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("none.ptb", (), "There is no file"),
        ("a.ptb", ("-o", "a.xlsx"), "does not end in one of .csv, .json"),
        ("a.ptb", ("-o", "a.csv"), "tags"),
        ("a.pdf", (), "does not tell what is in the file"),
    ],
)
def test_what_cannot_be_measured(tmp_path, monkeypatch, name, arguments, message):
    monkeypatch.chdir(tmp_path)
    for path in ("a.ptb", "a.pdf"):
        (tmp_path / path).write_text("(S (XX Go))")
    assert message in run(name, *arguments, code=1)
    assert not (tmp_path / "a.csv").exists()
