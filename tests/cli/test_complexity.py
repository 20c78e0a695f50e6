"""`spacy-gfl complexity`: tables of texts and trees."""

import csv
import io
import json
from unittest.mock import Mock

from helpers.cli import done

from spacy_gfl import parse_tree
from spacy_gfl.cli.options import load_parser
from spacy_gfl.syntax.complexity import measure

DOG = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))) (. .))"
YES = "(INTJ (UH Yes) (. !))"


def complexity(*arguments):
    return done("complexity", *arguments).stdout


def test_each_text_is_a_row_of_the_table(tmp_path):
    trees, docs = tmp_path / "trees.ptb", tmp_path / "docs.spacy"
    trees.write_text(f"{DOG}\n{YES}\n", encoding="utf-8")
    done("convert", trees, docs, "--n-sents", 1)
    rows = list(csv.DictReader(io.StringIO(complexity(trees, docs))))
    assert [row["text"] for row in rows] == [str(trees), f"{docs}:1", f"{docs}:2"]
    assert [row["W"] for row in rows] == ["5", "4", "1"]
    assert rows[0]["MLS"] == "2.5000"
    expected = measure([parse_tree(DOG)])
    assert list(rows[1])[1:] == list(expected)

    table = tmp_path / "new" / "table.json"
    assert complexity(trees, docs, "-o", table) == ""
    assert json.loads(table.read_text())[1] == {"text": f"{docs}:1", **expected}
    complexity(trees, "-o", table.with_suffix(".csv"))
    written = table.with_suffix(".csv").read_bytes().decode()
    assert written.startswith("text,W,S,VP")
    assert len(written.splitlines()) == 2
    # Whatever its ending is.
    other = trees.rename(tmp_path / "trees.md")
    lines = complexity(other, "--input-format", "brackets").splitlines()
    assert lines[1].partition(",")[2] == written.splitlines()[1].partition(",")[2]
    # A treebank of another kind of brackets is one text too.
    greynir = tmp_path / "trees.gld"
    greynir.write_text("((META) (S0 (IP (so er))))\n\n((META) (S0 (IP (so fer))))")
    [row] = csv.DictReader(io.StringIO(complexity(greynir)))
    assert (row["text"], row["W"]) == (str(greynir), "2")


def test_texts_are_parsed_by_a_pipeline_that_is_loaded_once(
    tmp_path, en_gfl_sm, monkeypatch
):
    load, texts = Mock(wraps=load_parser), [tmp_path / "a.txt", tmp_path / "b.txt"]
    texts[0].write_text("The bridge was closed by the council.\n\nWho needs them?\n")
    texts[1].write_text("Who needs them?\n")
    monkeypatch.setattr("spacy_gfl.cli.complexity.load_parser", load)
    table = csv.DictReader(io.StringIO(complexity(*texts, "--model", en_gfl_sm)))
    found = [(row["text"], row["W"], row["S"], row["T"]) for row in table]
    assert found == [(str(texts[0]), "10", "2", "2"), (str(texts[1]), "3", "1", "1")]
    load.assert_called_once_with(str(en_gfl_sm))
