"""The package as it is installed: entry points, names, and what importing costs."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
import spacy

import spacy_gfl

ROOT = Path(__file__).resolve().parents[1]
# Those of a section of pyproject.toml, which Python 3.10 cannot read itself.
ENTRY_POINTS = {
    "console_scripts": {"spacy-gfl": "spacy_gfl.cli:main"},
    "spacy_factories": {
        "constituency_parser": "spacy_gfl.parser.component:make_constituency_parser"
    },
    "spacy_architectures": {
        "spacy_gfl.Seq2Seq.v1": "spacy_gfl.parser.architectures:build_seq2seq",
        "spacy_gfl.WordTable.v1": "spacy_gfl.parser.embedding:build_word_table",
    },
    "spacy_scorers": {
        "spacy_gfl.bracket_scorer.v1": "spacy_gfl.evaluation.scorer:make_bracket_scorer"
    },
    "spacy_readers": {
        "spacy_gfl.TreebankCorpus.v1": "spacy_gfl.data.corpus:create_treebank_reader"
    },
}


def installed(group):
    """The entry points of this package in a group."""
    return {
        entry.name: entry
        for entry in entry_points(group=group)
        if entry.value.partition(":")[0].partition(".")[0] == "spacy_gfl"
    }


@pytest.mark.parametrize("group", ENTRY_POINTS)
def test_entry_points(group):
    entries = installed(group)
    for name, value in ENTRY_POINTS[group].items():
        assert entries[name].value == value
        assert callable(entries[name].load())
    for entry in entries.values():
        module, _, attribute = entry.value.partition(":")
        assert callable(getattr(import_module(module), attribute))


def test_spacy_finds_what_is_registered():
    for registry in ("architectures", "scorers", "readers"):
        for name in ENTRY_POINTS[f"spacy_{registry}"]:
            assert spacy.registry.has(registry, name)
    assert "constituency_parser" in spacy.blank("en").factory_names


def test_version():
    assert spacy_gfl.__version__ == version("spacy-gfl")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {spacy_gfl.__version__}" in changelog


def test_public_names_exist():
    for name in spacy_gfl.__all__:
        assert hasattr(spacy_gfl, name)


def run_python(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_loads_no_network():
    code = (
        "import sys, spacy_gfl; "
        "print([n for n in sys.modules if n.startswith('spacy_gfl.neural') "
        "or n in ('spacy_gfl.parser.component', 'spacy_gfl.parser.architectures')])"
    )
    assert run_python(code).strip() == "[]"


def test_the_factory_needs_no_import():
    code = "import spacy; print(spacy.blank('en').add_pipe('constituency_parser').name)"
    assert run_python(code).strip() == "constituency_parser"
