"""The layer of word features: frequent words, characters and static vectors."""

import numpy
import pytest
import spacy
from spacy.attrs import LOWER
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_gfl.embedding.static_vectors import keep_static_vectors
from spacy_gfl.embedding.word_counts import count_words, wants_all_words
from spacy_gfl.embedding.word_features import build_word_features

GETTERS = {LOWER: str.lower}


def make_doc(text, vocab=None):
    return Doc(Vocab() if vocab is None else vocab, text.split())


def subwords_vocab(width):
    vocab = Vocab(lex_attr_getters=GETTERS)
    settings = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2}
    data = numpy.ones((10, width), dtype="f")
    vocab.vectors = Vectors(data=data, strings=vocab.strings, **settings)
    return vocab


def rows(model, text, vocab=None):
    [vectors] = model.predict([make_doc(text, vocab)])
    return vectors


TEXTS = ("a b a Lion", "a lion lions", "a b lions")


def make_features(*texts, vocab=None, **settings):
    vocab = Vocab(lex_attr_getters=GETTERS) if vocab is None else vocab
    docs = [make_doc(text, vocab) for text in texts or TEXTS]
    sizes = {"word_width": 4, "char_width": 3, "char_features": 5}
    model = build_word_features(**{"min_character_frequency": 1, **sizes, **settings})
    assert wants_all_words(model)
    count_words(model, docs)
    assert not wants_all_words(model)
    return model.initialize(X=docs), docs


def features_vocab():
    vocab = Vocab(lex_attr_getters=GETTERS)
    data = numpy.array([[1, 2], [3, 4], [5, 6]], dtype="f2")
    words = ["a", "lion", "Lions"]
    vocab.vectors = Vectors(data=data, keys=words, strings=vocab.strings)
    return vocab


def test_unknown_words_differ_by_characters():
    model, docs = make_features()
    vocab = docs[0].vocab
    found = rows(model, "new lioness a Lion lion", vocab)
    assert (found[0, :4] == found[1, :4]).all()
    assert (found[0, 4:] != found[1, 4:]).any()
    assert (found[0, :4] != found[2, :4]).any()
    # LOWER has the trained vector, ORTH the characters.
    assert (found[3, :4] == found[4, :4]).all()
    assert (found[3, 4:] != found[4, 4:]).any()


@pytest.mark.parametrize(
    ("text", "small"),
    [
        # A sentence is on each line.
        ("THE LION 'S 2 CUBS !", "the lion 's 2 cubs !"),
        ("the lion\nTHE LION SLEPT\nLION", "the lion\nthe lion slept\nLION"),
        ("THE LION slept", "THE LION slept"),
        ("THE LION Slept", "THE LION Slept"),
        ("THE LION 22", "THE LION 22"),
        ("A B C", "a b c"),
        ("2 !", "2 !"),
    ],
)
def test_a_sentence_in_capitals_is_read_in_small_letters(text, small):
    model, _ = make_features()
    vocab = spacy.blank("en").vocab

    def read(text):
        sentences = [line.split() for line in text.splitlines()]
        starts = [i == 0 for words in sentences for i, _ in enumerate(words)]
        words = [word for words in sentences for word in words]
        empty = Doc(vocab)
        return model.predict([empty, Doc(vocab, words, sent_starts=starts), empty])[1]

    assert (read(text) == read(small)).all()
    # Other capitals do say something.
    says_nothing = (read(text) == read(text.lower())).all()
    assert says_nothing == (small == text.lower())


def test_only_frequent_words_and_characters_have_vectors():
    model, docs = make_features(min_frequency=3, min_character_frequency=4)
    strings = docs[0].vocab.strings
    assert {strings[int(key)] for key in model.attrs["keys"]} == {"a"}
    assert "".join(map(chr, model.attrs["characters"])) == "aino"
    found = rows(model, "xa Xa ia", docs[0].vocab)
    assert numpy.allclose(found[0], found[1])
    assert not numpy.allclose(found[0], found[2])


