import pytest
import spacy
from helpers.cli import done
from helpers.pipelines import LEARNT, parse, trained

from spacy_gfl import get_parser, steps


def test_two_models_are_joined_into_one_that_parses(tmp_path):
    models = tmp_path
    trained().to_disk(models / "a")
    trained().to_disk(models / "b")
    joined = done("ensemble", models / "a", models / "b", "-o", models / "joined")
    assert joined.stdout == f"Wrote {models / 'joined'}, an ensemble of 2.\n"
    nlp = spacy.load(models / "joined")
    assert parse(nlp) == LEARNT
    with pytest.raises(ValueError, match="members of an ensemble choose together"):
        steps(get_parser(nlp), next(nlp("The dog barks.").sents))
    text = models / "text.txt"
    text.write_text("The dog barks.", encoding="utf-8")
    table = done("predictors", text, "-m", models / "joined").stdout
    assert len(table.splitlines()) == 5
