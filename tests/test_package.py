"""The package as it is installed: entry points, names, and what importing costs."""

import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
import spacy

import spacy_gfl

ROOT = Path(__file__).resolve().parents[1]
GROUPS = (
    "console_scripts",
    "factories",
    "architectures",
    "scorers",
    "readers",
    "span_getters",
    "callbacks",
    "loggers",
)


def installed(group):
    """The entry points of this package in a group, by name."""
    name = group if group == "console_scripts" else f"spacy_{group}"
    ours = (e for e in entry_points(group=name) if e.value.startswith("spacy_gfl"))
    return {entry.name: entry for entry in ours}


@pytest.mark.parametrize("group", GROUPS)
def test_entry_points(group):
    assert installed(group)
    for entry in installed(group).values():
        assert callable(entry.load())


def test_spacy_finds_what_is_registered():
    for registry in ("architectures", "scorers", "readers"):
        for name in installed(registry):
            assert spacy.registry.has(registry, name)
    assert spacy.blank("en").has_factory("constituency_parser")


def test_version():
    assert spacy_gfl.__version__ == version("spacy-gfl")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {spacy_gfl.__version__}" in changelog


def test_public_names_exist():
    assert set(spacy_gfl.__all__) <= set(dir(spacy_gfl))
    for name in spacy_gfl.__all__:
        assert hasattr(spacy_gfl, name)


def run_python(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_loads_no_network():
    code = (
        "import sys, spacy_gfl; "
        "print([n for n in sys.modules if n.startswith('spacy_gfl.decoding') "
        "or n in ('spacy_gfl.parser.component', 'spacy_gfl.parser.architectures')])"
    )
    assert run_python(code).strip() == "[]"


def test_the_factory_needs_no_import():
    code = "import spacy; print(spacy.blank('en').add_pipe('constituency_parser').name)"
    assert run_python(code).strip() == "constituency_parser"
