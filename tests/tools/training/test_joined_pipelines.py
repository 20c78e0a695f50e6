import numpy
import pytest
import spacy
from helpers.pipelines import (
    GENERATIVE,
    NAME,
    SEQ2SEQ,
    annotated,
    blank,
    get_module,
    get_parser,
    initialized,
    make_examples,
    make_pipeline,
    make_shared,
    parse,
    trained,
)

from spacy_gfl.tools.training.few_bits import save_in_bits
from spacy_gfl.tools.training.joined_pipelines import join_pipelines


def two():
    other = trained(steps=5, width=16)
    return {"a": trained(), "b": other}


def test_settings_and_bits_are_those_of_the_members():
    pipelines = two()
    first = get_parser(pipelines["a"])
    first.search.beam_width, first.spans_key, first.predict_tags = 3, "other", False
    for nlp in pipelines.values():
        save_in_bits(get_module(nlp), 16)
    nlp = join_pipelines(pipelines)
    assert get_module(nlp).saved_bits == 16
    joined = get_parser(nlp)
    settings = joined.search.beam_width, joined.spans_key, joined.predict_tags
    assert settings == (3, "other", False)
    assert nlp.pipe_names == ["sentencizer", NAME]


def test_parsers_that_predict_words_are_no_ensemble():
    pipelines = {name: initialized(architecture=GENERATIVE) for name in "ab"}
    with pytest.raises(ValueError, match="a predicts words"):
        join_pipelines(pipelines)


def test_a_listening_member_brings_its_tok2vec():
    members = {name: make_shared() for name in "ab"}
    expected = annotated(members["a"])
    found = annotated(join_pipelines(members))
    assert found[0] == expected[0]
    assert found[1] == pytest.approx(expected[1], rel=1e-4)


def other_labels():
    nlp = make_pipeline()
    nlp.initialize(lambda: make_examples(nlp, ["(NEW (XX a))"]))
    return nlp


def other_vectors():
    nlp = trained()
    nlp.vocab.reset_vectors(width=2)
    nlp.vocab.set_vector("a", numpy.ones(2, dtype="float32"))
    return nlp


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (other_labels, "other and first have different labels"),
        (lambda: trained(SEQ2SEQ), "different labels, tags or architectures"),
        (other_vectors, "other and first have different static vectors"),
        (blank, "one trained constituency parser; other has none"),
        (make_pipeline, "other has 1, not trained"),
        (lambda: initialized(max_depth=9), "must have the same max_depth, not 9, 64"),
        (lambda: join_pipelines(two()), "is an ensemble itself"),
    ],
)
def test_pipelines_that_do_not_fit_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        join_pipelines({"first": trained(), "other": make()})


def test_an_ensemble_is_not_trained():
    nlp = join_pipelines(two())
    refusal = "cannot be trained. Train each member by itself"
    with pytest.raises(ValueError, match=refusal):
        nlp.update(make_examples(nlp))
    nlp.initialize(lambda: make_examples(nlp))
    assert parse(nlp)
    fresh = spacy.blank("en").from_config(nlp.config)
    with pytest.raises(ValueError, match="E109"):
        fresh("a b")
    with pytest.raises(ValueError, match=refusal):
        fresh.initialize(lambda: make_examples(fresh))
