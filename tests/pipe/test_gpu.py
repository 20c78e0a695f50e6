"""The component on a GPU, and in mixed precision on either processor."""

import contextlib

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    BRACKETS,
    LEARNT,
    NAME,
    get_module,
    get_parser,
    hash_embed,
    initialized,
    make_examples,
    make_pipeline,
    parse,
    train,
)
from thinc.api import Adam, get_current_ops, require_cpu, require_gpu, set_current_ops
from thinc.util import to_numpy

from spacy_gfl.layers.precision import processor, resolve
from spacy_gfl.model import shim as shims
from spacy_gfl.model.model import network_shim

DEVICES = {"cpu": "cpu", "gpu": "cuda"}
GPU = pytest.param("gpu", marks=pytest.mark.gpu)


def work_on(device):
    """Make and run models on a device from now on."""
    if device == "gpu":
        pytest.importorskip("cupy")
        require_gpu()
    else:
        require_cpu()


@pytest.fixture(autouse=True)
def leave_the_gpu():
    ops = get_current_ops()
    yield
    set_current_ops(ops)


@pytest.fixture(params=[GPU])
def device(request):
    work_on(request.param)
    return DEVICES[request.param]


def devices(nlp):
    return {parameter.device.type for parameter in get_module(nlp).parameters()}


def state(nlp):
    values = get_module(nlp).state_dict()
    return {name: value.clone().cpu() for name, value in values.items()}


def changed(before, after):
    return any(not torch.equal(after[name], value) for name, value in before.items())


@pytest.mark.parametrize("tok2vec", [None, hash_embed()], ids=["features", "hashes"])
def test_a_parser_learns_and_parses(device, tok2vec):
    nlp = initialized(tok2vec=tok2vec)
    assert devices(nlp) == {device}
    before = state(nlp)
    assert train(nlp) < 0.2
    assert devices(nlp) == {device}
    after = state(nlp)
    assert all(torch.isfinite(value).all() for value in after.values())
    assert changed(before, after)
    assert parse(nlp) == LEARNT
    get_parser(nlp).search.beam_width = 4
    assert parse(nlp) == LEARNT


def test_averaged_weights_are_used_and_taken_back(device):
    nlp = initialized()
    optimizer = Adam(0.02, L2=0.0, grad_clip=0.0, use_averages=True)
    train(nlp, steps=5, optimizer=optimizer)
    shim = network_shim(get_parser(nlp).model)
    before = state(nlp)
    with nlp.use_params(optimizer.averages):
        assert devices(nlp) == {device}
        inside = state(nlp)
        assert len(parse(nlp)) == len(BRACKETS)
    assert devices(nlp) == {device}
    for name, _ in shim.network.named_parameters():
        average = torch.from_numpy(to_numpy(optimizer.averages[(shim.id, name)]))
        assert torch.allclose(inside[name], average, atol=1e-6)
    assert changed(before, inside)
    assert not changed(before, state(nlp))


@pytest.mark.gpu
@pytest.mark.parametrize("pair", ["cpu gpu", "gpu cpu", "gpu gpu"])
def test_a_parser_saved_on_one_device_loads_on_another(pair):
    first, second = pair.split()
    work_on(first)
    nlp = initialized()
    assert train(nlp) < 0.2
    data, saved = nlp.to_bytes(), state(nlp)
    work_on(second)
    loaded = make_pipeline().from_bytes(data)
    assert devices(loaded) == {DEVICES[second]}
    assert not changed(saved, state(loaded))
    assert parse(loaded) == LEARNT
    assert loaded.update(make_examples(loaded), sgd=Adam(0.001))[NAME] < 1.0
    assert devices(loaded) == {DEVICES[second]}


@pytest.mark.parametrize("device", ["cpu", GPU], indirect=True)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_parser_learns_in_mixed_precision(device, architecture):
    if resolve("bf16", processor(DEVICES[device]), learns=True) == "fp32":
        pytest.skip("the processor has no bfloat16")
    nlp = initialized(architecture=architecture)
    exact = nlp.update(make_examples(nlp), drop=0.0, sgd=False)[NAME]
    module = get_module(nlp)
    module.zero_grad(set_to_none=True)
    get_parser(nlp).search.precision = "bf16"
    rounded = nlp.update(make_examples(nlp), drop=0.0, sgd=False)[NAME]
    assert rounded != exact
    assert rounded == pytest.approx(exact, rel=0.02)
    for parameter in module.parameters():
        assert parameter.dtype == torch.float32
        if parameter.grad is not None:
            assert torch.isfinite(parameter.grad).all()
    assert train(nlp, steps=5) < exact
    assert len(parse(nlp)) == len(BRACKETS)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_tensor_says_where_it_is_to_be(architecture, monkeypatch):
    # On a GPU, tensors that do not say are left on the CPU. Here the CPU stands for the
    # GPU, and a device of which nothing can be computed for the CPU.
    def pack(sequences, _pack=torch.nn.utils.rnn.pack_sequence):
        with torch._C.DisableTorchFunction():  # its lengths are the CPU's anyway
            return _pack(sequences)

    @contextlib.contextmanager
    def running():
        with torch.device("meta"):
            yield

    monkeypatch.setattr(shims, "running", running)
    monkeypatch.setattr(torch.nn.utils.rnn, "pack_sequence", pack)
    nlp = initialized(architecture=architecture)
    assert train(nlp) < 0.2
    for width, n_drawn in ((1, 0), (4, 0), (4, 3)):
        search = get_parser(nlp).search
        search.beam_width, search.probabilities = width, n_drawn > 0
        search.n_samples = n_drawn or 20
        assert parse(nlp) == LEARNT
