import math

import pytest
import torch
from helpers.searching import random_vectors, tiny_parser, vocabulary
from helpers.transitions import transition_parser

from spacy_gfl.decoding.tasks import AttentionTask, Constraints, SearchTask
from spacy_gfl.seq2seq.ensemble_network import EnsembleNetwork

LENGTHS = [3, 1, 5, 2]
WIDTH = 5


def actions(seed, **settings):
    return transition_parser(2, 4, seed, hidden_width=6 + seed, **settings)


def symbols(seed, **settings):
    return tiny_parser(vocabulary(2, run=2), WIDTH, seed, **settings)


MAKERS = pytest.mark.parametrize("make", [actions, symbols])


def ensemble(*parsers):
    joined = EnsembleNetwork(type(parsers[0]), members=[p.settings for p in parsers])
    for own, parser in zip(joined.members, parsers, strict=True):
        own.load_state_dict(parser.state_dict())
    return joined.double().eval()


def vectors(n_members):
    return torch.cat(
        [random_vectors(sum(LENGTHS), WIDTH, seed) for seed in range(n_members)], dim=1
    )


def choices(output):
    """A hypothesis as the decoder chose it."""
    steps = [step if type(step) is tuple else [step] for step in output]
    return [int(part) for step in steps for part in step]


@torch.no_grad()
def by_hand(parsers, of_members, output):
    """The log-probability of one sentence's choices, each mean renormalised."""
    total, states = 0.0, []
    for parser, words in zip(parsers, of_members, strict=True):
        encoded = parser.encode([words], [len(words)], 0.0)
        decoder = parser.decoder_of(encoded)
        states.append((decoder, decoder.start()))
    for choice in choices(output):
        scored = [decoder.score(state) for decoder, state in states]
        weights = [
            math.exp(sum(float(p[0, i]) for p, _ in scored) / len(scored))
            for i in range(scored[0][0].shape[1])
        ]
        total += math.log(weights[choice] / sum(weights))
        chosen = torch.tensor([choice])
        states = [
            (decoder, decoder.extend(state, chosen))
            for (decoder, _), (_, state) in zip(states, scored, strict=True)
        ]
    return total


@MAKERS
@pytest.mark.parametrize("beam_width", [1, 4])
@pytest.mark.parametrize("constrained", [True, False])
def test_scores_are_the_renormalised_means(make, beam_width, constrained):
    parsers = [make(seed) for seed in range(3)]
    task = SearchTask(
        beam_width, n_best=beam_width, n_samples=2, constrained=constrained
    )
    given = vectors(3)
    found = ensemble(*parsers)(given, LENGTHS, task)
    for part, of_sentence in zip(given.split(LENGTHS), found, strict=True):
        assert len(of_sentence) > 2
        for hypothesis in of_sentence:
            expected = by_hand(parsers, part.split(WIDTH, dim=1), hypothesis.output)
            assert hypothesis.log_prob == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_constraints_are_obeyed_by_an_ensemble():
    joined = ensemble(actions(0), actions(1))
    [kept] = joined(vectors(2)[:3], [3], SearchTask(beam_width=8, n_best=8))
    known = [Constraints(required=[(1, 3, None)], forbidden=[(0, 2)])]
    task = SearchTask(beam_width=8, n_best=8, constraints=known)
    [found] = joined(vectors(2)[:3], [3], task)
    scores = {tuple(choices(one.output)): one.log_prob for one in found}
    shared = [one for one in kept if tuple(choices(one.output)) in scores]
    for one in shared:
        assert scores[tuple(choices(one.output))] == pytest.approx(one.log_prob)
    assert len(shared) < len(kept)


def test_attention_is_the_mean_of_the_parsers():
    parsers = [symbols(0), symbols(1)]
    target = [2, 1, 1, 1, 4, 0]
    given = random_vectors(3, 2 * WIDTH)
    [found] = ensemble(*parsers)(given, [3], AttentionTask([target]))
    parts = given.split(WIDTH, dim=1)
    expected = [
        parser(words, [3], AttentionTask([target]))[0]
        for parser, words in zip(parsers, parts, strict=True)
    ]
    torch.testing.assert_close(found, sum(expected) / 2)
