"""The component on a shared tok2vec layer."""

import pytest
import spacy
from helpers.pipelines import (
    LEARNT,
    NAME,
    SEQ2SEQ,
    add_parser,
    blank,
    get_module,
    get_parser,
    hash_embed,
    listener,
    make_examples,
    make_shared,
    parse,
    train,
    without_trees,
    without_words,
)
from thinc.api import Adam, Model, chain

import spacy_gfl


@pytest.fixture(scope="module")
def nlp():
    nlp = make_shared()
    train(nlp)
    return nlp


def test_a_listening_parser_learns_and_survives_saving_and_replacing(nlp, tmp_path):
    assert parse(nlp) == LEARNT
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert parse(loaded) == LEARNT
    loaded.replace_listeners("tok2vec", NAME, ["model.tok2vec"])
    assert parse(loaded) == LEARNT
    loaded.remove_pipe("tok2vec")
    assert parse(loaded) == LEARNT
    loaded.to_disk(tmp_path / "replaced")
    replaced = spacy.load(tmp_path / "replaced")
    assert parse(replaced) == LEARNT
    weights = get_parser(replaced).model.get_ref("tok2vec").to_bytes()
    replaced.update(make_examples(replaced), sgd=Adam(0.01))
    assert get_parser(replaced).model.get_ref("tok2vec").to_bytes() != weights


@pytest.mark.parametrize("how", ["select_pipes", "source"])
def test_a_parser_that_listens_in_vain_says_so(how):
    nlp, text = make_shared(SEQ2SEQ), "The dog barks."
    expected = nlp(text)._.parse_strings
    alone = nlp
    if how == "source":
        alone = blank(vocab=nlp.vocab)
        alone.add_pipe(NAME, source=nlp)
    disabled = ["tok2vec"] if how == "select_pipes" else []
    with alone.select_pipes(disable=disabled):
        with pytest.warns(UserWarning, match=r"listens to .*tok2vec.*replace_list"):
            doc = alone(text)
        with pytest.warns(UserWarning, match="listens to .*do not run a doc_cleaner"):
            get_parser(alone).n_best(doc, 2)
        with pytest.warns(UserWarning, match="listens to"):
            get_parser(alone).attention(doc)
        assert alone("") is not None
    assert nlp(text)._.parse_strings == expected


def test_steps_in_vain_say_so(nlp):
    with nlp.select_pipes(enable=["sentencizer"]):
        doc = nlp("The dog barks.")
    with pytest.warns(UserWarning, match="listens to"):
        assert spacy_gfl.steps(get_parser(nlp), doc[:])


@pytest.mark.parametrize("kind", ["trees", "mixed", "none"])
def test_listener_hears_every_doc_once(kind):
    nlp = make_shared()
    bare, empty = without_trees(nlp), without_words(nlp)
    batch = {
        "trees": make_examples(nlp, n_sents=2),
        "mixed": [bare, *make_examples(nlp), empty],
        "none": [bare, bare],
    }[kind]
    # The lengths of all gradients that the listener gets back.
    calls = []
    heard = get_parser(nlp).model.get_ref("tok2vec")
    receive = heard.receive
    heard.receive = lambda batch_id, outputs, backprop: receive(
        batch_id, outputs, lambda d: calls.append([*map(len, d)]) or backprop(d)
    )
    nlp.update(batch, sgd=Adam(0.01))
    assert calls == [[len(example.predicted) for example in batch]]


def test_a_width_known_only_at_initialisation_is_taken():
    """A transformer's listener has none until one is set."""

    def forward(model, docs, is_train):
        size = model.get_dim("nO")
        found = [model.ops.xp.ones((len(doc), size), dtype="f") for doc in docs]
        return found, lambda d_vectors: []

    nlp = blank()
    parser = add_parser(nlp)
    inner = Model("lazy", forward, dims={"nO": None})
    outer = chain(inner, Model("same", lambda m, x, is_train: (x, lambda d: d)))
    parser.model.replace_node(parser.model.get_ref("tok2vec"), outer)
    assert parser.model.get_ref("tok2vec").maybe_get_dim("nO") is None
    with pytest.raises(ValueError, match=r"nO|width"):
        parser.initialize(lambda: make_examples(nlp))
    inner.set_dim("nO", 12)
    nlp.initialize(lambda: [without_words(nlp), *make_examples(nlp)])
    assert get_module(nlp).settings["input_width"] == 12
    assert nlp.update(make_examples(nlp), sgd=Adam(0.01))[NAME] > 0
    assert len(parse(nlp)) == 4


def test_a_listener_of_another_width_is_told_so():
    nlp = blank()
    nlp.add_pipe("tok2vec", config={"model": hash_embed(24)})
    add_parser(nlp, listener(16))
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    message = "of width 24, but .* takes width 16"
    with pytest.raises(ValueError, match=message):
        nlp.update(examples)
