"""Linear maps and LSTMs in each precision that there is."""

import copy
import pickle

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

from spacy_gfl.layers import products
from spacy_gfl.layers.products import (
    LSTM,
    Linear,
    adopt_linear_maps,
    following,
    in_force,
    linear_map,
    multiplying_in,
    read,
    row_map,
)
from spacy_gfl.layers.recurrent import lstm

CPU = torch.device("cpu")
#: Each precision, and how far it may be off.
PRECISIONS = {"fp32": 1e-6, "bf16": 2e-2, "int8": 2e-2}
if not products._has_rough_products("cpu"):
    del PRECISIONS["bf16"]
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
def test_weights_are_made_ready_once_and_no_random_numbers_drawn(context, monkeypatch):
    products._can_pack.cache_clear()
    layer, inputs, made = lstm(3, 4), [torch.randn(2, 3, 3)[:, ::2]], []
    pack = LSTM._packed
    monkeypatch.setattr(LSTM, "_packed", lambda own: made.append(own) or pack(own))
    before = torch.random.get_rng_state()
    with context():
        for _ in range(3):
            [states] = read([layer], inputs, of_states=True)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert made.count(layer) == products._can_pack("fp32", torch.float32)
    torch.testing.assert_close(states, layer(inputs[0])[0])


def test_weights_are_not_packed_where_pytorch_cannot(monkeypatch):
    layer, inputs = lstm(3, 4), torch.randn(2, 3, 3)
    monkeypatch.setattr(LSTM, "_packed", lambda own: torch.ops.mkldnn.no_such_name)
    products._can_pack.cache_clear()
    with torch.no_grad():
        torch.testing.assert_close(
            read([layer], [inputs], of_states=True)[0], layer(inputs)[0]
        )
    products._can_pack.cache_clear()


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


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_stay_so(value):
    rows = torch.ones(2, 3)
    rows[0, 1] = value
    with torch.inference_mode(), multiplying_in("int8", CPU):
        found = Linear(3, 4)(rows)
    assert not found[0].isfinite().any()
    assert found[1].isfinite().all()


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


@pytest.mark.parametrize(
    ("seconds", "available", "expected"),
    [
        ((2, 1, 3), "rough whole", "bf16"),
        ((2, 1, 3), "whole", "fp32"),
        # An Intel processor whose AMX is switched off.
        ((3, 4, 1), "rough whole", "int8"),
        ((3, 4, 1), "rough", "fp32"),
        ((3, 2, 1), "rough whole", "int8"),
        # So little would change one tree in a hundred for nothing.
        ((1.1, 1, 1.1), "rough whole", "fp32"),
        ((3, 1.1, 1), "rough whole", "bf16"),
        ((3, 1, 1), "", "fp32"),
    ],
)
def test_auto_takes_the_fastest(seconds, available, expected, monkeypatch):
    monkeypatch.undo()
    of_each = dict(zip(("fp32", "bf16", "int8"), seconds, strict=True))
    monkeypatch.setattr(products, "_seconds", lambda name, few=False: of_each[name])
    monkeypatch.setattr(products, "_has_rough_products", lambda _: "rough" in available)
    monkeypatch.setattr(products, "_has_whole_products", lambda: "whole" in available)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert products._fastest.__wrapped__(False) == expected


def test_what_the_processor_lacks_instructions_for_is_not_timed_for_long(monkeypatch):
    """Programs would wait a second for their first tree."""
    monkeypatch.undo()
    timed = []

    def seconds(name, few=False):
        timed.append((name, few))
        return {"fp32": 1, "bf16": 7, "int8": 16}[name]

    monkeypatch.setattr(products, "_seconds", seconds)
    monkeypatch.setattr(products, "_has_rough_products", lambda _: True)
    monkeypatch.setattr(products, "_has_whole_products", lambda: True)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert products._fastest.__wrapped__(False) == "fp32"
    assert {name for name, few in timed if not few} <= {"fp32"}


@pytest.mark.parametrize(
    ("runs", "amx", "avx512_bf16", "expected"),
    [
        (True, True, False, "bf16"),
        (True, False, True, "bf16"),
        (True, False, False, "fp32"),
        (False, True, True, "fp32"),
    ],
)
def test_the_processor_and_no_time_tells_what_auto_learns_in(
    runs, amx, avx512_bf16, expected, monkeypatch
):
    """Times vary, and one seed gives the same weights in every process."""
    monkeypatch.undo()
    monkeypatch.setattr(products, "_seconds", None)
    monkeypatch.setattr(products, "_has_rough_products", lambda _: runs)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    asked = {"_is_amx_tile_supported": amx, "_is_avx512_bf16_supported": avx512_bf16}
    for name, found in asked.items():
        monkeypatch.setattr(torch.cpu, name, lambda found=found: found, raising=False)
    assert products._fastest.__wrapped__(True) == expected


@pytest.mark.parametrize(
    ("setting", "device", "learns", "expected"),
    [
        ("auto", "cuda", False, "bf16"),
        ("int8", "cuda", False, "bf16"),
        ("auto", "cuda", True, "fp32"),
        ("bf16", "cuda", True, "bf16"),
        ("fp32", "cuda", False, "fp32"),
        ("auto", "mps", False, "fp32"),
    ],
)
def test_a_gpu_multiplies_roughly_unless_it_learns(
    setting, device, learns, expected, monkeypatch
):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda emulated: not emulated)
    monkeypatch.setattr(products._here, "setting", (setting, device))
    with torch.set_grad_enabled(learns):
        assert in_force() == expected


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


@pytest.mark.parametrize("broken", [None, RuntimeError])
def test_what_pytorch_lacks_or_gets_wrong_is_single_precision(broken, monkeypatch):
    def multiply(a, b):
        if broken:
            raise broken
        return (a.int() @ b.int()).clamp_(max=2**15 - 1)

    monkeypatch.setattr(torch, "_int_mm", multiply)
    products._has_whole_products.cache_clear()
    with torch.no_grad(), multiplying_in("int8", CPU):
        assert in_force() == "fp32"
    products._has_whole_products.cache_clear()


def test_time_is_measured_and_no_random_numbers_drawn():
    before = torch.random.get_rng_state()
    assert products._seconds("bf16") > products._seconds("bf16", few=True) > 0
    assert torch.equal(torch.random.get_rng_state(), before)


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
