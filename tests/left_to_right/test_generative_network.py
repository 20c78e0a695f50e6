"""A parser that predicts words: probabilities of words and trees together."""

import math
from itertools import pairwise

import numpy
import pytest
import torch
from helpers.searching import random_vectors, untrained
from helpers.transitions import SETTINGS, every_sequence, transition_parser

from spacy_gfl import Tree, parse_tree
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.decoding.tasks import LossTask
from spacy_gfl.left_to_right.generative_network import GenerativeNetwork
from spacy_gfl.left_to_right.growth import ActionsTask, GrowthTask
from spacy_gfl.left_to_right.spelling import END_OF_WORD, Spelling
from spacy_gfl.left_to_right.word_codec import (
    CLASSES,
    END,
    NextWords,
    WordedAttachJuxtapose,
    normal_form,
    shape_class,
)

LABELS = ["L0", "L1"]
WORDS = ["a", "b", "c"]
CODEC = WordedAttachJuxtapose(
    LABELS, [(label,) for label in LABELS], (), [*WORDS, END, *CLASSES]
)
OPTIONS = {**SETTINGS, "bidirectional": False, "tag_loss": 0.0, "word_loss": 1.0}
OPTIONS["spelling_width"] = 5


def generative(seed=0, **settings):
    sizes = {"n_labels": 2, "n_tags": 0, "n_words": len(CODEC.words)}
    network = untrained(
        seed, GenerativeNetwork, input_width=5, **{**OPTIONS, **sizes, **settings}
    )
    # Untrained, the softmax would be in single precision.
    return network.double()


def worded(words, actions):
    nodes = CODEC.decode(actions, len(words)).constituents
    return CODEC.encode(Tree(tuple(words), ("XX",) * len(words), tuple(nodes)))


def joint(network, vectors, words, actions):
    """The log-probability of words, actions and the end, teacher-forced."""
    task = LossTask([worded(words, actions)])
    return -network(vectors, [len(words)], task).item()


@pytest.mark.parametrize("words", [["a"], ["b", "a"], ["c", "Xs", "b"]])
def test_the_beam_has_every_tree_with_its_words(words):
    network, vectors = generative(), random_vectors(len(words))
    every = every_sequence(len(words), 2)
    wanted = {tuple(one): joint(network, vectors, words, one) for one in every}
    task = GrowthTask(beam_width=len(every), words=[CODEC.word_ids(words)])
    [growth] = network(vectors, [len(words)], task)
    found = {
        tuple(growth.hypothesis(len(words), k).output): one.log_prob + one.next_word
        for k, one in enumerate(growth.beams[-1])
    }
    assert found.keys() == wanted.keys()
    for output, log_prob in wanted.items():
        assert found[output] == pytest.approx(log_prob, rel=1e-6, abs=1e-5)
    # Given the words before, the trees of each step have the probability of the words.
    for before, beam in pairwise(growth.beams):
        foreseen = [one.log_prob + one.next_word for one in before]
        together = [one.log_prob for one in beam]
        assert numpy.logaddexp.reduce(together) == pytest.approx(
            numpy.logaddexp.reduce(foreseen), rel=1e-6, abs=1e-5
        )


def test_a_beam_does_not_depend_on_other_sentences():
    network, sentences = generative(), [["a", "zz", "b", "c"], ["b", "Xs"], ["c"]]
    vectors = random_vectors(7)
    ids = list(map(CODEC.word_ids, sentences))
    together = network(vectors, [4, 2, 1], GrowthTask(beam_width=6, words=ids))
    assert [len(growth.beams) for growth in together] == [5, 3, 2]
    parts = vectors.split([4, 2, 1])
    for growth, own, told in zip(together, parts, ids, strict=True):
        task = GrowthTask(beam_width=6, words=[told])
        [alone] = network(own, [len(own)], task)
        for beam, other in zip(growth.beams, alone.beams, strict=True):
            for one, same in zip(beam, other, strict=True):
                assert (one.action, one.origin) == (same.action, same.origin)
                assert one[1:] == pytest.approx(same[1:])


def test_words_have_a_distribution():
    network, vectors = generative(), random_vectors(2)
    total = 0.0
    for number in range(len(CODEC.words)):
        told = NextWords(numpy.array([0, number, 0]))
        task = GrowthTask(beam_width=4, words=[told])
        [growth] = network(vectors, [2], task)
        total += math.exp(growth.beams[1][0].next_word)
    assert total == pytest.approx(1, abs=1e-5)


def test_words_are_spelled_byte_by_byte():
    spelling = untrained(0, Spelling, n_kinds=2, width=4).double()
    words = [(0, "a"), (1, "a"), (1, "né" * 40), (0, "")]
    found = spelling(*zip(*words, strict=True))
    for (kind, form), log_prob in zip(words, found.tolist(), strict=True):
        state, total = None, 0.0
        symbols = [END_OF_WORD, *form.encode(), END_OF_WORD]
        for before, after in pairwise(symbols):
            read = spelling.byte.weight[before] + spelling.kind.weight[kind]
            output, state = spelling.reader(read[None, None], state)
            scores = spelling.next_byte(output[0, 0]).log_softmax(0)
            assert scores.exp().sum().item() == pytest.approx(1)
            total += scores[after].item()
        assert log_prob == pytest.approx(total)


