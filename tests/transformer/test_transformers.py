"""The recipe on a transformer, and what it takes beside spacy-transformers."""

import pickle
import zlib
from itertools import pairwise
from unittest.mock import Mock

import numpy
import pytest
import spacy
import srsly
import torch
from helpers.pipelines import NAME, annotated, blank, features, initialized, train
from helpers.reading import ROOT
from spacy.cli.train import train as run_training
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_config, registry
from spacy.vocab import Vocab
from thinc.api import ArgsKwargs, PyTorchWrapper
from torch import nn

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.transformer.layers import compute_in_bfloat16, sentence_windows

MATRIX = "encoder.layer.0.output.dense.weight"
TEXT = "the dog barks . the cats sleep ."
CONFIGS = ROOT / "configs"


def extents(window, overlap, *lengths):
    """The windows of a Doc of sentences of these lengths."""
    starts = [i == 0 for length in lengths for i in range(length)]
    doc = Doc(Vocab(), ["w"] * len(starts), sent_starts=starts)
    [spans] = sentence_windows(window, overlap)([doc])
    return [(span.start, span.end) for span in spans]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([3, 1, 4], [(0, 3), (3, 4), (4, 8)]),
        ([5], [(0, 4), (2, 5)]),
        ([6], [(0, 4), (2, 6)]),
        ([7], [(0, 4), (2, 6), (4, 7)]),
    ],
)
def test_sentences_are_read_one_by_one_and_longer_ones_in_windows(lengths, expected):
    assert extents(4, 2, *lengths) == expected


@pytest.mark.parametrize(("window", "overlap"), [(4, 2), (5, 1), (3, 0), (4, 3)])
def test_windows_cover_a_sentence(window, overlap):
    for length in range(1, 30):
        found = extents(window, overlap, length)
        covered = {i for start, end in found for i in range(start, end)}
        assert covered == set(range(length))
        assert all(0 < end - start <= window for start, end in found)
        # No window lies within another.
        assert all(a[1] < b[1] for a, b in pairwise(found))


def test_a_doc_without_boundaries_is_one_sentence():
    doc = Doc(Vocab(), ["w"] * 3)
    [[span], empty] = sentence_windows(4, 1)([doc, Doc(doc.vocab)])
    assert (span.start, span.end) == (0, 3)
    assert not any(map(len, empty))


def test_the_penn_treebanks_quotation_marks_are_read_as_those_of_text():
    words = ["``", "No", ",", "''", "she", "said", "."]
    doc = Doc(Vocab(), words, sent_starts=[True, *[False] * 6])
    [[first, second]] = sentence_windows(4, 0)([doc])
    assert first.text == '" No , "'
    assert second.text == "she said ."
    assert [token.text for token in doc] == words


@pytest.mark.parametrize("overlap", [4, 5, -1])
def test_windows_that_overlap_by_too_much_or_too_little_are_refused(overlap):
    with pytest.raises(ValueError, match="overlap"):
        sentence_windows(4, overlap)


