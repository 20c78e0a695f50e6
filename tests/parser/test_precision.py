"""Searching in bfloat16: the same weights in fewer bits."""

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    BRACKETS,
    get_module,
    get_parser,
    make_examples,
    parse,
    train,
    trained,
    without_tags,
)

LEARNT = [without_tags(text) for text in BRACKETS]
both = pytest.mark.parametrize("architecture", ARCHITECTURES)


@both
def test_same_trees_in_bfloat16(architecture):
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


def test_other_numbers_are_refused():
    search = get_parser(trained()).search
    with pytest.raises(ValueError, match="must be fp32 or bf16, not 'int3'"):
        search.precision = "int3"
