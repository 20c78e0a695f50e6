"""making/release/mean_weights.py: one parser of two, of which one went on."""

import runpy

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
from spacy.util import fix_random_seed, load_model

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "mean_weights.py"))


def saved(nlp, path, factor=1.0):
    """The folder of a pipeline, all of whose weights are multiplied by a number."""
    with torch.no_grad():
        for _, weights in SCRIPT["tensors"](nlp):
            weights *= factor
    nlp.to_disk(path)
    return path


def test_weights_are_between_those_of_the_pipelines(tmp_path):
    nlp = trained(ATTACH_JUXTAPOSE)
    expected = parse(nlp)
    weights = [w.clone() for w in get_module(nlp).parameters()]
    # A quarter less than at first, and then three quarters more.
    less = saved(nlp, tmp_path / "less", 0.75)
    more = saved(nlp, tmp_path / "more", 7 / 3)
    SCRIPT["main"](less, more, tmp_path / "mean", share=0.25)
    found = load_model(tmp_path / "mean")
    for before, after in zip(weights, get_module(found).parameters(), strict=True):
        assert torch.allclose(before, after, atol=1e-6)
    assert parse(found) == expected


def test_all_layers_take_part(tmp_path):
    nlp = make_pipeline(architecture=ATTACH_JUXTAPOSE, tok2vec=hash_embed())
    nlp.initialize(lambda: make_examples(nlp))
    start = load_model(saved(nlp, tmp_path / "start"))
    before = dict(SCRIPT["tensors"](start))
    saved(nlp, tmp_path / "end", 3.0)
    SCRIPT["take_mean"](nlp, start, 0.5)
    after = dict(SCRIPT["tensors"](nlp))
    assert len(after) > len(list(get_module(nlp).parameters()))
    assert all(torch.allclose(after[name], 2 * before[name]) for name in before)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden_width": 4}, "differ in the shape of constituency_parser"),
        ({"depth": 2}, "differ in the shape of constituency_parser .* encoder"),
        ({"tok2vec": hash_embed()}, "differ in the shape of constituency_parser"),
        ({}, "did not go on from one parser"),
    ],
)
def test_parsers_of_other_shapes_or_starts_are_refused(settings, message):
    made = []
    for i, of_parser in enumerate([{}, settings]):
        nlp = make_pipeline(architecture=ATTACH_JUXTAPOSE, **of_parser)
        fix_random_seed(i)
        nlp.initialize(lambda nlp=nlp: make_examples(nlp))
        made.append(nlp)
    with pytest.raises(ValueError, match=message):
        SCRIPT["take_mean"](*made, 0.5)
