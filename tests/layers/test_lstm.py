from itertools import zip_longest

import pytest
import torch

from spacy_gfl.layers.encoder import RecurrentStack
from spacy_gfl.layers.lstm import LAYERS
from spacy_gfl.layers.padding import drop_features

IN, WIDTH = 3, 4
LENGTHS = [7, 5, 5, 1]
pytestmark = pytest.mark.usefixtures("seeded")


def build(depth, cell="lstm", bidirectional=True):
    encoder = RecurrentStack(IN, WIDTH, depth, cell, bidirectional).double()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter)
    return encoder


def sentences():
    return [torch.randn(n, IN, dtype=torch.double) for n in LENGTHS]


def pad(parts, value=0.0):
    return torch.nn.utils.rnn.pad_sequence(parts, True, value)


def lstm_as_drawn(x, h, s, gates):
    """A proposed state s~, and the gates forget, input and output."""
    i, f, proposed, o = (of_x + of_h for of_x, of_h in gates(x, h))
    s = f.sigmoid() * s + i.sigmoid() * proposed.tanh()
    return o.sigmoid() * s.tanh(), s


def paper_as_written(x, h, m, gates):
    i, f, proposed, o = (of_x + of_h for of_x, of_h in gates(x, h))
    m = m * f.sigmoid() + i.sigmoid() * proposed.tanh()
    return m * o.sigmoid(), m


def gru_as_drawn(x, h, _, gates):
    (r_x, r_h), (z_x, z_h), (n_x, n_h) = gates(x, h)
    z = (z_x + z_h).sigmoid()
    return (1 - z) * (n_x + (r_x + r_h).sigmoid() * n_h).tanh() + z * h, None


def elman(x, h, _, gates):
    [(of_x, of_h)] = gates(x, h)
    return (of_x + of_h).tanh(), None


EQUATIONS = {
    "lstm": lstm_as_drawn,
    "paper": paper_as_written,
    "gru": gru_as_drawn,
    "rnn": elman,
}


def by_steps(cell, layer, words, h=None):
    """The states after each word, and the last h and s, by the cell's equations."""

    def gates(x, h):
        """The sums of each gate, of the input and of the state before."""
        of_x = layer.weight_ih_l0 @ x + layer.bias_ih_l0
        of_h = layer.weight_hh_l0 @ h + layer.bias_hh_l0
        return list(zip(of_x.split(WIDTH), of_h.split(WIDTH), strict=True))

    s, states = torch.zeros(WIDTH, dtype=torch.double), []
    h = s if h is None else h
    for word in words:
        h, s = EQUATIONS[cell](word, h, s, gates)
        states.append(h)
    return torch.stack(states), (h, s)


@pytest.mark.parametrize("cell", LAYERS)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_states_are_those_of_the_cell_s_equations(cell, depth, bidirectional):
    encoder, parts = build(depth, cell, bidirectional), sentences()
    # What stands in the padding does not matter.
    found = encoder(pad(parts, 99.0), torch.tensor(LENGTHS))
    assert found.shape[2] == encoder.output_width == WIDTH * (1 + bidirectional)
    for row, words in enumerate(parts):
        for ahead, back in zip_longest(encoder.forwards, encoder.backwards):
            both = [by_steps(cell, ahead, words)[0]]
            if back is not None:
                both.append(by_steps(cell, back, words.flip(0))[0].flip(0))
            words = torch.cat(both, dim=1)
        torch.testing.assert_close(found[row, : len(words)], words)
        assert not found[row, len(words) :].any()


def test_a_sentence_has_one_mask():
    vectors = torch.ones(5, 7, 100)
    dropped = drop_features(vectors, 0.4, True)
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert 0.4 < (dropped == 0).float().mean() + 0.1 < 0.6
    torch.testing.assert_close(dropped.max(), torch.tensor(1 / 0.6))
    rows = {tuple(row) for row in dropped[:, 0].tolist()}
    assert len(rows) == 5


@pytest.mark.parametrize("cell", ["lstm", "paper"])
def test_states_at_the_ends_are_those_of_single_steps(cell):
    encoder = build(2, cell, bidirectional=False)
    first_hidden = torch.randn(2, WIDTH, dtype=torch.double)
    parts = sentences()
    # What stands in the padding does not matter.
    top, finals = encoder.read_to_ends(pad(parts, 99.0), LENGTHS, first_hidden)
    for row, words in enumerate(parts):
        for layer, hidden, final in zip(
            encoder.forwards, first_hidden, finals, strict=True
        ):
            words, state = by_steps(cell, layer, words, hidden)
            torch.testing.assert_close(tuple(part[row] for part in final), state)
        torch.testing.assert_close(top[row, : len(words)], words)
        assert not top[row, len(words) :].any()


def test_the_longest_sentence_stands_first():
    with pytest.raises(ValueError, match="longest sentence must come first"):
        build(1).read_to_ends(pad(sentences()), [1, 5, 5, 7], torch.zeros(1, WIDTH))
