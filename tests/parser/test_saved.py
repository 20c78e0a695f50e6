"""Pipelines that version 0.1 saved load, and parse as they did."""

import pytest
import spacy
import srsly
from spacy.tokens import Doc


@pytest.mark.parametrize("cell", ["standard", "paper"])
def test_saved_pipelines_give_the_same_trees(data, cell):
    folder = data / "saved-0.1"
    nlp = spacy.load(folder / cell)
    expected = srsly.read_json(folder / f"{cell}.json")
    docs = [Doc(nlp.vocab, sentence["words"]) for sentence in expected]
    for doc, sentence in zip(nlp.pipe(docs), expected, strict=True):
        assert doc._.parse_strings == [sentence["tree"]]
        [log_prob] = doc.spans["constituents"].attrs["log_probs"]
        assert log_prob == pytest.approx(sentence["log_prob"], abs=1e-4)
