import sys
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import spacy
from spacy.attrs import LOWER, NORM
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from spacy.vocab import Vocab
from thinc.api import SGD, Adam

from spacy_gfl.parser.embedding import count_words, keep_static_vectors
from spacy_gfl.parser.embedding.word_features import build_word_features
from spacy_gfl.parser.embedding.word_table import build_word_table
from spacy_gfl.parser.embedding.words import wants_all_words

WIDTH = 4
GETTERS = {LOWER: str.lower}


def make_doc(text, vocab=None):
    return Doc(Vocab() if vocab is None else vocab, text.split())


def make_table(*texts, vocab=None, **settings):
    vocab = Vocab() if vocab is None else vocab
    docs = [make_doc(text, vocab) for text in texts]
    model = build_word_table(width=WIDTH, **settings)
    count_words(model, docs)
    return model.initialize(X=docs), docs


def vectors_vocab(words=("a", "b"), width=WIDTH):
    vocab = Vocab()
    data = numpy.arange(len(words) * width, dtype="f").reshape(len(words), width)
    vocab.vectors = Vectors(data=data, keys=words, strings=vocab.strings)
    return vocab


def subwords_vocab(width):
    vocab = Vocab(lex_attr_getters=GETTERS)
    settings = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2}
    data = numpy.ones((10, width), dtype="f")
    vocab.vectors = Vectors(data=data, strings=vocab.strings, **settings)
    return vocab


def rows(model, text, vocab=None):
    [vectors] = model.predict([make_doc(text, vocab)])
    return vectors


def test_every_word_has_a_vector_and_unknown_ones_share_one():
    model, _ = make_table("a b a c", "a b")
    assert model.get_dim("nV") == 4
    found = rows(model, "a b c a new other")
    assert found.shape == (6, WIDTH)
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
    model, _ = make_table("a b a c", "a b", **settings)
    vocab = Vocab()
    keys = {vocab.strings.add(word) for word in known}
    assert set(model.attrs["keys"].tolist()) == keys
    shared = model.get_param("E")[0]
    for word in "abc":
        assert (rows(model, word)[0] == shared).all() == (word not in known)


def test_words_are_told_apart_by_an_attribute():
    nlp = spacy.blank("en")
    docs = [nlp("The THE the")]
    model = build_word_table(width=WIDTH, attr="LOWER")
    count_words(model, docs)
    model.initialize(X=docs)
    [found] = model.predict(docs)
    assert (found[0] == found[1]).all()
    assert (found[1] == found[2]).all()
    assert build_word_table(width=WIDTH, attr="NORM").attrs["attr"] == NORM
    with pytest.raises(ValueError, match="'COLOUR' is not a token attribute"):
        build_word_table(width=WIDTH, attr="COLOUR")


def test_empty_docs_have_no_vectors_and_no_gradient():
    model, _ = make_table("a b")
    vocab = Vocab()
    docs = [Doc(vocab), make_doc("a", vocab), Doc(vocab)]
    assert [len(vectors) for vectors in model.predict(docs)] == [0, 1, 0]
    vectors, backprop = model.begin_update([Doc(vocab)])
    before = model.get_param("E").copy()
    backprop(vectors)
    model.finish_update(SGD(1.0))
    assert (model.get_param("E") == before).all()


def test_static_vectors_are_copied_into_the_table():
    vocab = vectors_vocab()
    model, _ = make_table("a b c", vocab=vocab, include_static_vectors=True)
    found = rows(model, "a b c", vocab)
    assert found[0].tolist() == [0, 1, 2, 3]
    assert found[1].tolist() == [4, 5, 6, 7]
    assert found[2].tolist() != [0, 0, 0, 0]
    # A copy: training leaves the pipeline's own vectors alone.
    model.get_param("E")[:] = 9
    assert vocab["a"].vector.tolist() == [0, 1, 2, 3]


def test_static_vectors_may_be_of_subwords():
    vocab = subwords_vocab(WIDTH)
    model, _ = make_table("a b", vocab=vocab, include_static_vectors=True)
    expected = numpy.asarray([vocab[word].vector for word in "ab"])
    assert numpy.allclose(rows(model, "a b", vocab), expected)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [(Vocab(), "has no vectors"), (vectors_vocab(width=7), "set width = 7")],
)
def test_static_vectors_that_do_not_fit_are_refused(vocab, message):
    with pytest.raises(ValueError, match=message):
        make_table("a b", vocab=vocab, include_static_vectors=True)


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


def features_vocab(words=("a", "lion", "Lions"), mode="default"):
    vocab = Vocab(lex_attr_getters=GETTERS)
    data = numpy.arange(1, len(words) * 2 + 1, dtype="f2").reshape(len(words), 2)
    vocab.vectors = Vectors(data=data, keys=words, strings=vocab.strings)
    return vocab


