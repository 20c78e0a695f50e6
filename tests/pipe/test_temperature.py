import math

import pytest
from helpers.docs import token_doc

from spacy_gfl.tools.training.temperature import (
    Judged,
    brier_score,
    judge_probabilities,
)

JUDGED = [
    *(Judged(probability, True) for probability in (1.0, 0.9, 0.25)),
    *(Judged(probability, False) for probability in (0.95, 0.2, 0.0)),
]


def test_the_brier_score_is_the_mean_squared_difference():
    expected = (0 + 0.01 + 0.5625 + 0.9025 + 0.04 + 0) / 6
    assert brier_score(JUDGED) == pytest.approx(expected)
    assert math.isnan(brier_score([]))


def test_constituents_are_judged_by_their_characters():
    gold = token_doc("a|b|c", trees=["(S (NP (NP (A a))) (VP (B b) (C c)))"])
    # Other tokens; a third NP, a right VP, and a wrong extent.
    trees = ["(S (NP (NP (NP (A a)))) (VP (PP (B bc))))"]
    scores = {"probabilities": [1.0, 0.9, 0.8, 0.7, 0.6, math.nan]}
    predicted = token_doc("a|bc", trees=trees, attrs=scores)
    judged = [(1.0, True), (0.9, True), (0.8, True), (0.7, False), (0.6, True)]
    assert judge_probabilities(gold, predicted) == judged
    assert judge_probabilities(gold, token_doc("a|bc", trees=trees)) == []
    bare = token_doc("a|b|c")
    for pair in ((gold, bare), (bare, predicted)):
        with pytest.raises(ValueError, match="has no constituency trees"):
            judge_probabilities(*pair)