class Product(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        product = x @ self.weight
        # As a dictionary, which Hugging Face's outputs are.
        return {"states": product, "was": product.dtype}


def test_products_are_in_bfloat16_and_weights_and_results_are_not():
    nlp = spacy.blank("en")
    module = Product()
    nlp.add_pipe("tagger").model = PyTorchWrapper(module)
    assert module(torch.ones(1, 8))["was"] == torch.float32
    assert compute_in_bfloat16("tagger", "bf16")(nlp) is nlp
    output = module(torch.ones(1, 8))
    assert output["was"] == torch.bfloat16
    assert output["states"].dtype == torch.float32
    output["states"].sum().backward()
    assert module.weight.dtype == module.weight.grad.dtype == torch.float32


def test_products_of_a_parser_s_own_network_stay_as_they_are():
    nlp = initialized(tok2vec=features())
    expected = annotated(nlp)
    assert compute_in_bfloat16(NAME, "bf16")(nlp) is nlp
    assert annotated(nlp) == expected
    assert train(nlp, steps=1) > 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model folder of Hugging Face with a tiny BERT that knows a few letters."""
    pytest.importorskip("spacy_transformers", reason="spacy-gfl[transformers]")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    path = tmp_path_factory.mktemp("bert")
    letters = "abcdefghijklmnopqrstuvwxyz.,"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]
    pieces += [f"##{letter}" for letter in letters]
    (path / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    BertTokenizerFast(str(path / "vocab.txt")).save_pretrained(path)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    BertModel(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def config(folder, data):
    """The recipe on the tiny BERT."""
    sizes = ("width", "decoder_width", "hidden_width")
    overrides = {
        "paths.transformer": str(folder),
        "paths.train": str(data / "train.ptb"),
        "paths.dev": str(data / "dev.ptb"),
        **{f"components.constituency_parser.model.{size}": 16 for size in sizes},
        "components.transformer.model.get_spans.window": 16,
        "components.transformer.model.get_spans.overlap": 4,
    }
    return load_config(CONFIGS / "trf.cfg", overrides=overrides)


def gold(nlp, data):
    return list(TreebankCorpus(data / "dev.ptb", gold_sents=True)(nlp))


def untrained(config, data):
    fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize(lambda: gold(nlp, data))
    return nlp


def updated(nlp, examples, optimizer, times):
    """The losses of the parser while it learns."""
    losses = []
    for _ in range(times):
        again = [Example(nlp.make_doc(e.text), e.reference) for e in examples]
        losses.append(nlp.update(again, sgd=optimizer)["constituency_parser"])
    return losses


def test_the_transformer_learns_with_the_parser(config, tmp_path):
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    corpus = registry.resolve(config.interpolate()["corpora"], validate=False)["train"]
    examples = list(corpus(nlp))[:8]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.002
    before = weights_of(nlp)[MATRIX].clone()
    losses = updated(nlp, examples, optimizer, times=60)
    assert losses[-1] < losses[0] / 3
    assert (weights_of(nlp)[MATRIX] - before).abs().max() > 0.001
    doc = nlp(TEXT)
    with (
        nlp.select_pipes(disable="transformer"),
        pytest.warns(UserWarning, match=r"listens to .*transformer"),
    ):
        nlp("the dog barks .")
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")(TEXT)
    assert get_trees(loaded) == get_trees(doc)
    assert len(get_trees(doc)) == 2


def test_a_parser_goes_on_with_its_transformer(config, data, tmp_path):
    steps = {"training.max_steps": 2, "training.eval_frequency": 1}
    config.to_disk(tmp_path / "trf.cfg")
    run_training(tmp_path / "trf.cfg", tmp_path / "first", overrides=steps)
    first = tmp_path / "first" / "model-last"
    names = ("craft", "masc", "gum", "ewt")
    paths = {f"paths.{name}": str(data / "train.ptb") for name in names}
    paths |= {"paths.parser": str(first), "paths.dev": str(data / "dev.ptb")}
    run_training(CONFIGS / "people.cfg", tmp_path / "more", overrides=paths | steps)
    before, after = map(spacy.load, (first, tmp_path / "more" / "model-last"))
    assert after.pipe_names == ["sentencizer", "transformer", "constituency_parser"]
    for name in ("transformer", "constituency_parser"):
        one, other = (nlp.get_pipe(name).model.to_bytes() for nlp in (before, after))
        assert one != other
    labels = (nlp.get_pipe("constituency_parser").label_data for nlp in (before, after))
    assert next(labels) == next(labels)


def test_a_tree_does_not_depend_on_its_neighbours(config, data):
    nlp = untrained(config, data)
    docs = [example.predicted for example in gold(nlp, data)]
    alone = [nlp(doc.copy()) for doc in docs]
    together = list(nlp.pipe(doc.copy() for doc in docs))
    for one, other in zip(alone, together, strict=True):
        assert get_trees(one) == get_trees(other)
    [long] = nlp.pipe([Doc(nlp.vocab, ["dog", "barks"] * 300)])
    assert numpy.isfinite(long._.trf_data.model_output.last_hidden_state).all()
    assert len(get_trees(long)[0]) == 600


COMPACT = {
    "components.transformer.model.@architectures": "spacy_gfl.CompactTransformer.v1"
}


def shim_of(nlp):
    [shim] = nlp.get_pipe("transformer").model.layers[0].shims
    return shim


def weights_of(nlp):
    return shim_of(nlp)._model.state_dict()


@pytest.fixture(scope="module")
def saved(config, data, tmp_path_factory):
    """A pipeline as spacy-transformers saves it, and as the compact one does."""
    tmp_path = tmp_path_factory.mktemp("saved")
    untrained(config, data).to_disk(tmp_path / "plain")
    spacy.load(tmp_path / "plain", config=COMPACT).to_disk(tmp_path / "compact")
    return tmp_path / "plain", tmp_path / "compact"


def test_a_compact_transformer_is_a_fraction_of_the_size(saved, tmp_path):
    plain, compact = (spacy.load(folder) for folder in saved)
    exact, rounded = weights_of(plain), weights_of(compact)
    assert exact.keys() == rounded.keys()
    for name, weight in exact.items():
        if weight.dim() < 2:
            assert torch.equal(rounded[name], weight)
            continue
        largest = weight.abs().amax(1, keepdim=True)
        # Half a step: there are 31 in 6 bits.
        assert ((rounded[name] - weight).abs() <= 0.501 * largest / 31).all()
    compact.to_disk(tmp_path)
    again = weights_of(spacy.load(tmp_path))
    assert all(torch.equal(weight, again[name]) for name, weight in rounded.items())
    a, b = (sum(w.numel() for w in weights.values()) for weights in (exact, rounded))
    sizes = [(path / "transformer" / "model").stat().st_size for path in saved]
    assert a == b
    assert sizes[1] < sizes[0] - 3 * a


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_compact_transformer_reads_padding_on_either_side(saved, side):
    plain, compact = (shim_of(spacy.load(folder)) for folder in saved)
    # Both read with weights that are not rounded.
    compact._model, compact.precision = plain._model, "fp32"
    pieces = torch.arange(16).reshape(2, 8) + 5
    mask = torch.ones(2, 8, dtype=torch.long)
    padding = slice(5) if side == "left" else slice(3, 8)
    mask[1, padding] = pieces[1, padding] = 0
    inputs = ArgsKwargs((), {"input_ids": pieces, "attention_mask": mask})
    expected, found = (s.predict(inputs).last_hidden_state for s in (plain, compact))
    assert torch.allclose(found[mask == 1], expected[mask == 1], atol=1e-5)


def test_a_compact_transformer_parses_and_learns(saved, data):
    nlp = spacy.load(saved[1])
    before = get_trees(nlp(TEXT))
    assert get_trees(pickle.loads(pickle.dumps(nlp))(TEXT)) == before
    for n_process in (1, 2):
        # This process has parsed with all its threads; a forked one may use one.
        docs = list(nlp.pipe([TEXT] * 3, n_process=n_process, batch_size=1))
        assert [get_trees(doc) for doc in docs] == [before] * 3
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.002
    losses = updated(nlp, gold(nlp, data), optimizer, times=8)
    assert losses[-1] < losses[0]


def test_a_parser_takes_its_transformer_to_another_pipeline(saved, data, tmp_path):
    nlp = spacy.load(saved[1])
    expected = get_trees(nlp(TEXT))
    nlp.replace_listeners("transformer", "constituency_parser", ["model.tok2vec"])
    other = blank()
    other.add_pipe("constituency_parser", source=nlp)
    other.to_disk(tmp_path)
    for joined in (other, spacy.load(tmp_path)):
        assert get_trees(joined(TEXT)) == expected
    examples = gold(joined, data)
    before = joined.update(examples, sgd=joined.resume_training())
    after = joined.update(examples, sgd=False)
    assert after["constituency_parser"] < before["constituency_parser"]


def flipped(data):
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]


DAMAGES = [
    ("data", lambda data: data[:-3]),
    ("data", lambda data: zlib.compress(bytes(5000))),
    ("data", lambda data: zlib.compress(zlib.decompress(data)[:-1])),
    ("data", flipped),
    ("shape", lambda shape: [100_000, 100_000]),
    ("shape", lambda shape: ["32", 64]),
    ("shape", lambda shape: [-1, 1]),
    ("scales", lambda scales: scales[:-4]),
    ("scales", lambda scales: scales[:-1]),
]


def test_damaged_compact_weights_are_named(saved):
    shim = shim_of(spacy.load(saved[1]))
    whole = shim.to_bytes()
    shim.from_bytes(whole)
    for key, damage in DAMAGES:
        message = srsly.msgpack_loads(whole)
        matrix = message["state"][MATRIX]
        matrix[key] = damage(matrix[key])
        with pytest.raises(ValueError, match=rf"damaged \({MATRIX}"):
            shim.from_bytes(srsly.msgpack_dumps(message))


def test_a_tokenizer_with_settings_of_its_own_is_refused(saved):
    shim = shim_of(spacy.load(saved[1]))
    message = srsly.msgpack_loads(shim.to_bytes())
    message["tokenizer"]["kwargs"]["trust_remote_code"] = True
    with pytest.raises(ValueError, match="settings it may not have"):
        shim.from_bytes(srsly.msgpack_dumps(message))


def test_spans_are_read_with_others_of_their_length(saved, monkeypatch):
    from spacy_gfl.transformer import compact_shim

    monkeypatch.setattr(compact_shim, "BATCH_PIECES", 24)
    nlp = spacy.load(saved[1])
    module = shim_of(nlp)._model
    module.forward = Mock(wraps=module.forward)
    sentences = ["a b c d e f g h i j k l m n .", "a .", "b c .", "d .", "e f g ."]
    together = nlp(" ".join(sentences))
    calls = module.forward.call_args_list
    read = [tuple(call.kwargs["input_ids"].shape) for call in calls]
    # Of 2, 2, 3, 4 and 15 pieces, and two around each sentence.
    assert read == [(3, 5), (1, 6), (1, 17)]
    for sentence, sent in zip(sentences, together.sents, strict=True):
        assert nlp(sentence)._.parse_strings == [sent._.parse_string]


def test_a_compact_transformer_may_compute_in_bfloat16(saved):
    setting = {"components.transformer.model.precision": "bf16"}
    exact, rough = spacy.load(saved[1]), spacy.load(saved[1], config=setting)
    states, rounded = (
        nlp(TEXT)._.trf_data.model_output.last_hidden_state for nlp in (exact, rough)
    )
    assert rounded.dtype == states.dtype == "float32"
    assert 0 < abs(rounded - states).max() < 0.1


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("precision", "int8", "precision.*'auto'"),
        ("bits", 1, "bits must be from 2 to 8, not 1"),
        ("bits", 9, "bits must be from 2 to 8, not 9"),
    ],
)
def test_wrong_settings_of_a_compact_transformer_are_refused(setting, value, said):
    pytest.importorskip("spacy_transformers", reason="spacy-gfl[transformers]")
    windows = {"@span_getters": "spacy_gfl.sentence_windows.v1"}
    config = {"name": "x", "get_spans": windows, setting: value}
    config["@architectures"] = "spacy_gfl.CompactTransformer.v1"
    with pytest.raises(ValueError, match=f"(?s){said}"):
        registry.resolve({"model": config})
