"""Wrong brackets by their cause: hand-made pairs, and the accounts of random ones."""

import re
from collections import Counter

import pytest
from helpers.strategies import extents
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import Tree
from spacy_gfl.evaluation import COLLINS, NEW, Parameters, Status
from spacy_gfl.tools.errors.errors import Kind, diagnose
from spacy_gfl.tools.evalb import score_pair

#: Cases, each with its errors (kind, missing and extra brackets, words), and then gold
#: and predicted; what is indented goes on with the line before.
CASES = """
a PP hangs too low: PP 0 1 with binoculars
(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP
  (NNS binoculars)))))
(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP
  (NNS binoculars))))))
a PP hangs too high: PP 1 0 with a hat
(VP (VBD met) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))
(VP (VBD met) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))
one PP makes all brackets around its wrong place wrong: PP 2 3 by mail
(VP (VBD sent) (NP (NP (NNS copies)) (PP (IN of) (NP (DT the) (NN book)))) (PP (IN by)
  (NP (NN mail))))
(VP (VBD sent) (NP (NP (NNS copies)) (PP (IN of) (NP (NP (DT the) (NN book)) (PP (IN by)
  (NP (NN mail)))))))
a phrase that is not there because of its PP: PP 1 0 a man at noon
(VP (VBD met) (NP (NML (DT a) (NN man)) (PP (IN at) (NP (NN noon)))))
(VP (VBD met) (NML (DT a) (NN man)) (PP (IN at) (NP (NN noon))))
a clause: CLAUSE 3 3 when we met
(S (NP (PRP He)) (VP (VBD said) (SBAR (S (NP (PRP it)) (VP (VBD rained)))) (SBAR
  (IN when) (S (NP (PRP we)) (VP (VBD met))))))
(S (NP (PRP He)) (VP (VBD said) (SBAR (S (NP (PRP it)) (VP (VBD rained) (SBAR (IN when)
  (S (NP (PRP we)) (VP (VBD met)))))))))
a participle is a clause: CLAUSE 1 0 sleeping there
(VP (VBD saw) (NP (NP (NN man)) (VP (VBG sleeping) (ADVP (RB there)))))
(VP (VBD saw) (NP (NN man)) (VP (VBG sleeping) (ADVP (RB there))))
an apposition: NP 1 0 a poet
(VP (VBD met) (NP (NP (NNP Ann)) (, ,) (NP (DT a) (NN poet))))
(VP (VBD met) (NP (NNP Ann)) (, ,) (NP (DT a) (NN poet)))
an adverb: MODIFIER 1 1 often
(S (NP (PRP We)) (ADVP (RB often)) (VP (VBP meet) (NP (PRP them))))
(S (NP (PRP We)) (VP (ADVP (RB often)) (VBP meet) (NP (PRP them))))
an adverb without a phrase: MODIFIER 1 1 hardly
(S (NP (PRP We)) (VP (MD can) (VP (RB hardly) (VB wait) (ADVP (NN today)))))
(S (NP (PRP We)) (VP (MD can) (RB hardly) (VP (VB wait) (ADVP (NN today)))))
a parenthesis: PARENTHESIS 2 3 -LRB- Figure 2 -RRB-
(S (NP (NN Growth)) (VP (VBD slowed) (PP (IN in) (NP (NN spring)))) (PRN (-LRB- -LRB-)
  (NP (NNP Figure) (CD 2)) (-RRB- -RRB-)))
(S (NP (NN Growth)) (VP (VBD slowed) (PP (IN in) (NP (NP (NN spring)) (PRN (-LRB- -LRB-)
  (NP (NNP Figure) (CD 2)) (-RRB- -RRB-))))))
a conjunct: COORDINATION 1 2 and fresh peas
(VP (VBD ate) (NP (NP (NN fish)) (PP (IN with) (NP (NN rice))) (CC and) (NP (JJ fresh)
  (NNS peas))))
(VP (VBD ate) (NP (NP (NN fish)) (PP (IN with) (NP (NP (NN rice)) (CC and) (NP
  (JJ fresh) (NNS peas))))))
conjuncts with nodes and without are one error:
  COORDINATION 2 0 red cups and blue plates
(NP (NP (JJ red) (NNS cups)) (CC and) (NP (JJ blue) (NNS plates)))
(NP (JJ red) (NNS cups) (CC and) (JJ blue) (NNS plates))
words before the head: NP_INTERNAL 1 1 high school teacher
(NP (DT the) (NML (JJ high) (NN school)) (NN teacher))
(NP (DT the) (JJ high) (NML (NN school) (NN teacher)))
another label: LABEL 1 1 much faster
(S (NP (PRP It)) (VP (VBD grew) (ADVP (JJR much) (JJR faster))))
(S (NP (PRP It)) (VP (VBD grew) (ADJP (JJR much) (JJR faster))))
another label of one word: LABEL 1 1 fast
(VP (VBD grew) (ADVP (RB fast)))
(VP (VBD grew) (ADJP (RB fast)))
a node over another: UNARY 1 0 to go
(VP (VBD wants) (S (VP (TO to) (VP (VB go)))))
(VP (VBD wants) (VP (TO to) (VP (VB go))))
a node over one word: SINGLE_WORD 0 1 new
(NP (DT a) (JJ new) (NN idea))
(NP (DT a) (ADJP (JJ new)) (NN idea))
a verb phrase within: CLAUSE_INTERNAL 1 0 can
(S (NP (PRP We)) (VP (MD can) (VP (VB go) (ADVP (RB home)))))
(S (NP (PRP We)) (VP (MD can) (VB go) (ADVP (RB home))))
neither: OTHER 0 1 no oh
(X (UH oh) (UH no) (UH oh))
(X (UH oh) (INTJ (UH no) (UH oh)))
nodes in different places, of which one has a copy that is missing:
  OTHER 0 1 oh no; UNARY 1 0 no oh no oh; OTHER 0 1 oh no
(X (UH no) (UH oh) (UH no) (NP (NP (UH no) (UH oh) (UH no) (UH oh))))
(X (UH no) (INTJ (UH oh) (UH no)) (NP (UH no) (INTJ (UH oh) (UH no)) (UH oh)))
two errors far from each other: PP 1 0 in Rome; LABEL 1 1 late
(S (NP (NP (DT the) (NN man)) (PP (IN in) (NP (NNP Rome)))) (VP (VBD came) (ADVP
  (RB late))))
(S (NP (DT the) (NN man)) (PP (IN in) (NP (NNP Rome))) (VP (VBD came) (ADJP (RB late))))
punctuation, function tags and equal labels are no errors:
(S (NP-SBJ (PRP We)) (VP (VBD gave) (PRT (RP in))) (. .))
(S (NP (PRP We)) (VP (VBD gave) (ADVP (RP in)) (. .)))
"""
LINES = [" ".join(line.split()) for line in re.split(r"\n(?!\s)", CASES.strip())]
NAMES = [line.partition(":")[0] for line in LINES[::3]]


