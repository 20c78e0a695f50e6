"""The component through files, bytes, pickle and configs."""

import copy
import pickle

import numpy
import pytest
import spacy
from helpers.pipelines import (
    ARCHITECTURES,
    ATTACH_JUXTAPOSE,
    BRACKETS,
    NAME,
    annotated,
    blank,
    features,
    get_parser,
    initialized,
    make_examples,
    make_pipeline,
    parse,
    train,
    trained,
)
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.vectors import Vectors
from thinc.api import Adam

from spacy_gfl.pipe.pipelines import get_parsers
from spacy_gfl.pipe.search_settings import SearchSettings
from spacy_gfl.tools.training.joined_pipelines import join_pipelines


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
    parser = loaded.from_disk(tmp_path).get_pipe(name)
    assert parser.search == SearchSettings(beam_width=set_by_hand or 1)
    # Without cfg, what is saved there does not come back.
    parser.search.beam_width = 9
    parser.from_bytes(parser.to_bytes(), exclude=["cfg"])
    assert parser.search == SearchSettings(beam_width=9)


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


def test_labels_and_words_of_several_corpora_are_all_counted_once(tmp_path):
    """All of them, each once, though spaCy shows 100 Docs where it streams."""
    silver = [f"(NEW (XX w{i % 300}))" for i in range(600)] + ["(LAST (XX once))"]
    paths = {}
    for name, brackets in (("gold", BRACKETS), ("silver", silver)):
        docs = [eg.reference for eg in make_examples(spacy.blank("en"), brackets)]
        paths[name] = str(tmp_path / f"{name}.spacy")
        DocBin(docs=docs).to_disk(paths[name])
    reader = {"@readers": "spacy_gfl.TreebankCorpus.v1"}
    config = make_pipeline(features(min_frequency=2)).config.copy()
    config["corpora"]["train"] = {**reader, "paths": paths, "weights": {"gold": 3}}
    config["corpora"]["dev"] = {**reader, "path": paths["gold"]}
    for max_epochs in (0, -1):
        config["training"]["max_epochs"] = max_epochs
        nlp = init_nlp(config)
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
    get_parser(nlp).keep_static_vectors()  # It has them already.
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
