"""How languages are found, and what those with a treebank of their own say."""

import re
import subprocess
import sys

import pytest
from helpers.docs import make_doc
from spacy.language import BaseDefaults
from spacy.vocab import create_vocab

from spacy_gfl import explain, languages
from spacy_gfl.languages import all_languages, find_language
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
BASQUE = "(S (f ¿) (sn (d0 zein) (nc gauza)) (v da) (f ?))"
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
BASQUE_FILE = """
from dataclasses import replace

from spacy_gfl.languages import en
from spacy_gfl.languages.head_rules import head_rules

LANGUAGE = replace(
    en.LANGUAGE,
    lang="eu",
    labels={"S": "clause", "sn": "noun phrase"},
    tags={"d0": "article", "nc": "common noun", "v": "verb", "f": "punctuation"},
    punctuation=frozenset({"f"}),
    heads=head_rules("S left v \\n sn right nc", ""),
)
"""


def doc_of(brackets, lang):
    return make_doc(brackets, vocab=create_vocab(lang, BaseDefaults))


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
    sys.modules.pop("spacy_gfl.languages.eu", None)
    find_language.cache_clear()


@pytest.mark.usefixtures("no_languages")
def test_a_language_is_added_by_one_file(tmp_path, monkeypatch):
    # Labels that the common scheme has not have leftmost heads.
    assert doc_of(BASQUE, "eu")[1:3]._.head.text == "zein"
    find_language.cache_clear()
    (tmp_path / "eu.py").write_text(BASQUE_FILE, encoding="utf-8")
    monkeypatch.setattr(languages, "__path__", [*languages.__path__, str(tmp_path)])
    doc = doc_of(BASQUE, "eu")
    assert [n._.head.text for n in doc.spans["constituents"]] == ["da", "gauza"]
    assert doc.text == "¿zein gauza da?"
    assert explain("sn-SUJ", "eu") == "noun phrase"
    assert find_language("eu") in all_languages()
    with pytest.warns(UserWarning, match='Did you mean "sn"'):
        assert doc._.phrases("SN") == []


@pytest.mark.usefixtures("no_languages")
@pytest.mark.parametrize(
    "lang", ["xy", "base", "heads", "os.path", "../x", "EN", "is_"]
)
def test_codes_without_a_file_are_common_and_import_nothing_else(lang):
    assert find_language("") is find_language("en")
    found, common = find_language(lang), find_language("xx")
    assert found.lang == lang
    assert (found.labels, found.heads) == (common.labels, common.heads)


IMPORTED = """
import sys
import spacy_gfl.evaluation.scorer
from spacy_gfl.languages import find_language
for lang in ("", "id", "sv", "en"):
    names = [m[20:] for m in sys.modules if m.startswith("spacy_gfl.languages.")]
    print(*sorted(name for name in names if len(name) == 2))
    find_language(lang)
"""


def test_a_language_imports_no_other_than_english_and_the_common_scheme():
    python = [sys.executable, "-c", IMPORTED]
    ran = subprocess.run(python, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["", "en", "en id", "en id sv xx"]


@pytest.mark.parametrize("language", [*all_languages()], ids=lambda one: one.lang)
def test_every_file_is_whole(language):
    """Its head rules know no names without a meaning, and its names are explained."""
    names = {
        name
        for rules in language.heads.values()
        for label, steps in rules.table.items()
        for name in (label, *(x for step in steps for x in step.labels))
    }
    known = language.labels.keys() | language.tags.keys()
    # Collins' table has a tag of other treebanks.
    assert names <= known | TAGS | {"NCD"}
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


@pytest.mark.parametrize(
    ("lang", "asking", "others"),
    [
        ("cs", "který kterého jak jakého jíž", "kterýkoli jako jakmile již"),
        ("de", "wobei woher worauf worüber weswegen", "wohl wollig wortlos worden"),
        ("en", "how whichever", "however"),
        ("fi", "kenet kenellä mitä mitäs joissa", "minä minun mitään kenties joitain"),
        ("id", "apa apakah", "apalagi"),
        ("is", "hver hverjum hvort", "hvergi hvorki hvorugur"),
        ("ko", "누구 언제 어디에서", "누구나 언제나 어디서도 무엇보다"),
        ("nl", "waar waarna waarnaar wier", "waarschijnlijk waarde"),
        ("pl", "jak jakiego która", "jako jakkolwiek"),
        ("sl", "kako kakšnega kakršen kateri", "kakor kakovosten katerikoli"),
        ("tr", "kim kimin nerede kaç", "kimse kimyasal neredeyse kaçarken"),
    ],
)
def test_words_ask_that_are_interrogative_or_relative(lang, asking, others):
    pattern = re.compile(find_language(lang).question_words, re.IGNORECASE)
    assert [word for word in asking.split() if not pattern.fullmatch(word)] == []
    assert [word for word in others.split() if pattern.fullmatch(word)] == []