@pytest.mark.parametrize(
    ("case", "gold", "predicted"),
    list(zip(LINES[::3], LINES[1::3], LINES[2::3], strict=True)),
    ids=NAMES,
)
def test_each_error_is_put_down_to_its_cause(case, gold, predicted):
    diagnosis = diagnose(gold, predicted)
    found = []
    for error in diagnosis.errors:
        words = " ".join(diagnosis.words[error.start : error.end])
        sizes = f"{len(error.missing)} {len(error.extra)}"
        found.append(f"{error.kind.name} {sizes} {words}")
    assert "; ".join(found) == case.partition(":")[2].strip()


def test_every_kind_has_a_case():
    assert all(re.search(rf"[:;]\s+{kind.name} ", CASES) for kind in Kind)


def test_an_error_has_its_missing_and_extra_brackets():
    at = 3 * NAMES.index("one PP makes all brackets around its wrong place wrong")
    [error] = diagnose(*LINES[at + 1 : at + 3]).errors
    assert error.missing == (("NP", 1, 5), ("PP", 2, 5))
    assert error.extra == (("NP", 1, 7), ("PP", 2, 7), ("NP", 3, 7))


@pytest.mark.parametrize("predicted", ["", "(X (A a) (A b))", "(X (A b))", "(X (A a)"])
def test_what_evalb_does_not_compare_has_no_diagnosis(predicted):
    assert diagnose("(X (A a))", predicted) is None


def test_quotation_marks_are_put_back():
    gold = "(S ('' ') (NP (NN a)) (VP (VB b)))"
    predicted = "(S (NP (POS ') (NN a)) (VP (VB b)))"
    assert diagnose(gold, predicted, COLLINS) is None
    diagnosis = diagnose(gold, predicted, NEW)
    assert diagnosis.words == ["'", "a", "b"]
    [error] = diagnosis.errors
    assert (error.missing, error.extra) == ((("NP", 1, 2),), (("NP", 0, 2),))


LABELS = ["S", "VP", "NP", "PP", "NML", "ADVP", "PRT", "PRN", "TOP"]
TAGS = ["NN", "CC", "RB", "VB", "-LRB-", ",", "UH"]


@st.composite
def pairs(draw, max_words=8):
    """Two trees over the same tagged words, as lines."""
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=1, max_size=max_words))
    words = [f"w{i}" for i in range(len(tags))]
    nodes = [
        [(draw(st.sampled_from(LABELS)), *at) for at in draw(extents(len(tags)))]
        for _ in range(2)
    ]
    return tuple(Tree(words, tags, constituents).brackets() for constituents in nodes)


@given(pairs(), st.sampled_from([COLLINS, NEW, Parameters(labelled=False)]))
def test_every_wrong_bracket_of_random_trees_is_in_exactly_one_error(pair, parameters):
    for line in pair:
        diagnosis = diagnose(line, line, parameters)
        assert diagnosis is None or diagnosis.errors == []
    score = score_pair(*pair, parameters)
    diagnosis = diagnose(*pair, parameters)
    if score.status != Status.VALID:
        assert diagnosis is None
        return
    missing = Counter(b for error in diagnosis.errors for b in error.missing)
    extra = Counter(b for error in diagnosis.errors for b in error.extra)
    assert missing.total() == score.gold - score.matched
    assert extra.total() == score.predicted - score.matched
    assert diagnosis.size == missing.total() + extra.total()
    assert missing <= Counter(diagnosis.gold)
    assert extra <= Counter(diagnosis.predicted)
    for error in diagnosis.errors:
        assert error.size
        assert 0 <= error.start < error.end <= len(diagnosis.words)
