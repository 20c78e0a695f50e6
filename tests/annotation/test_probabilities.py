"""What is read of a parser's doubt, and what is not known."""

import math

import pytest
from helpers.docs import token_doc

from spacy_gfl import NonConstituentException, set_trees
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.tools.treebanks.formats.json_lines import (
    doc_to_json,
    json_line,
    sentences_to_json,
)

TREES = [
    "(S (NP (PRP She)) (VP (VBD left)))",
    "",
    "(S (VP (VB Go) (ADVP (RB home))))",
    "(TOP (UH Oh) (UH no))",
]
# The last tree has no constituents, which a span without a label says.
PROBABILITIES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, math.nan]
LOG_PROBS = [-1.0, 0.0, -2.0, math.nan]


@pytest.fixture
def doc():
    attrs = {"probabilities": PROBABILITIES, "log_probs": LOG_PROBS}
    sentences = "She|left", "\n", "Go|home", "Oh|no"
    return token_doc(*sentences, trees=TREES, attrs=attrs)


def test_a_constituent_is_as_sure_as_its_least_sure_label(doc):
    assert doc[:2]._.probabilities == (0.9,)
    assert doc[:2]._.probability == 0.9
    assert doc[0:1]._.probability == 0.8
    assert doc[1:2]._.probability == 0.7
    assert doc[4:5]._.probabilities == (0.4,)
    assert doc[3:5]._.labels == ("S", "VP")
    assert doc[3:5]._.probabilities == (0.6, 0.5)
    # The chain is no surer than its least sure label.
    assert doc[3:5]._.probability == 0.5


def test_a_labelled_span_has_the_probability_of_its_label(doc):
    phrases = doc._.phrases(["VP", "ADVP"])
    found = {(p.label_, p.start): p._.probability for p in phrases}
    assert found == {("VP", 1): 0.7, ("VP", 3): 0.5, ("ADVP", 4): 0.4}
    spans = doc.spans[SPANS_KEY]
    found = [span._.probability for span in spans]
    assert found == pytest.approx(PROBABILITIES, nan_ok=True)
    # An entity may have the extent of a constituent.
    assert doc.char_span(0, 3, label="PERSON")._.probability == 0.8


def test_nothing_is_known_where_sentences_have_changed(doc):
    assert doc[2:3]._.log_prob == 0.0
    doc[2].is_sent_start = False
    assert math.isnan(doc[2:3]._.log_prob)


def test_where_nothing_is_labelled_there_is_nothing_to_be_sure_of(doc):
    for span in (doc[3:4], doc[5:7], doc[2:3]):
        assert span._.probabilities == ()
        assert math.isnan(span._.probability)
    for name in ("probability", "log_prob"):
        with pytest.raises(NonConstituentException):
            getattr(doc[1:4]._, name)


def test_a_span_has_the_log_probability_of_its_sentence(doc):
    assert doc[:2]._.log_prob == -1.0
    assert doc[1:2]._.log_prob == -1.0
    assert doc[2:3]._.log_prob == 0.0
    assert [sent._.log_prob for sent in doc.sents][:3] == LOG_PROBS[:3]
    assert math.isnan(doc[5:7]._.log_prob)
    # A sentence with the white space that ends the one before.
    attrs = {"log_probs": [-1.0, -2.0]}
    spaced = token_doc(
        "Oh|\n", "Go|home", trees=["(INTJ (UH Oh))", TREES[2]], attrs=attrs
    )
    assert spaced[1:4]._.log_prob == -2.0
    assert spaced[:2]._.log_prob == -1.0


def test_what_is_not_known_is_nan(doc):
    set_trees(doc, TREES)
    assert [math.isnan(score) for score in doc[3:5]._.probabilities] == [True, True]
    assert math.isnan(doc[3:5]._.probability)
    assert math.isnan(doc[3:5]._.log_prob)


def test_probabilities_of_other_constituents_are_not_taken(doc):
    spans = list(doc.spans[SPANS_KEY])
    attrs = doc.spans[SPANS_KEY].attrs
    del spans[1]
    doc.spans[SPANS_KEY] = spans
    doc.spans[SPANS_KEY].attrs.update(attrs)
    assert math.isnan(doc[1:2]._.probability)
    assert doc[1:2]._.log_prob == -1.0


@pytest.mark.parametrize(
    "value", [None, 1, "many", {}, [0.5], [0.5] * 6, ["a"] * 7, [None] * 7, ["b"] * 4]
)
def test_numbers_that_have_been_edited_are_not_known(doc, value):
    doc.spans[SPANS_KEY].attrs.update(probabilities=value, log_probs=value)
    assert math.isnan(doc[1:2]._.probability)
    assert math.isnan(doc[:2]._.log_prob)
    for record in (doc_to_json(doc), *sentences_to_json(doc)):
        assert "probability" not in json_line(record)
