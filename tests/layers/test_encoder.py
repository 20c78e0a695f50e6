"""Encoders: one interface, whatever reads the sentence."""

import pytest
import torch

from spacy_gfl.layers.encoder import ENCODERS, build_encoder

LENGTHS = [5, 3]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("cell", ENCODERS)
@pytest.mark.usefixtures("seeded")
def test_states_are_of_words_alone(cell, bidirectional):
    encoder = build_encoder(cell, 7, 4, 2, bidirectional).eval()
    vectors = torch.randn(2, 5, 7)
    states = encoder(vectors, torch.tensor(LENGTHS))
    assert states.shape == (2, 5, encoder.output_width) == (2, 5, 4 + 4 * bidirectional)
    assert not states[1, 3:].any()
    alone = encoder(vectors[1:, :3], torch.tensor([3]))
    assert torch.allclose(states[1, :3], alone[0], atol=1e-6)


@pytest.mark.parametrize("cell", ["lstm", "paper", "none"])
@pytest.mark.usefixtures("seeded")
def test_a_decoder_of_lstms_begins_where_a_sentence_ends(cell):
    encoder = build_encoder(cell, 7, 4, 2, False).eval()
    vectors = torch.randn(2, 5, 7)
    states, finals = encoder.read_to_ends(vectors, LENGTHS, torch.zeros(2, 4))
    assert states.shape == (2, 5, 4)
    assert [part.shape for final in finals for part in final] == [(2, 4)] * 4
    # The top layer's h is its state at the last word.
    ends = torch.stack([states[0, 4], states[1, 2]])
    assert torch.allclose(finals[-1][0], ends, atol=1e-6)
