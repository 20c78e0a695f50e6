"""Heads of spans on a Doc: kept once found, and never those of other trees."""

import gc
import weakref

import spacy
from helpers.docs import make_doc
from helpers.strategies import token_words, trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_gfl import TreeError, get_trees, trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY

NLP = spacy.blank("en")
CAR = "(S (NP (NP (NNP John) (POS 's)) (NN car)) (VP (VBZ has) (VP (VBN gone))))"
THERE = "(S (NP (EX there)) (VP (MD will) (VP (VB be) (NP (NN rain)))))"


def all_heads(doc):
    """Both heads of every constituent and sentence, as texts."""
    spans = [*doc.spans[SPANS_KEY], *doc.sents]
    return [(s._.head.text, s._.semantic_head.text) for s in spans]


def test_what_is_kept_is_not_in_the_doc_and_keeps_no_doc():
    doc = make_doc(CAR, THERE)
    before = doc.to_bytes()
    all_heads(doc)
    assert doc.user_data == {}
    assert doc.to_bytes() == before
    reference = weakref.ref(doc)
    del doc
    gc.collect()
    assert reference() is None


def replace_span(doc, at, start, end, label):
    spans = list(doc.spans[SPANS_KEY])
    spans[at] = Span(doc, start, end, label=label)
    doc.spans[SPANS_KEY] = spans


def test_what_a_verb_phrase_stands_in_is_seen():
    doc = make_doc(THERE)
    verbs = doc[2:4]
    assert verbs._.semantic_head.text == "be"
    doc[0].tag_ = "PRP"
    assert verbs._.semantic_head.text == "rain"


@given(st.data())
def test_heads_are_those_of_the_trees_now(data):
    forest = data.draw(st.lists(trees(words=token_words()), min_size=1, max_size=3))
    doc = next(trees_to_docs(forest, NLP.vocab, n_sents=0))
    labels = st.sampled_from(["VP", "NP", "S"])
    for _ in range(3):
        all_heads(doc)
        group = list(doc.spans[SPANS_KEY])
        if group and data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(group) - 1))
            start = data.draw(st.integers(0, len(doc) - 1))
            end = data.draw(st.integers(start + 1, len(doc)))
            replace_span(doc, at, start, end, data.draw(labels))
            try:
                get_trees(doc)
            except TreeError:
                doc.spans[SPANS_KEY] = group
        else:
            token = doc[data.draw(st.integers(0, len(doc) - 1))]
            token.tag_ = data.draw(st.sampled_from(["EX", "VB", "MD", "NN", ""]))
        assert all_heads(doc) == all_heads(Doc.from_docs([doc]))
