"""`spacy-gfl complexity`: tables of texts and trees."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from helpers.cli import done, run
from helpers.pipelines import initialized

from spacy_gfl import load_language, parse_tree
from spacy_gfl.tools.cli.tables import csv_lines
from spacy_gfl.tools.syntax.complexity import measure

DOG = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))) (. .))"
YES = "(INTJ (UH Yes) (. !))"


def complexity(*arguments):
    return done("complexity", *arguments).stdout


def test_each_text_is_a_row_of_the_table(tmp_path):
    trees, docs = tmp_path / "trees.ptb", tmp_path / "docs.spacy"
    trees.write_text(f"{DOG}\n{YES}\n", encoding="utf-8")
    done("convert", trees, docs, "--n-sents", 1)
    rows = list(csv.DictReader(io.StringIO(complexity(trees, docs))))
    places = [(row["file"], row["document"]) for row in rows]
    assert places == [(str(trees), "1"), (str(docs), "1"), (str(docs), "2")]
    assert [row["W"] for row in rows] == ["5", "4", "1"]
    assert rows[0]["MLS"] == "2.5000"
    expected = measure([parse_tree(DOG)])
    assert list(rows[1])[2:] == list(expected)

    table = tmp_path / "new" / "table.json"
    assert complexity(trees, docs, "-o", table) == ""
    assert json.loads(table.read_text())[1] == {
        **{"file": str(docs), "document": "1"},
        **expected,
    }
    complexity(trees, "-o", table.with_suffix(".csv"))
    written = table.with_suffix(".csv").read_bytes().decode()
    assert written.startswith("file,document,W,S,VP")
    assert len(written.splitlines()) == 2
    # Whatever its ending is.
    other = trees.rename(tmp_path / "trees.md")
    lines = complexity(other, "--input-format", "brackets").splitlines()
    assert lines[1].partition(",")[2] == written.splitlines()[1].partition(",")[2]
    # A treebank of another kind of brackets is one text too.
    greynir = tmp_path / "trees.gld"
    greynir.write_text("((META) (S0 (IP (so er))))\n\n((META) (S0 (IP (so fer))))")
    [row] = csv.DictReader(io.StringIO(complexity(greynir)))
    assert (row["file"], row["W"]) == (str(greynir), "2")


def test_texts_are_parsed_by_a_pipeline(tmp_path, en_gfl_sm):
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    texts[0].write_text("The bridge was closed by the council.\n\nWho needs them?\n")
    texts[1].write_text("Who needs them?\n")
    table = csv.DictReader(io.StringIO(complexity(*texts, "--model", en_gfl_sm)))
    found = [(row["file"], row["W"], row["S"], row["T"]) for row in table]
    assert found == [(str(texts[0]), "10", "2", "2"), (str(texts[1]), "3", "1", "1")]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"text": "The bridge was closed."}\n{"text": "Who left?"}\n')
    table = csv.DictReader(io.StringIO(complexity(lines, "--model", en_gfl_sm)))
    found = [(row["document"], row["W"]) for row in table]
    assert found == [("1", "4"), ("2", "2")]


def test_a_file_that_cannot_be_measured_has_a_row_that_says_why(tmp_path):
    folder = tmp_path / "essays"
    (folder / ".hidden").mkdir(parents=True)
    for name in ("=1+1.ptb", "b.ptb", ".hidden/c.ptb"):
        (folder / name).write_text(DOG)
    (folder / "latin.ptb").write_bytes("(NP (NN café))".encode("cp1252"))
    (folder / "notes.pdf").write_text("none of these")
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ptb"))
    odd.write_text(DOG)
    for ending in ("csv", "json"):
        table = tmp_path / f"table.{ending}"
        result = run("complexity", folder, odd, tmp_path / "none.ptb", "-o", table)
        assert result.exit_code == 1
        assert "2 of 5 texts cannot be measured" in result.stderr
        [line] = [line for line in result.stderr.splitlines() if "Left out" in line]
        assert line.startswith(f"Left out of {folder}: 2 files")
    rows = json.loads((tmp_path / "table.json").read_text())
    names = [Path(row["file"]).name for row in rows]
    assert names == ["=1+1.ptb", "b.ptb", "latin.ptb", "caf\\udce9.ptb", "none.ptb"]
    assert "not UTF-8" in rows[2]["error"]
    assert "No such file" in rows[4]["error"]
    assert [row.get("W") for row in rows] == [4, 4, None, 4, None]
    cells = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert [row["file"] for row in cells] == [row["file"] for row in rows]
    assert [row["W"] for row in cells] == ["4", "4", "", "4", ""]


@pytest.mark.parametrize("command", ["complexity", "predictors"])
def test_a_folder_that_has_nothing_to_read_is_an_error(tmp_path, command):
    (tmp_path / "notes.md").write_text("We left.", encoding="utf-8")
    ended = run(command, tmp_path)
    assert ended.exit_code == 1
    assert f"The folder {tmp_path} has no texts or treebanks" in ended.stderr


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\ta", "＝1", " =1", "\u202e=1"]
)
def test_no_cell_is_a_formula(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(DOG)
    arguments = ["--input-format", "brackets", "--", name]
    [row] = csv.DictReader(io.StringIO(complexity(*arguments)))
    assert row["file"] == f"'{name}"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1+1", "a;'=1+1"),
        ('a; "=1', "a; \"'=1"),
        ("a;\u202e＝1", "a;'\u202e＝1"),
        ("\n=1", "\n'=1"),
        ("a-1;b=2", "a-1;b=2"),
    ],
)
def test_no_part_of_a_cell_is_a_formula_where_semicolons_part_cells(text, cell):
    table = "".join(csv_lines([{"file": text}], ["file"]))
    assert [*csv.reader(io.StringIO(table, newline=""))] == [["file"], [cell]]


def test_texts_of_other_languages_are_refused(tmp_path):
    initialized().to_disk(tmp_path / "many")
    load_language("de", str(tmp_path / "many")).to_disk(tmp_path / "de")
    text = tmp_path / "a.txt"
    text.write_text("Der Hund bellt.\n", encoding="utf-8")
    result = run("complexity", text, "--model", tmp_path / "de")
    assert result.exit_code == 1
    assert 'this Doc is of the language ""de""' in result.stdout
