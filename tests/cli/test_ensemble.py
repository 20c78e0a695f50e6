import spacy
from helpers.cli import done
from helpers.pipelines import LEARNT, parse, trained


def test_two_models_are_joined_into_one_that_parses(tmp_path):
    models = tmp_path
    trained().to_disk(models / "a")
    trained().to_disk(models / "b")
    joined = done("ensemble", models / "a", models / "b", "-o", models / "joined")
    assert joined.stdout == f"Wrote {models / 'joined'}, an ensemble of 2.\n"
    nlp = spacy.load(models / "joined")
    assert parse(nlp) == LEARNT
