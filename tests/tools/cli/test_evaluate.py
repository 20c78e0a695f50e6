import json
from itertools import permutations
from pathlib import Path

import pytest
from helpers.cli import done, rows
from helpers.docs import token_doc

from spacy_gfl.tools.treebanks.formats import docbin

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


def evaluate(*options, gold="gold.ptb", predicted="predicted.ptb"):
    return done("evaluate", gold, predicted, *options)


def figures(*options, **files):
    return rows(evaluate(*options, **files).output)


def write_docs(path, nodes, *, words="a|b|.", tags="DT|NN|.", **attrs):
    trees = None if nodes is None else [nodes]
    doc = token_doc(words, tags=tags, trees=trees, attrs=attrs)
    docbin.write(path, doc)


@pytest.mark.parametrize(
    ("gold", "predicted", "shown"),
    [
        # One character, written in several ways.
        ("(X (A -LCB-) (B ])) \n(X (A a))", "(X (A {) (B -RSB-))\n(X (A a))", "2 0 0"),
        ("(X (A 10\u00a000))", "(X (A 10-U+00A0-00))", "1 0 0"),
        # Nodes that are no text, which a parser does not write.
        ("((CODE c))\n((S (X (A a)) (-DFL- E_S)))", "(S (X (A a)))", "1 0 0"),
        # Blank lines part trees; where the lines are as many, a parser gave up.
        ("(X (A a))\n\n(X (B b))", "(X (A a))\n(X (B b))", "2 0 0"),
        ("(X (A a))\n(X (B b))", "(X (A a))\n\n(X (B b))\n", "2 0 0"),
        ("(X (A a))\n(X (B b))", "(X (A a))\n\n", "2 0 1"),
    ],
)
def test_words_and_layout_of_other_programs_are_scored(folder, gold, predicted, shown):
    for name, text in (("gold.ptb", gold), ("predicted.ptb", predicted)):
        (folder / name).write_text(text, encoding="utf-8")
    found = figures()
    kinds = ("Sentences", "Errors (sentences)", "Skipped (sentences)")
    assert [found[kind][0] for kind in kinds] == shown.split()
    assert found["F1"][0] == "100.00"


def test_scores_are_shown_for_all_and_for_short_sentences(folder):
    result = evaluate()
    shown = rows(result.output)
    assert shown["F1"] == ["83.33", "83.33"]
    assert shown["Errors (sentences)"] == ["1", "1"]
    assert shown["Exact match"] == ["50.00", "50.00"]
    assert shown["Unlabelled F1"] == ["100.00", "100.00"]
    assert "The scores leave out 1 errors and 0 skipped sentences" in result.stderr
    # Strict scores count errors as missed brackets.
    result = evaluate("--strict")
    shown = rows(result.output)
    assert (shown["Recall"][0], shown["Precision"][0]) == ("71.43", "83.33")
    assert "The scores leave out" not in result.stderr


def test_tags_that_are_all_golds_own_have_no_accuracy(folder):
    for name in ("gold.ptb", "predicted.ptb"):
        (folder / name).write_text("(X (A a) (B b))\n")
    assert figures()["Tagging accuracy"] == ["gold tags", "gold tags"]
    (folder / "predicted.ptb").write_text("(X (A a) (A b))\n")
    assert figures()["Tagging accuracy"] == ["50.00", "50.00"]


def test_scores_are_shown_by_label_and_by_length_and_written_as_json(folder):
    shown = figures("--by-label", "--by-length", "--json", "new/out.json")
    assert shown["NP"] == ["100.00", "66.67", "80.00", "2", "3"]
    assert shown["1-10"] == ["83.33", "83.33", "83.33", "3", "1", "0"]
    scores = json.loads(Path("new/out.json").read_text())
    assert scores["con_f_40"] == pytest.approx(5 / 6)
    assert scores["con_per_label"]["NP"]["p"] == pytest.approx(2 / 3)


def test_a_report_as_evalb_writes_it_is_printed(folder):
    result = evaluate("--evalb")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("  Sent. ")
    assert "Number of Error sentence  =      1" in lines
    assert "3 : Words unmatch (f|z)" in result.stderr.splitlines()


