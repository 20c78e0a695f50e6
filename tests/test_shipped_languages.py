"""id_gfl_sm and is_gfl_sm, where pip has installed them."""

import pytest
import spacy

from spacy_gfl.annotation.storage import SPANS_KEY

TEXTS = {
    "id_gfl_sm": (
        "Ibu guru membaca buku barunya di halaman sekolah. Anak-anak yang duduk di "
        "depannya bertanya, tetapi tidak ada yang menjawab!",
        ["Ibu guru membaca", "Anak-anak yang"],
        {"S", "NP", "VP", "PP"},
        "CC BY-SA 4.0",
    ),
    "is_gfl_sm": (
        "Kennarinn las nýju bókina sína í garðinum við skólann. Börnin, sem sátu hjá "
        "henni, spurðu margs en enginn gat svarað þeim.",
        ["Kennarinn las", "Börnin, sem"],
        {"S", "IP", "NP", "VP", "PP"},
        "CC BY 4.0",
    ),
}


@pytest.mark.parametrize("package", TEXTS)
def test_a_paragraph_gets_whole_trees(package, tmp_path):
    if not spacy.util.is_package(package):
        pytest.skip(f"needs the package: pip install ./packages/{package}")
    nlp = spacy.load(package)
    text, beginnings, labels, licence = TEXTS[package]
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
    assert nlp.meta["license"] == licence
    assert nlp.meta["sources"][0]["license"] == licence
    assert nlp.meta["performance"][f"con_f_{nlp.lang}"] > 0.78
    nlp.to_disk(tmp_path)
    size = sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())
    assert size < 20_000_000


def test_indonesian_words_are_parted_as_icon_does():
    if not spacy.util.is_package("id_gfl_sm"):
        pytest.skip("needs the package: pip install ./packages/id_gfl_sm")
    nlp = spacy.load("id_gfl_sm")
    words = [token.text for token in nlp.make_doc("Ayahnya hanya punya buku-buku.")]
    assert words == ["Ayah", "nya", "hanya", "punya", "buku", "-", "buku", "."]
