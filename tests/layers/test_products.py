"""Searching in bfloat16: the same weights in fewer bits."""

from unittest.mock import Mock

import pytest
import spacy
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

from spacy_gfl.layers import products
from spacy_gfl.layers.products import bfloat16_is_faster


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_trees_in_bfloat16_are_the_same_and_follow_the_weights(architecture):
    """The copy in bfloat16 is made anew when training has moved the weights."""
    nlp = trained(architecture)
    search = get_parser(nlp).search
    search.precision = "bf16"
    for search.beam_width in (3, 1):
        assert parse(nlp) == LEARNT
    state = get_module(nlp).state_dict()
    assert {value.dtype for value in state.values()} == {torch.float32}
    other = ["(FRAG (NN The) (NN dog) (NN barks) (. .))"]
    train(nlp, make_examples(nlp, other), steps=40)
    assert parse(nlp, other) == [without_tags(other[0])]


@pytest.mark.parametrize("wanted", ["fp32", "bf16"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_modes_of_torch_leave_no_traces(architecture, wanted, tmp_path):
    trained(architecture).to_disk(tmp_path)
    with torch.inference_mode():
        made_within = spacy.load(tmp_path)
    for mode in (torch.inference_mode(), torch.autocast("cpu", torch.bfloat16)):
        for nlp in (made_within, spacy.load(tmp_path)):
            get_parser(nlp).search.precision = wanted
            with mode:
                assert parse(nlp) == LEARNT
            assert parse(nlp) == LEARNT


@pytest.mark.parametrize("native", [True, False])
def test_auto_is_bfloat16_where_the_processor_has_it(native, monkeypatch):
    module = "spacy_gfl.layers.products.bfloat16_is_faster"
    monkeypatch.setattr(module, lambda: native)
    nlp = trained()
    network = get_module(nlp)
    network.forward = Mock(wraps=network.forward)
    assert parse(nlp) == LEARNT
    task = network.forward.call_args.kwargs["task"]
    assert task.precision == ("bf16" if native else "fp32")


@pytest.mark.parametrize(
    ("known", "fp32", "bf16", "expected"),
    [
        # No instructions: nothing is timed.
        ({"avx512_bw": True, "avx512_bf16": False}, 2, 1, False),
        ({"avx512_bf16": True}, 2, 1, True),
        ({"amx_bf16": True, "avx512_bf16": True}, 4, 1, True),
        ({"architecture": "arm64", "bf16": True}, 2, 1, True),
        # An Intel processor whose AMX is switched off.
        ({"avx512_bf16": True, "amx_bf16": False}, 1, 2, False),
        # So little would change one tree in a hundred for nothing.
        ({"avx512_bf16": True}, 1.1, 1, False),
    ],
)
def test_auto_asks_for_instructions_and_for_speed(
    known, fp32, bf16, expected, monkeypatch
):
    """A processor with these instructions, and the time of a product by precision."""
    ms = {torch.float32: fp32, torch.bfloat16: bf16}
    monkeypatch.undo()
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known, raising=False)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setattr(products, "_seconds", lambda dtype: ms[dtype])
    assert bfloat16_is_faster.__wrapped__() is expected


def test_the_speed_of_a_product_is_measured():
    assert products._seconds(torch.float32) > 0
    assert products._seconds(torch.bfloat16) > 0
