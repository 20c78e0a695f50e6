import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gfl.annotation.storage import set_trees
from spacy_gfl.cli import app as cli
from spacy_gfl.evaluation.files import pair_lines
from spacy_gfl.formats import WRITERS, docbin
from spacy_gfl.trees.tree import Constituent

GOLD = """\
(TOP (S (NP (DT a) (NN b)) (VP (VBZ c)) (. .)))
(TOP (S (NP (PRP d)) (VP (VBZ e))))
(TOP (X (A f)))
"""
PREDICTED = """\
(TOP (S (NP (DT a) (NN b)) (VP (VBZ c)) (. .)))
(TOP (S (NP (PRP d)) (NP (VBZ e))))
(TOP (X (A z)))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gold.ptb").write_text(GOLD)
    (tmp_path / "predicted.ptb").write_text(PREDICTED)
    return tmp_path


def run(folder, *arguments):
    names = [
        str(folder / name) if "." in name else name for name in map(str, arguments)
    ]
    return CliRunner().invoke(cli.app, ["evaluate", *names])


def cells(output):
    """The rows of all printed tables by their first cell."""
    rows = [re.split(r"\s{2,}", line) for line in output.splitlines()]
    return {first: cells for first, *cells in rows}


def write_docs(path, trees, *, words=("a", "b", "."), **attrs):
    doc = Doc(
        Vocab(),
        words=words,
        tags=["DT", "NN", "."] if len(words) == 3 else None,
        sent_starts=[True] + [False] * (len(words) - 1),
    )
    if trees is not None:
        set_trees(doc, [[Constituent(*node) for node in trees]], attrs=attrs)
    DocBin(docs=[doc]).to_disk(path)


def test_picture_by_length(folder):
    pytest.importorskip("matplotlib")
    script = Path(__file__).resolve().parents[2] / "scripts/draw_lengths.py"
    assert (
        run(folder, "gold.ptb", "predicted.ptb", "--json", "mine.json").exit_code == 0
    )
    picture = folder / "picture.svg"
    subprocess.run([sys.executable, script, picture, folder / "mine.json"], check=True)
    drawn = picture.read_text()
    assert ">mine</text>" in drawn
    assert ">1-10</text>" in drawn


def test_table(folder):
    result = run(folder, "gold.ptb", "predicted.ptb")
    assert result.exit_code == 0
    rows = cells(result.output)
    assert rows["F1"] == ["83.33", "83.33"]
    assert rows["Errors (sentences)"] == ["1", "1"]
    assert rows["Exact match"] == ["50.00", "50.00"]
    assert rows["Unlabelled F1"] == ["100.00", "100.00"]
    assert "Errors (1) and skipped sentences (0) are in no score" in result.stderr


def test_strict(folder):
    result = run(folder, "gold.ptb", "predicted.ptb", "--strict")
    rows = cells(result.output)
    assert rows["Recall"] == ["71.43", "71.43"]
    assert rows["Precision"] == ["83.33", "83.33"]
    assert "in no score" not in result.stderr


def test_json(folder):
    result = run(folder, "gold.ptb", "predicted.ptb", "--json", "new/out.json")
    assert result.exit_code == 0
    scores = json.loads((folder / "new" / "out.json").read_text())
    for suffix in ("", "_40"):
        assert scores[f"con_f{suffix}"] == pytest.approx(5 / 6)
        assert scores[f"con_p{suffix}"] == scores[f"con_r{suffix}"]
        assert scores[f"con_exact{suffix}"] == 0.5
        assert scores[f"con_error{suffix}"] == 1
        assert scores[f"con_skip{suffix}"] == 0
    assert scores["con_per_label"]["NP"]["p"] == pytest.approx(2 / 3)


def test_tables_by_label_and_length(folder):
    result = run(folder, "gold.ptb", "predicted.ptb", "--by-label", "--by-length")
    lines = [line.split() for line in result.output.splitlines()]
    assert ["NP", "100.00", "66.67", "80.00", "2", "3"] in lines
    assert ["1-10", "83.33", "83.33", "83.33", "3", "1", "0"] in lines


def test_evalb_report(folder):
    result = run(folder, "gold.ptb", "predicted.ptb", "--evalb")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("  Sent. ")
    assert "Number of Error sentence  =      1" in lines
    assert "3 : Words unmatch (f|z)" in result.stderr.splitlines()


def test_parameters(folder):
    (folder / "own.prm").write_text("DELETE_LABEL NP\nCUTOFF_LEN 2\n")
    result = run(folder, "gold.ptb", "predicted.ptb", "--params", "own.prm")
    assert result.exit_code == 0
    assert "length <= 2" in result.output
    # TOP and the full stop count, NP does not: 3 + 3 gold brackets, 3 + 2 predicted.
    assert cells(result.output)["Recall"][0] == "83.33"
    assert cells(result.output)["Precision"][0] == "100.00"
    assert run(folder, "gold.ptb", "gold.ptb", "--params", "new").exit_code == 0


@pytest.mark.parametrize("root", ["ROOT", "S1", "VROOT", ""])
def test_roots_are_mapped_unless_raw(folder, root):
    (folder / "gold.ptb").write_text(GOLD.replace("TOP", root))
    result = run(folder, "gold.ptb", "predicted.ptb")
    assert cells(result.output)["F1"][0] == "83.33"
    result = run(folder, "gold.ptb", "predicted.ptb", "--raw")
    assert cells(result.output)["Recall"][0] == "62.50"


def test_gold_tags(folder):
    (folder / "predicted.ptb").write_text(
        "(S (NP (XX a) (XX b)) (VP (XX c)) (XX .))\n(X (XX d) (XX e))\n(X (XX f))\n"
    )
    result = run(folder, "gold.ptb", "predicted.ptb")
    assert cells(result.output)["Errors (sentences)"][0] == "1"
    result = run(folder, "gold.ptb", "predicted.ptb", "--gold-tags")
    rows = cells(result.output)
    assert (rows["Errors (sentences)"][0], rows["Recall"][0]) == ("0", "57.14")


def test_trees_over_many_lines(folder):
    (folder / "gold.ptb").write_text(GOLD.replace(" (VP", "\n\n   (VP"))
    (folder / "many.ptb").write_text(PREDICTED.replace("(", "\n("))
    for predicted in ("predicted.ptb", "many.ptb"):
        result = run(folder, "gold.ptb", predicted)
        assert cells(result.output)["F1"][0] == "83.33"


def test_blank_and_unbalanced_predictions_are_skips_and_errors(folder):
    lines = GOLD.splitlines()
    (folder / "predicted.ptb").write_text(f"\n{lines[1][:-1]}\n{lines[2]}\n")
    result = run(folder, "gold.ptb", "predicted.ptb")
    rows = cells(result.output)
    assert (rows["Errors (sentences)"][0], rows["Skipped (sentences)"][0]) == ("1", "1")
    assert rows["F1"][0] == "100.00"


def test_docs(folder):
    write_docs(folder / "gold.spacy", [("S", 0, 3), ("NP", 0, 2)])
    write_docs(folder / "same.spacy", [("S", 0, 2), ("X", 0, 1)], flags=["repaired"])
    result = run(folder, "gold.spacy", "same.spacy")
    rows = cells(result.output)
    assert (rows["F1"][0], rows["Repaired trees"][0]) == ("50.00", "1")
    write_docs(folder / "tokens.spacy", [("S", 0, 2), ("NP", 0, 1)], words=["a", "b."])
    result = run(folder, "gold.spacy", "tokens.spacy", "--json", "out.json")
    assert json.loads((folder / "out.json").read_text())["con_p"] == 0.5
    write_docs(folder / "none.spacy", None)
    result = run(folder, "gold.spacy", "none.spacy", "--strict")
    assert cells(result.output)["Recall"][0] == "0.00"


def test_docs_against_brackets(folder):
    write_docs(folder / "gold.spacy", [("S", 0, 3), ("NP", 0, 2)])
    (folder / "predicted.ptb").write_text("(S (NP (DT a) (NN b)) (. .))\n")
    result = run(folder, "gold.spacy", "predicted.ptb")
    assert cells(result.output)["F1"][0] == "100.00"


@pytest.mark.parametrize("suffix", ["jsonl", "conll"])
def test_docs_of_other_formats(folder, suffix):
    write_docs(folder / "gold.spacy", [("S", 0, 3), ("NP", 0, 2)])
    write_docs(folder / "other.spacy", [("S", 0, 2), ("X", 0, 1)])
    docs = docbin.read(folder / "other.spacy", Vocab())
    WRITERS[f".{suffix}"](folder / f"predicted.{suffix}", docs)
    result = run(folder, "gold.spacy", f"predicted.{suffix}")
    assert cells(result.output)["F1"][0] == "50.00"
    result = run(folder, f"predicted.{suffix}", f"predicted.{suffix}")
    assert cells(result.output)["F1"][0] == "100.00"


def test_blank_lines_at_the_end_are_no_trees():
    gold, predicted = pair_lines(["(A a)", "(A b)", "", ""], ["(A a)", ""])
    assert (len(gold), len(predicted)) == (2, 2)
