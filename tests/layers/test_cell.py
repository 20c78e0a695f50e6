import pytest
import torch

from spacy_gfl.layers.cell import CELLS, Cell

IN, WIDTH, BATCH = 3, 4, 2


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def random_state():
    return torch.randn(BATCH, WIDTH).double(), torch.randn(BATCH, WIDTH).double()


@pytest.mark.parametrize("variant", ["lstm", "paper"])
@pytest.mark.parametrize("bias", [False, True])
def test_steps_equal_the_paper_s_equations(variant, bias):
    cell = Cell(IN, WIDTH, variant, bias).double()
    if bias:
        torch.nn.init.normal_(cell.bias)
    w1, w5, w3, w7 = cell.input_weight.split(WIDTH)
    w2, w6, w4, w8 = cell.hidden_weight.split(WIDTH)
    b_i, b_f, b_c, b_o = cell.bias.split(WIDTH) if bias else [torch.zeros(WIDTH)] * 4
    h, m = random_state()
    state = (h, m)
    for _ in range(4):
        x = torch.randn(BATCH, IN).double()
        new_state = cell(x, state)
        hidden, memory = torch.zeros_like(h), torch.zeros_like(m)
        for row in range(BATCH):
            # Section 2 of the paper, one vector at a time.
            i = torch.sigmoid(w1 @ x[row] + w2 @ h[row] + b_i)
            candidate = torch.tanh(w3 @ x[row] + w4 @ h[row] + b_c)
            f = torch.sigmoid(w5 @ x[row] + w6 @ h[row] + b_f)
            o = torch.sigmoid(w7 @ x[row] + w8 @ h[row] + b_o)
            memory[row] = m[row] * f + i * candidate
            shown = memory[row] if variant == "paper" else torch.tanh(memory[row])
            hidden[row] = shown * o
        torch.testing.assert_close(new_state, (hidden, memory))
        h, m, state = hidden, memory, new_state


def torch_lstm(cell):
    """A `torch.nn.LSTM` with the parameters of a cell."""
    lstm = torch.nn.LSTM(IN, WIDTH, bias=cell.bias is not None).double()
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(cell.input_weight)
        lstm.weight_hh_l0.copy_(cell.hidden_weight)
        if cell.bias is not None:
            lstm.bias_ih_l0.copy_(cell.bias)
            lstm.bias_hh_l0.zero_()
    return lstm


@pytest.mark.parametrize("bias", [False, True])
def test_the_standard_cell_equals_torch(bias):
    cell = Cell(IN, WIDTH, "lstm", bias).double()
    if bias:
        torch.nn.init.normal_(cell.bias)
    lstm = torch_lstm(cell)
    xs = torch.randn(5, BATCH, IN).double()
    ours, theirs = xs.clone().requires_grad_(), xs.clone().requires_grad_()
    start = random_state()
    state, outputs = start, []
    for x in ours:
        state = cell(x, state)
        outputs.append(state[0])
    expected, (h, m) = lstm(theirs, (start[0].unsqueeze(0), start[1].unsqueeze(0)))
    torch.testing.assert_close(torch.stack(outputs), expected)
    torch.testing.assert_close(state, (h[0], m[0]))

    weights = torch.randn(5, BATCH, WIDTH).double()
    (torch.stack(outputs) * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    torch.testing.assert_close(cell.input_weight.grad, lstm.weight_ih_l0.grad)
    torch.testing.assert_close(cell.hidden_weight.grad, lstm.weight_hh_l0.grad)
    if bias:
        torch.testing.assert_close(cell.bias.grad, lstm.bias_ih_l0.grad)


@pytest.mark.parametrize("variant", CELLS)
def test_gradients_are_those_of_the_function(variant):
    cell = Cell(IN, WIDTH, variant, bias=True).double()
    x = torch.randn(BATCH, IN, dtype=torch.double, requires_grad=True)
    h, m = (part.requires_grad_() for part in random_state())
    assert torch.autograd.gradcheck(lambda x, h, m: cell(x, (h, m)), (x, h, m))


def test_the_variants_differ():
    paper = Cell(IN, WIDTH, "paper", bias=False)
    standard = Cell(IN, WIDTH, "lstm", bias=False)
    standard.load_state_dict(paper.state_dict())
    x, state = torch.randn(BATCH, IN), (torch.zeros(BATCH, WIDTH),) * 2
    (paper_h, paper_m), (h, m) = paper(x, state), standard(x, state)
    torch.testing.assert_close(paper_m, m)
    torch.testing.assert_close(paper_h.sign(), h.sign())
    assert (paper_h.abs() > h.abs()).all()


def test_projecting_first_changes_nothing():
    cell = Cell(IN, WIDTH, "paper", bias=True)
    xs, state = torch.randn(BATCH, 6, IN), (torch.randn(BATCH, WIDTH),) * 2
    projected = cell.project(xs)
    assert projected.shape == (BATCH, 6, 4 * WIDTH)
    torch.testing.assert_close(cell.step(projected[:, 3], state), cell(xs[:, 3], state))


def test_the_paper_writes_no_biases():
    assert sorted(dict(Cell(IN, WIDTH, "paper", bias=False).named_parameters())) == [
        "hidden_weight",
        "input_weight",
    ]


def test_the_forget_gate_s_bias_starts_at_one():
    i, f, candidate, o = Cell(IN, WIDTH, "lstm", bias=True).bias.split(WIDTH)
    assert (f == 1).all()
    assert not torch.cat([i, candidate, o]).any()


@pytest.mark.parametrize("variant", ["gru", "", "Paper"])
def test_an_unknown_variant_is_refused(variant):
    with pytest.raises(ValueError, match="must be one of lstm, paper"):
        Cell(IN, WIDTH, variant, bias=True)
