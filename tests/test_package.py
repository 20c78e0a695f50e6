"""The package as it is installed: entry points, names, and what importing costs."""

import subprocess
import sys
from importlib.metadata import entry_points, version

import pytest
import spacy
import srsly
from helpers.reading import ROOT

import spacy_gfl

GROUPS = (
    *("console_scripts", "factories", "architectures", "scorers", "readers"),
    *("augmenters", "schedules"),
)


@pytest.mark.parametrize("group", GROUPS)
def test_entry_points_can_be_loaded_and_spacy_finds_them(group):
    rooms = {"console_scripts": group, "schedules": f"thinc_{group}"}
    name = rooms.get(group, f"spacy_{group}")
    ours = [e for e in entry_points(group=name) if e.value.startswith("spacy_gfl")]
    assert ours
    for entry in ours:
        assert callable(entry.load())
        if group in ("architectures", "scorers", "readers"):
            assert spacy.registry.has(group, entry.name)


def test_the_version_is_the_same_everywhere():
    assert spacy_gfl.__version__ == version("spacy-gfl")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {spacy_gfl.__version__}" in changelog
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    conda = srsly.read_yaml(ROOT / "making" / "publishing" / "recipe.yaml")["context"]
    assert citation["version"] == conda["version"] == spacy_gfl.__version__


def test_public_names_exist():
    assert dir(spacy_gfl) == sorted(spacy_gfl.__all__)
    for name in spacy_gfl.__all__:
        assert hasattr(spacy_gfl, name)


def test_importing_installs_the_attributes_and_loads_no_network():
    code = (
        "import sys, spacy_gfl\n"
        "from spacy.tokens import Span\n"
        "assert Span.has_extension('parse_string')\n"
        "print(*(name for name in sys.modules if name.startswith('spacy_gfl.')))"
    )
    command = [sys.executable, "-W", "error::UserWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "spacy_gfl.annotation.extensions" in loaded
    networks = {"decoding", "layers", "pipe.component", "attach_juxtapose"}
    assert not loaded & {f"spacy_gfl.{name}" for name in networks}
