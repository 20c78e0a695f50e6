"""Searching in bfloat16: the same weights in fewer bits."""

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    LEARNT,
    get_module,
    get_parser,
    make_examples,
    parse,
    train,
    trained,
    without_tags,
)

from spacy_gfl.parser.precision import multiplies_bfloat16

both = pytest.mark.parametrize("architecture", ARCHITECTURES)


@both
def test_trees_in_bfloat16_are_the_same(architecture):
    nlp = trained(architecture)
    search = get_parser(nlp).search
    for beam_width in (1, 3):
        search.beam_width = beam_width
        search.precision = "bf16"
        assert parse(nlp) == LEARNT
    state = get_module(nlp).state_dict()
    assert {value.dtype for value in state.values()} == {torch.float32}


@both
def test_bfloat16_follows_the_weights(architecture):
    """The copy in bfloat16 is made anew when training has moved the weights."""
    nlp = trained(architecture)
    get_parser(nlp).search.precision = "bf16"
    assert parse(nlp) == LEARNT
    other = ["(FRAG (NN The) (NN dog) (NN barks) (. .))"]
    train(nlp, make_examples(nlp, other), steps=40)
    assert parse(nlp, other) == [without_tags(other[0])]


@pytest.mark.parametrize("native", [True, False])
def test_auto_is_bfloat16_where_the_processor_has_it(native, monkeypatch):
    module = "spacy_gfl.parser.precision.multiplies_bfloat16"
    monkeypatch.setattr(module, lambda: native)
    nlp, tasks = trained(), []
    get_module(nlp).register_forward_pre_hook(
        lambda module, args, kwargs: tasks.append(kwargs.get("task")), with_kwargs=True
    )
    assert parse(nlp) == LEARNT
    assert tasks[0].precision == ("bf16" if native else "fp32")


@pytest.mark.parametrize(
    ("has", "expected"),
    [
        ({"avx512_bw": True, "avx512_bf16": False}, False),
        ({"avx512_bf16": True}, True),
        ({"amx_bf16": True}, True),
        ({"architecture": "arm64", "bf16": True}, True),
    ],
)
def test_processors_that_multiply_bfloat16_are_known(has, expected, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has, raising=False)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    multiplies_bfloat16.cache_clear()
    assert multiplies_bfloat16() is expected
    multiplies_bfloat16.cache_clear()
