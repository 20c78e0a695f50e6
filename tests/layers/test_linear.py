"""Linear maps and LSTMs in each precision that there is."""

import copy
import pickle

import numpy
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
from torch import nn
from torch.profiler import ProfilerActivity, profile

from spacy_gfl.layers.linear import (
    Linear,
    adopt_linear_maps,
    following,
    linear_map,
    row_map,
)
from spacy_gfl.layers.lstm import LSTM, lstm, read
from spacy_gfl.layers.precision import PROCESSORS, multiplying_in, processor

CPU = torch.device("cpu")
#: Each precision, and how far it may be off.
PRECISIONS = {
    name: error
    for name, error in {"fp32": 1e-6, "bf16": 2e-2, "int8": 2e-2}.items()
    # Elsewhere all is fp32.
    if name in ("fp32", *PROCESSORS[processor()].has)
}
pytestmark = pytest.mark.usefixtures("seeded")
every_precision = pytest.mark.parametrize("precision", PRECISIONS)


def assert_near(found, expected, precision):
    error = (found - expected).norm() / expected.norm()
    assert error < PRECISIONS[precision]
    assert found.dtype == expected.dtype == torch.float32


@every_precision
@pytest.mark.parametrize("shape", [(7,), (1, 7), (4, 3, 7)], ids=str)
def test_a_linear_map_is_near_the_exact_one(precision, shape):
    layer, inputs = Linear(7, 5), torch.randn(shape)
    weight, bias = layer.weight.detach(), layer.bias.detach()
    expected = nn.functional.linear(inputs, weight, bias)
    with torch.no_grad(), multiplying_in(precision, CPU):
        assert_near(layer(inputs), expected, precision)
        assert_near(linear_map(weight, bias)(inputs), expected, precision)
        inputs, exact = inputs.tanh(), inputs.tanh() @ weight.t()
        assert_near(linear_map(weight, bounded=True)(inputs), exact, precision)
        if len(shape) == 1:
            row = torch.from_numpy(row_map(weight)(inputs.numpy()))
            assert_near(row, exact, precision)


@every_precision
@pytest.mark.parametrize("lengths", [[7], [1], [3, 2, 2], [30] * 40], ids=str)
def test_an_lstm_is_near_the_exact_one(precision, lengths):
    both = [lstm(3, 4).eval() for _ in range(2)]
    inputs = [torch.randn(len(lengths), max(lengths), 3) for _ in both]
    with torch.no_grad():
        for _ in range(2):
            expected = [
                layer(vectors)[0] for layer, vectors in zip(both, inputs, strict=True)
            ]
            with multiplying_in(precision, CPU):
                found = read(both, inputs, of_states=True)
            for states, exact in zip(found, expected, strict=True):
                assert_near(states, exact, precision)
            # What is made of weights follows them.
            both[0].weight_hh_l0.mul_(-1.0)
    copied = pickle.loads(pickle.dumps(copy.deepcopy(both[0])))
    assert copied.state_dict().keys() == both[0].state_dict().keys()


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_no_random_numbers_are_drawn(context):
    layer, inputs = lstm(3, 4), torch.randn(2, 3, 3)[:, ::2]
    before = torch.random.get_rng_state()
    with context():
        [states] = read([layer], [inputs], of_states=True)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.testing.assert_close(states, layer(inputs)[0])


@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
def test_gradients_are_of_the_weights_themselves(precision):
    """In int8 there are none: it is "auto", which the tests let be fp32."""
    layer, cell = Linear(6, 3), LSTM(3, 4, batch_first=True)
    inputs = torch.randn(2, 5, 6)
    gradients = []
    for name in ("fp32", precision):
        with multiplying_in(name, CPU):
            [states] = read([cell], [layer(inputs)], of_states=True)
        states.square().sum().backward()
        parameters = [*layer.parameters(), *cell.parameters()]
        gradients.append(torch.cat([p.grad.flatten() for p in parameters]))
        layer.zero_grad()
        cell.zero_grad()
    error = (gradients[1] - gradients[0]).norm() / gradients[0].norm()
    assert error < 2e-2


def test_a_row_in_int8_depends_on_no_other():
    # More than are multiplied at a time.
    rows, layers, layer = torch.randn(300, 1, 9), [lstm(9, 4), lstm(9, 4)], Linear(9, 5)
    rows[::7] *= 100.0
    with torch.inference_mode(), multiplying_in("int8", CPU):
        together = [layer(rows), *read(layers, [rows, -rows], of_states=True)]
        for i in range(0, 300, 6):
            row = rows[i : i + 1]
            alone = [layer(row), *read(layers, [row, -row], of_states=True)]
            for one, of_all in zip(alone, together, strict=True):
                # The logistic function differs by a bit from place to place in a row.
                torch.testing.assert_close(one, of_all[i : i + 1], atol=1e-6, rtol=1e-5)


