import pytest
import spacy
from helpers.pipelines import BRACKETS, initialized, parse, trained, without_tags
from typer.testing import CliRunner

from spacy_gfl.cli import app as cli


def run(*arguments):
    return CliRunner().invoke(cli.app, ["ensemble", *map(str, arguments)])


@pytest.fixture
def models(tmp_path):
    trained().to_disk(tmp_path / "a")
    trained().to_disk(tmp_path / "b")
    return tmp_path


def test_two_models(models):
    for _ in range(2):  # It is replaced.
        done = run(models / "a", models / "b", "-o", models / "joined")
        assert done.exit_code == 0, done.output
        assert done.stdout == f"Wrote {models / 'joined'}, an ensemble of 2.\n"
    nlp = spacy.load(models / "joined")
    assert parse(nlp) == [without_tags(text) for text in BRACKETS]


def test_what_is_refused(models):
    (models / "notes").mkdir()
    spacy.blank("en").to_disk(models / "blank")
    other = initialized()
    other.get_pipe("constituency_parser").cfg["vocabulary"]["labels"].reverse()
    other.to_disk(models / "other")
    for arguments, message in (
        (["a", "b", "-o", "notes"], "notes exists and is no pipeline"),
        (["a", "b", "-o", "a"], "a would be both read and written"),
        (["a", "gone", "-o", "c"], "There is no pipeline"),
        (["a", "blank", "-o", "c"], "blank has no constituency_parser"),
        (["a", "other", "-o", "c"], "have learnt other labels or tags"),
    ):
        names = [name if name == "-o" else models / name for name in arguments]
        done = run(*names)
        assert done.exit_code == 1
        assert message in done.stderr
        assert not (models / "c").exists()
