"""Parsing on Ray, whose workers take half a minute to start:

python -m pytest -m slow tests/tools/cli/test_on_ray.py
"""

import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
import spacy
from helpers.cli import done, refusal, run
from helpers.pipelines import BRACKETS, trained

from spacy_gfl import get_trees, parse_tree
from spacy_gfl.tools.cli.on_ray import RayJob, Worker, parse_on_ray, whole_name
from spacy_gfl.tools.treebanks.formats import json_lines

TEXTS = [" ".join(parse_tree(text).words) for text in BRACKETS]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    trained().to_disk(folder)
    return folder


@pytest.fixture
def texts(tmp_path):
    """Three files of different sentences."""
    paths = [tmp_path / f"{name}.txt" for name in ("c", "a", "b")]
    for i, path in enumerate(paths):
        path.write_text("\n".join([*TEXTS[i:], *TEXTS[:i], *TEXTS[: i + 1]]))
    return paths


@pytest.fixture
def _ray():
    """Ray, whose workers are sent what is defined here: they cannot import it."""
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


def trees(files):
    vocab = spacy.blank("en").vocab
    docs = [doc for file in files for doc in json_lines.read(file, vocab)]
    return [(doc.text, tree) for doc in docs for tree in get_trees(doc)]


def load_and_die_once(model, mark):
    """Load a pipeline, and kill the first process that parses with it."""
    nlp = spacy.load(model)
    pipe = nlp.pipe

    def dying(docs, **settings):
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return pipe(docs, **settings)

    nlp.pipe = dying
    return nlp


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("_ray")
class TestOnRay:
    def test_a_killed_worker_loses_nothing(self, model, texts, tmp_path):
        mark, out = tmp_path / "mark", tmp_path / "parsed"
        load = partial(load_and_die_once, model, mark)
        job = RayJob(texts, out, "local", "lines", 2, 2, -1)
        parse_on_ray(load, job)
        assert mark.exists()
        one = tmp_path / "one.jsonl"
        done(
            *("parse", *texts, "-m", model, "-o", one, "--input-format", "lines"),
            *("--batch-size", 2),
        )
        assert trees(sorted(out.iterdir())) == trees([one])

    def test_a_table_has_a_row_per_sentence(self, model, texts, tmp_path):
        out = tmp_path / "parsed.parquet"
        done("parse", texts[0], "-m", model, "-o", out, "--ray", "local")
        table = pytest.importorskip("pyarrow.parquet").read_table(out).to_pydict()
        assert table["text"] == [*TEXTS, TEXTS[0]]
        assert [parse_tree(tree).constituents for tree in table["tree"]] == [
            parse_tree(tree).constituents for tree in [*BRACKETS, BRACKETS[0]]
        ]
        assert all(log_prob < 0 for log_prob in table["log_prob"])
        assert {*table["file"]} == {str(texts[0])}

    def test_what_is_wrong_with_a_line_is_said(self, model, tmp_path):
        bad = tmp_path / "bad.jsonl"
        bad.write_text("{}\n")
        command = ["parse", bad, "-m", model, "-o", tmp_path / "out", "--ray", "local"]
        assert "text: Field required" in refusal(run(*command))


LINES = {
    "path": ["x.jsonl", "y.jsonl", "y.jsonl"],
    "text": [
        '{"text": "Oh!"}',
        '{"text": "Oh! Ann sleeps.", "id": "b", "part": 2, "sent_starts": [0, 4]}',
        '{"text": ""}',
    ],
}


def test_a_worker_keeps_the_names_that_some_documents_have():
    pyarrow = pytest.importorskip("pyarrow")
    worker = Worker(trained, RayJob([], Path("out"), "local", "json", 2, None, -1))
    table = worker(pyarrow.table(LINES)).to_pydict()
    assert (table["id"], table["part"]) == ([None, "b", None], [None, 2, None])


def test_a_row_of_a_table_says_which_sentence_it_is():
    pyarrow = pytest.importorskip("pyarrow")
    job = RayJob([], Path("out.parquet"), "local", "json", 2, None, -1)
    table = Worker(trained, job)(pyarrow.table(LINES)).to_pydict()
    places = zip(table["file"], table["document"], table["sentence"], strict=True)
    assert [*places] == [
        ("x.jsonl", None, 1),
        ("y.jsonl", "b:2", 1),
        ("y.jsonl", "b:2", 2),
        ("y.jsonl", None, 1),
    ]


def test_a_package_goes_before_a_folder_of_its_name_as_in_spacy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("spacy", "mine"):
        (tmp_path / name).mkdir()
    assert whole_name("spacy") == "spacy"
    assert whole_name("mine") == str(tmp_path / "mine")
