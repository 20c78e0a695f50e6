"""The component through files, bytes, pickle and configs."""

import copy
import pickle

import numpy
import pytest
import spacy
import srsly
from helpers.pipelines import (
    ARCHITECTURES,
    ATTACH_JUXTAPOSE,
    NAME,
    annotated,
    blank,
    features,
    get_parser,
    hash_embed,
    initialized,
    make_examples,
    make_pipeline,
    parse,
    table,
    train,
    trained,
)
from spacy import util
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.util import load_config
from spacy.vectors import Vectors
from thinc.api import Adam, Config

from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.pipe.ensemble import join_pipelines
from spacy_gfl.pipe.pipelines import get_parsers
from spacy_gfl.pipe.search_settings import SearchSettings


def like(nlp):
    """A pipeline of the same config, not initialised."""
    return spacy.blank("en").from_config(nlp.config)


def ensemble(architecture):
    """Two members that do not know the same."""
    other = trained(architecture, steps=5, width=16)
    return join_pipelines({"a": trained(architecture), "b": other})


def through_disk(nlp, folder):
    nlp.to_disk(folder)
    loaded = spacy.load(folder)
    assert loaded.config == nlp.config
    return loaded


def component_through_disk(nlp, folder):
    get_parser(nlp).to_disk(folder)
    assert {path.name for path in folder.iterdir()} == {"cfg", "model", "vocab"}
    other = like(nlp)
    get_parser(other).from_disk(folder)
    return other


def component_through_bytes(nlp, folder):
    other = like(nlp)
    get_parser(other).from_bytes(get_parser(nlp).to_bytes())
    return other


def joining(source, other=None):
    """Another pipeline that the parser has joined."""
    other = blank() if other is None else other
    other.add_pipe(NAME, name="trees", source=source)
    return other


WAYS = {
    "disk": through_disk,
    "component on disk": component_through_disk,
    "bytes": lambda nlp, folder: like(nlp).from_bytes(nlp.to_bytes()),
    "bytes of the component": component_through_bytes,
    "pickle": lambda nlp, folder: pickle.loads(pickle.dumps(nlp)),
    "copy": lambda nlp, folder: copy.deepcopy(nlp),
    "sourced": lambda nlp, folder: joining(copy.deepcopy(nlp)),
}


