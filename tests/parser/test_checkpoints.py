"""What a training leaves that is killed while it saves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from helpers.pipelines import initialized, make_examples, parse
from spacy.training import loop

from spacy_gfl.parser.checkpoints import keep_checkpoints_whole

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


class Killed(BaseException):
    pass


def train(output, steps, monkeypatch):
    """spaCy's loop on a pipeline that is best at every step."""
    nlp = initialized()
    scores = iter(range(100))
    monkeypatch.setattr(type(nlp), "evaluate", lambda *_: {"con_f": next(scores)})
    nlp.config["training"].update(
        {
            "logger": {"@loggers": "spacy_gfl.WholeCheckpoints.v1"},
            "score_weights": {"con_f": 1.0},
            "max_steps": steps,
            "eval_frequency": 1,
        }
    )
    corpora = [lambda nlp: make_examples(nlp)] * 2
    monkeypatch.setattr(loop, "resolve_dot_names", lambda *_: corpora)
    output.mkdir(exist_ok=True)
    loop.train(nlp, output)


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_the_best_is_the_last_where_it_is_better(tmp_path, monkeypatch):
    train(tmp_path, 3, monkeypatch)
    assert {path.name for path in tmp_path.iterdir()} == {"model-best", "model-last"}
    assert contents(tmp_path / "model-best") == contents(tmp_path / "model-last")
    assert loop.shutil is shutil


@pytest.mark.parametrize("n_files", [0, 1, 5, 12, 16, 22])
def test_the_best_stays_whole_while_a_better_one_is_saved(
    tmp_path, monkeypatch, n_files
):
    """Killed after so many copied files, of the twelve or so that a pipeline has."""
    output, copied = tmp_path / "training", 0
    copy = shutil.copy2

    def copy_some(*arguments, **settings):
        nonlocal copied
        if copied == n_files:
            # As it lies there now; what Python still does, the killed would not.
            shutil.copytree(output, tmp_path / "left", copy_function=copy)
            raise Killed
        copied += 1
        return copy(*arguments, **settings)

    monkeypatch.setattr(shutil.copytree, "__defaults__", defaults(copy_some))
    with pytest.raises(Killed):
        train(output, 3, monkeypatch)
    best = tmp_path / "left" / "model-best"
    assert best.exists() == (n_files >= 12)
    if best.exists():
        assert len(contents(best)) == 11
        assert parse(spacy.load(best))
    assert loop.shutil is shutil
    # The next training is not hindered by what this one has left.
    monkeypatch.setattr(shutil.copytree, "__defaults__", defaults(copy))
    train(output, 1, monkeypatch)
    assert {path.name for path in output.iterdir()} == {"model-best", "model-last"}


def defaults(copy):
    """Those of shutil.copytree, with another copy_function."""
    symlinks, ignore, _, *others = shutil.copytree.__defaults__
    return (symlinks, ignore, copy, *others)


def test_another_logger_logs():
    seen = []

    def logger(nlp, *streams):
        return seen.append, lambda: seen.append("end")

    log_step, finalize = keep_checkpoints_whole(logger)(spacy.blank("en"), None, None)
    assert loop.shutil is not shutil
    log_step({"step": 1})
    finalize()
    assert seen == [{"step": 1}, "end"]
    assert loop.shutil is shutil


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--number", "3"], ["--every-operation"]])
def test_killed_trainings(how):
    """`pytest -m slow tests/parser/test_checkpoints.py`."""
    script = str(BENCHMARKS / "killed_training.py")
    command = [sys.executable, "-W", "ignore", script, *how, "--steps", "10"]
    subprocess.run(command, check=True)