def test_own_parameters_change_what_is_compared(folder):
    Path("own.prm").write_text("DELETE_LABEL NP\nCUTOFF_LEN 2\n")
    result = evaluate("--params", "own.prm")
    assert "length <= 2" in result.output
    # TOP and the full stop count, NP does not: 3 + 3 gold brackets, 3 + 2 predicted.
    shown = rows(result.output)
    assert (shown["Recall"][0], shown["Precision"][0]) == ("83.33", "100.00")
    evaluate("--params", "new")


MANY_LINES = GOLD.replace(" (VP", "\n\n   (VP"), PREDICTED.replace("(", "\n(")
_, SECOND, LAST = GOLD.splitlines()
UNTAGGED = "(S (NP (XX a) (XX b)) (VP (XX c)) (XX .))\n(X (XX d) (XX e))\n(X (XX f))\n"


@pytest.mark.parametrize(
    ("gold", "predicted", "options", "expected"),
    [
        (GOLD.replace("TOP", "VROOT"), PREDICTED, [], {"F1": "83.33"}),
        (GOLD.replace("TOP", "VROOT"), PREDICTED, ["--raw"], {"Recall": "62.50"}),
        (
            *(GOLD, UNTAGGED, ["--gold-tags"]),
            {
                "Errors (sentences)": "0",
                "Recall": "57.14",
                "Tagging accuracy": "gold's",
            },
        ),
        # Trees over many lines.
        (*MANY_LINES, [], {"F1": "83.33"}),
        # No parse, and one that is not balanced.
        (
            *(GOLD, f"\n{SECOND[:-1]}\n{LAST}\n", []),
            {"Errors (sentences)": "1", "Skipped (sentences)": "1", "F1": "100.00"},
        ),
    ],
)
def test_trees_are_compared_however_roots_and_tags_are_written(
    folder, gold, predicted, options, expected
):
    Path("gold.ptb").write_text(gold)
    Path("predicted.ptb").write_text(predicted)
    shown = figures(*options)
    assert {name: shown[name][0] for name in expected} == expected


def test_docs_are_compared_with_docs_and_other_files(folder):
    docs = {"gold": "gold.spacy", "predicted": "same.spacy"}
    write_docs(docs["gold"], [("S", 0, 3), ("NP", 0, 2)])
    write_docs(docs["predicted"], [("S", 0, 2), ("X", 0, 1)], flags=["repaired"])
    shown = figures(**docs)
    assert (shown["F1"][0], shown["Repaired trees"][0]) == ("50.00", "1")
    write_docs(docs["predicted"], [("S", 0, 2), ("NP", 0, 1)], words="a|b.", tags=None)
    evaluate("--json", "out.json", **docs)
    assert json.loads(Path("out.json").read_text())["con_p"] == 0.5
    write_docs(docs["predicted"], None)
    assert figures("--strict", **docs)["Recall"][0] == "0.00"
    Path("predicted.ptb").write_text("(S (NP (DT a) (NN b)) (. .))\n")
    assert figures(gold="gold.spacy")["F1"][0] == "100.00"


@pytest.mark.parametrize("ending", ["spacy", "jsonl", "conll"])
def test_docs_of_other_numbers_of_sentences_are_compared_tree_by_tree(folder, ending):
    Path("predicted.ptb").write_text(PREDICTED.replace("z", "f"))
    done("convert", "gold.ptb", f"gold.{ending}", "--n-sents", "3")
    done("convert", "predicted.ptb", f"one.{ending}", "--n-sents", "1")
    found = figures(gold=f"gold.{ending}", predicted=f"one.{ending}")
    assert found == figures("--gold-tags")


def test_sentences_of_white_space_in_docs_are_no_lines_of_other_files(folder):
    nodes = [("S", 0, 3), ("NP", 0, 2)]
    doc = token_doc("\n", "a|b|.", tags="|DT|NN|.", trees=[[], nodes])
    docbin.write("white.spacy", doc)
    Path("same.ptb").write_text("(S (NP (DT a) (NN b)) (. .))\n")
    for gold, predicted in permutations(["white.spacy", "same.ptb"]):
        shown = figures(gold=gold, predicted=predicted)
        assert (shown["F1"][0], shown["Sentences"][0]) == ("100.00", "1")
