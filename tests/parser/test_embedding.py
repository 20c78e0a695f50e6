import numpy
import pytest
import spacy
from helpers.pipelines import NAME, get_parser, make_examples, make_pipeline, table
from spacy.attrs import NORM
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_gfl.parser.embedding import build_word_table, count_words

WIDTH = 4


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


def rows(model, text, vocab=None):
    [vectors] = model.predict([make_doc(text, vocab)])
    return vectors


def test_a_vector_a_word():
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
def test_words_that_have_a_vector(settings, known):
    model, _ = make_table("a b a c", "a b", **settings)
    vocab = Vocab()
    keys = {vocab.strings.add(word) for word in known}
    assert set(model.attrs["keys"].tolist()) == keys
    shared = model.get_param("E")[0]
    for word in "abc":
        assert (rows(model, word)[0] == shared).all() == (word not in known)


def test_attribute():
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


def test_empty_docs():
    model, _ = make_table("a b")
    vocab = Vocab()
    docs = [Doc(vocab), make_doc("a", vocab), Doc(vocab)]
    assert [len(vectors) for vectors in model.predict(docs)] == [0, 1, 0]
    vectors, backprop = model.begin_update([Doc(vocab)])
    backprop(vectors)
    assert not model.get_grad("E").any()


def test_gradient_is_summed_by_word():
    model, _ = make_table("a b")
    vectors, backprop = model.begin_update([make_doc("a new a"), make_doc("b new")])
    backprop([numpy.ones_like(array) for array in vectors])
    sums = {row[0] for row in model.get_grad("E").tolist()}
    assert model.get_grad("E")[0].tolist() == [2.0] * WIDTH
    assert sums == {1.0, 2.0}
    assert model.get_grad("E").sum() == 5 * WIDTH


def test_seed_gives_one_table():
    tables = []
    for seed in (1, 1, 2):
        fix_random_seed(seed)
        tables.append(make_table("a b")[0].get_param("E"))
    assert (tables[0] == tables[1]).all()
    assert (tables[0] != tables[2]).any()


def test_static_vectors():
    vocab = vectors_vocab()
    model, _ = make_table("a b c", vocab=vocab, include_static_vectors=True)
    found = rows(model, "a b c", vocab)
    assert found[0].tolist() == [0, 1, 2, 3]
    assert found[1].tolist() == [4, 5, 6, 7]
    assert found[2].tolist() != [0, 0, 0, 0]
    # A copy: training leaves the pipeline's own vectors alone.
    model.get_param("E")[:] = 9
    assert vocab["a"].vector.tolist() == [0, 1, 2, 3]


def test_static_vectors_of_subwords():
    vocab = Vocab()
    data = numpy.ones((10, WIDTH), dtype="f")
    vocab.vectors = Vectors(
        data=data, mode="floret", minn=2, maxn=3, hash_count=2, strings=vocab.strings
    )
    model, _ = make_table("a b", vocab=vocab, include_static_vectors=True)
    expected = numpy.asarray([vocab[word].vector for word in "ab"])
    assert numpy.allclose(rows(model, "a b", vocab), expected)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [(Vocab(), "has no vectors"), (vectors_vocab(width=7), "set width = 7")],
)
def test_static_vectors_that_do_not_fit(vocab, message):
    with pytest.raises(ValueError, match=message):
        make_table("a b", vocab=vocab, include_static_vectors=True)


def test_initialising_twice_keeps_the_table():
    model, docs = make_table("a b")
    before = model.get_param("E").copy()
    model.initialize(X=docs)
    assert (model.get_param("E") == before).all()


def test_save_and_load():
    model, docs = make_table("a b c a", min_frequency=2)
    other = build_word_table(width=WIDTH, min_frequency=2).from_bytes(model.to_bytes())
    assert (other.predict(docs)[0] == model.predict(docs)[0]).all()
    assert (other.attrs["keys"] == model.attrs["keys"]).all()


def test_outside_the_parser(caplog):
    docs = [make_doc("a b")]
    model = build_word_table(width=WIDTH)
    model.initialize(X=docs)
    assert model.get_dim("nV") == 3


def test_parser_counts_all_training_docs():
    nlp = make_pipeline(table(min_frequency=2))
    brackets = [f"(S (A common) (B w{i}))" for i in range(30)]
    brackets.append("(S (A late) (B late))")
    examples = make_examples(nlp, brackets)
    nlp.initialize(lambda: examples)
    words = get_parser(nlp).model.get_ref("tok2vec")
    keys = set(words.attrs["keys"].tolist())
    assert keys == {nlp.vocab.strings[word] for word in ("common", "late")}
    assert words.get_dim("nV") == 3
    assert NAME in nlp.pipe_names
