"""What depends on the language of a Doc, in languages with a file and without."""

import sys

import pytest
import spacy
from helpers.docs import make_doc
from spacy.vocab import create_vocab

from spacy_gfl import explain, languages
from spacy_gfl.languages.base import all_languages, find_language
from spacy_gfl.tools.evalb import load_parameters, score_pair
from spacy_gfl.trees.labels import TAGS

INDONESIAN = (
    "(S (NP (NP (NNO Kucing) (ADJ hitam)) (RPN (PRR yang) (VP (VBI tidur)))) (VP "
    "(TAME akan) (VP (VBT makan) (NP (NNO ikan) (PRK nya)) (PP (PPO di) (NP "
    "(NNO dapur) (CCN dan) (NNO kamar))))) (PUN .))"
)
ICELANDIC = (
    "(TOP (S (IP (NP (lo Svarti) (no kötturinn)) (VP (VP (so vill)) (VP (so borða)) "
    "(NP (no fisk)) (PP (P (fs á) (fs milli)) (NP (no mála)))))) (grm .))"
)
CATALAN = "(S (f ¿) (sn (d0 qué) (nc cosa)) (v es) (f ?))"
#: Each constituent's head by both sets of rules, in pre-order.
HEADS = {
    ("id", INDONESIAN): (
        "makan Kucing Kucing yang tidur makan makan ikan di dapur",
        "makan Kucing Kucing tidur tidur makan makan ikan di dapur",
    ),
    ("is", ICELANDIC): (
        "vill vill kötturinn vill vill borða fisk á á mála",
        "borða borða kötturinn borða vill borða fisk á á mála",
    ),
}
#: A whole language: what a file needs that has its own labels and head rules.
CATALAN_FILE = '''
"""Catalan: labels as in CESS."""

from dataclasses import replace

from spacy_gfl.languages import en
from spacy_gfl.languages.head_rules import head_rules

LANGUAGE = replace(
    en.LANGUAGE,
    lang="ca",
    labels={"S": "clause", "sn": "noun phrase"},
    tags={"d0": "article", "nc": "common noun", "v": "verb", "f": "punctuation"},
    punctuation=frozenset({"f"}),
    heads=head_rules("S left v \\n sn right nc", ""),
    evalb_name="CESS",
    evalb_deleted=frozenset({"f"}),
)
'''


def doc_of(brackets, lang):
    # A whole pipeline would take seconds for all its rules for tokens.
    defaults = spacy.util.get_lang_class(lang).Defaults
    return make_doc(brackets, vocab=create_vocab(lang, defaults))


@pytest.mark.parametrize(("lang", "brackets"), HEADS)
def test_heads_are_those_of_the_language(lang, brackets):
    doc = doc_of(brackets, lang)
    nodes = list(doc.spans["constituents"])
    collins, semantic = HEADS[lang, brackets]
    assert " ".join(n._.head.text for n in nodes) == collins
    assert " ".join(n._.semantic_head.text for n in nodes) == semantic


def test_noun_chunks_end_with_the_heads_of_the_language():
    doc = doc_of(INDONESIAN, "id")
    found = [chunk.text for chunk in doc.noun_chunks]
    assert found == ["Kucing hitam", "ikannya", "dapur dan kamar"]


@pytest.fixture
def no_languages():
    """None has been asked for."""
    find_language.cache_clear()
    yield
    sys.modules.pop("spacy_gfl.languages.ca", None)
    find_language.cache_clear()


@pytest.mark.usefixtures("no_languages")
def test_a_language_is_added_by_one_file(tmp_path, monkeypatch):
    # Labels that the common scheme has not have leftmost heads.
    assert doc_of(CATALAN, "ca")[1:3]._.head.text == "qué"
    find_language.cache_clear()
    (tmp_path / "ca.py").write_text(CATALAN_FILE, encoding="utf-8")
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(tmp_path)])
    doc = doc_of(CATALAN, "ca")
    assert [node._.head.text for node in doc.spans["constituents"]] == ["es", "cosa"]
    assert doc.text == "¿qué cosa es?"
    assert explain("sn-SUJ", "ca") == "noun phrase"
    assert find_language("ca") in all_languages()
    with pytest.warns(UserWarning, match='did you mean "sn"'):
        assert doc._.phrases("SN") == []


@pytest.mark.usefixtures("no_languages")
@pytest.mark.parametrize(
    "lang", ["xy", "base", "heads", "os.path", "../x", "EN", "is_"]
)
def test_codes_without_a_file_are_common_and_import_nothing_else(lang):
    assert find_language("") is find_language("en")
    common = find_language("xx")
    found = find_language(lang)
    assert (found.lang, found.labels, found.heads) == (
        lang,
        common.labels,
        common.heads,
    )


def test_nouns_stand_last_where_what_modifies_them_comes_first():
    chinese = "(NP (NOUN 電腦) (NOUN 病毒))"
    assert doc_of(chinese, "zh")[:]._.head.text == "病毒"
    french = "(NP (DET le) (NOUN camion) (NOUN citerne))"
    assert doc_of(french, "fr")[:]._.head.text == "camion"


@pytest.mark.parametrize("language", [*all_languages()], ids=lambda one: one.lang)
def test_every_file_is_whole(language):
    """Its head rules know no names without a meaning, and its names are explained."""
    names = {
        name
        for rules in language.heads.values()
        for label, steps in rules.table.items()
        for name in (label, *(x for step in steps for x in step.labels))
    }
    # Collins' table has a tag of other treebanks.
    assert names <= language.labels.keys() | language.tags.keys() | TAGS | {"NCD"}
    known = language.labels.keys() | language.tags.keys()
    assert all(explain(name, language.lang) for name in known)
    assert set(language.closed_class.values()) <= language.tags.keys()


def test_labels_are_explained_as_the_language_has_them():
    assert explain("VBP") == "verb, non-3rd person singular present"
    assert explain("VBP", "id") == "verb, passive"
    assert explain("NP-SUBJ", "is") == explain("NP")
    assert explain("IP|fs", "is") == (
        "clause without the words that open it: subject and predicate or preposition"
    )
    assert explain("RPN", "fi") is None
    assert explain("SBAR", "fi").startswith("clause with the word that opens it")


@pytest.mark.parametrize(("name", "tag"), [("ICON", "PUN"), ("GREYNIR", "grm")])
def test_punctuation_of_a_treebank_does_not_count(name, tag):
    gold = f"(TOP (S (NP (A a)) (VP (B b) ({tag} ,))))"
    other = f"(TOP (S (NP (A a)) (VP (B b)) ({tag} ,)))"
    collins = score_pair(gold, other, load_parameters("COLLINS"))
    own = score_pair(gold, other, load_parameters(name))
    assert (collins.matched, own.matched) == (2, 3)
    assert own.gold_words == 2
