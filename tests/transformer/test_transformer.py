"""The layer of a pretrained transformer, in a parser and by itself."""

import json
import pickle
import runpy
from pathlib import Path

import numpy
import pytest
import spacy
import torch
from curated_transformers.models import BERTEncoder
from helpers.encoders import CONFIG, make_folder, unigram, word_piece
from helpers.pipelines import NAME, add_parser, blank, make_examples
from helpers.reading import ROOT
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed, load_config, registry
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_gfl import get_parser, get_trees
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.transformer import pretrained_encoder as encoders
from spacy_gfl.transformer.pieces import PieceBatch
from spacy_gfl.transformer.pretrained_encoder import PIECES
from spacy_gfl.transformer.pretrained_files import encoder_of, read_encoder

TEXT = "the dog barks . the cats sleep ."
MATRIX = "encoder.layers.0.ffn.output.weight"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def config(folder, data):
    """The recipe on the tiny BERT."""
    sizes = ("width", "decoder_width", "hidden_width")
    layer = "components.constituency_parser.model.tok2vec.*.transformer"
    overrides = {
        "paths.transformer": str(folder),
        "paths.train": str(data / "train.ptb"),
        "paths.dev": str(data / "dev.ptb"),
        **{f"components.constituency_parser.model.{size}": 16 for size in sizes},
        f"{layer}.window": 16,
        f"{layer}.overlap": 4,
    }
    return load_config(ROOT / "configs" / "trf.cfg", overrides=overrides)


def gold(nlp, data):
    return list(TreebankCorpus(data / "dev.ptb", gold_sents=True)(nlp))


def untrained(config, examples):
    fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize(lambda: examples(nlp))
    return nlp


@pytest.fixture(scope="module")
def nlp(config, data):
    return untrained(config, lambda nlp: gold(nlp, data))


def layer_of(nlp):
    nodes = get_parser(nlp).model.walk()
    return next(node for node in nodes if node.name == "transformer")


def encoder_in(nlp):
    return layer_of(nlp).shims[0].network


def layer(**settings):
    config = {"@architectures": "spacy_gfl.Transformer.v1", **settings}
    return registry.resolve({"layer": config})["layer"]


def doc_of(words, vocab=None):
    return Doc(vocab or Vocab(), words)


def test_the_transformer_learns_with_the_parser(config, tmp_path):
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    corpus = registry.resolve(config.interpolate()["corpora"], validate=False)["train"]
    examples = list(corpus(nlp))[:8]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.002
    before = encoder_in(nlp).state_dict()[MATRIX].clone()
    losses = []
    for _ in range(40):
        again = [Example(nlp.make_doc(eg.text), eg.reference) for eg in examples]
        losses.append(nlp.update(again, sgd=optimizer)[NAME])
    assert losses[-1] < losses[0] / 3
    assert (encoder_in(nlp).state_dict()[MATRIX] - before).abs().max() > 0.001
    doc = nlp(TEXT)
    assert len(get_trees(doc)) == 2
    nlp.to_disk(tmp_path)
    assert get_trees(spacy.load(tmp_path)(TEXT)) == get_trees(doc)


def test_a_tree_does_not_depend_on_its_neighbours(nlp, data):
    docs = [example.predicted for example in gold(nlp, data)]
    alone = [nlp(doc.copy()) for doc in docs]
    together = list(nlp.pipe(doc.copy() for doc in docs))
    assert [*map(get_trees, alone)] == [*map(get_trees, together)]
    # Of windows that are longer than the encoder reads, the rest is not read.
    [long] = nlp.pipe([Doc(nlp.vocab, ["dog", "barks"] * 300)])
    assert len(get_trees(long)[0]) == 600
    [vectors] = layer_of(nlp).predict([long])
    assert numpy.isfinite(vectors).all()


