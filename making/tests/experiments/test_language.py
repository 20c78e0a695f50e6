"""Studies of words: that each runs small, and what its table says."""

import json
from collections import Counter

import numpy as np
import pytest
from helpers.pipelines import GENERATIVE, trained
from helpers.reading import ROOT
from items import find_items, inflections
from kneser_ney import KneserNey, windows
from nltk.lm import KneserNeyInterpolated
from nltk.util import everygrams

from spacy_gfl.tools.treebanks.bracket_reader import parse_tree


def test_studies_of_words_run_small(run_small, tmp_path, monkeypatch):
    """The second study takes the model of the first."""
    # They read our own trees and text.
    monkeypatch.chdir(ROOT)

    def run(name, *arguments):
        run_small(name, "--output", tmp_path / name, *arguments)
        return json.loads((tmp_path / name / "results.json").read_text("utf8"))

    results = run("language_model")
    # Better than a guess among the 300 words; text that it has learnt would be near 1.
    assert all(10 < score < 290 for score in results["perplexity"].values())
    back = results["look_back"]
    (whole, *_) = back["all"]["30"]
    for kind in ("dropped", "shuffled", "reversed"):
        assert list(back[kind]) == ["2", "10"]
        for score, cost, error in back[kind].values():
            assert score == pytest.approx(whole * np.exp(cost))
            assert error > 0
    results = run("agreement", "--model", tmp_path / "language_model/model.pt")
    (counts,) = (counts for key, counts in results["counts"].items() if "test" in key)
    errors = results["errors"]
    ((n, _), *others) = errors["all"][""].values()
    assert 5 < n <= counts["kept"]
    assert len(others) == 5
    for groups in errors.values():
        for model in errors["all"][""]:
            wrong = [n * error for n, error in (g[model] for g in groups.values()) if n]
            n, error = errors["all"][""][model]
            assert sum(wrong) == pytest.approx(n * error)
            assert 0 <= error <= 1


@pytest.mark.parametrize("order", [2, 3, 5])
def test_kneser_ney_gives_the_probabilities_of_nltk(order):
    rng = np.random.default_rng(0)
    n_words = 12
    text, other = (np.append(0, rng.zipf(1.5, n) % n_words) for n in (400, 60))
    text = np.concatenate([text, np.arange(n_words), [0]])
    words = [str(i) for i in text]
    expected = KneserNeyInterpolated(order, discount=0.6)
    expected.fit([list(everygrams(words, max_len=order))], vocabulary_text=words)
    model, rows = KneserNey(text, n_words, order, 0.6), windows(other, order)
    scores = [
        expected.unmasked_score(str(word), tuple(str(i) for i in context if i >= 0))
        for *context, word in rows
    ]
    assert np.exp(model.log_prob(rows)) == pytest.approx(np.array(scores))
    # With discounts of its own, of which nltk has none, it is still a distribution.
    model, total = KneserNey(text, n_words, order), np.zeros(len(rows))
    for word in range(n_words):
        total += np.exp(model.log_prob(np.c_[rows[:, :-1], [word] * len(rows)]))
    assert total == pytest.approx(1)


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (DT the) (NN cabinet))))"
            " (VP (VBP are) (ADVP (RB here))))",
            ("keys", "are", 4, 1, "other", False),
        ),
        (
            "(S (NP (NP (DT The) (NN man)) (SBAR (WHNP (WDT that)) (S (NP (NNS dogs))"
            " (VP (VBP like))))) (ADVP (RB now)) (VP (ADVP (RB only)) (VBZ sings)))",
            ("man", "sings", 6, 1, "other", True),
        ),
        (
            "(S (NP (NN Dad)) (VP (VP (VBZ cooks)) (CC and) (VP (VBZ eats))))",
            ("dad", "cooks", 1, 0, "none", False),
        ),
        ("(S (NP (PRP She)) (VP (VBZ sings)))", "the head is no noun"),
        (
            "(S (NP (NP (NN Bob)) (CC and) (NP (NNP Ann))) (VP (VBP sing)))",
            "the subject is coordinated",
        ),
        ("(S (NP (NN police)) (VP (VBP sing)))", "head and verb disagree"),
        ("(S (NP (NN Bob)) (VP (MD can) (VP (VB sing))))", None),
    ],
)
def test_verbs_are_found_with_their_subject_and_what_stands_between(brackets, expected):
    tally = Counter()
    items = list(find_items(parse_tree(brackets), tally))
    names = ("verb", "distance", "attractors", "last", "relative")
    found = [
        (item["words"][item["head"]], *(item[name] for name in names))
        for item in items[:1]
    ]
    if isinstance(expected, tuple):
        assert found == [expected]
    else:
        assert not found
        assert tally == Counter([expected] if expected else [])


def test_inflections_are_those_that_occur():
    forms = {
        "VBZ": {"is": 9, "goes": 3, "tries": 2, "writes": 1, "has": 4, "lies": 1},
        "VBP": {"are": 9, "try": 1, "have": 3, "lie": 1, "ly": 0},
        "VB": {"go": 2, "write": 2, "be": 9},
    }
    pairs = sorted("/".join(pair) for pair in inflections(forms).items())
    wanted = "goes/go has/have is/are lies/lie tries/try writes/write"
    assert " ".join(pairs) == wanted


def test_the_study_of_a_parser_that_predicts_words_runs_small(
    run_small, data, tmp_path
):
    trained(architecture=GENERATIVE, steps=20).to_disk(tmp_path / "model")
    trees, out = data / "dev.ptb", tmp_path / "out"
    options = [
        "--lstm",
        "--train",
        trees,
        "--test",
        f"ours={trees}",
        "--agreement",
        trees,
    ]
    printed = run_small(
        "word_by_word", "--model", tmp_path / "model", "--output", out, *options
    )
    assert "MV/RR" in printed
    results = json.loads((out / "results.json").read_text("utf8"))
    kinds = results["garden paths"]
    assert {kind: row["pairs"] for kind, row in kinds.items()} == {
        "NP/S": 20,
        "NP/Z": 20,
        "MV/RR": 20,
    }
    for row in kinds.values():
        for model in ("parser", "LSTM"):
            found = row[model]
            cost = found["ambiguous"] - found["control"]
            assert found["cost"] == pytest.approx(cost)
            assert 0 <= found["higher"] <= 20
    ours = results["perplexity"]["ours"]
    assert ours["parser"] > 1
    assert ours["LSTM"] > 1
    assert 0 <= ours["unknown"] <= 1
    for row in results["agreement"].values():
        assert 0 <= row["parser"] <= 1
