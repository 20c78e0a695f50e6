"""The languages of the common scheme that have a file, one by one."""

import pytest
from helpers.docs import make_doc
from spacy.language import BaseDefaults
from spacy.vocab import create_vocab

from spacy_gfl import explain
from spacy_gfl.languages.base import all_languages
from spacy_gfl.languages.common import LABELS

#: Of each a tree and its text; the semantic heads of its constituents, in pre-order;
#: a label, and words that its meaning names in this language alone.
SENTENCES = {
    "de": (
        "(S (NP (PRON er)) (VP (AUX war) (NP (PRON es)) (PUNCT ») (NP (NOUN Chef)) "
        "(PUNCT «)) (PUNCT ,) (VP (VERB wollte) (VERB gehen)))",
        "er war es »Chef«, wollte gehen / Chef er Chef es Chef gehen / VP fing wieder",
    ),
    "es": (
        "(S (PUNCT ¿) (NP (PRON Se)) (VP (VERB va) (PP (ADP a) (NP (PRON ti)))) (X ?))",
        "¿Se va a ti? / va Se va ti ti / NP equivoca",
    ),
    "fr": (
        "(S (PUNCT «) (ADVP (ADV N')) (VP (VERB va) (NP (NUM 5) (SYM %))) (PUNCT »))",
        "« N'va 5 % » / va N' va % / ADVP dura pas",
    ),
    "it": (
        "(S (VP (VERB Beve) (NP (DET un) (NOUN po') (PP (ADP d') (NP (NOUN uva))))))",
        "Beve un po' d'uva / Beve Beve po' uva uva / PP della",
    ),
    "pt": (
        "(VP (VERB Diz) (NP (PRON -se)) (SBAR (SCONJ que) (VP (AUX é) (NP (X 3)))))",
        "Diz-se que é 3 / Diz -se 3 3 3 / SBAR souber",
    ),
    "gl": (
        "(VP (VERB Chegou) (NP (PRON lle)) (NP (NOUN nota) (PUNCT -) (NOUN carta)))",
        "Chegou lle nota - carta / Chegou lle nota / NP chegou lle",
    ),
    "sv": (
        "(S (PUNCT ”) (NP (NOUN Statens) (NOUN makt)) (VP (VERB föll)) (PUNCT ”))",
        "”Statens makt föll” / föll makt föll / ADVP undan",
    ),
    "pl": (
        "(VP (VERB Ma) (VERB trwać) (PUNCT ») (ADVP (ADV tu)) (PUNCT «))",
        "Ma trwać »tu« / Ma tu / QP 1,5 miliona",
    ),
    "cs": (
        "(VP (VERB Začal) (VERB psát) (PUNCT ») (NP (NOUN dopis)) (PUNCT «))",
        "Začal psát »dopis« / Začal dopis / VP by přežilo",
    ),
    "ru": (
        "(S (NP (PRON Он)) (VP (PART не) (VERB хочет) (VERB знать)))",
        "Он не хочет знать / хочет Он хочет / VP не вернулись",
    ),
    "fi": (
        "(S (NP (NOUN talon) (NOUN katto)) (VP (AUX ei) (VERB halua) (VERB pettää)))",
        "talon katto ei halua pettää / halua katto halua / PP ennen",
    ),
    "tr": (
        "(S (NP (NOUN su)) (NP (NOUN Çay) (NOUN suyu)) (VP (AUX idi)) (PUNCT .))",
        "su Çay suyu idi. / suyu su suyu idi / NP görev için",
    ),
    "zh": (
        "(VP (PP (VERB 把) (NP (NUM 一) (NOUN 位) (NOUN 師))) (VERB 想) (VERB 去))",
        "把一位師想去 / 想 把 師 / VP 被, 了",
    ),
}


@pytest.mark.parametrize("lang", SENTENCES)
def test_white_space_heads_and_labels_are_those_of_the_language(lang):
    brackets, expected = SENTENCES[lang]
    text, heads, label = expected.split(" / ")
    doc = make_doc(brackets, vocab=create_vocab(lang, BaseDefaults))
    assert doc.text == text
    nodes = doc.spans["constituents"]
    assert " ".join(node._.semantic_head.text for node in nodes) == heads
    label, words = label.split(" ", 1)
    common, _, own = explain(label, lang).partition("; ")
    assert (common, words in own) == (LABELS[label], True)


def test_every_language_of_the_common_scheme_is_tested():
    found = [one.lang for one in all_languages() if one.evalb_name == "COMMON"]
    assert sorted(found) == sorted(["xx", *SENTENCES])


@pytest.mark.parametrize(
    ("clause", "head"),
    [
        ("(NP (NOUN ev)) (ADJP (ADJ mavi)) (VP (AUX idi))", "mavi"),
        ("(NP (PRON o)) (VP (AUX idi)) (NP (NOUN ev)) (PP (ADP bi) (NP (X z)))", "ev"),
        ("(NP (PRON o)) (VP (ADV çok) (VERB uyudu))", "uyudu"),
        ("(VP (AUX idi))", "idi"),
    ],
)
def test_a_predicate_beside_its_copula_is_the_head(clause, head):
    doc = make_doc(f"(S {clause} (PUNCT .))", vocab=create_vocab("tr", BaseDefaults))
    assert doc[:]._.semantic_head.text == head
