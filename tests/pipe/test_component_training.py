"""The component's update: losses, gold trees of all kinds, gradients."""

from unittest.mock import Mock

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    LEARNT,
    NAME,
    features,
    get_module,
    get_parser,
    hash_embed,
    initialized,
    log_probs,
    make_examples,
    make_pipeline,
    parse,
    table,
    train,
    without_trees,
    without_words,
)
from thinc.api import Adam, RAdam

both = pytest.mark.parametrize("architecture", ARCHITECTURES)


@both
@pytest.mark.parametrize("n_sents", [1, 4])
def test_the_parser_learns_the_trees_of_its_examples(n_sents, architecture):
    nlp = initialized(architecture=architecture)
    examples = make_examples(nlp, n_sents=n_sents)
    loss = train(nlp, examples)
    assert loss < 0.2
    assert parse(nlp) == LEARNT
    scores = nlp.evaluate(make_examples(nlp))
    assert scores["con_f"] == scores["spans_constituents_f"] == 1.0
    assert scores["con_exact"] == 1.0
    assert scores["con_repaired"] == scores["con_flat"] == 0


@both
def test_loss_is_summed_over_sentences_that_have_trees(architecture):
    nlp = initialized(tok2vec=table(), architecture=architecture)
    parser = get_parser(nlp)
    alone = [parser.update([eg])[NAME] for eg in make_examples(nlp)]
    losses = parser.update(make_examples(nlp), losses={NAME: 1.0, "other": 2.0})
    assert losses[NAME] == pytest.approx(1.0 + sum(alone), rel=1e-5)
    assert losses["other"] == 2.0
    assert parser.rehearse(make_examples(nlp)) is None
    with pytest.raises(TypeError, match="E978"):
        parser.update(["text"])
    together, empty = make_examples(nlp, n_sents=4), without_words(nlp)
    for batch in (together, [empty, without_trees(nlp), *together, empty]):
        assert parser.update(batch)[NAME] == pytest.approx(sum(alone), rel=1e-5)


@both
def test_unknown_labels_are_left_out_and_said_once(architecture, caplog):
    nlp = initialized(architecture=architecture)
    parser = get_parser(nlp)
    known = parser.update(make_examples(nlp, ["(S (NP (A a)) (B b))"]))
    assert not caplog.messages
    for _ in range(2):
        examples = make_examples(nlp, ["(S (NEW (NP (A a))) (NEW (B b)))"])
        assert parser.update(examples) == pytest.approx(known)
    [message] = caplog.messages
    assert "does not know the labels NEW" in message
    assert "NEW" not in parser.labels


@both
@pytest.mark.parametrize(("fixed", "drop"), [(None, 0.4), (0.0, 0.4), (0.3, 0.0)])
def test_dropout_reaches_torch(fixed, drop, architecture):
    nlp = initialized(depth=2, dropout=fixed, architecture=architecture)
    module = get_module(nlp)
    module.encode = Mock(wraps=module.encode)
    get_parser(nlp).update(make_examples(nlp), drop=drop)
    nlp("Never in prediction.")
    *learning, searching = [call.args[2] for call in module.encode.call_args_list]
    assert set(learning) == {drop if fixed is None else fixed}
    assert searching == 0.0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_stop_training(value):
    nlp = initialized()
    parser, sgd = get_parser(nlp), Adam(0.001)
    for _ in range(3):
        parser.update(make_examples(nlp), sgd=sgd)
    with torch.no_grad():
        next(get_module(nlp).parameters())[:] = value
    message = (
        "loss of step 3 is nan, for the batch of 4 Docs that begins 'The dog barks"
    )
    with pytest.raises(ValueError, match=message):
        parser.update(make_examples(nlp), sgd=sgd)


@both
@pytest.mark.parametrize("make", [Adam, RAdam])
@pytest.mark.parametrize("averaged", [False, True])
def test_a_search_is_with_the_weights_of_its_time(architecture, make, averaged):
    """What the network keeps of its weights follows them, and their averages."""
    nlp = initialized(architecture=architecture)
    sgd, text = make(0.05, use_averages=True), "She saw the dog with a hat."
    for _ in range(2):
        train(nlp, optimizer=sgd, steps=3)
        with nlp.use_params(sgd.averages if averaged else {}):
            fresh = make_pipeline(architecture=architecture)
            fresh.from_bytes(nlp.to_bytes())
            expected = pytest.approx(log_probs(fresh(text)), rel=1e-5)
            assert log_probs(nlp(text)) == expected


@pytest.mark.parametrize("layer", [table(), hash_embed(), features()])
@pytest.mark.parametrize("fault", ["no examples", "no trees", "empty", "not finite"])
def test_a_batch_that_teaches_nothing_moves_nothing(layer, fault):
    nlp, optimizer = initialized(tok2vec=layer), Adam(0.02)
    examples = make_examples(nlp)
    train(nlp, examples, steps=2, optimizer=optimizer)
    before = get_parser(nlp).model.to_bytes()
    if fault == "not finite":
        weight = next(get_module(nlp).parameters())
        weight.register_hook(lambda gradient: gradient * float("inf"))
        train(nlp, examples, steps=1, optimizer=optimizer)
    else:
        batches = {"no trees": [without_trees(nlp)], "empty": [without_words(nlp)] * 2}
        batch = batches.get(fault, [])
        assert get_parser(nlp).update(batch, sgd=optimizer) == {NAME: 0.0}
    assert get_parser(nlp).model.to_bytes() == before


def test_very_long_sentences_are_left_out_with_one_warning(monkeypatch, caplog):
    monkeypatch.setattr("spacy_gfl.pipe.gold.MOST_LEARNT", 5)
    nlp = initialized()
    train(nlp, steps=3)
    [message] = caplog.messages
    assert "sentences of more than 5 words" in message
    long = [eg for eg in make_examples(nlp) if len(eg.reference) > 5]
    assert long
    assert nlp.update(long)[NAME] == 0.0