def test_features_of_tokens_have_one_width():
    model, docs = make_features()
    width = 4 + 2 * 5
    assert model.get_dim("nO") == width
    found = model.predict(docs)
    assert [array.shape for array in found] == [(4, width), (3, width), (3, width)]
    assert all(array.dtype == numpy.float32 for array in found)
    vectors, _ = model.begin_update(docs)
    assert [array.shape for array in vectors] == [(4, width), (3, width), (3, width)]
    # Tokens do not see their neighbours.
    assert numpy.allclose(found[0][0], found[2][0])


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
    batch = [Doc(vocab), make_doc("a", vocab), Doc(vocab)]
    assert [array.shape for array in model.predict(batch)] == [
        (0, 14),
        (1, 14),
        (0, 14),
    ]
    for batch in ([Doc(vocab)], []):
        vectors, backprop = model.begin_update(batch)
        assert [array.shape for array in vectors] == [(0, 14)] * len(batch)
        assert backprop(vectors) == []
    model, _ = make_features("")
    assert rows(model, "some words", vocab).shape == (2, 14)


def test_features_learn_a_target():
    fix_random_seed(0)
    model, docs = make_features(word_dropout=0.0)
    optimizer = Adam(0.1)
    losses = []
    for _ in range(30):
        found, backprop = model.begin_update(docs)
        errors = [array - 0.5 for array in found]
        losses.append(sum(float((error**2).sum()) for error in errors))
        backprop(errors)
        model.finish_update(optimizer)
    assert losses[-1] < 0.1 * losses[0]


def test_static_vectors_are_scaled_features_that_are_not_saved():
    vocab = features_vocab()
    texts = ("a Lion", "Lions none")
    model, docs = make_features(*texts, vocab=vocab, include_static_vectors=True)
    assert model.get_dim("nO") == 14 + 2
    found = numpy.concatenate([array[:, 14:] for array in model.predict(docs)])
    # By LOWER, else by ORTH, else zeros.
    expected = (
        numpy.array([[1, 2], [3, 4], [5, 6], [0, 0]]) * model.attrs["vector_scale"]
    )
    assert found == pytest.approx(expected)
    assert (found[:3] ** 2).mean() == pytest.approx(1.0)
    # Not stored with the weights.
    names = [name for name, _ in model.shims[0]._model.named_parameters()]
    assert not any("static" in name for name in names)


def test_static_features_may_be_of_subwords():
    vocab = subwords_vocab(3)
    model, docs = make_features(vocab=vocab, include_static_vectors=True)
    [found] = model.predict(docs[:1])
    expected = vocab["lion"].vector * model.attrs["vector_scale"]
    assert found[3, 14:] == pytest.approx(expected)


def test_missing_static_vectors_are_refused():
    with pytest.raises(ValueError, match="has no vectors"):
        make_features(include_static_vectors=True)
    model, _ = make_features(vocab=features_vocab(), include_static_vectors=True)
    with pytest.raises(
        ValueError, match="have 0 columns, but the parser learnt with 2"
    ):
        rows(model, "a")


def test_vectors_that_a_layer_keeps_outlive_those_of_the_vocabulary():
    vocab = features_vocab()
    # Two words of one row.
    vocab.vectors.add("none", row=0)
    texts = ("a Lion", "Lions none other")
    model, docs = make_features(*texts, vocab=vocab, include_static_vectors=True)
    expected = model.predict(docs)
    assert keep_static_vectors(model, vocab.vectors)
    other = build_word_features(include_static_vectors=True).from_bytes(
        model.to_bytes()
    )
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


@pytest.mark.parametrize("static", [False, True])
def test_saved_features_replace_the_settings_of_a_layer(static):
    vocab = features_vocab()
    model, docs = make_features(vocab=vocab, include_static_vectors=static)
    other = build_word_features(4, 7, 5, include_static_vectors=static)
    other.from_bytes(model.to_bytes())
    assert other.get_dim("nO") == model.get_dim("nO")
    for array, again in zip(model.predict(docs), other.predict(docs), strict=True):
        assert (array == again).all()


def test_loading_empties_the_cache_of_spellings():
    model, docs = make_features()
    other, _ = make_features("b b b lions lions lions lions lions", vocab=docs[0].vocab)
    other.predict(docs)
    other.from_bytes(model.to_bytes())
    assert (other.predict(docs)[0] == model.predict(docs)[0]).all()


def test_threads_share_spellings():
    model, _ = make_features()
    vocab = Vocab()
    docs = [
        make_doc(" ".join(f"word{i}-{j}" for j in range(40)), vocab) for i in range(120)
    ]
    expected = [model.copy().predict([doc])[0] for doc in docs]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda doc: model.predict([doc])[0], docs))
    finally:
        sys.setswitchinterval(before)
    for one, other in zip(expected, found, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


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
