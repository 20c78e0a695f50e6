import spacy
from helpers.pipelines import BRACKETS, parse, trained, without_tags
from typer.testing import CliRunner

from spacy_gfl.cli import app as cli


def test_two_models(tmp_path):
    models = tmp_path
    trained().to_disk(models / "a")
    trained().to_disk(models / "b")
    for _ in range(2):  # It is replaced.
        command = ["ensemble", f"{models}/a", f"{models}/b", "-o", f"{models}/joined"]
        done = CliRunner().invoke(cli.app, command)
        assert done.exit_code == 0, done.output
        assert done.stdout == f"Wrote {models / 'joined'}, an ensemble of 2.\n"
    nlp = spacy.load(models / "joined")
    assert parse(nlp) == [without_tags(text) for text in BRACKETS]