def test_a_word_that_is_not_known_has_the_probability_of_class_and_spelling():
    network, vectors = generative(), random_vectors(2)
    found = {}
    for words in (["a", "b"], ["a", "zz"], ["a", "zzz"]):
        task = GrowthTask(beam_width=4, words=[CODEC.word_ids(words)])
        [growth] = network(vectors, [2], task)
        found[words[1]] = growth.beams[1][0].next_word
    of_class = [CODEC.word_ids(["a", "zz"])._replace(spelled=())]
    [growth] = network(vectors, [2], GrowthTask(beam_width=4, words=of_class))
    kind = CLASSES.index(" word")
    spelled = network.spelling([kind] * 2, ["zz", "zzz"]).tolist()
    for form, log_prob in zip(("zz", "zzz"), spelled, strict=True):
        whole = growth.beams[1][0].next_word + log_prob
        assert found[form] == pytest.approx(whole)


def test_training_teaches_to_spell_what_is_not_known():
    network, vectors = generative(), random_vectors(1)
    before, after = (
        network(vectors, [1], LossTask([worded([word], [(0, 0, 1)])]))
        for word in ("a", "zz")
    )
    before.backward()
    assert network.spelling.byte.weight.grad is None
    after.backward()
    assert network.spelling.byte.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_an_encoder_sees_no_word_beyond_those_that_it_looks_ahead_at(ahead):
    network = transition_parser(2, bidirectional=False, look_ahead=ahead)
    vectors = random_vectors(6)
    encoded = [network.encode([vectors], [6], 0.0)]
    changed = vectors.clone()
    changed[4] += 1.0
    encoded.append(network.encode([changed], [6], 0.0))
    same = [
        all(torch.equal(e, o) for e, o in zip(one, other, strict=True))
        for one, other in zip(
            zip(encoded[0].words[0], encoded[0].fences[0], strict=True),
            zip(encoded[1].words[0], encoded[1].fences[0], strict=True),
            strict=True,
        )
    ]
    assert same == [True] * (4 - ahead) + [False] * (2 + ahead)


def test_actions_have_the_probability_that_the_steps_have():
    for network in (generative(), transition_parser(2)):
        vectors = random_vectors(4)
        ids = [CODEC.word_ids(["a", "b", "c", "a"])]
        [growth] = network(vectors, [4], GrowthTask(words=ids))
        output = growth.hypothesis(4, 0).output
        target = worded(["a", "b", "c", "a"], output)
        if not isinstance(network, GenerativeNetwork):
            target = target.actions
        [found] = network(vectors, [4], ActionsTask([target]))
        gained = [beam[0].gained for beam in growth.beams[1:]]
        assert found.tolist() == pytest.approx(gained, abs=1e-5)


def test_settings_that_would_let_it_see_the_next_word_are_refused():
    for wrong in ({"bidirectional": True}, {"look_ahead": 1}, {"word_loss": 0.0}):
        with pytest.raises(
            ValueError, match="A model that predicts the next word needs an encoder"
        ):
            generative(**wrong)
    with pytest.raises(ValueError, match="spelling_width must be 0 or more"):
        generative(spelling_width=-1)
    with pytest.raises(ValueError, match="look_ahead must be at least 0"):
        transition_parser(2, look_ahead=1)


def test_rare_words_are_of_classes():
    brackets = "(S (NP (DT The) (NN dog)) (VP (VBZ barks) (PP (IN in) (CD 1999))))"
    trees = [parse_tree(brackets)] * 2 + [parse_tree("(NP (DT the) (JJ un-dogly))")]
    codec = WordedAttachJuxtapose.from_trees(trees)
    assert codec.words[:3] == (" word", " end", "the")
    words = ["THE", "un-dogly", "Rover", "42", "?", "walks", "'s", "os"]
    ids, spelled = codec.word_ids(words)
    forms = ["un-dogly", "rover", "00", "?", "walks", "'s", "os"]
    assert [word.form for word in spelled] == forms
    assert [word.place for word in spelled] == [*range(1, 8)]
    classes = ["the", " hyphen", " capital", " number", " symbol", " -s", " -s", " -s"]
    assert [codec.words[i] for i in ids] == [*classes, END]
    assert [codec.is_known(word) for word in ("The", "dog")] == [True, False]
    again = WordedAttachJuxtapose.from_json(codec.to_json())
    assert again.words == codec.words
    assert again.with_labels(["X"]).words == codec.words
    with pytest.raises(LabelDataError, match='need a list of "words"'):
        WordedAttachJuxtapose.from_json({**codec.to_json(), "words": ["the"]})


def test_forms_of_words_are_those_of_the_experiments():
    assert [normal_form(w) for w in ("It’s", "B2", "-LRB-")] == ["it's", "b0", "("]
    assert shape_class("-LRB-") == " symbol"