def of_features(architecture):
    nlp = initialized(tok2vec=features(), architecture=architecture)
    train(nlp, steps=5)
    return nlp


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    ("kind", "way"),
    [(trained, way) for way in WAYS] + [(ensemble, "disk"), (of_features, "disk")],
)
def test_every_parser_is_the_same_after_saving(kind, way, architecture, tmp_path):
    """Trees, how probable they are, labels, and settings changed by hand."""
    nlp = kind(architecture)
    get_parser(nlp).search.beam_width = 3
    other = WAYS[way](nlp, tmp_path)
    assert annotated(other) == annotated(nlp)
    [parser] = get_parsers(other).values()
    assert parser.label_data == get_parser(nlp).label_data
    assert parser.search == SearchSettings(beam_width=3)
    parser.search.constrained = False
    assert get_parser(nlp).search == SearchSettings(beam_width=3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("labels", [[], ["S"]])
def test_a_parser_that_is_not_initialised_is_saved_and_loaded(
    labels, architecture, tmp_path
):
    nlp = make_pipeline(architecture=architecture)
    for label in labels:
        get_parser(nlp).add_label(label)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert get_parser(loaded).labels == tuple(labels)
    assert not get_parser(loaded).is_initialized
    with loaded.use_params({}):
        loaded.get_pipe(NAME).finish_update(Adam())
    loaded.initialize(lambda: make_examples(loaded))
    assert get_parser(loaded).is_initialized


def saved_at(nlp, path):
    nlp.to_disk(path)
    return path


SOURCES = {
    "loaded": lambda nlp, path: spacy.load(saved_at(nlp, path)),
    "copied": lambda nlp, path: copy.deepcopy(nlp),
    "sourced": lambda nlp, path: joining(nlp),
    "source is gone": lambda nlp, path: joining(spacy.load(saved_at(nlp, path))),
}


@pytest.mark.parametrize(
    ("source", "set_by_hand", "passed", "expected"),
    [
        *((source, 3, 4, 4) for source in SOURCES),
        ("loaded", None, 4, 4),
        ("loaded", 3, None, 3),
        # What config.cfg said before it was set by hand.
        ("loaded", 3, 1, 1),
    ],
)
def test_what_is_passed_to_load_wins_over_what_was_saved(
    source, tmp_path, set_by_hand, passed, expected
):
    nlp = trained()
    changed = SOURCES[source](nlp, tmp_path)
    name = changed.pipe_names[-1]
    if set_by_hand:
        changed.get_pipe(name).search.beam_width = set_by_hand
    override = {f"components.{name}.search.beam_width": passed} if passed else {}
    loaded = spacy.load(saved_at(changed, tmp_path), config=override)
    assert loaded.get_pipe(name).search == SearchSettings(beam_width=expected)
    search = loaded.config["components"][name]["search"]
    assert search == ({"beam_width": passed} if passed else {})
    assert loaded("The dog barks.")._.parse_strings
    # A pipeline that is there already takes all that was saved.
    loaded.get_pipe(name).search.beam_width = 9
    search = loaded.from_disk(tmp_path).get_pipe(name).search
    assert search == SearchSettings(beam_width=set_by_hand or 1)


def test_a_component_saved_alone_leaves_the_config_beside_it_alone(nlp, tmp_path):
    parser = get_parser(spacy.load(saved_at(nlp, tmp_path / "pipeline")))
    parser.search.beam_width = 7
    data = parser.to_bytes()
    parser.search.beam_width = 3
    # Without cfg, what is saved there does not come back.
    parser.from_bytes(data, exclude=["cfg"])
    for text in ("damaged [", nlp.config.to_str().replace("= 3", "= 1")):
        (tmp_path / "config.cfg").write_text(text)
        parser.to_disk(tmp_path / NAME)
        assert (tmp_path / "config.cfg").read_text() == text
        other = get_parser(like(nlp)).from_disk(tmp_path / NAME)
        assert other.search == SearchSettings(beam_width=3)


@pytest.mark.parametrize(
    ("name", "value"), [("spans_key", "other"), ("predict_tags", False)]
)
def test_settings_are_overridden_and_saved(tmp_path, name, value):
    override = {f"components.{NAME}.{name}": value}
    loaded = spacy.load(saved_at(trained(), tmp_path), config=override)
    assert getattr(get_parser(loaded), name) == value
    again = spacy.load(saved_at(loaded, tmp_path))
    assert getattr(get_parser(again), name) == value
    by_hand = trained()
    setattr(get_parser(by_hand), name, value)
    again = spacy.load(saved_at(by_hand, tmp_path))
    assert getattr(get_parser(again), name) == value


def test_a_config_that_is_read_again_is_the_same(nlp):
    text = nlp.config.to_str()
    other = util.load_model_from_config(Config().from_str(text))
    assert isinstance(other.get_pipe(NAME), ConstituencyParser)
    assert other.config.interpolate() == nlp.config.interpolate()
    settings = other.config["components"][NAME]
    assert settings["scorer"] == {"@scorers": "spacy_gfl.bracket_scorer.v1"}
    assert settings["search"] == {}
    assert settings["model"]["max_gradient_norm"] == 5.0


def test_the_default_config_trains_and_parses():
    nlp = blank()
    nlp.add_pipe(NAME)
    model = nlp.config["components"][NAME]["model"]
    assert model["@architectures"] == ATTACH_JUXTAPOSE
    weights = nlp.config["training"]["score_weights"]
    assert weights["con_f"] == 0.5
    assert weights["con_p"] is weights["con_r"] is weights["con_exact"] is None
    nlp.initialize(lambda: make_examples(nlp))
    losses = nlp.update(make_examples(nlp), sgd=nlp.create_optimizer())
    assert losses[NAME] > 0
    assert len(parse(nlp)) == 4


def with_corpora(config, path):
    """A config that trains and evaluates on a file."""
    reader = {"@readers": "spacy_gfl.TreebankCorpus.v1", "path": str(path)}
    config["corpora"] |= {"train": {**reader}, "dev": {**reader}}
    return config


@pytest.fixture
def corpus_config(tmp_path):
    docs = [example.reference for example in make_examples(spacy.blank("en"))]
    DocBin(docs=docs).to_disk(tmp_path / "trees.spacy")
    return with_corpora(make_pipeline().config.copy(), tmp_path / "trees.spacy")


@pytest.mark.parametrize("tok2vec", [table(), hash_embed()], ids=["table", "hash"])
def test_training_that_goes_on_keeps_what_was_learned(tok2vec, data, tmp_path):
    nlp = initialized(tok2vec=tok2vec)
    # The config of docs/how-to/train.md, with data of other labels and words.
    config = load_config(saved_at(nlp, tmp_path) / "config.cfg")
    for name in config["nlp"]["pipeline"]:
        config["components"][name] = {"source": str(tmp_path)}
    more = init_nlp(with_corpora(config, data / "train.ptb"))
    before, after = get_parser(nlp), get_parser(more)
    assert after.model.to_bytes() == before.model.to_bytes()
    assert after.labels == before.labels
    more.update(make_examples(more), sgd=more.resume_training())
    assert after.model.to_bytes() != before.model.to_bytes()


def test_labels_are_read_from_a_file(corpus_config, tmp_path):
    labels = tmp_path / "labels.json"
    data = get_parser(init_nlp(corpus_config)).codec.with_labels(["NEW"]).to_json()
    srsly.write_json(labels, data)
    corpus_config["initialize"]["components"] = {
        NAME: {"labels": {"@readers": "spacy.read_labels.v1", "path": str(labels)}}
    }
    assert get_parser(init_nlp(corpus_config)).label_data == data


def test_labels_and_words_of_several_corpora_are_all_counted_once(
    corpus_config, tmp_path
):
    """All of them, each once, though spaCy shows 100 Docs where it streams."""
    silver = [f"(NEW (XX w{i % 300}))" for i in range(600)] + ["(LAST (XX once))"]
    docs = [eg.reference for eg in make_examples(spacy.blank("en"), silver)]
    DocBin(docs=docs).to_disk(tmp_path / "silver.spacy")
    train = corpus_config["corpora"]["train"]
    train["paths"] = {"gold": train.pop("path"), "silver": f"{tmp_path}/silver.spacy"}
    train["weights"] = {"gold": 3}
    tok2vec = corpus_config["components"][NAME]["model"]["tok2vec"]
    tok2vec["min_frequency"] = 2
    for max_epochs in (0, -1):
        corpus_config["training"]["max_epochs"] = max_epochs
        nlp = init_nlp(corpus_config)
        assert {"NEW", "S", "LAST", "SBARQ"} <= set(get_parser(nlp).labels)
        keys = get_parser(nlp).model.get_ref("tok2vec").attrs["keys"]
        words = {nlp.vocab.strings[key] for key in keys.tolist()}
        assert words >= {"w0", "w299", "a"}
        # Of gold, which comes three times an epoch.
        assert not words & {"once", "barks"}


def test_a_parser_that_keeps_its_vectors_joins_any_pipeline(tmp_path):
    nlp = make_pipeline(features(include_static_vectors=True))
    for word, vector in (("dog", [0.125, 1.5, 0.25]), ("a", [-0.75, 2.5, 0.5])):
        nlp.vocab.set_vector(word, numpy.array(vector, dtype="f"))
    nlp.initialize(lambda: make_examples(nlp))
    expected = parse(nlp)
    get_parser(nlp).keep_static_vectors()
    nlp.vocab.vectors = Vectors()
    nlp.to_disk(tmp_path)
    assert parse(joining(spacy.load(tmp_path))) == expected
    other = blank()
    other.vocab.set_vector("dog", numpy.ones(7, dtype="f"))
    with pytest.warns(UserWarning, match="W113"):
        joining(spacy.load(tmp_path), other)
    assert parse(other) == expected
    other.to_disk(tmp_path / "other")
    assert parse(spacy.load(tmp_path / "other")) == expected
    with pytest.raises(ValueError, match="has no layer of word features"):
        get_parser(trained()).keep_static_vectors()
