"""The Indonesian and Icelandic pipelines, where pip has installed them."""

import pytest
from helpers.cli import done
from helpers.shipped import load, needs

import spacy_gfl
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.apps.correction.files import cut_sentences
from spacy_gfl.apps.correction.session import Session
from spacy_gfl.formats import docbin

TEXTS = {
    "id_gfl_sm": (
        "Ibu guru membaca buku barunya di halaman sekolah. Anak-anak yang duduk di "
        "depannya bertanya, tetapi tidak ada yang menjawab!",
        ["Ibu guru membaca", "Anak-anak yang"],
        {"S", "NP", "VP", "PP"},
    ),
    "is_gfl_sm": (
        "Kennarinn las nýju bókina sína í garðinum við skólann. Börnin, sem sátu hjá "
        "henni, spurðu margs en enginn gat svarað þeim.",
        ["Kennarinn las", "Börnin, sem"],
        {"S", "IP", "NP", "VP", "PP"},
    ),
}
TEXTS["id_gfl_trf"] = TEXTS["id_gfl_sm"]
TEXTS["is_gfl_trf"] = TEXTS["is_gfl_sm"]


def packages(*names):
    """Those of them that are installed."""
    rows = [pytest.param(name, marks=needs(name)) for name in names]
    return pytest.mark.parametrize("package", rows)


@packages(*TEXTS)
def test_a_paragraph_gets_whole_trees(package):
    nlp = load(package)
    text, beginnings, labels = TEXTS[package]
    doc = nlp(text)
    assert doc.text == text
    sents = list(doc.sents)
    assert len(sents) == len(beginnings)
    for sent, beginning in zip(sents, beginnings, strict=True):
        assert sent.text.startswith(beginning)
        assert sent._.parse_tree.leaves() == [token.text for token in sent]
        found = {label for span in sent._.constituents for label in span._.labels}
        assert labels <= found
    assert all(token.tag_ for token in doc)
    assert set(doc.spans[SPANS_KEY].attrs["flags"]) == {"ok"}
    assert sents[0]._.head.text in ("membaca", "las")
    assert nlp.meta["performance"][f"con_f_{nlp.lang}"] > 0.78


@needs("id_gfl_sm")
def test_indonesian_words_are_parted_as_icon_does():
    doc = load("id_gfl_sm").make_doc("Ayahnya hanya punya buku-buku.")
    words = [token.text for token in doc]
    assert words == ["Ayah", "nya", "hanya", "punya", "buku", "-", "buku", "."]


@packages("id_gfl_sm", "is_gfl_sm")
def test_what_guides_show_works_in_other_languages(package, tmp_path):
    nlp = load(package)
    text = TEXTS[package][0]
    doc = nlp(text)
    docs = list(nlp.pipe([text, text], n_process=2))
    assert [d._.parse_strings for d in docs] == [doc._.parse_strings] * 2
    docbin.write(tmp_path / "parsed.spacy", docs)
    [read, _] = docbin.read(tmp_path / "parsed.spacy", nlp.vocab)
    assert read._.parse_strings == doc._.parse_strings
    matcher = spacy_gfl.TreeMatcher(nlp.vocab)
    matcher.add("phrases in clauses", ["NP >> S"])
    found = matcher(doc, as_spans=True)
    assert len(found) > 3
    assert all("NP" in span._.labels for span in found)
    sent = next(doc.sents)
    assert "<svg" in spacy_gfl.render(sent, jupyter=False)
    again = nlp.make_doc(text)
    again.spans["constituency_required"] = [again[1:3]]
    assert nlp(again)[1:3]._.is_constituent


@packages("id_gfl_sm", "is_gfl_sm")
def test_silver_trees_and_corrections_work_in_other_languages(package, tmp_path):
    nlp = load(package)
    parsed, silver = tmp_path / "parsed.spacy", tmp_path / "silver.spacy"
    done("parse", TEXTS[package][0], "-o", parsed, "-m", package)
    done("silver", parsed, "-o", silver, "--min-probability", 0)
    assert [doc.lang_ for doc in docbin.read(silver, nlp.vocab)]
    sentences = list(cut_sentences(nlp(TEXTS[package][0])))
    session = Session(nlp, sentences, tmp_path / "mine.ptb")
    session.do("bracket", {"first": 1, "last": 2, "label": "NP"})
    view = session.view()
    assert ("NP", 1, 3) in [(n["label"], n["start"], n["end"]) for n in view["nodes"]]
    assert view["labels"]["NP"] == spacy_gfl.explain("NP", nlp.lang)
    session.do("accept", {})
    session.close()
    assert "(NP" in (tmp_path / "mine.ptb").read_text(encoding="utf-8")
