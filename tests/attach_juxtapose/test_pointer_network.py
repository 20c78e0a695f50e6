import math

import pytest
import torch
from helpers.searching import random_vectors
from helpers.transitions import (
    codec,
    deepest,
    every_sequence,
    log_prob_of,
    random_sequence,
    transition_parser,
    tree_of,
)
from torch.profiler import ProfilerActivity, profile

from spacy_gfl.attach_juxtapose.single import SingleSearch
from spacy_gfl.decoding import beam
from spacy_gfl.decoding.tasks import LossTask, SearchTask
from spacy_gfl.layers.precision import multiplying_in

N_LABELS, N_TAGS = 3, 4
CODEC = codec(N_LABELS, N_TAGS)
LENGTHS = [3, 1, 6, 2, 1, 12]
VECTORS = random_vectors(sum(LENGTHS))
VARIANTS = [{}, {"tag_loss": 0.0, "depth": 1}, {"cell": "gru", "bidirectional": False}]
every_variant = pytest.mark.parametrize("settings", VARIANTS, ids=str)


def tiny(n_labels=N_LABELS, n_tags=N_TAGS, **settings):
    return transition_parser(n_labels, n_tags, **settings)


def targets(lengths=LENGTHS):
    drawn = [random_sequence(n, N_LABELS, seed=i) for i, n in enumerate(lengths)]
    return [CODEC.encode(tree_of(CODEC, actions)) for actions in drawn]


@every_variant
def test_the_loss_is_that_of_choices_and_of_half_as_much_of_tags(settings):
    parser = tiny(**settings)
    total = 0.0
    for part, target in zip(VECTORS.split(LENGTHS), targets(), strict=True):
        encoded = parser.encode([part], [len(part)], 0.0)
        total -= log_prob_of(parser, encoded, target)
        if parser.tagger is not None:
            scores = parser.tagger(encoded.words)[0].log_softmax(1)
            tags = torch.as_tensor(target.tags)
            total -= 0.5 * scores.gather(1, tags.unsqueeze(1)).sum().item()
    loss = parser(VECTORS, LENGTHS, LossTask(targets()))
    assert loss.shape == ()
    assert loss.item() == pytest.approx(total, rel=1e-5)


def test_unknown_tags_are_not_learned():
    parser = tiny()
    [target] = targets([5])
    vectors = random_vectors(5)
    known = parser(vectors, [5], LossTask([target])).item()
    none = target._replace(tags=target.tags * 0 - 1)
    loss = parser(vectors, [5], LossTask([none])).item()
    encoded = parser.encode([vectors], [5], 0.0)
    assert loss == pytest.approx(-log_prob_of(parser, encoded, target))
    assert loss < known


def one_by_one_and_together(parser, vectors, lengths):
    """What greedy search finds of single sentences, and as rows of a batch."""
    with torch.inference_mode():
        encoded = parser.encode(list(vectors.split(lengths)), lengths, 0.0)
        steps = parser.decoder_of(encoded)
        _, weights = parser.search_arrays()
        single = [
            SingleSearch(weights, steps, i, n).run() for i, n in enumerate(lengths)
        ]
        together = [
            path for [path] in beam.beam_search(steps, [3 * n for n in lengths])
        ]
    return [[parser.hypothesis(path) for path in paths] for paths in (single, together)]


@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
@pytest.mark.parametrize("max_depth", [1, 3, 64])
def test_a_single_sentence_is_searched_as_in_a_batch(max_depth, precision):
    lengths = sorted(LENGTHS, reverse=True)
    error = 0.05 if precision == "bf16" else 1e-5
    for seed in range(3):
        parser = tiny(seed=seed, max_depth=max_depth).float()
        vectors = random_vectors(sum(lengths), seed=seed).float()
        with multiplying_in(precision, torch.device("cpu")):
            single, together = one_by_one_and_together(parser, vectors, lengths)
        if precision != "bf16":
            assert [h.output for h in single] == [h.output for h in together]
        scores = [h.log_prob for h in together]
        assert [h.log_prob for h in single] == pytest.approx(scores, error, error)


def going_deep(parser):
    """A model that always goes to the bottom, and adds a node there."""
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.zero_()
        parser.depth.weight[0] = 1.0
        parser.of_depth.weight.fill_(10.0)
        parser.score.fill_(10.0)
        parser.parent_label.bias[1:] = torch.tensor([9.0, 8.0, 7.0])
    return parser


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n_words", "n_labels"), [(1, 3), (3, 2), (4, 1)])
def test_all_trees_are_found_and_their_probabilities_sum_to_one(
    seed, n_words, n_labels
):
    parser = tiny(n_labels, seed=seed)
    vocabulary = codec(n_labels)
    vectors = random_vectors(n_words, seed=seed)
    every = every_sequence(n_words, n_labels)
    with torch.no_grad():
        encoded = parser.encode([vectors], [n_words], 0.0)
        trees = (vocabulary.encode(tree_of(vocabulary, actions)) for actions in every)
        scores = [log_prob_of(parser, encoded, tree) for tree in trees]
    assert sum(map(math.exp, scores)) == pytest.approx(1.0)
    width = len(every) + 5
    [found] = parser(vectors, [n_words], SearchTask(width, n_best=width))
    assert sorted(h.output for h in found) == sorted(every)
    ranked = sorted(scores, reverse=True)
    assert [h.log_prob for h in found] == pytest.approx(ranked, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("beam_width", [1, 4, 40])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_trees_grow_no_deeper_than_their_bound(beam_width, max_depth):
    lengths = [12, 1, 3]
    vectors = random_vectors(sum(lengths))
    task = SearchTask(beam_width, n_best=beam_width)
    free, bound = going_deep(tiny(max_depth=64)), tiny(max_depth=max_depth)
    bound.load_state_dict(free.state_dict())
    assert deepest(free(vectors, lengths, task)[0][0].output) == 13
    for hypotheses in bound(vectors, lengths, task):
        assert hypotheses[0].log_prob > -1e9
        assert all(deepest(h.output) <= max_depth for h in hypotheses)
    if max_depth == 1:
        assert bound(vectors, lengths, task)[0][0].output == [(0, 0, 0)] * 12


def test_what_is_deeper_is_not_learned_but_all_else_is():
    parser = tiny(max_depth=2).train()
    deep = [(0, 0, 1), (1, 0, 1), (2, 0, 1), (2, 1, 0), (1, 0, 0)]
    vectors = random_vectors(5).requires_grad_()
    loss = parser(vectors, [5], LossTask([CODEC.encode(tree_of(CODEC, deep))]))
    loss.backward()
    assert 0 < loss < float("inf")
    assert vectors.grad.isfinite().all()
    for name, parameter in parser.named_parameters():
        assert parameter.grad.isfinite().all(), name


#: What gathers rows, copies or multiplies.
WORKS = "index_select gather index embedding_bag cat copy_ mm addmm mv"


def test_a_step_of_the_search_gathers_and_copies_little():
    parser, counts = tiny(), []
    for n_words in (10, 30):
        lengths = [n_words] * 4
        with profile(activities=[ProfilerActivity.CPU]) as told:
            parser(random_vectors(sum(lengths)), lengths, SearchTask())
        names = [event.name.removeprefix("aten::") for event in told.events()]
        counts.append(sum(name in WORKS.split() for name in names))
    assert counts[1] - counts[0] <= 20 * 28
