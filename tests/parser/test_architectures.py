import numpy
import pytest
import spacy
import torch
from helpers.pipelines import initialized, make_examples, make_pipeline
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import SGD, Model

from spacy_gfl.parser.architectures import ParserInput, build_seq2seq
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.parser.embedding import build_word_table

VOCABULARY = SymbolLinearization(["S", "NP"], 2)
TARGETS = [[2, 1, 1, 4, 0], [2, 3, 1, 5, 4, 0]]


def make_docs():
    vocab = spacy.blank("en").vocab
    return [Doc(vocab, ["a", "b", "\n"]), Doc(vocab), Doc(vocab, ["c"])]


def make_model(**settings):
    fix_random_seed(0)
    model = build_seq2seq(build_word_table(8), width=8, depth=1, **settings)
    return model.initialize(X=ParserInput(make_docs(), []), Y=VOCABULARY)


def batch(**kwargs):
    return ParserInput(make_docs(), [[0, 1], [3]], **kwargs)


def get_module(model):
    return model.get_ref("network").shims[0]._model


@pytest.mark.parametrize(
    "settings", [{"cell": "lstm"}, {"width": 0}, {"depth": 0}, {"depth": -1}]
)
def test_settings_that_cannot_be(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        build_seq2seq(build_word_table(8), **settings)


def test_settings_reach_the_module():
    settings = {
        "cell": "standard",
        "attention": False,
        "reverse_input": False,
        "input_feeding": False,
        "bias": True,
    }
    found = get_module(make_model(**settings)).settings
    assert settings.items() <= found.items()
    assert found["input_width"] == found["width"] == 8
    assert found["symbol_kinds"] == VOCABULARY.kinds
    assert found["longest_opening_run"] == 2


def test_initialised_once():
    model = make_model()
    module, data = get_module(model), model.to_bytes()
    model.initialize(X=ParserInput(make_docs(), []), Y=SymbolLinearization(["X"]))
    assert get_module(model) is module
    assert model.to_bytes() == data


def test_uninitialised():
    model = build_seq2seq(build_word_table(8))
    with pytest.raises(KeyError):
        model.predict(batch())
    model = model.initialize(X=ParserInput(make_docs(), []))
    with pytest.raises(KeyError, match="not initialised"):
        model.predict(batch())


def test_training_gives_a_loss():
    model = make_model()
    loss, backprop = model.begin_update(batch(targets=TARGETS))
    assert loss.shape == ()
    assert isinstance(loss, numpy.ndarray)
    assert float(loss) > 0
    backprop(1.0)
    assert all(p.grad is not None for p in get_module(model).parameters())


def test_gradient_of_the_word_vectors():
    """Against finite differences, through the Docs' tokens; white space has none."""
    model = make_model()
    words = model.get_ref("tok2vec")
    table = words.get_param("E").astype("float64")

    def loss_at(values):
        words.set_param("E", values.astype("float32"))
        loss, backprop = model.begin_update(batch(targets=TARGETS))
        return float(loss), backprop

    _, backprop = loss_at(table)
    backprop(1.0)
    gradient = words.get_grad("E").copy()
    used = numpy.flatnonzero(gradient.any(axis=1))
    assert len(used) == 3
    for row in used:
        for column in (0, 5):
            moved = [table.copy(), table.copy()]
            moved[0][row, column] += 0.01
            moved[1][row, column] -= 0.01
            slope = (loss_at(moved[0])[0] - loss_at(moved[1])[0]) / 0.02
            assert gradient[row, column] == pytest.approx(slope, abs=2e-3)


def test_gradient_is_scaled():
    gradients = []
    for scale in (1.0, 0.25):
        model = make_model()
        _, backprop = model.begin_update(batch(targets=TARGETS))
        backprop(scale)
        gradients.append(get_module(model).decoder.output.weight.grad * (1 / scale))
    assert torch.allclose(*gradients, atol=1e-5)


def test_passes_of_training_sum_up():
    losses = []
    for words in (1, 4096):
        model = make_model(train_batch_words=words)
        loss, backprop = model.begin_update(batch(targets=TARGETS))
        backprop(1.0)
        grad = model.get_ref("tok2vec").get_grad("E")
        losses.append((float(loss), grad))
    assert losses[0][0] == pytest.approx(losses[1][0], rel=1e-5)
    assert numpy.allclose(losses[0][1], losses[1][1], atol=1e-5)


def test_no_sentences():
    model = make_model()
    assert model.predict(ParserInput(make_docs(), [])) == []
    calls = []
    forward = model.get_ref("tok2vec")._func

    def spy(layer, docs, is_train):
        vectors, backprop = forward(layer, docs, is_train)
        return vectors, lambda d: calls.append(len(d)) or backprop(d)

    model.get_ref("tok2vec")._func = spy
    loss, backprop = model.begin_update(ParserInput(make_docs(), [], []))
    backprop(1.0)
    assert float(loss) == 0.0
    assert calls == [3]


def test_prediction():
    model = make_model()
    found = model.predict(batch(options={"beam_width": 2, "constrained": True}))
    assert len(found) == 2
    for one, n_words in zip(found, (2, 1), strict=True):
        decoded = VOCABULARY.decode(one.symbols, n_words)
        assert not decoded.malformed
        assert one.log_prob < 0
    assert all(p.grad is None for p in get_module(model).parameters())


def test_attention():
    model = make_model()
    options = {"with_attention": True}
    matrices = model.predict(batch(targets=TARGETS, options=options))
    assert [tuple(m.shape) for m in matrices] == [(5, 2), (6, 1)]


def test_save_and_load():
    model = make_model(cell="standard")
    other = build_seq2seq(build_word_table(8), width=8, depth=1, cell="standard")
    assert [n.name for n in other.walk()] == [n.name for n in model.walk()]
    other.from_bytes(model.to_bytes())
    expected, found = model.predict(batch()), other.predict(batch())
    assert [f.symbols for f in found] == [f.symbols for f in expected]


def test_tok2vec_may_be_replaced():
    model = make_model()

    def forward(layer, docs, is_train):
        return [numpy.zeros((len(doc), 8), dtype="f") for doc in docs], lambda d: []

    model.replace_node(model.get_ref("tok2vec"), Model("zeros", forward))
    first, second = model.predict(ParserInput(make_docs(), [[0], [1]]))
    assert first.log_prob == pytest.approx(second.log_prob)


def test_one_step_lowers_the_loss():
    model = make_model(cell="standard")
    losses = []
    for _ in range(5):
        loss, backprop = model.begin_update(batch(targets=TARGETS))
        backprop(0.5)
        model.finish_update(SGD(0.1, L2=0.0, grad_clip=0.0))
        losses.append(float(loss))
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    "tok2vec",
    [
        {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "rows": [100, 50],
            "attrs": ["NORM", "SHAPE"],
            "include_static_vectors": False,
        },
        {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 16,
                "rows": [100],
                "attrs": ["NORM"],
                "include_static_vectors": False,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 16,
                "depth": 1,
                "window_size": 1,
                "maxout_pieces": 2,
            },
        },
    ],
)
def test_spacys_layers(tok2vec):
    nlp = initialized(tok2vec=tok2vec)
    losses = [
        nlp.update(make_examples(nlp), sgd=nlp.create_optimizer()) for _ in range(2)
    ]
    assert losses[1]["constituency_parser"] < losses[0]["constituency_parser"]
    other = make_pipeline(tok2vec=tok2vec).from_bytes(nlp.to_bytes())
    texts = ["The dog barks.", "", "Yes"]
    assert [doc._.parse_strings for doc in other.pipe(texts)] == [
        doc._.parse_strings for doc in nlp.pipe(texts)
    ]
