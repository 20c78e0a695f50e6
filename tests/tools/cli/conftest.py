from pathlib import Path

import pytest
from helpers.pipelines import SEQ2SEQ, initialized


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A pipeline that writes wrong trees to a group of its own, and no tags."""
    folder = tmp_path_factory.mktemp("model")
    nlp = initialized(tag_loss=0.0)
    nlp.get_pipe("constituency_parser").spans_key = "mine"
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """A pipeline of the paper's model, which writes wrong trees."""
    folder = tmp_path_factory.mktemp("paper")
    initialized(architecture=SEQ2SEQ).to_disk(folder)
    return str(folder)


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """Where commands run, with the trees GOLD and PREDICTED of the tests' file."""
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "predicted"):
        Path(f"{name}.ptb").write_text(getattr(request.module, name.upper()))
    return tmp_path
