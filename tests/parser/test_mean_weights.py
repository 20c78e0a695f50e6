"""scripts/mean_weights.py: one parser of several that went on from one."""

import runpy

import numpy
import pytest
import torch
from helpers.pipelines import (
    ATTACH_JUXTAPOSE,
    get_module,
    hash_embed,
    make_examples,
    make_pipeline,
    parse,
    trained,
)
from helpers.reading import ROOT
from spacy.util import fix_random_seed

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "mean_weights.py"))


def saved(nlp, path, factor=1.0):
    """The pipeline on disk, with all its weights multiplied by a number."""
    for node in nlp.get_pipe("constituency_parser").model.walk():
        for name in filter(node.has_param, node.param_names):
            node.set_param(name, node.get_param(name) * factor)
    with torch.no_grad():
        for weights in get_module(nlp).parameters():
            weights *= factor
    nlp.to_disk(path)
    return str(path)


def test_weights_are_the_mean_of_those_of_the_pipelines(tmp_path):
    nlp = trained(ATTACH_JUXTAPOSE)
    expected = parse(nlp)
    weights = [w.clone() for w in get_module(nlp).parameters()]
    # A quarter less than at first, and then a quarter more.
    names = [saved(nlp, tmp_path / "less", 0.75), saved(nlp, tmp_path / "more", 5 / 3)]
    found = SCRIPT["mean_parser"](names)
    for before, after in zip(weights, get_module(found).parameters(), strict=True):
        assert numpy.allclose(before.detach(), after.detach(), atol=1e-6)
    assert parse(found) == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ([{"hidden_width": 4}, {}], "differ in the shape of choice_labels.weight"),
        ([{"tag_loss": 0.0}, {}], "differ in the shape of tagger.bias"),
        ([{"depth": 2}, {}], r"differ in the shape of encoder.backwards.1.bias_hh_l0"),
        ([{"tok2vec": hash_embed()}, {}], "differ in the number of their layers"),
        ([{}, {}], "did not go on from one parser"),
    ],
)
def test_parsers_of_other_shapes_or_starts_are_refused(tmp_path, settings, message):
    names = []
    for i, of_parser in enumerate(settings):
        nlp = make_pipeline(architecture=ATTACH_JUXTAPOSE, **of_parser)
        fix_random_seed(i)
        nlp.initialize(lambda nlp=nlp: make_examples(nlp))
        names.append(saved(nlp, tmp_path / str(i)))
    with pytest.raises(ValueError, match=message):
        SCRIPT["mean_parser"](names)
