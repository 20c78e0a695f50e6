"""The component: initialisation, labels, prediction on all kinds of Docs."""

import copy
from dataclasses import replace
from unittest.mock import Mock

import numpy
import pytest
import spacy
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    ATTACH_JUXTAPOSE,
    NAME,
    SEQ2SEQ,
    blank,
    get_module,
    get_parser,
    initialized,
    log_probs,
    make_examples,
    make_pipeline,
    model_config,
    parse,
    train,
    trained,
    without_trees,
    without_words,
)
from spacy.tokens import Doc

from spacy_gfl import get_trees, parse_tree
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.decoding.tasks import SearchTask
from spacy_gfl.pipe.search_settings import SearchSettings
from spacy_gfl.seq2seq.symbol_codec import Symbols

LABELS = ("NP", "VP", "S", "FRAG", "INTJ", "PP", "SBARQ", "SQ", "WHNP")
#: Label data of each architecture's own kind.
LABEL_DATA = {
    SEQ2SEQ: Symbols(["S", "NP", "NEW"], 7).to_json(),
    ATTACH_JUXTAPOSE: AttachJuxtapose(
        ["S", "NP", "NEW"], [("S",), ("NP",), ("NEW",)], ["DT"]
    ).to_json(),
}
both = pytest.mark.parametrize("architecture", ARCHITECTURES)


def test_initialisation_refuses_examples_without_trees():
    nlp = make_pipeline()
    examples = [without_trees(nlp)]
    message = "no constituency trees.*spacy-gfl convert"
    with pytest.raises(ValueError, match=message):
        nlp.initialize(lambda: examples)
    labels = Symbols(["S"]).to_json()
    with pytest.raises(ValueError, match=message):
        get_parser(nlp).initialize(lambda: examples, labels=labels)
    flat = make_examples(nlp, ["(TOP (A a) (B b))"])
    with pytest.raises(ValueError, match=message):
        nlp.initialize(lambda: flat)


@both
def test_the_corpus_is_read_once_and_trees_may_come_late(architecture):
    nlp = make_pipeline(architecture=architecture)
    calls = []

    def examples():
        calls.append(None)
        yield without_words(nlp)
        yield from [without_trees(nlp)] * 12
        yield from make_examples(nlp)

    get_parser(nlp).initialize(examples, nlp=nlp)
    assert len(calls) == 1
    assert get_parser(nlp).labels == LABELS


@both
def test_label_data_of_the_same_kind_are_taken_at_initialisation(architecture):
    nlp = make_pipeline(architecture=architecture)
    parser, data = get_parser(nlp), LABEL_DATA[architecture]
    [other] = set(ARCHITECTURES) - {architecture}
    with pytest.raises(LabelDataError, match=r"are of the kind.*spacy init labels"):
        parser.initialize(lambda: make_examples(nlp), labels=LABEL_DATA[other])
    assert not parser.is_initialized
    parser.initialize(lambda: make_examples(nlp), nlp=nlp, labels=data)
    assert parser.labels == ("S", "NP", "NEW")
    assert parser.label_data == data
    settings = parser.codec.network_settings()
    assert settings.items() <= get_module(nlp).settings.items()


@both
def test_labels_that_the_label_data_lack_are_said_once(architecture, caplog):
    nlp = make_pipeline(architecture=architecture)
    labels = LABEL_DATA[architecture]
    get_parser(nlp).initialize(lambda: make_examples(nlp), labels=labels)
    [message] = [r.getMessage() for r in caplog.records if "cover" in r.getMessage()]
    assert "leaves out 9 of 17 constituents: VP (3)" in message
    get_parser(nlp).update(make_examples(nlp))
    assert caplog.messages == [message]
    caplog.clear()
    again = make_pipeline(architecture=architecture)
    labels = get_parser(initialized(architecture=architecture)).label_data
    get_parser(again).initialize(lambda: make_examples(again), labels=labels)
    assert not caplog.messages


def test_initialize_twice_changes_nothing(nlp):
    nlp = copy.deepcopy(nlp)
    before = get_parser(nlp).to_bytes(exclude=["vocab"])
    nlp.initialize(lambda: make_examples(nlp))
    # Without data, as `spacy assemble`, and with another component's.
    nlp.initialize()
    nlp.initialize(lambda: [without_trees(nlp)])
    other = make_examples(nlp, ["(OTHER (A a))"])
    labels = get_parser(nlp).label_data
    get_parser(nlp).initialize(lambda: other, labels=labels)
    assert get_parser(nlp).to_bytes(exclude=["vocab"]) == before
    labels = get_parser(nlp).codec.from_trees([parse_tree("(OTHER (A a))")])
    with pytest.raises(ValueError, match="other labels"):
        get_parser(nlp).initialize(lambda: other, labels=labels.to_json())
    assert get_parser(nlp).to_bytes(exclude=["vocab"]) == before


