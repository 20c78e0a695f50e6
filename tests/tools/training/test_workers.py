"""Training by several processes: what they share, and what they refuse."""

import runpy
import subprocess
import sys

import numpy
import pytest
import spacy
import torch
from helpers.processes import SMALL, Broken, fail, learn
from helpers.reading import ROOT
from spacy.util import load_config
from thinc.api import Linear

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.tools.training.workers import Workers, _gradients, run

SCRIPT = ROOT / "scripts" / "train.py"


def test_processes_share_the_mean_of_their_gradients(data, tmp_path, capfd):
    run(2, learn, data / "dev.ptb", tmp_path)
    own, shared = zip(*(torch.load(tmp_path / f"{i}.pt") for i in (0, 1)), strict=True)
    assert capfd.readouterr().out.count("only the first") == 1
    differ = 0
    for first, second, a, b in zip(*own, *shared, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)
        torch.testing.assert_close(a, (first + second) / 2)
        differ += not torch.equal(first, second)
    assert differ > 5


def test_a_process_that_cannot_start_ends_all():
    with pytest.raises(RuntimeError, match="A process of the training failed"):
        run(2, fail, Broken())


@pytest.mark.slow
def test_a_failing_process_ends_all():
    with pytest.raises(RuntimeError):
        run(2, fail, 1)


def test_a_gradient_that_one_process_lacks_counts_as_zero(monkeypatch):
    nlp = spacy.blank("en")
    model = Linear(1, 2).initialize()
    nlp.add_pipe("sentencizer").model = model
    monkeypatch.setattr(
        torch.distributed, "all_reduce", lambda sums: sums.add_(torch.ones(len(sums)))
    )
    workers = Workers(0, 2)
    workers._average([*_gradients(nlp)])
    assert model.get_grad("W").tolist() == [[0.5, 0.5]]
    model.set_grad("W", numpy.full((1, 2), 3.0, dtype="float32"))
    workers._average([*_gradients(nlp)])
    assert model.get_grad("W").tolist() == [[2.0, 2.0]]


def test_layers_with_gradients_of_their_own_are_refused(data):
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy_gfl.Seq2Seq.v1", "width": 8}
    model["tok2vec"] = {"@architectures": "spacy_gfl.WordTable.v1", "width": 8}
    nlp.add_pipe("constituency_parser", config={"model": model})
    examples = list(TreebankCorpus(data / "dev.ptb", limit=5)(nlp))
    nlp.initialize(lambda: examples)
    with pytest.raises(TypeError, match="Leave out --workers"):
        Workers(0, 2).share_gradients(nlp)
    Workers().share_gradients(nlp)
    get_parser(nlp).update(examples)


def test_as_many_words_are_read_in_fewer_updates():
    join_updates = runpy.run_path(str(SCRIPT))["join_updates"]
    config = load_config(ROOT / "configs" / "sm.cfg", interpolate=False)
    before = config.copy()
    join_updates(config, 4)
    training, rate = config["training"], config["training"]["optimizer"]["learn_rate"]
    old = before["training"]["optimizer"]["learn_rate"]
    assert training["max_steps"] == -(-before["training"]["max_steps"] // 4)
    assert rate["warmup_steps"] == old["warmup_steps"] // 4
    assert rate["initial_rate"] == 2 * old["initial_rate"]
    assert rate["total_steps"] == "${training.max_steps}"
    for steps, left, factor in [(2000, 1000, 2), (700, 700, 1), (0, 0, 4)]:
        config = before.copy()
        config["training"]["max_steps"] = steps
        join_updates(config, 4)
        training, rate = (
            config["training"],
            config["training"]["optimizer"]["learn_rate"],
        )
        assert training["max_steps"] == left
        assert rate["warmup_steps"] == old["warmup_steps"] // factor
        assert rate["initial_rate"] == old["initial_rate"] * factor**0.5
    for section, name, value in [
        ("optimizer", "learn_rate", 0.1),
        ("batcher", "size", {}),
    ]:
        config = before.copy()
        config["training"][section][name] = value
        with pytest.raises(SystemExit, match="batches of one size"):
            join_updates(config, 4)
    config = before.copy()
    config["training"]["max_epochs"] = 3
    with pytest.raises(SystemExit, match="max_epochs"):
        join_updates(config, 4)


def test_two_processes_train_one_pipeline(data, tmp_path):
    model = [f"components.constituency_parser.model.{k}={v}" for k, v in SMALL.items()]
    paths = [f"paths.{part}={data / 'dev.ptb'}" for part in ("train", "dev")]
    steps = ["training.max_steps=4", "training.eval_frequency=2"]
    recipe = str(ROOT / "configs" / "sm.cfg")
    command = [sys.executable, str(SCRIPT), recipe, *paths, *model, *steps]
    command += ["--output", str(tmp_path), "--workers", "2", "--batch-factor", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    steps = [line.split()[1] for line in done.stdout.splitlines()[-3:]]
    assert steps == ["0", "2", "4"]
    assert get_parser(spacy.load(tmp_path / "model-best")).labels
    assert not (tmp_path / "checkpoint.pt").exists()
