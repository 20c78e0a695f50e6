"""The Indonesian and Icelandic pipelines, where pip has installed them."""

import pytest
from helpers.shipped import load, needs

from spacy_gfl import load_language
from spacy_gfl.annotation.storage import SPANS_KEY

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
#: Texts that one pipeline reads, and the subjects of their sentences.
MANY = {
    "da": ("Læreren læste bogen. Børnene sover.", "Læreren, Børnene"),
    "de": ("Der Lehrer las das Buch. Die Kinder schlafen.", "Der Lehrer, Die Kinder"),
    "es": ("La maestra compró un libro. ¿Quién lo leyó?", "La maestra"),
    "fa": ("معلم کتاب را خواند. بچه‌ها خوابیدند.", "معلم"),
    "fi": ("Vanha opettaja luki kirjan. Lapset nukkuvat.", "Vanha opettaja, Lapset"),
    "fr": ("Le maire a ouvert le pont. La ville dort.", "Le maire, La ville"),
    "hr": ("Učiteljica je pročitala knjigu. Djeca spavaju.", "Učiteljica, Djeca"),
    "id": ("Ibu guru membaca buku itu. Anak-anak tidur.", "Ibu guru"),
    "it": ("La maestra ha letto il libro. I bambini dormono.", "La maestra, I bambini"),
    "ko": ("선생님이 책을 읽었다. 아이들이 잔다.", "선생님이, 아이들이"),
    "nb": ("Læreren leste boka. Barna sover.", "Læreren, Barna"),
    "nl": ("De leraar las het boek. De kinderen slapen.", "De leraar, De kinderen"),
    "pl": ("Nauczycielka przeczytała książkę. Dzieci śpią.", "Nauczycielka, Dzieci"),
    "ro": ("Profesoara a citit cartea. Copiii dorm.", "Profesoara, Copiii"),
    "ru": ("Старый учитель читает книгу. Дети спят.", "Старый учитель, Дети"),
    "sl": ("Učiteljica je prebrala knjigo. Otroci so jo brali.", "Učiteljica"),
    "sv": ("Läraren läste boken. Barnen sover.", "Läraren, Barnen"),
    "tr": ("Belediye meclisi toplandı. Kimse ona inanmadı.", "Belediye meclisi"),
}


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


@needs("xx_gfl_trf")
@pytest.mark.parametrize("lang", MANY)
def test_one_pipeline_reads_many_languages(lang):
    text, subjects = MANY[lang]
    doc = load_language(lang)(text)
    assert (doc.lang_, doc.text, len(list(doc.sents))) == (lang, text, 2)
    phrases = {span.text for span in doc._.phrases("NP")}
    assert phrases >= set(subjects.split(", "))
