"""What networks of both kinds do alike, however they write trees."""

from functools import partial

import pytest
import torch
from helpers.searching import random_vectors, tiny_parser, vocabulary
from helpers.transitions import codec, random_sequence, transition_parser, tree_of

from spacy_gfl.decoding.tasks import LossTask, SearchTask

LENGTHS = [3, 1, 6, 2, 1, 12]
CODEC, WITHOUT_TAGS = codec(3, 4), codec(3)
TREES = [tree_of(CODEC, random_sequence(n, 3, seed=n)) for n in LENGTHS]


def symbols(**settings):
    """The paper's network, and what it is to write."""
    vocab = vocabulary(3, 2)
    return tiny_parser(vocab, **settings), [vocab.encode(tree) for tree in TREES]


def actions(**settings):
    return transition_parser(3, 4, **settings), [CODEC.encode(tree) for tree in TREES]


NETWORKS = {
    "symbols": symbols,
    "no attention": partial(symbols, attention=False),
    "no input feeding": partial(symbols, input_feeding=False),
    "not reversed": partial(symbols, reverse_input=False),
    "lstm": partial(symbols, cell="lstm", depth=3),
    "actions": actions,
    "no tags": partial(actions, tag_loss=0.0, depth=1),
    "gru": partial(actions, cell="gru", bidirectional=False),
    "looks ahead": partial(actions, bidirectional=False, look_ahead=2),
}
networks = pytest.mark.parametrize("make", NETWORKS.values(), ids=NETWORKS)
VECTORS = random_vectors(sum(LENGTHS))


@networks
@pytest.mark.parametrize("batch_words", [1, 8])
def test_the_loss_is_the_sum_over_sentences_in_any_batches(make, batch_words):
    parser, targets = make()
    vectors = VECTORS.clone().requires_grad_()
    expected = parser(vectors, LENGTHS, LossTask(targets))
    assert expected.shape == ()
    [gradient] = torch.autograd.grad(expected, vectors)
    alone = [
        parser(part, [len(part)], LossTask([target]))
        for part, target in zip(vectors.split(LENGTHS), targets, strict=True)
    ]
    torch.testing.assert_close(sum(alone), expected)
    loss = parser(vectors, LENGTHS, LossTask(targets, batch_words=batch_words))
    torch.testing.assert_close(loss, expected)
    [other] = torch.autograd.grad(loss, vectors)
    torch.testing.assert_close(other, gradient)


def as_learnt(output):
    """What a hypothesis wrote, as a target without tags."""
    if isinstance(output[0], int):
        return output
    return WITHOUT_TAGS.encode(tree_of(WITHOUT_TAGS, output))


@networks
@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize("beam_width", [1, 4])
@torch.no_grad()
def test_a_batch_gives_what_single_sentences_give_each_with_its_loss(
    make, constrained, beam_width
):
    parser, _ = make()
    task = SearchTask(beam_width, n_best=beam_width, constrained=constrained)
    together = parser(VECTORS, LENGTHS, task)
    for part, found in zip(VECTORS.split(LENGTHS), together, strict=True):
        [alone] = parser(part, [len(part)], task)
        assert [one.output for one in found] == [one.output for one in alone]
        assert len({tuple(one.output) for one in found}) == len(found)
        scores = [one.log_prob for one in found]
        assert scores == sorted(scores, reverse=True)
        assert [one.log_prob for one in alone] == pytest.approx(scores)
        tasks = [LossTask([as_learnt(one.output)]) for one in found]
        losses = [parser(part, [len(part)], task).item() for task in tasks]
        expected = [-loss for loss in losses]
        assert scores == pytest.approx(expected, rel=1e-5, abs=1e-6)


@networks
def test_gradients_reach_every_word_and_parameter(make):
    parser, targets = make()
    vectors = VECTORS.clone().requires_grad_()
    parser.train()(vectors, LENGTHS, LossTask(targets)).backward()
    assert vectors.grad.abs().sum(1).gt(0).all()
    for name, parameter in parser.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name


@networks
def test_dropout_works_in_training_alone(make):
    parser, targets = make()
    searched = parser(VECTORS, LENGTHS, SearchTask())
    expected = parser(VECTORS, LENGTHS, LossTask(targets))
    task = LossTask(targets, dropout=0.5)
    torch.testing.assert_close(parser(VECTORS, LENGTHS, task), expected)
    parser.train()
    assert not torch.isclose(parser(VECTORS, LENGTHS, task), expected)
    assert parser.eval()(VECTORS, LENGTHS, SearchTask()) == searched
