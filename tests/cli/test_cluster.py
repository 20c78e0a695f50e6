"""Work on Ray. Workers take half a minute to start, so that all but one test is slow:

python -m pytest -m slow tests/cli/test_cluster.py
"""

import os
import shutil
import signal
import sys
from functools import partial

import pytest
import spacy
from helpers.cli import done, run
from helpers.pipelines import BRACKETS, trained

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.cluster import map_files
from spacy_gfl.formats import docbin
from spacy_gfl.trees.brackets import parse_tree

TEXTS = [" ".join(parse_tree(text).words) for text in BRACKETS]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    trained().to_disk(folder)
    return str(folder)


@pytest.fixture
def texts(tmp_path):
    """Three files of different sentences."""
    paths = [tmp_path / f"{name}.txt" for name in ("c", "a", "b")]
    for i, path in enumerate(paths):
        path.write_text("\n\n".join([*TEXTS[i:], *TEXTS[:i], *TEXTS[: i + 1]]))
    return paths


@pytest.fixture
def _ray():
    """Ray, whose workers are sent what is defined here: they cannot import it."""
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


def trees(path):
    docs = list(docbin.read(path, spacy.blank("en").vocab))
    return [doc.text for doc in docs], [tree for doc in docs for tree in get_trees(doc)]


def kill_once(folder):
    """Work that a worker dies of, in the middle of the second of three files."""

    def work(number, path):
        mark = folder / f"{number}-{len(list(folder.glob('*')))}"
        mark.touch()
        if number == 1 and len(list(folder.glob("1-*"))) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 2 and len(list(folder.glob("2-*"))) == 1:
            raise OSError(5, "The disk is away", str(path))
        return [number, 10]

    return work


def fail(error):
    def work(number, path):
        raise error

    return work


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("_ray")
class TestOnRay:
    def test_lost_workers_lose_nothing(self, tmp_path, texts):
        make = partial(kill_once, tmp_path / "marks")
        (tmp_path / "marks").mkdir()
        assert sorted(map_files(make, texts, "local", 2)) == [10, 11, 12]
        marks = [path.name[0] for path in (tmp_path / "marks").iterdir()]
        assert sorted(marks) == ["0", "1", "1", "2", "2"]

    @pytest.mark.parametrize("error", [ValueError("No text."), OSError(5, "No disk")])
    def test_errors_of_workers_are_said(self, texts, error):
        with pytest.raises(type(error)) as raised:
            list(map_files(partial(fail, error), texts, "local", 2))
        assert str(raised.value) == str(error)

    def test_silver_is_that_of_one_process(self, model, tmp_path, texts):
        command = ["silver", *texts, "--model", model, "--min-probability", 0.5]
        done(*command, "-o", tmp_path / "one.spacy")
        result = done(
            *command, "-o", tmp_path / "two.spacy", "--ray", "local", "--n-process", 2
        )
        assert trees(tmp_path / "two.spacy") == trees(tmp_path / "one.spacy")
        assert "kept" in result.stdout

    def test_parses_are_those_of_one_process(self, model, tmp_path, texts):
        folder = tmp_path / "parsed"
        done("parse", *texts, "-m", model, "-o", folder, "--ray", "local")
        names = {path.name for path in folder.iterdir()}
        assert names == {"a.spacy", "b.spacy", "c.spacy"}
        for text in texts:
            done("parse", text, "-m", model, "-o", tmp_path / "one.spacy")
            assert trees(folder / f"{text.stem}.spacy") == trees(tmp_path / "one.spacy")


@pytest.mark.parametrize("change", ["text", "model", "settings"])
def test_files_made_of_other_texts_models_or_settings_are_refused(
    model, tmp_path, texts, monkeypatch, change
):
    """What is whole is kept, if it is known to be what would be made again."""
    parsed, folder, copy = [], tmp_path / "out", tmp_path / "model"
    shutil.copytree(model, copy)

    def map_files(make, files, *rest):
        (folder / "c.spacy").touch()
        parsed.append([file.name for file in files])
        return iter(())

    monkeypatch.setattr("spacy_gfl.cli.parse.require_ray", lambda: None)
    monkeypatch.setattr("spacy_gfl.cli.parse.map_files", map_files)
    command = ["parse", texts[0], "-m", copy, "-o", folder, "--ray", "local"]
    done(*command)
    done(*command, texts[1])
    assert parsed == [["c.txt"], ["c.txt", "a.txt"]]
    if change == "text":
        texts[0].write_text(texts[0].read_text().replace("dog", "cat"))
    elif change == "model":
        (copy / "meta.json").write_text("{}")
    else:
        command += ["--beam-width", "2"]
    result = run(*command)
    assert (result.exit_code, len(parsed)) == (1, 2)
    assert "c.spacy is not known to be made of this input" in result.stderr
