"""The n best trees, the probabilities of constituents, and minimum risk."""

import copy
import math

import pytest
from helpers.pipelines import (
    ARCHITECTURES,
    copy_words,
    get_parser,
    initialized,
    make_examples,
    split,
    train,
    trained,
)
from spacy.tokens import Span
from spacy.training import Example

from spacy_gfl import fit_temperature, get_trees
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.pipe.posteriors import occurrences

TEXTS = ["The dog barks. Yes.", "", "She saw a man with a hat.\n\n Who left? ", "\n"]


@pytest.fixture(scope="module", params=ARCHITECTURES)
def nlp(request):
    """Untrained, so that it is in doubt."""
    return initialized(architecture=request.param)


@pytest.fixture
def doubting(nlp):
    nlp = copy.deepcopy(nlp)
    get_parser(nlp).search.probabilities = True
    return nlp


def group(doc):
    return doc.spans[SPANS_KEY]


@pytest.mark.parametrize("k", [1, 7])
@pytest.mark.parametrize("constrained", [True, False])
def test_n_best_trees_are_ranked_and_different_and_the_beams_comes_first(
    nlp, k, constrained
):
    nlp = copy.deepcopy(nlp)
    parser = get_parser(nlp)
    parser.search.constrained, parser.search.beam_width = constrained, 7
    parser.predict_tags = False
    doc = split(nlp, "The dog barks. She saw a man.")
    before = doc.to_bytes()
    found = parser.n_best(doc, k)
    assert doc.to_bytes() == before
    # Free search may write a tree in several ways.
    least = k if constrained else 1
    assert all(least <= len(of_sentence) <= k for of_sentence in found)
    for sent, of_sentence in zip(doc.sents, found, strict=True):
        trees, log_probs = zip(*of_sentence, strict=True)
        assert len(set(trees)) == len(trees)
        assert list(log_probs) == sorted(log_probs, reverse=True)
        assert log_probs[0] < 0
        for tree in trees:
            assert tree.words == tuple(token.text for token in sent)
            assert set(tree.tags) == {"XX"}
    if constrained:
        assert [of_sentence[0].tree for of_sentence in found] == get_trees(parser(doc))
        log_probs = [of_sentence[0].log_prob for of_sentence in found]
        assert log_probs == pytest.approx(group(doc).attrs["log_probs"], abs=1e-4)


def test_what_is_known_of_trees_holds_for_all_of_them():
    nlp = initialized()
    parser = get_parser(nlp)
    doc = split(nlp, "She saw a man.")
    doc.spans["constituency_required"] = [Span(doc, 2, 4, label="NP")]
    doc.spans["constituency_forbidden"] = [doc[1:4]]
    [found] = parser.n_best(doc, 20)
    trees = [tree.constituents for tree, _ in found]
    parser.search.objective = "max_f1"
    drawn = parser(doc)
    assert drawn[2:4]._.probability == 1.0
    for tree in (*trees, get_trees(drawn)[0].constituents):
        assert ("NP", 2, 4) in tree
        assert (1, 4) not in {node[1:] for node in tree}


def test_wrong_numbers_of_trees_and_wrong_docs_are_refused():
    nlp = trained()
    parser = get_parser(nlp)
    for k in (0, -1, 1001, 1.5, "2", True, None):
        with pytest.raises(ValueError, match="whole number from 1 to 1000, not"):
            parser.n_best(split(nlp, "Yes."), k)
    with pytest.raises(TypeError, match="n_best takes a Doc, not a str"):
        parser.n_best("Yes.", 1)
    with pytest.raises(ValueError, match="sentence boundaries"):
        parser.n_best(nlp.make_doc("The dog barks."), 2)


def test_probabilities_are_kept_if_they_are_asked_for(nlp, doubting):
    for text in TEXTS:
        plain, doc = nlp(text), doubting(text)
        assert "probabilities" not in group(plain).attrs
        assert get_trees(doc) == get_trees(plain)
        scores = group(doc).attrs["probabilities"]
        assert len(scores) == len(group(doc))
        assert all(0.0 <= score <= 1.0 for score in scores)
        # Twenty trees are drawn.
        assert [score * 20 % 1 for score in scores] == pytest.approx([0] * len(scores))


def test_probabilities_are_those_of_all_trees():
    """Against every tree of two words, each with its exact probability."""
    nlp = initialized()
    train(nlp, steps=6)
    parser = get_parser(nlp)
    doc = split(nlp, "She saw")
    [every] = parser.n_best(doc, 1000)
    exact = {}
    for tree, log_prob in every:
        for occurrence in occurrences(tree.constituents):
            exact[occurrence] = exact.get(occurrence, 0.0) + math.exp(log_prob)
    parser.search.probabilities = True
    parser.search.n_samples = 2000
    doc = parser(doc)
    [tree] = get_trees(doc)
    expected = [exact[occurrence] for occurrence in occurrences(tree.constituents)]
    assert group(doc).attrs["probabilities"] == pytest.approx(expected, abs=0.03)
    assert len(expected) > 2
    assert min(expected) > 0.1
    assert max(expected) < 0.9


def test_the_temperature_is_fitted_to_what_is_right():
    nlp = trained()
    parser = get_parser(nlp)
    right = [Example(split(nlp, eg.text), eg.reference) for eg in make_examples(nlp)]
    # All that the parser is sure of is right here, so the surer the better.
    assert fit_temperature(parser, right, [5, 1.0, 20.0]) == 1.0
    # All that the parser is sure of is wrong here, so the less sure the better.
    [wrong] = make_examples(nlp, ["(X (X (A The) (B dog)) (C barks) (D .))"])
    wrong = [Example(split(nlp, wrong.text), wrong.reference)]
    assert fit_temperature(parser, wrong, [1.0, 20.0, 5.0]) == 20.0
    assert (parser.search.temperature, parser.search.probabilities) == (20.0, False)
    with pytest.raises(ValueError, match="gold trees"):
        fit_temperature(parser, [])
    with pytest.raises(ValueError, match="temperature to try"):
        fit_temperature(parser, right, [])
    treeless = split(nlp, "Dogs bark.")
    with pytest.raises(ValueError, match="gold trees"):
        fit_temperature(parser, [Example(treeless, treeless.copy())])
    assert parser.search.temperature == 20.0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_model_that_knows_its_trees_is_sure_and_has_no_risk(architecture):
    sure = trained(architecture)
    docs = [copy_words(eg.reference) for eg in make_examples(sure)]
    best = [get_trees(doc) for doc in sure.pipe([doc.copy() for doc in docs])]
    search = get_parser(sure).search
    search.objective, search.n_samples = "max_f1", 15
    for doc, expected in zip(sure.pipe(docs), best, strict=True):
        assert get_trees(doc) == expected
        assert min(group(doc).attrs["probabilities"]) > 0.8
        assert doc[:]._.probability > 0.8
        # The tree was among the drawn ones.
        assert doc[:]._.log_prob == group(doc).attrs["log_probs"][0] > -3
