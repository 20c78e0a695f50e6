"""PyTorch networks as thinc steps, averages, copies and saves them."""

import copy
import pickle

import numpy
import pytest
import torch
from thinc.api import SGD, Adam, ArgsKwargs
from torch import nn

from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.model.weights import dequantize_rows
from spacy_gfl.tools.training.few_bits import quantize_rows, save_in_bits


class Affine(nn.Module):
    def __init__(self, width=3, scale=1.0):
        super().__init__()
        self.settings = {"width": width, "scale": scale}
        self.weight = nn.Parameter(torch.randn(width))
        self.unused = nn.Parameter(torch.ones(1))
        self.scale = scale

    def forward(self, x):
        return (x * self.weight).sum() * self.scale


class Matrix(nn.Linear):
    def __init__(self):
        super().__init__(500, 4)
        self.settings = {}


def make_shim(max_gradient_norm=0.0, **settings):
    return NetworkShim(
        Affine(**settings), build=Affine, max_gradient_norm=max_gradient_norm
    )


def backward(shim, values):
    """Go there and back; gives the input's gradient."""
    x = torch.tensor(values, requires_grad=True)
    loss, backprop = shim(ArgsKwargs(args=(x,), kwargs={}), is_train=True)
    one = torch.ones_like(loss)
    d_loss = ArgsKwargs(args=((loss,),), kwargs={"grad_tensors": (one,)})
    return backprop(d_loss).args[0]


def weight(shim):
    return shim.network.weight.detach().clone()


def step(shim, values):
    """How one step of size 1 moves the weights."""
    before = weight(shim)
    backward(shim, values)
    shim.finish_update(SGD(1.0, L2=0.0, grad_clip=0.0))
    return (before - weight(shim)).tolist()


@pytest.mark.parametrize(
    ("limit", "share"), [(0.0, 1.0), (10.0, 1.0), (1.0, 0.2), (0.5, 0.1)]
)
def test_gradients_are_clipped_by_their_norm(limit, share):
    moved = step(make_shim(limit), [3.0, 0.0, 4.0])
    assert moved == pytest.approx([3.0 * share, 0.0, 4.0 * share], abs=1e-5)


@pytest.mark.parametrize("optimizer", [SGD, Adam])
def test_the_rate_is_a_multiple_of_the_optimizers(optimizer):
    slow, fast = make_shim(), make_shim()
    fast.network.load_state_dict(slow.network.state_dict())
    fast.learn_rate_factor = 10.0
    shared = optimizer(0.01, L2=0.0, grad_clip=0.0)
    before = weight(slow)
    for shim in (slow, fast):
        backward(shim, [1.0, -2.0, 3.0])
        shim.finish_update(shared)
    moved = [before - weight(shim) for shim in (slow, fast)]
    assert moved[0].abs().min() > 0
    assert (10 * moved[0]).tolist() == pytest.approx(moved[1].tolist(), rel=1e-3)
    assert shared.learn_rate == 0.01


SETTINGS = {
    "plain": {},
    "decay": {"L2": 0.1},
    "l2": {"L2": 0.1, "L2_is_weight_decay": False},
    "clipped": {"grad_clip": 0.5},
    "l2 clipped": {"L2": 0.1, "L2_is_weight_decay": False, "grad_clip": 0.5},
    "betas": {"beta1": 0.8, "beta2": 0.95, "eps": 1e-3},
    "averages": {"use_averages": True},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=list(SETTINGS))
def test_the_numbers_are_those_of_thincs_adam(settings):
    def make_optimizer():
        rates = iter([0.1, 0.05, 0.2, 0.01, 0.1])
        return Adam(rates, **{"grad_clip": 0.0, "use_averages": False, **settings})

    shim, ours, thincs = make_shim(width=70), make_optimizer(), make_optimizer()
    expected = weight(shim).numpy().copy()
    random = numpy.random.default_rng(0)
    for size in (1e-4, 1.0, 3.0, 1e-6, 0.1):
        gradient = (random.normal(size=70) * size).astype("f")
        backward(shim, gradient)
        shim.finish_update(ours)
        expected, _ = thincs((0, "weight"), expected, gradient)
        # thinc rounds the betas to single precision.
        assert weight(shim).numpy() == pytest.approx(expected, abs=1e-5)
        if ours.averages is not None:
            average = ours.averages[(shim.id, "weight")]
            expected_average = thincs.averages[(0, "weight")]
            assert average == pytest.approx(expected_average, abs=1e-5)
        ours.step_schedules()
        thincs.step_schedules()
    assert not ours.mom1
    assert shim.network.unused.item() == 1.0


def test_a_loaded_module_is_stepped():
    shim, optimizer = make_shim(), Adam(0.1)
    for _ in range(2):
        backward(shim, [1.0, 2.0, 3.0])
        shim.finish_update(optimizer)
        shim.from_bytes(make_shim().to_bytes())
    before = weight(shim)
    backward(shim, [1.0, 2.0, 3.0])
    shim.finish_update(optimizer)
    assert (before - weight(shim)).tolist() == pytest.approx([0.1] * 3, rel=1e-3)


