"""The folders of experiments/ as places of modules, and how their studies run."""

import sys
from importlib import import_module

import pytest
from helpers.reading import ROOT

sys.path[:0] = [str(folder) for folder in (ROOT / "making" / "experiments").iterdir()]


@pytest.fixture
def run_small(monkeypatch, capsys):
    """Runs a study with few data, and gives what it prints."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, "--small", *map(str, arguments)])
        import_module(name).main()
        return capsys.readouterr().out

    return run
