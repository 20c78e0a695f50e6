"""Chunks: where long sentences are parted, and what stays together."""

import pytest
from helpers import strategies
from helpers.docs import make_doc
from hypothesis import given
from hypothesis import strategies as st
from spacy.vocab import Vocab

from spacy_gfl import trees_to_docs

ILL = (
    "(S (SBAR (IN Because) (S (NP (PRP he)) (VP (VBD was) (ADJP (JJ ill))))) (, ,)"
    " (NP (NP (DT the) (NN company)) (PP (IN of) (NP (NNP Ada))))"
    " (VP (VP (VBD moved)) (, ,) (CC and) (VP (VBD did) (RB n't)"
    " (VP (VB say) (SBAR (WHADVP (WRB why)) (S (NP (PRP she)) (VP (VBD left)))))))"
    " (. .) ('' ''))"
)
GO = "(S (`` ``) (VP (VB Go)) (. !) ('' ''))"


@pytest.mark.parametrize(
    ("max_words", "expected"),
    [
        (20, "Because he was ill, the company of Ada moved, and didn't say why {}"),
        (8, "Because he was ill, | the company of Ada moved, | and didn't say why {}"),
        (
            5,
            "Because he was ill, | the company of Ada moved, | and didn't say | why {}",
        ),
        (
            4,
            "Because he was ill, | the company of Ada | moved, | and "
            "didn't say | why {}",
        ),
    ],
)
def test_long_sentences_are_parted_at_clauses_before_constituents(max_words, expected):
    doc = make_doc(ILL, GO)
    found = [chunk.text for chunk in doc._.chunks(max_words)]
    assert found == [*expected.format("she left.''").split(" | "), "``Go!''"]
    assert [c.text for c in list(doc.sents)[1]._.chunks(max_words)] == found[-1:]


@given(strategies.trees(words=strategies.token_words()), st.integers(1, 5))
def test_chunks_have_all_words_in_order_and_none_is_punctuation_alone(tree, most):
    (doc,) = trees_to_docs([tree, tree], Vocab(), n_sents=2)
    found = doc._.chunks(most)
    assert [token.i for chunk in found for token in chunk] == list(range(len(doc)))
    for chunk in found if len(found) > 2 else ():
        assert not all(token.is_punct for token in chunk), found


@pytest.mark.parametrize("max_words", [0, -1, 2.5, None, "4"])
def test_what_is_no_number_of_words_is_refused(max_words):
    with pytest.raises(ValueError, match="max_words must be a positive number"):
        make_doc(GO)._.chunks(max_words)
