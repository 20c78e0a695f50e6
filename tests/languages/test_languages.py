"""What depends on the language of a Doc, in languages with tables and without."""

import pytest
import spacy
from spacy.vocab import create_vocab

from spacy_gfl import explain, parse_tree, trees_to_docs
from spacy_gfl.evaluation.evalb import score_pair
from spacy_gfl.evaluation.parameters import load_parameters
from spacy_gfl.languages.head_rules import LANGUAGES, LEFTMOST, rules_for
from spacy_gfl.trees.labels import LABELS, TAGS
from spacy_gfl.trees.labels import LANGUAGES as LABELS_OF

INDONESIAN = (
    "(S (NP (NP (NNO Kucing) (ADJ hitam)) (RPN (PRR yang) (VP (VBI tidur)))) (VP "
    "(TAME akan) (VP (VBT makan) (NP (NNO ikan) (PRK nya)) (PP (PPO di) (NP "
    "(NNO dapur) (CCN dan) (NNO kamar))))) (PUN .))"
)
ICELANDIC = (
    "(TOP (S (IP (NP (lo Svarti) (no kötturinn)) (VP (VP (so vill)) (VP (so borða)) "
    "(NP (no fisk)) (PP (P (fs á) (fs milli)) (NP (no mála)))))) (grm .))"
)
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


def doc_of(brackets, lang):
    # A whole pipeline would take seconds for all its rules for tokens.
    vocab = create_vocab(lang, spacy.util.get_lang_class(lang).Defaults)
    [doc] = trees_to_docs([parse_tree(brackets)], vocab)
    return doc


@pytest.mark.parametrize(("lang", "brackets"), HEADS)
def test_heads_are_those_of_the_language(lang, brackets):
    doc = doc_of(brackets, lang)
    nodes = list(doc.spans["constituents"])
    collins, semantic = HEADS[lang, brackets]
    assert " ".join(n._.head.text for n in nodes) == collins
    assert " ".join(n._.semantic_head.text for n in nodes) == semantic


def test_a_language_without_a_table_has_leftmost_heads_and_says_so():
    doc = doc_of("(S (PUNCT ¿) (NP (N qué) (N cosa)) (V es))", "es")
    with pytest.warns(UserWarning, match='no head rules for the language "es"'):
        assert doc[1:3]._.head.text == "qué"
    assert rules_for("semantic", "id") is LANGUAGES["id"]["semantic"]
    with pytest.warns(UserWarning, match="leftmost"):
        assert rules_for("collins", "fi") is LEFTMOST
    with pytest.raises(ValueError, match="head rules are"):
        rules_for("left", "id")


@pytest.mark.parametrize("lang", LABELS_OF)
def test_head_rules_know_no_names_that_have_no_meaning(lang):
    names = {
        name
        for rules in LANGUAGES[lang].values()
        for label, steps in rules.table.items()
        for name in (label, *(x for step in steps for x in step.labels))
    }
    assert names <= LABELS_OF[lang].keys() | LABELS.keys() | TAGS


def test_labels_are_explained_as_the_language_has_them():
    assert explain("VBP") == "verb, non-3rd person singular present"
    assert explain("VBP", "id") == "verb, passive"
    assert explain("NP-SUBJ", "is") == explain("NP")
    assert explain("IP|fs", "is") == (
        "clause without the words that open it: subject and predicate or preposition"
    )
    assert explain("RPN", "fi") is None


def test_phrases_hint_at_labels_of_the_language():
    doc = doc_of(INDONESIAN, "id")
    assert [span.text for span in doc._.phrases("RPN")] == ["yang tidur"]
    with pytest.warns(UserWarning, match='did you mean "RPN"'):
        assert doc._.phrases("rpn") == []


@pytest.mark.parametrize(("name", "tag"), [("ICON", "PUN"), ("GREYNIR", "grm")])
def test_punctuation_of_a_treebank_does_not_count(name, tag):
    gold = f"(TOP (S (NP (A a)) (VP (B b) ({tag} ,))))"
    other = f"(TOP (S (NP (A a)) (VP (B b)) ({tag} ,)))"
    collins = score_pair(gold, other, load_parameters("COLLINS"))
    own = score_pair(gold, other, load_parameters(name))
    assert (collins.matched, own.matched) == (2, 3)
    assert own.gold_words == 2
