"""The table of words: which words it has, and steps by the rows of a batch."""

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.tokens import Doc
from spacy.vectors import Vectors
from spacy.vocab import Vocab
from thinc.api import SGD, Adam

from spacy_gfl.embedding.word_counts import count_words
from spacy_gfl.seq2seq.word_table import build_word_table

VOCAB = spacy.blank("en").vocab


def docs(*texts, vocab=VOCAB):
    return [Doc(vocab, words=text.split()) for text in texts]


def make_table(*texts, vocab=VOCAB, **settings):
    model = build_word_table(width=4, **settings)
    count_words(model, docs(*texts, vocab=vocab))
    return model.initialize(X=docs(*texts, vocab=vocab))


def update(model, optimizer, *texts, gradient=1.0):
    vectors, backprop = model.begin_update(docs(*texts))
    backprop([numpy.full_like(vector, gradient) for vector in vectors])
    model.finish_update(optimizer)


def rows(model, text, vocab=VOCAB):
    return model.predict(docs(text, vocab=vocab))[0]


def row(model, word):
    return rows(model, word)[0].copy()


def test_every_word_has_a_vector_and_unknown_ones_share_one():
    model = make_table("a b a c", "a b")
    assert model.get_dim("nV") == 4
    found = rows(model, "a b c a new other")
    assert found.shape == (6, 4)
    assert found.dtype == numpy.float32
    assert (found[0] == found[3]).all()
    assert (found[4] == found[5]).all()
    assert len({tuple(row) for row in found.tolist()}) == 4
    assert (found[4] == model.get_param("E")[0]).all()


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ({}, "abc"),
        ({"max_words": 2}, "ab"),
        ({"min_frequency": 2}, "ab"),
        ({"min_frequency": 3}, "a"),
        ({"min_frequency": 9}, ""),
    ],
)
def test_only_frequent_words_have_a_vector_of_their_own(settings, known):
    model = make_table("a b a c", "a b", **settings)
    assert {VOCAB.strings[int(key)] for key in model.attrs["keys"]} == set(known)
    for word in "abc":
        is_shared = (row(model, word) == model.get_param("E")[0]).all()
        assert is_shared == (word not in known)


def test_empty_docs_have_no_vectors_and_no_gradient():
    model = make_table("a b")
    assert [len(vectors) for vectors in model.predict(docs("", "a", ""))] == [0, 1, 0]
    before = model.get_param("E").copy()
    update(model, SGD(1.0), "")
    assert (model.get_param("E") == before).all()


def vectors_vocab(width, **settings):
    """A vocabulary with vectors of a and b, or of subwords."""
    vocab = Vocab()
    data = numpy.arange(2 * width, dtype="f").reshape(2, width)
    vocab.vectors = Vectors(data=data, strings=vocab.strings, **settings)
    return vocab


WORDS = {"keys": ["a", "b"]}
SUBWORDS = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2}


@pytest.mark.parametrize("settings", [WORDS, SUBWORDS], ids=["words", "subwords"])
def test_static_vectors_are_copied_into_the_table(settings):
    vocab = vectors_vocab(4, **settings)
    model = make_table("a b c", vocab=vocab, include_static_vectors=True)
    found, expected = rows(model, "a b c", vocab), [vocab[word].vector for word in "ab"]
    assert_allclose(found[:2], expected, atol=1e-5)
    assert found[2].any()
    # A copy: training leaves the pipeline's own vectors alone.
    model.get_param("E")[:] = 9
    assert_allclose(found[0], vocab["a"].vector, atol=1e-5)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [(Vocab(), "has no vectors"), (vectors_vocab(7, **WORDS), "Set width = 7")],
)
def test_static_vectors_that_do_not_fit_are_refused(vocab, message):
    with pytest.raises(ValueError, match=message):
        make_table("a b", vocab=vocab, include_static_vectors=True)


@pytest.mark.parametrize("settings", [{}, {"L2": 0.1}, {"grad_clip": 0.5}])
def test_equals_thinc_where_every_row_is_touched(settings):
    settings = {"grad_clip": 0.0, "use_averages": True, **settings}
    model, optimizer = make_table("a b c"), Adam(0.01, **settings)
    table = model.get_param("E").copy()
    dense, key = Adam(0.01, **settings), (0, "E")
    for step in range(5):
        update(model, optimizer, "a b", "c a unknown", gradient=0.1 * (step - 2.5))
        # Each word's gradient is added up: a occurs twice. Row 0 is the unknown one.
        gradient = numpy.ones_like(table) * 0.1 * (step - 2.5)
        gradient[list(model.attrs["keys"]).index(VOCAB.strings["a"]) + 1] *= 2
        table, _ = dense(key, table, gradient.astype("float32"))
    assert_allclose(model.get_param("E"), table, atol=1e-5)
    with model.use_params(optimizer.averages):
        assert_allclose(model.get_param("E"), dense.averages[key], atol=1e-5)
    assert_allclose(model.get_param("E"), table, atol=1e-5)


def test_averages_count_the_steps_that_did_not_change_a_row():
    model, optimizer = make_table("a b"), Adam(0.1, use_averages=True)
    average = numpy.zeros(4)
    for step, text in enumerate(["a", "b", "b", "a", "b"], start=1):
        update(model, optimizer, text)
        decay = (1 + step) / (10 + step)
        if step > 1 or text == "a":
            average = row(model, "a") + (average - row(model, "a")) * decay
    with model.use_params(optimizer.averages):
        assert_allclose(row(model, "a"), average, atol=1e-5)


def test_a_table_in_half_precision_gives_and_learns_single_precision():
    model, optimizer = make_table("a b c"), Adam(0.1)
    table = model.get_param("E").copy()
    model.set_param("E", table.astype("float16"))
    saved = make_table("a b c").from_bytes(model.to_bytes())
    [vectors] = saved.predict(docs("a b c"))
    assert saved.get_param("E").dtype == "float16"
    assert vectors.dtype == "float32"
    assert_allclose(vectors, table[1:], atol=2e-3)
    update(saved, optimizer, "a", gradient=1e-4)
    assert saved.get_param("E").dtype == "float32"
    assert (row(saved, "a") != vectors[0]).all()
    # Rows that are not used stay.
    assert (row(saved, "b") == vectors[1]).all()
