"""en_gfl_inc, where `pip install` has put it."""

import numpy
import pytest
from helpers.cli import done
from helpers.shipped import load, needs

from spacy_gfl import get_parser

PACKAGE = "en_gfl_inc"
pytestmark = needs(PACKAGE)


def test_the_package_is_small_and_notes_words():
    nlp = load(PACKAGE)
    sizes = [file.stat().st_size for file in nlp.path.rglob("*") if file.is_file()]
    assert sum(sizes) < 20_000_000
    assert nlp.meta["license"] == "CC BY-SA 4.0"
    assert all(source["license"] for source in nlp.meta["sources"])
    assert nlp.meta["performance"]["con_f_masc"] > 0.75
    assert get_parser(nlp).search.per_word
    doc = nlp("The keys to the cabinet are on the table. They are old.")
    surprisal = doc._.surprisal
    assert ((surprisal > 0) & (surprisal < 25)).all()
    assert doc._.word_syntax["known"].mean() > 0.8


@pytest.mark.parametrize(
    ("likely", "other"),
    [
        ("The keys are", "The keys is"),
        ("The author is", "The author are"),
        ("He gave it to", "He gave it because of to"),
        ("While he ate , the soup was", "While he ate the soup was"),
        ("She has been", "She has be"),
    ],
)
def test_what_a_reader_expects_surprises_less(likely, other):
    nlp = load(PACKAGE)
    found = [nlp(text)._.surprisal[-1] for text in (likely, other)]
    assert found[0] < found[1]


def test_what_follows_changes_nothing_before():
    nlp = load(PACKAGE)
    texts = ("The old man the boats .", "The old man the boats we saw there .")
    first, other = (nlp(text)._.surprisal[:5] for text in texts)
    assert first == pytest.approx(other, rel=0.05, abs=0.05)
    assert numpy.isfinite(first).all()


def test_predictors_have_all_columns(tmp_path):
    text = tmp_path / "story.txt"
    text.write_text("The dog barked. Nobody heard it.", encoding="utf-8")
    lines = done("predictors", text, "-m", PACKAGE).stdout.splitlines()
    assert len(lines) == 9
    assert all("" not in line.split(",")[-8:] for line in lines)


def test_a_word_that_it_does_not_know_costs_its_spelling():
    costs = {}
    for word in ("house", "greenhouses", "grqxnhvzses"):
        doc = load(PACKAGE)(f"They bought the {word} .")
        row = doc._.word_syntax[3]
        costs[word] = row["surprisal"]
        assert row["known"] == (word == "house")
    assert costs["house"] + 8 < costs["greenhouses"] < costs["grqxnhvzses"] - 8
