"""The paper's model on tensors alone: its network is the package's, and it learns."""

import json
import runpy
import sys

import pytest
import spacy
import torch
from gpu_data import TABLE, encode, write
from gpu_training import Training
from helpers.pipelines import BRACKETS, SEQ2SEQ, get_module, initialized, parse
from helpers.reading import ROOT

from spacy_gfl.decoding.tasks import LossTask


@pytest.fixture(params=[True, False], ids=["attention", "none"])
def folder(request, tmp_path):
    (tmp_path / "dev.ptb").write_text("\n".join(BRACKETS))
    nlp = initialized(architecture=SEQ2SEQ, depth=3, attention=request.param)
    nlp.to_disk(tmp_path / "start")
    treebank = str(tmp_path / "dev.ptb")
    encode(str(tmp_path / "start"), tmp_path / "run", [treebank + "=16"], treebank, 40)
    return tmp_path


def test_loss_and_gradients_are_the_parsers(folder):
    nlp = spacy.load(folder / "start")
    training = Training(folder / "run")
    network, module = training.network, get_module(nlp).train()
    [*_, bucket] = training.dev
    words, lengths, symbols = bucket.arrays
    loss, _ = network.loss(words, lengths, symbols, dropout=0.0)
    loss.backward()
    order = lengths.argsort(descending=True).tolist()
    rows = [words[i, : lengths[i]].flip(0) for i in order]
    targets = [symbols[i][symbols[i] >= 0].tolist() for i in order]
    vectors = network.weights[TABLE].detach()[torch.cat(rows)]
    module.load_state_dict({k: v for k, v in network.weights.items() if k != TABLE})
    task = LossTask(targets, batch_words=1000, dropout=0.0)
    expected = module(vectors, [len(one) for one in rows], task)
    expected.backward()
    assert float(loss.detach()) == pytest.approx(float(expected.detach()), rel=1e-5)
    for name, parameter in module.named_parameters():
        grad = network.weights[name].grad
        assert torch.allclose(grad, parameter.grad, rtol=1e-3, atol=1e-5), name


def test_it_learns_and_writes_a_pipeline(folder, monkeypatch):
    settings = json.loads((folder / "run/settings.json").read_text())
    settings |= {"learn_rate": 0.01, "warmup": 5, "dropout": 0.0, "batch_words": 60}
    (folder / "run/settings.json").write_text(json.dumps(settings))
    start = Training(folder / "run")
    start.check()
    program = ROOT / "experiments/paper/gpu_training.py"
    monkeypatch.setattr(sys, "argv", ["", str(folder / "run"), "--seconds", "3"])
    runpy.run_path(str(program), run_name="__main__")
    log = json.loads((folder / "run/log.json").read_text())
    assert log[-1]["dev loss"] < start.log[0]["dev loss"]
    write(str(folder / "start"), folder / "run", folder / "trained")
    nlp = spacy.load(folder / "trained")
    assert len(parse(nlp)) == len(BRACKETS)
    written = get_module(nlp).decoder.output.weight
    assert not torch.equal(written, start.network.weights["decoder.output.weight"])
