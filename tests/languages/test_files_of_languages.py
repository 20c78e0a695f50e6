"""The languages of the common scheme that have a file, one by one."""

import ast
import re
from pathlib import Path

import pytest
from helpers.docs import make_doc
from spacy.language import BaseDefaults
from spacy.vocab import create_vocab

from spacy_gfl import explain, languages, parse_tree
from spacy_gfl.languages import all_languages
from spacy_gfl.languages.heads import find_heads
from spacy_gfl.languages.xx import LABELS

#: Languages, a tree / its text / the semantic heads of its constituents, in pre-order /
#: a label, and words that its meaning names in this language alone.
_SENTENCES = """
de: (S (NP (PRON er)) (VP (AUX war) (NP (PRON es)) (PUNCT ») (NP (NOUN Chef)) (PUNCT «))
    (PUNCT ,) (VP (VERB wollte) (VERB gehen)))
    / er war es »Chef«, wollte gehen / Chef er Chef es Chef gehen / VP fing wieder
es: (S (PUNCT ¿) (NP (PRON Se)) (VP (VERB va) (PP (ADP a) (NP (PRON ti)))) (X ?))
    / ¿Se va a ti? / va Se va ti ti / NP equivoca
fr: (S (PUNCT «) (ADVP (ADV N')) (VP (VERB va) (NP (NUM 5) (SYM %))) (PUNCT »))
    / « N'va 5 % » / va N' va % / ADVP dura pas
it: (S (VP (VERB Beve) (NP (DET un) (NOUN po') (PP (ADP d') (NP (NOUN uva))))))
    / Beve un po' d'uva / Beve Beve po' uva uva / PP della
pt: (VP (VERB Diz) (NP (PRON -se)) (SBAR (SCONJ que) (VP (AUX é) (NP (X 3)))))
    / Diz-se que é 3 / Diz -se 3 3 3 / SBAR souber
gl: (VP (VERB Chegou) (NP (PRON lle)) (NP (NOUN nota) (PUNCT -) (NOUN carta)))
    / Chegou lle nota - carta / Chegou lle nota / NP dixo
sv: (S (PUNCT ”) (NP (NOUN Statens) (NOUN makt)) (VP (VERB föll)) (PUNCT ”))
    / ”Statens makt föll” / föll makt föll / ADVP undan
pl: (VP (VERB Ma) (VERB trwać) (PUNCT ») (ADVP (ADV tu)) (PUNCT «))
    / Ma trwać »tu« / Ma tu / QP 1,5 miliona
cs: (VP (VERB Začal) (VERB psát) (PUNCT ») (NP (NOUN dopis)) (PUNCT «))
    / Začal psát »dopis« / Začal dopis / VP by přežilo
ru: (S (NP (PRON Он)) (VP (PART не) (VERB хочет) (VERB знать)))
    / Он не хочет знать / хочет Он хочет / VP не вернулись
fi: (S (PUNCT ”) (NP (NOUN talon) (NOUN katto)) (PUNCT ”) (VP (AUX ei) (VERB halua)
    (VERB pettää)))
    / ”talon katto” ei halua pettää / halua katto halua / PP sillan
tr: (S (NP (NOUN su)) (NP (NOUN Çay) (NOUN suyu)) (VP (AUX idi)) (PUNCT .))
    / su Çay suyu idi. / suyu su suyu idi / PP görev
zh: (VP (PP (VERB 把) (NP (NUM 一) (NOUN 位) (NOUN 師))) (VERB 想) (VERB 去) (X é))
    / 把一位師想去é / 想 把 師 / VP 被, 了
hi ko ta te ur: (S (VP (VERB v)) (NP (NOUN an) (NOUN bn)) (VP (VERB av) (VERB bv)))
    / v an bn av bv / av v bn av
hu: (S (VP (VERB v) (PUNCT ») (X x) (PUNCT «)) (NP (NOUN an) (NOUN bn)) (VP (VERB av)
    (VERB bv)))
    / v »x« an bn av bv / av v bn av
ja: (S (VP (VERB é)) (NP (NOUN ä) (NOUN ü)) (VP (VERB è) (VERB ê)))
    / éäüèê / è é ü è
bo th: (NP (NUM 5) (NOUN é))
    / 5é / é
da dsb hr hsb sk sl sr: (S (PUNCT ») (INTJ so) (PUNCT «) (PUNCT ›) (INTJ so) (PUNCT ‹))
    / »so« ›so‹ / so
ca: (S (NP (DET L') (NOUN home)) (VP (PRON se) (PRON 'n) (VERB va)))
    / L'home se'n va / va home va
ga: (VP (PART D') (VERB ól) (NP (PRON sé)))
    / D'ól sé / ól sé
fa: (S (NP (NOUN کتاب)) (NP (NOUN کتابی)) (VP (AUX بود)) (PUNCT ؟))
    / کتاب کتابی بود؟ / کتابی کتاب کتابی بود / NP کار
lb: (NP (DET d') (NOUN Haus))
    / d'Haus / Haus
lij: (NP (DET l') (NOUN ægua))
    / l'ægua / ægua
nb: (S (PUNCT ”) (NP (PRON Hun)) (VP (PART å) (VERB lese)) (PUNCT ”))
    / ”Hun å lese” / lese Hun lese / VP å
nl: (S (PUNCT ”) (NP (PRON Zij)) (VP (PART te) (VERB lezen)) (PUNCT ”))
    / ”Zij te lezen” / lezen Zij lezen / VP te
ro: (VP (PRON s-) (AUX a) (VERB dus) (PRON -o))
    / s-a dus-o / dus
vi: (VP (VERB đọc) (NP (NUM hai) (NOUN cuốn) (NOUN sách)))
    / đọc hai cuốn sách / đọc cuốn / NP hai cuốn
"""
SENTENCES = {
    lang: " ".join(row.partition(": ")[2].split()).split(" / ")
    for row in re.split(r"\n(?=\S)", _SENTENCES.strip())
    for lang in row.partition(": ")[0].split()
}