@pytest.mark.skipif("int8" not in PRECISIONS, reason="the processor has none")
def test_a_product_of_int8_has_few_passes_beside_it():
    rows, weight, bias = torch.randn(10, 24), torch.randn(40, 24), torch.randn(40)
    with torch.inference_mode(), multiplying_in("int8", CPU):
        multiply = linear_map(weight, bias)
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as told:
            multiply(rows)
    works = {"abs", "amax", "div", "mul", "mul_", "add_", "addcmul", "round_", "copy_"}
    sizes = [
        max(map(tuple, event.input_shapes), key=len)
        for event in told.events()
        if event.name.removeprefix("aten::") in works
    ]
    # The largest values, quotients, rounding; then floats, and both scales.
    assert sizes.count((10, 24)) <= 5
    assert [shape[1:] for shape in sizes].count((40,)) <= 3


@pytest.mark.parametrize("n_inputs", [3, 6])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("setting", PRECISIONS)
def test_numbers_that_are_not_finite_stay_so(setting, value, n_inputs):
    rows, weight = torch.ones(2, n_inputs), torch.rand(4, n_inputs) + 1.0
    rows[0, 1] = value
    with torch.inference_mode(), multiplying_in(setting, CPU):
        for bounded in (False, True):
            found = linear_map(weight, bounded=bounded)(rows)
            assert not found[0].isfinite().any()
            assert found[1].isfinite().all()
        with numpy.errstate(invalid="ignore"):
            assert not numpy.isfinite(row_map(weight)(rows[0].numpy())).any()


@pytest.mark.parametrize("n_inputs", range(5))
@pytest.mark.parametrize("setting", PRECISIONS)
def test_few_inputs_and_no_rows_are_multiplied_too(setting, n_inputs):
    weight, rows = torch.randn(6, n_inputs), torch.rand(3, 2, n_inputs)
    layers = [lstm(max(n_inputs, 1), max(n_inputs, 1))]
    words = torch.randn(2, 5, max(n_inputs, 1))
    with torch.inference_mode():
        states = read(layers, [words], of_states=False)[0]
        with multiplying_in(setting, CPU):
            for bounded in (False, True):
                multiply = linear_map(weight, bounded=bounded)
                torch.testing.assert_close(
                    multiply(rows), rows @ weight.t(), atol=0.1, rtol=0.0
                )
                assert multiply(rows[:, :0]).shape == (3, 0, 6)
                assert multiply(rows[:0]).shape == (0, 2, 6)
            found = read(layers, [words], of_states=False)[0]
    torch.testing.assert_close(found, states, atol=0.1, rtol=0.0)


@pytest.mark.skipif("bf16" not in PRECISIONS, reason="PyTorch has none here")
def test_linear_maps_of_others_heed_the_precision():
    module = nn.Sequential(
        nn.Linear(6, 4), nn.ModuleList([nn.Linear(4, 2, bias=False)])
    )
    names, inputs = list(module.state_dict()), torch.randn(3, 6)
    weights = list(module.parameters())
    expected = module[0](inputs)
    adopt_linear_maps(module.eval())
    assert list(module.state_dict()) == names
    assert all(map(torch.equal, module.parameters(), weights))
    assert not any(child.training for child in module.modules())
    with torch.no_grad():
        assert torch.equal(module[0](inputs), expected)
        with multiplying_in("int8", CPU):
            assert not torch.equal(module[0](inputs), expected)
        with multiplying_in("bf16", CPU), following(CPU):
            assert module[0](inputs).dtype == torch.bfloat16


@pytest.mark.skipif("int8" not in PRECISIONS, reason="the processor has none")
def test_word_vectors_are_rounded_finely_in_int8():
    """A column of large numbers would cost those beside it all their digits."""
    layer, vectors = lstm(3, 4), torch.randn(5, 1, 3) * torch.tensor([200.0, 1.0, 1.0])
    layer.weight_ih_l0.data[:, 0] = 0.0
    with torch.no_grad():
        exact = layer(vectors)[0]
        with multiplying_in("int8", CPU):
            [found] = read([layer], [vectors], of_states=False)
            [rounded] = read([layer], [vectors], of_states=True)
    assert_near(found, exact, "int8")
    assert (rounded - exact).norm() > 0.1 * exact.norm()


@every_precision
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_trees_are_the_same_and_follow_the_weights(architecture, precision):
    nlp = trained(architecture)
    search = get_parser(nlp).search
    search.precision = precision
    for search.beam_width in (3, 1):
        assert parse(nlp) == LEARNT
    state = get_module(nlp).state_dict()
    assert {value.dtype for value in state.values()} == {torch.float32}
    other = ["(FRAG (NN The) (NN dog) (NN barks) (. .))"]
    train(nlp, make_examples(nlp, other), steps=40)
    assert parse(nlp, other) == [without_tags(other[0])]
