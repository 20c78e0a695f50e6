import json

import pytest

from spacy_gfl.evaluation.summary import Counts, evaluate
from spacy_gfl.tools.evalb import score_lines

GOLD = (
    "(S (NP (A a)) (VP (A b) (PRT (A c))))",
    "(S (NP (A a)) (NP (A b)))",
    "(S (NP (A a)))",
    "(S (. .))",
    "(S (NP (A a) (A b)))",
)
PREDICTED = (
    "(S (NP (A a)) (VP (A b) (ADVP (A c))))",
    "(S (NP (A a)) (VP (A b)))",
    "(S (NP (A z)))",
    "(S (. .))",
    "",
)


@pytest.fixture
def scores():
    return score_lines(GOLD, PREDICTED)


def test_scores_are_counted_by_label(scores):
    labels = evaluate(scores).by_label
    assert list(labels) == ["ADVP", "NP", "PRT", "S", "VP"]
    assert labels["NP"] == Counts(3, 2, 2, 2)
    assert labels["VP"] == Counts(1, 2, 1, 1)
    # Equal labels: the gold PRT is recalled, and the predicted ADVP correct.
    assert labels["PRT"] == Counts(1, 0, 1, 0)
    assert labels["ADVP"] == Counts(0, 1, 0, 1)
    assert evaluate(scores, strict=True).by_label["NP"] == Counts(5, 2, 2, 2)


def flat(length):
    return "(X " + "(A a) " * length + ")"


def test_scores_by_length_are_in_the_classes_of_the_papers_figure():
    lines = [flat(n) for n in (1, 10, 11, 20, 21, 70, 71, 200)]
    evaluation = evaluate(score_lines(lines, lines), cutoff=20)
    lengths = evaluation.by_length
    numbers = {"1-10": 2, "11-20": 2, "21-30": 1, "61-70": 1, "71+": 2}
    assert {name: total.sentences for name, total in lengths.items()} == numbers

    # Short sentences have a summary of their own.
    assert (evaluation.all.sentences, evaluation.short.sentences) == (8, 4)


def test_a_summary_becomes_plain_data_that_json_can_hold(scores):
    flags = ["ok", "repaired", "flat", "repaired", "ok"]
    data = evaluate(scores, strict=True, flags=flags).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert (data["con_repaired"], data["con_flat"]) == (2, 1)
    assert evaluate(scores).as_dict()["con_repaired"] is None
    # The error has two gold brackets, and so has the sentence without a parse; the
    # sentence of punctuation alone has nothing to recall.
    assert data["con_r"] == pytest.approx(6 / 11)
    assert data["con_p"] == pytest.approx(6 / 7)
    assert data["con_f"] == pytest.approx(12 / 18)
    assert (data["con_error"], data["con_skip"]) == (1, 2)
    assert data["con_exact"] == 0.25
    assert data["con_unlabelled_f"] == pytest.approx(14 / 18)
    for name in ("p", "r", "f", "exact", "error", "skip"):
        assert data[f"con_{name}_40"] == data[f"con_{name}"]
    assert data["con_per_label"]["NP"]["r"] == pytest.approx(2 / 5)
    assert data["con_per_length"]["1-10"]["sentences"] == 5