@pytest.mark.parametrize("limit", [0.0, 1.0])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("bad_at", [0, 1, 2])
def test_a_batch_that_is_not_finite_leaves_the_others(limit, value, bad_at, caplog):
    """What is left out of the network's gradient is left out of its input's."""
    batches = [[0.5, 0.0, 0.0], [0.0, 0.25, 0.0]]
    batches.insert(bad_at, [1.0, value, 1.0])
    shim = make_shim(limit)
    for i, values in enumerate(batches):
        d_x = backward(shim, values)
        expected = [0.0] * 3 if i == bad_at else weight(shim).tolist()
        assert d_x.tolist() == expected
    assert shim.network.weight.grad.tolist() == [0.5, 0.25, 0.0]
    assert shim.network.unused.grad is None
    assert caplog.messages == [
        "Left out a batch, because its gradients are not finite."
    ]
    # What the batches' gradients add up to is stepped.
    assert step(shim, [0.0, 0.0, 0.1]) == pytest.approx([0.5, 0.25, 0.1])
    assert step(shim, [1.0, value, 1.0]) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("make_optimizer", [SGD, Adam])
def test_averages_are_used_for_a_while_and_taken_back_after_errors(make_optimizer):
    shim = make_shim()
    optimizer = make_optimizer(1.0, L2=0.0, grad_clip=0.0, use_averages=True)
    for _ in range(3):
        backward(shim, [1.0, 0.0, -1.0])
        shim.finish_update(optimizer)
    before, parameter = weight(shim), shim.network.weight
    average = optimizer.averages[(shim.id, "weight")]
    with shim.use_params(optimizer.averages):
        assert numpy.allclose(weight(shim).numpy(), average)
        assert not torch.equal(weight(shim), before)
    assert torch.equal(weight(shim), before)
    assert shim.network.weight is parameter
    with (
        pytest.raises(RuntimeError, match="inside"),
        shim.use_params(optimizer.averages),
    ):
        raise RuntimeError("inside")
    assert torch.equal(weight(shim), before)
    # Averages of other networks.
    other = {(shim.id + 1, "weight"): numpy.zeros(3, dtype="f"), (shim.id, "x"): 1}
    with shim.use_params(other):
        assert torch.equal(weight(shim), before)


@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, NetworkShim.copy, lambda shim: pickle.loads(pickle.dumps(shim))],
)
def test_a_copy_has_the_weights_and_learns_by_itself(duplicate):
    shim = make_shim(0.5)
    backward(shim, [1.0, 2.0, 3.0])
    shim.finish_update(Adam(iter([0.1, 0.1])))  # cannot be pickled itself
    other = duplicate(shim)
    assert torch.equal(weight(shim), weight(other))
    step(other, [1.0, 1.0, 1.0])
    assert not torch.equal(weight(shim), weight(other))
    assert other.max_gradient_norm == 0.5


def test_the_average_of_a_copy_is_not_its_originals():
    """As of a frozen tok2vec, of which a parser learns on with a copy."""
    shim = make_shim()
    other, optimizer, before = shim.copy(), Adam(0.1, use_averages=True), weight(shim)
    backward(other, [1.0, 2.0, 3.0])
    other.finish_update(optimizer)
    with shim.use_params(optimizer.averages):
        assert torch.equal(weight(shim), before)


@pytest.mark.parametrize("filled", [True, False])
def test_settings_travel_with_the_weights(filled):
    shim = make_shim(width=5, scale=2.0)
    other = make_shim(width=2) if filled else NetworkShim(build=Affine)
    other.from_bytes(shim.to_bytes())
    assert other.network.settings == {"width": 5, "scale": 2.0}
    assert torch.equal(weight(other), weight(shim))
    assert step(other, [1.0] * 5) == pytest.approx([2.0] * 5)


@pytest.mark.parametrize("bits", [16, 8, 5, 2])
def test_matrices_are_saved_in_fewer_bits_where_asked(bits):
    def made():
        return NetworkShim(Matrix(), build=Matrix)

    shim = made()
    with torch.no_grad():
        shim.network.weight[0] = 0.0
    whole = shim.to_bytes()
    save_in_bits(shim.network, bits)
    saved = shim.to_bytes()
    # Two bytes a weight or one, instead of four.
    assert len(saved) < len(whole) - (3900 if bits == 16 else 5000)
    loaded = made().from_bytes(saved)
    if bits == 16:
        assert torch.equal(weight(loaded), weight(shim).half().float())
    else:
        steps = weight(shim).abs().amax(1, keepdim=True) / (2 ** (bits - 1) - 1)
        difference = (weight(loaded) - weight(shim)).abs()
        assert difference.max() > 0
        # Of a row of zeros, exactly zeros.
        assert (difference <= 0.51 * steps).all()
    assert {p.dtype for p in loaded.network.parameters()} == {torch.float32}
    bias = shim.network.bias
    assert torch.equal(loaded.network.bias, bias.half().float() if bits == 16 else bias)
    # The precision is remembered, and saving again loses nothing more.
    again = made().from_bytes(loaded.to_bytes())
    assert again.network.saved_bits == bits
    assert torch.equal(weight(again), weight(loaded))


def test_a_large_weight_leaves_the_others_of_its_row_their_precision():
    rows = torch.randn(2, 2000, generator=torch.Generator().manual_seed(0))
    rows[0, 0] = 30.0
    saved = dequantize_rows(*quantize_rows(rows, 4))
    assert torch.equal(dequantize_rows(*quantize_rows(saved, 4)), saved)
    differences = (saved - rows).abs()
    assert differences[0].mean() < 1.5 * differences[1].mean()
    assert differences[0, 0] < 1


@pytest.mark.parametrize("bits", [1, 9, 64])
def test_impossible_numbers_of_bits_are_refused(bits):
    with pytest.raises(ValueError, match=f"not {bits}"):
        save_in_bits(make_shim().network, bits)