def test_long_words_are_read_at_both_ends():
    # Filters drawn at random may all find more elsewhere than in the last letter.
    fix_random_seed(0)
    model, docs = make_features("abcdefghijklmnopqrstuvwxyz " * 5)
    begin, end = "abcdefghijklmnop", "stuvwxyz"
    words = [f"{begin}{middle}{end}" for middle in ("", "qr", "a" * 100)]
    other = f"{begin}{end[:-1]}a"
    found = rows(model, " ".join([*words, other]), docs[0].vocab)[:, 4:]
    assert numpy.allclose(found[0], found[1])
    assert numpy.allclose(found[0], found[2])
    assert not numpy.allclose(found[0], found[3])


def test_empty_docs_have_no_features_and_no_gradient():
    model, docs = make_features()
    vocab = docs[0].vocab
    found = model.predict([Doc(vocab), make_doc("a", vocab), Doc(vocab)])
    assert [array.shape for array in found] == [(0, 14), (1, 14), (0, 14)]
    for batch in ([Doc(vocab)], []):
        vectors, backprop = model.begin_update(batch)
        assert [array.shape for array in vectors] == [(0, 14)] * len(batch)
        assert backprop(vectors) == []
    model, _ = make_features("")
    assert rows(model, "some words", vocab).shape == (2, 14)


def test_static_vectors_are_scaled_features_that_are_not_saved():
    vocab = features_vocab()
    texts = ("a Lion", "Lions none")
    model, docs = make_features(*texts, vocab=vocab, include_static_vectors=True)
    assert model.get_dim("nO") == 14 + 2
    found = numpy.concatenate([array[:, 14:] for array in model.predict(docs)])
    # By LOWER, else by ORTH, else zeros.
    expected = numpy.array([[1, 2], [3, 4], [5, 6], [0, 0]])
    assert found == pytest.approx(expected * model.attrs["vector_scale"])
    assert (found[:3] ** 2).mean() == pytest.approx(1.0)
    # Not stored with the weights.
    names = [name for name, _ in model.shims[0].network.named_parameters()]
    assert not any("static" in name for name in names)


def test_missing_static_vectors_are_refused():
    with pytest.raises(ValueError, match="has no vectors"):
        make_features(include_static_vectors=True)
    model, _ = make_features(vocab=features_vocab(), include_static_vectors=True)
    with pytest.raises(ValueError, match="0 columns, but the parser learnt with 2"):
        rows(model, "a")


def test_vectors_that_a_layer_keeps_outlive_those_of_the_vocabulary():
    vocab = features_vocab()
    # Two words of one row.
    vocab.vectors.add("none", row=0)
    texts = ("a Lion", "Lions none other")
    model, docs = make_features(*texts, vocab=vocab, include_static_vectors=True)
    expected = model.predict(docs)
    assert keep_static_vectors(model, vocab.vectors)
    other = build_word_features(include_static_vectors=True)
    other.from_bytes(model.to_bytes())
    assert other.get_dim("nO") == model.get_dim("nO")
    vocab.reset_vectors(width=7)
    for layer in (model, other):
        for found, before in zip(layer.predict(docs), expected, strict=True):
            assert numpy.array_equal(found, before)
    # A batch of words that have none.
    assert not rows(other, "other unseen")[:, -2:].any()


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (Vectors(), "has no vectors"),
        (Vectors(data=numpy.ones((1, 3)), keys=["a"]), "have 3 columns"),
        (subwords_vocab(2).vectors, "subwords"),
    ],
)
def test_vectors_that_a_layer_cannot_keep_are_refused(vectors, message):
    model, _ = make_features(vocab=features_vocab(), include_static_vectors=True)
    with pytest.raises(ValueError, match=message):
        keep_static_vectors(model, vectors)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"char_features": 0}, "at least 1, not 100, 32, 0"),
        ({"word_dropout": 1.5}, r"in \[0, 1\), not 1.5"),
        ({"attr": "COLOUR"}, "'COLOUR' is not a token attribute"),
    ],
)
def test_wrong_settings_of_features_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        build_word_features(**settings)


def test_uninitialised_features_are_refused():
    model = build_word_features()
    with pytest.raises(KeyError, match="not initialised"):
        model.predict([make_doc("a")])
    other = build_word_features().from_bytes(model.to_bytes())
    assert wants_all_words(other)


def test_choosing_words_from_few_docs_is_told(caplog):
    model = build_word_features().initialize(X=[make_doc("a b")])
    assert model.get_dim("nO") == 100 + 2 * 64
    assert "word features layer chooses its words from 1 Docs only" in caplog.text