def test_a_vector_is_the_mean_of_its_pieces_and_zero_without(folder):
    reads = layer(name=str(folder))
    reads.initialize()
    doc = Doc(Vocab(), ["dogs", "\n", "the"], [False, False, False])
    empty = doc_of([])
    [found, nothing] = reads.predict([doc, empty])
    assert nothing.shape == (0, reads.get_dim("nO")) == (0, 32)
    encoder = reads.shims[0].network
    ids = torch.tensor([encoder.tokenizer.encode(doc.text).ids])
    mask = encoders.AttentionMask(torch.ones(ids.shape, dtype=torch.bool))
    with torch.no_grad():
        [states] = encoder.encoder(ids, mask).all_outputs[-1].numpy()
    assert numpy.allclose(found[0], states[1:3].mean(0), atol=1e-6)
    assert numpy.allclose(found[2], states[3], atol=1e-6)
    assert not found[1].any()
    assert [v.shape for v in reads.predict([empty])] == [(0, 32)]


def test_it_survives_pickling_and_forks(nlp):
    before = get_trees(nlp(TEXT))
    assert get_trees(pickle.loads(pickle.dumps(nlp))(TEXT)) == before
    # This process has parsed with all its threads; a forked one may use one.
    docs = list(nlp.pipe([TEXT] * 3, n_process=2, batch_size=1))
    assert [get_trees(doc) for doc in docs] == [before] * 3


def test_word_pieces_that_files_do_not_use_are_left_out(nlp, tmp_path):
    nlp.to_disk(tmp_path / "whole")
    docs = [nlp.make_doc("the dog")] * 4
    DocBin(docs=docs).to_disk(tmp_path / "docs.spacy")
    (tmp_path / "text.txt").write_text("barks .\n\n" * 4, encoding="utf-8")
    main = runpy.run_path(str(ROOT / "making" / "release" / "trim_pieces.py"))["main"]
    files = [tmp_path / "docs.spacy", tmp_path / "text.txt"]
    main(tmp_path / "whole", tmp_path / "cut", files)
    cut = spacy.load(tmp_path / "cut")
    # Words whose pieces stay have the same trees.
    expected = get_trees(nlp("the dog barks ."))
    assert get_trees(cut("the dog barks .")) == expected
    n_pieces = [
        encoder_in(each).settings["config"]["vocab_size"] for each in (cut, nlp)
    ]
    assert n_pieces[0] < n_pieces[1]
    assert len(get_trees(cut("Zebras bark ."))) == 1
    assert cut.update(make_examples(cut), sgd=cut.resume_training())[NAME] > 0


