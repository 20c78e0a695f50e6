"""How trees grow word by word."""

import math
import pickle

import pytest
from helpers.pipelines import SEQ2SEQ, get_parser, initialized, split, trained

from spacy_gfl import get_trees
from spacy_gfl import steps as steps_of
from spacy_gfl.left_to_right.growth import GrowthTask
from spacy_gfl.model.model import ModelInput


def test_actions_say_how_each_word_joins_the_tree():
    nlp = trained()
    sent = next(split(nlp, "The dog barks.").sents)
    steps = steps_of(get_parser(nlp), sent)
    assert [tuple(step.action) for step in steps] == [
        ("", 0, "", "NP"),
        ("NP", 1, "", ""),
        ("NP", 1, "S", "VP"),
        ("S", 1, "", ""),
    ]
    assert [step.word.text for step in steps] == ["The", "dog", "barks", "."]
    trees = [str(step.trees[0].tree.constituents) for step in steps]
    assert trees[1] == "(Constituent(label='NP', start=0, end=2),)"
    assert all(0.5 < step.probability <= 1 for step in steps)


@pytest.mark.parametrize("k", [1, 5])
def test_the_last_trees_are_those_of_the_search(k):
    nlp = initialized()  # untrained, so that it is in doubt
    parser = get_parser(nlp)
    doc = split(nlp, "Yes. She saw\n a man with a hat.")
    before = doc.to_bytes()
    sents = list(doc.sents)
    steps = [steps_of(parser, sent, k) for sent in sents]
    assert doc.to_bytes() == before
    for sent, of_sentence, ranked in zip(
        sents, steps, parser.n_best(doc, k), strict=True
    ):
        words = [token for token in sent if not token.is_space]
        assert [step.word for step in of_sentence] == words
        for n, step in enumerate(of_sentence, start=1):
            log_probs = [log_prob for _, log_prob in step.trees]
            assert log_probs == sorted(log_probs, reverse=True)
            for tree, _ in step.trees:
                assert tree.words == tuple(token.text for token in words[:n])
        last = of_sentence[-1].trees
        assert [tree for tree, _ in last] == [tree for tree, _ in ranked]
        if k == 1:
            log_prob = sum(math.log(step.probability) for step in of_sentence)
            assert log_prob == pytest.approx(last[0].log_prob, abs=1e-4)
    if k == 1:
        greedy = [of_sentence[-1].trees[0].tree.constituents for of_sentence in steps]
        assert greedy == [tree.constituents for tree in get_trees(parser(doc))]


def test_what_has_no_steps_has_none():
    nlp = trained()
    parser = get_parser(nlp)
    doc = split(nlp, "\n")
    assert [steps_of(parser, sent) for sent in doc.sents] == [[]]
    doc = split(nlp, "The dog barks. Yes.")
    parser.search.max_words = 3
    assert [len(steps_of(parser, sent)) for sent in doc.sents] == [0, 2]


def test_what_is_kept_grows_with_the_number_of_words_and_not_its_square():
    nlp = initialized()
    doc = split(nlp, "man " * 80)

    def size(n_words):
        task = GrowthTask(beam_width=4)
        given = ModelInput([doc], [(0, range(n_words))], task)
        return len(pickle.dumps(get_parser(nlp).model.predict(given)))

    assert size(80) < 2.5 * size(40)


def test_wrong_questions_are_refused():
    nlp = trained()
    parser, doc = get_parser(nlp), split(nlp, "The dog barks.")
    with pytest.raises(ValueError, match="steps needs a sentence, but 'dog barks'"):
        steps_of(parser, doc[1:3])
    with pytest.raises(ValueError, match="steps needs a whole number from 1 to 1000"):
        steps_of(parser, doc[:], 0)
    with pytest.raises(TypeError, match="steps takes a sentence, not a str"):
        steps_of(parser, "The dog barks.")
    with pytest.raises(TypeError, match=r"steps takes a pipeline's parser: get_parser"):
        steps_of(nlp, doc[:])
    nlp = initialized(architecture=SEQ2SEQ)
    with pytest.raises(ValueError, match="does not add one word after the other"):
        steps_of(get_parser(nlp), split(nlp, "Yes.")[:])
