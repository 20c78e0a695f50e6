from itertools import product

import numpy
import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import SGD

from spacy_gfl import parse_tree
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.attach_juxtapose.architecture import build_attach_juxtapose
from spacy_gfl.decoding.tasks import LossTask, SearchTask
from spacy_gfl.model.model import ModelInput, network_shim
from spacy_gfl.seq2seq.architecture import build_seq2seq
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.seq2seq.word_table import build_word_table

TREES = [parse_tree("(S (A a) (B b))"), parse_tree("(S (NP (C c)))")]
VOCABULARIES = {
    build_seq2seq: Symbols(["S", "NP"], 2),
    build_attach_juxtapose: AttachJuxtapose(
        ["S", "NP"], [("S",), ("S", "NP")], ["A", "B", "C"]
    ),
}
both = pytest.mark.parametrize("build", VOCABULARIES)
SMALL = {build_seq2seq: {}, build_attach_juxtapose: {"decoder_width": 6}}


def make_docs():
    vocab = spacy.blank("en").vocab
    return [Doc(vocab, ["a", "b", "\n"]), Doc(vocab), Doc(vocab, ["c"])]


def make_model(build=build_seq2seq, **settings):
    fix_random_seed(0)
    options = {"width": 8, "depth": 1, **SMALL[build], **settings}
    model = build(build_word_table(8), **options)
    return model.initialize(X=ModelInput(make_docs(), []), Y=VOCABULARIES[build])


def batch(task):
    return ModelInput(make_docs(), [(0, [0, 1]), (2, [0])], task)


def learn(build):
    return batch(LossTask([VOCABULARIES[build].encode(tree) for tree in TREES]))


@pytest.mark.parametrize(
    ("build", "setting", "value"),
    [
        *((build, size, 0) for build in VOCABULARIES for size in ("width", "depth")),
        (build_seq2seq, "depth", -1),
        (build_seq2seq, "cell", "gru"),
        (build_seq2seq, "encoder", "gru"),
        (build_attach_juxtapose, "cell", "LSTM"),
        (build_attach_juxtapose, "hidden_width", 0),
        (build_attach_juxtapose, "max_depth", 0),
        (build_attach_juxtapose, "max_depth", 10**9),
        (build_attach_juxtapose, "decoder_width", 0),
    ],
)
def test_settings_that_cannot_be_are_named(build, setting, value):
    with pytest.raises(ValueError, match=setting):
        build(build_word_table(8), **{setting: value})


@pytest.mark.parametrize(
    ("build", "settings"),
    [
        (build_seq2seq, {"cell": "lstm"}),
        (build_seq2seq, {"cell": "paper"}),
        (build_attach_juxtapose, {"cell": "lstm", "bidirectional": False}),
        (build_attach_juxtapose, {"cell": "gru", "bidirectional": True}),
        (build_attach_juxtapose, {"cell": "rnn", "bidirectional": False}),
        (build_attach_juxtapose, {"cell": "paper", "bidirectional": True}),
    ],
)
def test_every_cell_learns_and_is_saved(build, settings):
    model = make_model(build, **settings)
    losses = []
    for _ in range(3):
        loss, backprop = model.begin_update(learn(build))
        backprop(0.5)
        assert all(p.grad is not None for p in network_shim(model).network.parameters())
        model.finish_update(SGD(0.02, L2=0.0, grad_clip=0.0))
        losses.append(float(loss))
    assert losses == sorted(losses, reverse=True)
    other = build(build_word_table(8), width=8, depth=1, **SMALL[build], **settings)
    other.from_bytes(model.to_bytes())
    assert other.predict(batch(SearchTask())) == model.predict(batch(SearchTask()))


@both
def test_gradients_of_word_vectors_equal_finite_differences(build):
    """Against finite differences, through the Docs' tokens; white space has none."""
    model = make_model(build)
    words = model.get_ref("tok2vec")
    table = words.get_param("E").astype("float64")

    def loss_at(values):
        words.set_param("E", values.astype("float32"))
        loss, backprop = model.begin_update(learn(build))
        return float(loss), backprop

    _, backprop = loss_at(table)
    backprop(1.0)
    # What the table is told to change, read off a step of it.
    words.finish_update(SGD(1.0, L2=0.0, grad_clip=0.0))
    gradient = table - words.get_param("E")
    used = numpy.flatnonzero(gradient.any(axis=1))
    assert len(used) == 3
    for row, column in product(used, (0, 5)):
        step = numpy.zeros_like(table)
        step[row, column] = 0.01
        slope = (loss_at(table + step)[0] - loss_at(table - step)[0]) / 0.02
        assert gradient[row, column] == pytest.approx(slope, abs=2e-3)