@pytest.mark.parametrize(
    ("setting", "value"), [("gold_preproc", True), ("max_length", 9)]
)
def test_readers_that_lose_trees_are_refused(setting, value):
    nlp = make_pipeline()
    nlp.config["vars"] = {"value": 0}
    nlp.config["corpora"]["train"][setting] = "${vars.value}"
    nlp.initialize(lambda: make_examples(nlp))
    nlp.config["vars"] = {"value": value}
    with pytest.raises(ValueError, match=rf"corpora.train.*{setting}.*TreebankCorpus"):
        nlp.initialize(lambda: make_examples(nlp))
    nlp.config["corpora"]["train"] = {
        "@readers": "spacy_gfl.TreebankCorpus.v1",
        "path": None,
        "max_length": 9,
    }
    nlp.initialize(lambda: make_examples(nlp))


def test_a_parser_that_is_not_initialised_says_so():
    nlp, doc = make_pipeline(), trained()("Yes.")
    parser = get_parser(nlp)
    for ask in (
        lambda: nlp("Some text."),
        lambda: list(nlp.pipe(["Some text."])),
        lambda: parser.add_label("S") and parser(doc),
        lambda: parser.update(make_examples(nlp)),
        lambda: parser.n_best(doc, 2),
        lambda: parser.keep_static_vectors(),
    ):
        with pytest.raises(ValueError, match="E109"):
            ask()


@both
def test_labels_can_be_added_until_initialisation(architecture):
    nlp = make_pipeline(architecture=architecture)
    parser = get_parser(nlp)
    assert parser.labels == ()
    assert parser.label_data["labels"] == []
    assert parser.add_label("NEW") == 1
    assert parser.add_label("NEW") == 0
    assert parser.add_label("NP") == 1
    for wrong in (1, None, "", "\ud800"):
        with pytest.raises(ValueError, match=r"E187|empty"):
            parser.add_label(wrong)
    nlp.initialize(lambda: make_examples(nlp))
    assert parser.labels == (*LABELS, "NEW")
    # What else the codecs know of the trees.
    assert parser.label_data.get("longest_opening_run", 2) == 2
    assert "DT" in parser.label_data.get("tags", ["DT"])
    train(nlp, make_examples(nlp, ["(NEW (NP (A a)) (NEW (B b)))"]))
    assert parse(nlp, ["(NEW (A a) (B b))"]) == ["(NEW (NP (XX a)) (NEW (XX b)))"]
    assert parser.add_label("NEW") == 0
    with pytest.raises(ValueError, match="fixed size"):
        parser.add_label("LATE")


WRONG = {
    "beam_width": [0, "4", True, 10**9],
    "batch_words": [-1],
    "max_words": [1.5],
    "constrained": [1],
    "precision": ["fp16"],
    "objective": ["f1"],
    "n_samples": [0, 10**9],
    "temperature": [0.0, "1", True, float("nan")],
    "beam": [2],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]]
)
def test_wrong_search_settings_are_named_and_change_nothing(name, value):
    with pytest.raises(ValueError, match=f"search.*{name}"):
        blank().add_pipe(NAME, config={"search": {name: value}})
    settings = SearchSettings()
    with pytest.raises(ValueError, match=rf"search\.{name} = "):
        setattr(settings, name, value)
    assert settings == SearchSettings()


def test_all_search_settings_can_be_assigned_at_once():
    parser = get_parser(make_pipeline())
    for settings in ({"beam_width": 4}, SearchSettings(beam_width=4)):
        parser.search = SearchSettings()
        parser.search = settings
        assert parser.search == SearchSettings(beam_width=4)
    with pytest.raises(TypeError, match="a dict, not 4"):
        parser.search = 4
    with pytest.raises(ValueError, match=r"search\.beam_width = "):
        parser.search = {"beam_width": 0}
    assert parser.search.beam_width == 4


def test_search_settings_can_be_changed_at_run_time():
    # Before training the most probable tree is seldom the greedy one.
    nlp = initialized(architecture=SEQ2SEQ)
    network, search = get_module(nlp), get_parser(nlp).search
    network.forward = Mock(wraps=network.forward)
    words = [word for eg in make_examples(nlp) for word in eg.reference.text.split()]
    doc = Doc(nlp.vocab, words)
    [greedy] = log_probs(nlp(doc))
    search.beam_width, search.batch_words = 64, 7
    [beam] = log_probs(nlp(doc))
    assert beam > greedy + 1
    tasks = [call.kwargs["task"] for call in network.forward.call_args_list]
    first = SearchTask(precision="auto", batch_words=4096)
    assert tasks == [first, replace(first, beam_width=64, batch_words=7)]
    search.constrained = False
    assert nlp(doc).spans["constituents"].attrs["flags"] == ["repaired"]


def test_predict_leaves_docs_alone(nlp):
    docs = [nlp.make_doc(text) for text in ("The dog barks.", "", "Yes")]
    docs = [nlp.get_pipe("sentencizer")(doc) for doc in docs]
    before = [doc.to_bytes() for doc in docs]
    parses = get_parser(nlp).predict(docs)
    assert [doc.to_bytes() for doc in docs] == before
    assert [len(in_doc) for in_doc in parses] == [1, 0, 1]
    get_parser(nlp).set_annotations(docs, parses)
    attrs = docs[0].spans["constituents"].attrs
    assert attrs["flags"] == ["ok"]
    assert attrs["log_probs"] == [parses[0][0].log_prob]
    assert attrs["log_probs"][0] < 0


