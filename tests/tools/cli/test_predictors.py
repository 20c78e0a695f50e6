"""`spacy-gfl predictors`: what trees say of each word, as a table."""

import csv
import io

from helpers.cli import done, refusal, run
from helpers.pipelines import trained
from pyarrow import parquet

from spacy_gfl.tools.syntax.word_syntax import NOTED
from spacy_gfl.tools.treebanks.formats import docbin

TREES = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))))\n(NP (SYM =) (CD 1))\n"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_word_is_a_row(tmp_path):
    trees, docs = tmp_path / "trees.ptb", tmp_path / "docs.spacy"
    trees.write_text(TREES, encoding="utf-8")
    done("convert", trees, docs, "--n-sents", 1)
    rows = table(done("predictors", trees, docs).stdout)
    assert [row["text"] for row in rows] == [
        *[str(trees)] * 6,
        *[f"{docs}:1"] * 4,
        *[f"{docs}:2"] * 2,
    ]
    assert [int(row["sentence"]) for row in rows] == [1] * 4 + [2] * 2 + [1] * 6
    assert [row["position"] for row in rows[:6]] == ["1", "2", "3", "4", "1", "2"]
    assert rows[0] == {
        **{"text": str(trees), "sentence": "1", "position": "1", "word": "The"},
        **{"tag": "DT", "opened": "2", "closed": "0", "left_corner": "1"},
        **{"open_nodes": "2", "depth": "2", "yngve": "2", "break_after": "0"},
        **{"label": "NP", "head": "2"},
        # What only a parser knows.
        **dict.fromkeys(NOTED, ""),
    }
    # A spreadsheet would run it.
    assert rows[4]["word"] == "'="


def test_tables_are_written_as_csv_and_parquet(tmp_path):
    trees = tmp_path / "trees.ptb"
    trees.write_text(TREES, encoding="utf-8")
    for name in ("a.csv", "a.parquet"):
        assert done("predictors", trees, "-o", tmp_path / name).stdout == ""
    rows = table((tmp_path / "a.csv").read_text(encoding="utf-8"))
    found = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert [str(row["yngve"]) for row in found] == [row["yngve"] for row in rows]
    assert found[4]["word"] == "="
    (tmp_path / "none.jsonl").touch()
    done("predictors", tmp_path / "none.jsonl", "-o", tmp_path / "none.parquet")
    assert parquet.read_table(tmp_path / "none.parquet").column_names == [*rows[0]]
    wrong = run("predictors", trees, "-o", tmp_path / "a.xlsx")
    assert ".parquet" in refusal(wrong)


def test_of_parsed_texts_actions_have_their_probability(tmp_path):
    trained().to_disk(tmp_path / "model")
    text = tmp_path / "text.txt"
    text.write_text("The dog barks.", encoding="utf-8")
    rows = table(done("predictors", text, "-m", tmp_path / "model").stdout)
    assert all(0 < float(row["action_probability"]) <= 1 for row in rows)
    assert [row["surprisal"] for row in rows] == [""] * 4


def test_white_space_of_docs_has_no_row(tmp_path):
    nlp = trained()
    [doc] = nlp.pipe(["The  dog barks."])
    docbin.write(tmp_path / "a.spacy", doc)
    rows = table(done("predictors", tmp_path / "a.spacy").stdout)
    assert [row["word"] for row in rows] == ["The", "dog", "barks", "."]