@pytest.mark.parametrize("kind", [word_piece, unigram])
def test_pieces_that_do_not_occur_in_training_can_be_left_out(kind, config, tmp_path):
    config = config.copy()
    tok2vec = config["components"][NAME]["model"]["tok2vec"]["*"]
    settings = tok2vec["transformer"]
    settings |= {"name": str(make_folder(tmp_path, kind())), "dropout": 0.0}
    found = []
    for trims in (False, True):
        settings["trim_pieces"] = trims
        nlp = untrained(config, make_examples)
        doc = doc_of(["the", "dog", "barks", "."], nlp.vocab)
        found.append((encoder_in(nlp), layer_of(nlp).predict([doc])[0]))
        assert len(get_trees(nlp("Zebras bark ."))) == 1
        assert nlp.update(make_examples(nlp), sgd=nlp.resume_training())[NAME] > 0
    (whole, expected), (trimmed, vectors) = found
    assert numpy.allclose(vectors, expected, atol=1e-5)
    sizes = [e.settings["config"]["vocab_size"] for e in (whole, trimmed)]
    assert sizes[1] < sizes[0]
    assert not any("zebra" in piece for piece in trimmed.tokenizer.get_vocab())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"overlap": 4, "window": 4}, "overlap"),
        ({"overlap": -1}, "overlap"),
        ({"dropout": 1.0}, "dropout"),
    ],
)
def test_wrong_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        layer(name="x", **settings)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "gpt2"}, "gpt2 is not a kind of encoder .*albert, bert"),
        ({"model_type": None}, "None is not a kind"),
        ({"vocab_size": 3_000_000}, "sizes of its settings"),
        ({"num_hidden_layers": 3}, "sizes of its settings"),
        ({"num_hidden_layers": 2000}, "1 to 100 layers, not 2000"),
        ({"hidden_size": 16}, "sizes of its settings"),
    ],
)
def test_a_folder_that_holds_no_such_encoder_is_said_to_hold_none(
    change, said, folder, tmp_path
):
    make_folder(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(ValueError, match=said):
        read_encoder(str(tmp_path), "main", None, 0.1)


def test_a_file_that_is_missing_is_named(folder, tmp_path):
    make_folder(tmp_path)
    for name in ("tokenizer.json", "config.json"):
        (tmp_path / name).unlink()
        with pytest.raises(OSError, match=name.replace(".", r"\.")):
            read_encoder(str(tmp_path), "main", None, 0.1)


def test_a_folder_that_is_not_there_is_said_not_to_be(tmp_path):
    # No name of a model on the hub, which is not asked for it.
    with pytest.raises(OSError, match=r"There is no folder .*gone, and .* no model"):
        read_encoder(str(tmp_path / "gone"), "main", None, 0.1)


def test_of_the_hub_a_revision_is_read(folder, monkeypatch):
    """As huggingface_hub would leave it in its cache."""
    asked = []

    def download(repo_id, filename, revision):
        asked.append((repo_id, revision))
        if not (folder / filename).exists():
            raise FileNotFoundError(filename)
        return str(folder / filename)

    hub = "curated_transformers.repository.hf_hub"
    monkeypatch.setattr(f"{hub}.hf_hub_download", download)
    monkeypatch.setattr(f"{hub}.lookup_file_in_cache", lambda *_: None)
    reads = layer(name="people/their-bert", revision="v2")
    reads.initialize()
    assert set(asked) == {("people/their-bert", "v2")}
    assert reads.get_dim("nO") == 32


def test_uninitialised_it_says_so(folder):
    nlp = blank()
    settings = {"@architectures": "spacy_gfl.Transformer.v1", "name": str(folder)}
    add_parser(nlp, settings)
    with pytest.raises(ValueError, match="E109"):
        nlp(TEXT)
    with pytest.raises(KeyError, match="not initialised"):
        layer(name=str(folder)).predict([doc_of(["the"])])


KINDS = {
    "albert": {"embedding_size": 8, "num_hidden_groups": 1, "inner_group_num": 1},
    "bert": {},
    "camembert": {},
    "mpnet": {"relative_attention_num_buckets": 32},
    "roberta": {},
    "xlm-roberta": {},
}


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_hugging_face_s_library(kind):
    transformers = pytest.importorskip("transformers")
    tokenizer = json.loads(word_piece().to_str())
    size = word_piece().get_vocab_size()
    config = {**CONFIG, **KINDS[kind], "model_type": kind, "vocab_size": size}
    del config["auto_map"]
    theirs = transformers.AutoModel.from_config(
        transformers.AutoConfig.for_model(**config)
    ).eval()
    known = {name: config[name] for name in encoders.SIZES if name in config}
    sizes = {"config": known, "n_layers": 2, "dropout": 0.1}
    ours = encoder_of({**sizes, "tokenizer": tokenizer}, theirs.state_dict()).eval()
    mask = torch.ones(2, 120, dtype=torch.long)
    mask[0, 90:] = 0
    ids = torch.randint(4, size, mask.shape).where(mask > 0, 1)
    with torch.no_grad():
        expected = theirs(ids, attention_mask=mask).last_hidden_state
        states = ours.encoder(ids, encoders.AttentionMask(mask > 0)).all_outputs[-1]
    assert torch.allclose(states[mask > 0], expected[mask > 0], atol=1e-5)


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_alike_while_it_learns_and_has_gradients_for_the_pieces_it_read(kind):
    size = word_piece().get_vocab_size()
    config = {**CONFIG, **KINDS[kind], "model_type": kind, "vocab_size": size}
    known = {name: config[name] for name in encoders.SIZES if name in config}
    settings = {"config": {**known, "pad_token_id": 1}, "n_layers": 2, "dropout": 0.1}
    settings["tokenizer"] = json.loads(word_piece().to_str())
    network = encoders.TransformerEncoder(**settings).eval()
    windows = [[3, 7, 5], [], [9, 5], [3, 9, 7, 7, 4, 8]]
    places, offsets = numpy.arange(11), numpy.arange(11)
    batch = PieceBatch(windows, places, offsets)
    learning = network(batch)
    with torch.no_grad():
        assert torch.equal(learning, network(batch))
    (learning * torch.randn_like(learning)).sum().backward()
    gradient = network.get_parameter(PIECES).grad
    moved = gradient.abs().sum(1).nonzero().flatten().tolist()
    assert moved == sorted({piece for window in windows for piece in window})


def test_bert_s_names_are_those_of_hugging_face(folder):
    """Without their library: a folder's weights are all read, its pooler is not."""
    saved = torch.load(Path(folder) / "pytorch_model.bin", weights_only=True)
    found = read_encoder(str(folder), "main", None, 0.1)
    renamed = BERTEncoder.state_dict_from_hf(saved)
    state = found.encoder.state_dict()
    assert renamed.keys() - state.keys() == {"pooler.dense.weight"}
    assert all(torch.equal(state[name], renamed[name]) for name in state)


def test_a_transformer_learns_with_what_is_saved(config, data, tmp_path):
    name = "spacy_gfl.learn_rounded.v1"
    rounding = {"@callbacks": name, "bits": 3, "piece_bits": 2}
    config = Config(config).copy()
    config["initialize"]["after_init"] = rounding
    layer = config["components"][NAME]["model"]["tok2vec"]["*"]["transformer"]
    layer["dropout"] = 0.0
    nlp = untrained(config, lambda nlp: gold(nlp, data))
    optimizer = nlp.create_optimizer()
    before = encoder_in(nlp).state_dict()[MATRIX].clone()
    nlp.update(gold(nlp, data)[:8], sgd=optimizer)
    assert (encoder_in(nlp).state_dict()[MATRIX] != before).any()
    learning = layer_of(nlp)([nlp.make_doc(TEXT)], is_train=True)[0][0]
    vectors = layer_of(nlp).predict([nlp.make_doc(TEXT)])[0]
    assert numpy.abs(learning - vectors).max() < 1e-5
    encoder_in(nlp).learns_rounded = False
    exact = layer_of(nlp).predict([nlp.make_doc(TEXT)])[0]
    assert numpy.abs(exact - vectors).max() > 1e-3
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    again = layer_of(loaded).predict([loaded.make_doc(TEXT)])[0]
    assert numpy.abs(again - vectors).max() < 1e-5
    weights = encoder_in(loaded).state_dict()
    for matrix, most in ((MATRIX, 7), (PIECES, 3)):
        assert max(len(row.unique()) for row in weights[matrix]) <= most
    assert layer_of(loaded).to_bytes() == layer_of(spacy.load(tmp_path)).to_bytes()


def test_a_parser_of_another_pipeline_learns_rounded(config, data):
    """spaCy calls the callback while components from elsewhere are disabled."""
    nlp = untrained(config, lambda nlp: gold(nlp, data))
    with nlp.select_pipes(disable=[NAME]):
        registry.callbacks.get("spacy_gfl.learn_rounded.v1")(bits=4)(nlp)
    assert encoder_in(nlp).learns_rounded


def test_only_a_transformer_of_its_own_learns_rounded():
    nlp = blank()
    add_parser(nlp)
    nlp.initialize(lambda: make_examples(nlp))
    with pytest.raises(ValueError, match="no transformer of its own"):
        registry.callbacks.get("spacy_gfl.learn_rounded.v1")(bits=4)(nlp)
    with pytest.raises(ValueError, match="2 to 8 bits"):
        registry.callbacks.get("spacy_gfl.learn_rounded.v1")(bits=9)
