import copy
import pickle

import numpy
import pytest
import srsly
import torch
from thinc.api import SGD, Adam, ArgsKwargs
from torch import nn

from spacy_gfl.parser.shim import ParserShim, serialize_module


class Affine(nn.Module):
    def __init__(self, width=3, scale=1.0):
        super().__init__()
        self.settings = {"width": width, "scale": scale}
        self.weight = nn.Parameter(torch.randn(width))
        self.unused = nn.Parameter(torch.ones(1))
        self.scale = scale

    def forward(self, x):
        return (x * self.weight).sum() * self.scale


def make_shim(max_gradient_norm=0.0, **settings):
    return ParserShim(
        Affine(**settings), build=Affine, max_gradient_norm=max_gradient_norm
    )


def backward(shim, values):
    x = torch.tensor(values)
    loss, backprop = shim(ArgsKwargs(args=(x,), kwargs={}), is_train=True)
    one = torch.ones_like(loss)
    backprop(ArgsKwargs(args=((loss,),), kwargs={"grad_tensors": (one,)}))


def weight(shim):
    return shim._model.weight.detach().clone()


def step(shim, values):
    """How one step of size 1 moves the weights."""
    before = weight(shim)
    backward(shim, values)
    shim.finish_update(SGD(1.0, L2=0.0, grad_clip=0.0))
    return (before - weight(shim)).tolist()


@pytest.mark.parametrize(
    ("limit", "moved"),
    [
        (0.0, [3.0, 0.0, 4.0]),
        (10.0, [3.0, 0.0, 4.0]),
        (1.0, [0.6, 0.0, 0.8]),
        (0.5, [0.3, 0.0, 0.4]),
    ],
)
def test_gradients_are_clipped_by_their_norm(limit, moved):
    assert step(make_shim(limit), [3.0, 0.0, 4.0]) == pytest.approx(moved, abs=1e-5)


@pytest.mark.parametrize("limit", [0.0, 1.0])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_non_finite_updates_are_left_out(limit, value):
    shim = make_shim(limit)
    assert step(shim, [1.0, value, 1.0]) == [0.0, 0.0, 0.0]
    assert shim._model.weight.grad is None
    assert step(shim, [0.5, 0.0, 0.0]) == pytest.approx([0.5, 0.0, 0.0])


def test_momentum_needs_a_gradient():
    shim = make_shim()
    optimizer = Adam(0.1)
    backward(shim, [1.0, 2.0, 3.0])
    shim.finish_update(optimizer)
    before = weight(shim)
    shim.finish_update(optimizer)
    assert torch.equal(weight(shim), before)


def test_gradients_accumulate():
    shim = make_shim()
    backward(shim, [1.0, 0.0, 0.0])
    assert step(shim, [0.0, 2.0, 0.0]) == pytest.approx([1.0, 2.0, 0.0])


def test_averages():
    shim = make_shim()
    optimizer = SGD(1.0, L2=0.0, grad_clip=0.0, use_averages=True)
    for _ in range(3):
        backward(shim, [1.0, 0.0, -1.0])
        shim.finish_update(optimizer)
    before, parameter = weight(shim), shim._model.weight
    average = optimizer.averages[(shim.id, "weight")]
    with shim.use_params(optimizer.averages):
        assert numpy.allclose(weight(shim).numpy(), average)
        assert not torch.equal(weight(shim), before)
    assert torch.equal(weight(shim), before)
    assert shim._model.weight is parameter
    with (
        pytest.raises(RuntimeError, match="inside"),
        shim.use_params(optimizer.averages),
    ):
        raise RuntimeError("inside")
    assert torch.equal(weight(shim), before)


def test_other_parameters_are_not_used():
    shim = make_shim()
    before = weight(shim)
    other = {(shim.id + 1, "weight"): numpy.zeros(3, dtype="f"), (shim.id, "x"): 1}
    with shim.use_params(other):
        assert torch.equal(weight(shim), before)


def test_uninitialised():
    shim = ParserShim(build=Affine)
    with shim.use_params({}):
        pass
    shim.finish_update(Adam(0.1))
    data = shim.to_bytes()
    assert make_shim().from_bytes(data)._model is None
    assert serialize_module(None) == b""


@pytest.mark.parametrize("filled", [True, False])
def test_settings_travel_with_the_weights(filled):
    shim = make_shim(width=5, scale=2.0)
    other = make_shim(width=2) if filled else ParserShim(build=Affine)
    other.from_bytes(shim.to_bytes())
    assert other._model.settings == {"width": 5, "scale": 2.0}
    assert torch.equal(weight(other), weight(shim))
    assert step(other, [1.0] * 5) == pytest.approx([2.0] * 5)


def test_loading_leaves_random_numbers_alone():
    data = make_shim().to_bytes()
    torch.manual_seed(1)
    state = torch.get_rng_state()
    ParserShim(build=Affine).from_bytes(data)
    assert torch.equal(torch.get_rng_state(), state)


def test_nothing_is_unpickled():
    """A pickled callable among the weights is refused, not called."""

    class Evil:
        settings = {}  # noqa: RUF012

        def state_dict(self):
            return {"weight": print}

    data = serialize_module(Evil())
    shim = ParserShim(build=Affine)
    message = {"config": {}, "state": data}
    with pytest.raises(pickle.UnpicklingError):
        shim.from_bytes(srsly.msgpack_dumps(message))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, ParserShim.copy])
def test_copies(duplicate):
    shim = make_shim(0.5)
    other = duplicate(shim)
    step(other, [1.0, 1.0, 1.0])
    assert not torch.equal(weight(shim), weight(other))
    assert other.max_gradient_norm == 0.5


def test_pickle():
    shim = make_shim(0.5)
    other = pickle.loads(pickle.dumps(shim))
    assert torch.equal(weight(shim), weight(other))
