import pytest
import torch

from spacy_gfl.seq2seq import encoder as encoder_module
from spacy_gfl.seq2seq.encoder import LSTMEncoder
from spacy_gfl.seq2seq.network import CELLS

IN, WIDTH = 3, 4
LENGTHS = [7, 5, 5, 1]


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def build(depth=3, cell="paper", bias=False):
    encoder = LSTMEncoder(IN, WIDTH, depth, cell, bias).double()
    torch.nn.init.normal_(encoder.first_hidden)
    return encoder


def sentences(lengths=LENGTHS):
    return [torch.randn(n, IN, dtype=torch.double) for n in lengths]


def pad(parts, value=0.0):
    return torch.nn.utils.rnn.pad_sequence(parts, True, value)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("bias", [False, True])
def test_padding_changes_nothing(cell, bias):
    encoder = build(3, cell, bias)
    parts = sentences()
    # What stands in the padding does not matter either.
    vectors, finals = encoder(pad(parts, 99.0), torch.tensor(LENGTHS))
    assert vectors.shape == (4, 7, WIDTH)
    assert len(finals) == 3
    for row, part in enumerate(parts):
        n = len(part)
        alone, ends = encoder(part.unsqueeze(0), torch.tensor([n]))
        torch.testing.assert_close(vectors[row, :n], alone[0])
        for (h, m), (h_alone, m_alone) in zip(finals, ends, strict=True):
            torch.testing.assert_close(h[row], h_alone[0])
            torch.testing.assert_close(m[row], m_alone[0])
        # The final state is that after the sentence's own last word.
        torch.testing.assert_close(finals[-1][0][row], vectors[row, n - 1])


def test_the_longest_sentence_stands_first():
    encoder = build()
    with pytest.raises(ValueError, match=r"first, not \[1, 5\]"):
        encoder(pad(sentences([1, 5])), torch.tensor([1, 5]))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lengths", [LENGTHS, [4, 4, 4], [9, 8, 7, 6, 5, 4, 3, 2, 1]])
def test_the_fused_kernel_equals_the_loop(bias, lengths, monkeypatch):
    encoder = build(cell="lstm", bias=bias).float()
    padded = pad(sentences(lengths), 99.0).float()
    weights = torch.randn(len(lengths), max(lengths), WIDTH)

    def run():
        vectors, finals = encoder(padded, torch.tensor(lengths))
        real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
        vectors = vectors * real.unsqueeze(2)
        total = (vectors * weights).sum()
        for h, m in finals:
            total = total + (h * weights[:, 0]).sum() + (m * weights[:, -1]).sum()
        return vectors, finals, torch.autograd.grad(total, list(encoder.parameters()))

    fused = run()
    monkeypatch.setattr(encoder_module, "_run", encoder_module._step_by_step)
    torch.testing.assert_close(fused, run(), atol=1e-5, rtol=1e-5)


def test_weights_in_one_piece_are_the_same_weights():
    weights = list(build(1, "lstm", True).cells[0].parameters())
    joined = encoder_module._in_one_piece(weights)
    torch.testing.assert_close(joined, weights)
    place = joined[0].data_ptr()
    for part in joined:
        assert part.data_ptr() == place
        place += part.numel() * part.element_size()
    sum(part.pow(2).sum() for part in joined).backward()
    torch.testing.assert_close([w.grad for w in weights], [2 * w for w in weights])


def test_padding_gets_no_gradient():
    encoder = build()
    padded = pad(sentences(), 1.0).requires_grad_()
    vectors, finals = encoder(padded, torch.tensor(LENGTHS))
    (finals[-1][0].sum() + finals[0][1].sum() + vectors[:, 0].sum()).backward()
    for row, n in enumerate(LENGTHS):
        assert padded.grad[row, :n].abs().sum(1).gt(0).all()
        assert not padded.grad[row, n:].any()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_layers_follow_each_other_cell_by_cell(depth):
    encoder = build(depth)
    x = torch.randn(1, 5, IN, dtype=torch.double)
    vectors, finals = encoder(x, torch.tensor([5]))
    layer = list(x[0])
    for cell, first, final in zip(
        encoder.cells, encoder.first_hidden, finals, strict=True
    ):
        state = (first.unsqueeze(0), torch.zeros(1, WIDTH, dtype=torch.double))
        above = []
        for below in layer:
            state = cell(below.view(1, -1), state)
            above.append(state[0])
        torch.testing.assert_close(final, state)
        layer = above
    torch.testing.assert_close(vectors[0], torch.cat(layer))


def test_an_encoder_of_usual_cells_equals_torch():
    encoder = build(depth=2, cell="lstm")
    torch.nn.init.zeros_(encoder.first_hidden)
    lstm = torch.nn.LSTM(IN, WIDTH, 2, bias=False, batch_first=True).double()
    with torch.no_grad():
        for i, cell in enumerate(encoder.cells):
            getattr(lstm, f"weight_ih_l{i}").copy_(cell.input_weight)
            getattr(lstm, f"weight_hh_l{i}").copy_(cell.hidden_weight)
    parts = sentences()
    packed = torch.nn.utils.rnn.pack_sequence(parts)
    expected, (h, m) = lstm(packed)
    vectors, finals = encoder(pad(parts), torch.tensor(LENGTHS))
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(expected, batch_first=True)
    for row, n in enumerate(LENGTHS):
        torch.testing.assert_close(vectors[row, :n], expected[row, :n])
    torch.testing.assert_close(torch.stack([final[0] for final in finals]), h)
    torch.testing.assert_close(torch.stack([final[1] for final in finals]), m)


def test_dropout_works_between_layers_in_training_alone():
    encoder = build()
    batch = pad(sentences()), torch.tensor(LENGTHS)
    expected, expected_finals = encoder(*batch)
    encoder.eval()
    evaluated, _ = encoder(*batch, dropout=0.5)
    torch.testing.assert_close(evaluated, expected)
    encoder.train()
    dropped, finals = encoder(*batch, dropout=0.5)
    assert not torch.allclose(dropped, expected)
    # The first layer reads whole vectors: dropout is between layers.
    torch.testing.assert_close(finals[0], expected_finals[0])
    assert not torch.allclose(finals[1][0], expected_finals[1][0])
    single = build(depth=1).train()
    torch.testing.assert_close(single(*batch, dropout=0.9), single(*batch))


def test_the_first_hidden_vector_is_learned():
    encoder = build()
    vectors, _ = encoder(pad(sentences()), torch.tensor(LENGTHS))
    vectors.sum().backward()
    assert encoder.first_hidden.grad.abs().gt(0).all()
