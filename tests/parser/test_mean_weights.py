"""scripts/mean_weights.py: one parser of several that went on from one."""

import runpy

import numpy
import pytest
import torch
from helpers.pipelines import (
    ATTACH_JUXTAPOSE,
    get_module,
    make_examples,
    make_pipeline,
    parse,
    trained,
)
from helpers.reading import ROOT

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "mean_weights.py"))


def saved(nlp, path, change=0.0):
    """The pipeline on disk, with a number added to all its weights."""
    for node in nlp.get_pipe("constituency_parser").model.walk():
        for name in filter(node.has_param, node.param_names):
            node.set_param(name, node.get_param(name) + change)
    with torch.no_grad():
        for weights in get_module(nlp).parameters():
            weights += change
    nlp.to_disk(path)
    return str(path)


def test_weights_are_the_mean_of_those_of_the_pipelines(tmp_path):
    nlp = trained(ATTACH_JUXTAPOSE)
    expected = parse(nlp)
    weights = [w.clone() for w in get_module(nlp).parameters()]
    # A quarter less than at first, and then a quarter more.
    names = [saved(nlp, tmp_path / "less", -0.25), saved(nlp, tmp_path / "more", 0.5)]
    found = SCRIPT["mean_parser"](names)
    for before, after in zip(weights, get_module(found).parameters(), strict=True):
        assert numpy.allclose(before.detach(), after.detach(), atol=1e-6)
    assert parse(found) == expected


def test_parsers_of_other_shapes_are_refused(tmp_path):
    names = []
    for width in (4, 8):
        nlp = make_pipeline(architecture=ATTACH_JUXTAPOSE, hidden_width=width)
        nlp.initialize(lambda nlp=nlp: make_examples(nlp))
        nlp.to_disk(tmp_path / str(width))
        names.append(str(tmp_path / str(width)))
    with pytest.raises(ValueError, match="differ in the shape"):
        SCRIPT["mean_parser"](names)