@pytest.mark.parametrize("lang", SENTENCES)
def test_white_space_heads_and_labels_are_those_of_the_language(lang):
    brackets, text, heads, *named = SENTENCES[lang]
    doc = make_doc(brackets, vocab=create_vocab(lang, BaseDefaults))
    assert doc.text == text
    nodes = doc.spans["constituents"]
    assert " ".join(node._.semantic_head.text for node in nodes) == heads
    for label, words in (name.split(" ", 1) for name in named):
        common, _, own = explain(label, lang).partition("; ")
        assert (common, words in own) == (LABELS[label], True)


def test_every_language_of_the_common_scheme_is_tested_and_named_in_its_file_alone():
    codes = {one.lang for one in all_languages()}
    assert codes == {"en", "id", "is", "xx", *SENTENCES}
    for file in Path(languages.__path__[0]).glob("*.py"):
        if file.stem not in codes:
            nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            named = {node.value for node in nodes if isinstance(node, ast.Constant)}
            assert not named & (codes - {"en", "xx"}), file


_SPOKEN = "(PUNCT «) (VP (VERB Iré) (ADVP (ADV tarde))) (PUNCT ») (PUNCT ,)"


@pytest.mark.parametrize(
    ("lang", "brackets", "head"),
    [
        ("tr", "(S (NP (NOUN ev)) (ADJP (ADJ mavi)) (VP (AUX idi)))", "mavi"),
        ("tr", "(S (NP (X o)) (VP (AUX idi)) (NP (X ev)) (PP (ADP bi)))", "ev"),
        ("tr", "(S (NP (PRON o)) (VP (ADV çok) (VERB uyudu)) (PUNCT .))", "uyudu"),
        ("tr", "(S (VP (AUX idi)) (PUNCT .))", "idi"),
        ("fr", "(PP (ADP pour) (VP (VERB voir) (NP (NOUN Rome))))", "voir"),
        ("fi", "(NP (PROPN Sauli) (PROPN Niinistö))", "Sauli"),
        ("es", f"(S {_SPOKEN} (VP (VERB dijo)) (NP (PRON ella)))", "dijo"),
        ("fr", "(S (VP (VERB venue)) (PUNCT ,) (NP (X e)) (VP (VERB dit)))", "dit"),
        ("it", "(S (VP (VERB venne)) (NP (X e)) (PUNCT ,) (VP (X a)))", "venne"),
        ("de", "(S (ADVP (ADV so)) (AUX hat) (NP (PRON er)) (VERB geruht))", "geruht"),
        ("ko", "(S (VP (NP (X a)) (VERB b)) (VERB c))", "c"),
        ("ja", "(S (NP (X a)) (VP (VERB b)) (VP (VERB c)))", "c"),
        ("zh", "(S (S (VP (VERB a))) (PUNCT ，) (S (VP (VERB b))))", "a"),
        ("vi", "(S (NP (X a)) (VP (VERB b)) (VP (VERB c)))", "c"),
        ("xx", "(VP (AUX must) (VERB have) (VERB seen) (NP (NOUN it)))", "seen"),
    ],
)
def test_semantic_heads_are_those_of_dependencies(lang, brackets, head):
    tree = parse_tree(brackets)
    assert tree.words[find_heads(tree, "semantic", lang)[0]] == head


def test_syntactic_heads_are_the_first_verb_noun_and_preposition():
    tree = parse_tree(
        "(VP (AUX must) (VERB see) (NP (DET a) (NOUN film) (NOUN star) (PP (ADP of) "
        "(NP (PROPN Rome)))))"
    )
    heads = [tree.words[head] for head in find_heads(tree, lang="xx")]
    assert heads == ["must", "film", "of", "Rome"]


@pytest.mark.parametrize(
    ("lang", "brackets", "head"),
    [
        ("es", f"(S {_SPOKEN} (VP (VERB dijo)) (NP (PRON ella)))", "dijo"),
        ("nl", "(S (ADVP (ADV nu)) (AUX is) (NP (PRON hij)) (VERB weg))", "weg"),
        ("ja", "(S (VP (VERB a)) (VP (VERB b)))", "b"),
        ("ko", "(S (S (VP (VERB a))) (S (VP (VERB b))))", "a"),
    ],
)
def test_syntactic_heads_of_clauses_are_their_main_verbs(lang, brackets, head):
    tree = parse_tree(brackets)
    assert tree.words[find_heads(tree, lang=lang)[0]] == head