def test_tags_are_written_where_there_are_none():
    nlp, plain = trained(ATTACH_JUXTAPOSE), trained(SEQ2SEQ)
    doc = nlp("\nThe dog barks. Yes")
    assert [token.tag_ for token in doc] == ["", "DT", "NN", "VBZ", ".", "UH"]
    get_parser(nlp).search.objective = "max_f1"
    doc = Doc(nlp.vocab, ["The", "dog", "barks", "."], tags=["", "XY", "", ""])
    doc = nlp(doc)
    assert [token.tag_ for token in doc] == ["DT", "XY", "VBZ", "."]
    [found] = get_parser(nlp).n_best(doc, 3)
    assert {tree.tags for tree, _ in found} == {("DT", "XY", "VBZ", ".")}
    get_parser(nlp).predict_tags = False
    assert not nlp("The dog barks.").has_annotation("TAG")
    doc = nlp(Doc(nlp.vocab, ["a", "b"], tags=["A", ""]))
    assert [token.tag_ for token in doc] == ["A", ""]
    get_parser(nlp).predict_tags = True
    # A model without a tagger has none to write, and no score of them.
    assert not plain("The dog barks.").has_annotation("TAG")
    assert "tag_acc" not in plain.evaluate(make_examples(plain))
    assert nlp.evaluate(make_examples(nlp))["tag_acc"] == 1.0


def test_a_second_parser_writes_elsewhere():
    nlp, other = trained(SEQ2SEQ), trained(ATTACH_JUXTAPOSE)
    text = "She saw a dog."
    before, alone = nlp(text), get_trees(other(text))
    model = model_config(architecture=ATTACH_JUXTAPOSE)
    config = {"model": model, "spans_key": "second"}
    second = nlp.add_pipe(NAME, name="second", config=config)
    second.from_bytes(get_parser(other).to_bytes())
    doc = nlp(text)
    assert get_trees(doc)[0].constituents == get_trees(before)[0].constituents
    assert doc.spans["constituents"].attrs == before.spans["constituents"].attrs
    assert get_trees(doc, key="second") == alone
    # Gold trees are in one place for both.
    scores = nlp.evaluate(make_examples(nlp))
    assert scores["spans_constituents_f"] == scores["spans_second_f"] == 1.0
    again = blank()
    again.add_pipe("second", source=nlp)
    assert again.get_pipe("second").spans_key == "second"
    assert get_trees(again(text), key="second") == alone


def test_torch_is_left_as_it_was(nlp, tmp_path):
    def state():
        return (
            torch.get_default_dtype(),
            torch.get_default_device(),
            torch.is_grad_enabled(),
            torch.get_num_threads(),
            torch.are_deterministic_algorithms_enabled(),
            torch.backends.cudnn.benchmark,
        )

    before = state()
    seeds = torch.get_rng_state(), numpy.random.get_state()[1].tolist()
    nlp("The dog barks.")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    loaded("The dog barks.")
    assert torch.equal(torch.get_rng_state(), seeds[0])
    assert numpy.random.get_state()[1].tolist() == seeds[1]
    train(loaded, steps=1)
    assert state() == before


def test_attention_has_a_row_a_step_that_sums_to_one():
    nlp = trained(SEQ2SEQ)
    parser = get_parser(nlp)
    doc = nlp("The dog barks. Yes")
    for matrix, tree in zip(parser.attention(doc), get_trees(doc), strict=True):
        assert matrix.shape == (len(parser.codec.steps(tree)), len(tree))
        assert numpy.allclose(matrix.sum(axis=1), 1.0, atol=1e-5)
    assert parser.attention(nlp("")) == []
    assert [m.shape for m in parser.attention(nlp(" \n "))] == [(0, 0)]
    [gold] = make_examples(nlp, ["(NEVER (A seen) (B before))"])
    assert [m.shape for m in parser.attention(gold.reference)] == [(0, 2)]
    with pytest.raises(ValueError, match="no constituency trees"):
        parser.attention(nlp.make_doc("Not parsed"))
    for settings, message in (
        ({"architecture": SEQ2SEQ, "attention": False}, "attention = false"),
        ({"architecture": ATTACH_JUXTAPOSE}, "has no attention to words"),
    ):
        other = initialized(**settings)
        with pytest.raises(ValueError, match=message):
            get_parser(other).attention(other("The dog barks."))


def test_a_pipeline_without_sentence_boundaries_is_reported():
    nlp = make_pipeline()
    assert not nlp.analyze_pipes()["problems"][NAME]
    nlp.remove_pipe("sentencizer")
    assert nlp.analyze_pipes()["problems"][NAME] == ["token.is_sent_start"]
