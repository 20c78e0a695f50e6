"""The common scheme, from the trees of three treebanks."""

import re
from pathlib import Path

import pytest

from spacy_gfl import Tree, parse_tree
from spacy_gfl.languages import find_language
from spacy_gfl.languages.base import UNIVERSAL
from spacy_gfl.languages.xx import LABELS
from spacy_gfl.tools.treebanks.common_scheme import to_common
from spacy_gfl.tools.treebanks.conversion import Conversion

ROOT = Path(__file__).parents[3]
TREES = {
    # Auxiliaries stand beside the verb; a noun beside what modifies it.
    "en-phrases": (
        "(S (NP (PRP She)) (VP (MD must) (VP (VB have) (VP (VBN seen) (NP (NP (DT a) "
        "(NN film)) (PP (IN about) (NP (NNP Rome))))))) (. .))",
        "(S (NP (PRON She)) (VP (AUX must) (VERB have) (VERB seen) (NP (DET a) "
        "(NOUN film) (PP (ADP about) (NP (PROPN Rome))))) (PUNCT .))",
    ),
    # The verb governs an infinitive; the clause without its word is S.
    "en-clauses": (
        "(S (NP (PRP I)) (VP (VBP think) (SBAR (S (NP (PRP you)) (VP (VBP want) (S "
        "(VP (TO to) (VP (VB leave))))))))  (. .))",
        "(S (NP (PRON I)) (VP (VERB think) (S (NP (PRON you)) (VP (VERB want) (VP "
        "(PART to) (VERB leave))))) (PUNCT .))",
    ),
    # A noun after a possessor is another head; coordinations stay.
    "en-heads": (
        "(NP (NP (NP (NNP Tom)) (CC and) (NP (NNP Ann) (POS 's))) (NN car))",
        "(NP (NP (PROPN Tom) (CCONJ and) (NP (PROPN Ann) (PART 's))) (NOUN car))",
    ),
    # Of constituents of one extent the lowest stays, and S.
    "en-chains": (
        "(TOP (SBARQ (WHNP (WP Who)) (SQ (VP (VBZ is) (NP (NML (NNP New) (NNP York)) "
        "(NN mayor))))) (. ?))",
        "(S (NP (PRON Who)) (VP (VERB is) (NP (PROPN New) (PROPN York) (NOUN mayor))) "
        "(PUNCT ?))",
    ),
    # A verb beside its subject is a phrase, though there is another verb.
    "en-verbs": (
        "(SQ (VBD Did) (NP (PRP she)) (VP (VB sleep)) (. ?))",
        "(S (VERB Did) (NP (PRON she)) (VP (VERB sleep)) (PUNCT ?))",
    ),
    "en-speech": (
        "(SINV (S (VP (VB Go) (ADVP (RB home)))) (, ,) (VP (VBD said)) (NP (PRP he)))",
        "(S (VP (VERB Go) (ADVP (ADV home))) (PUNCT ,) (VP (VERB said)) (NP "
        "(PRON he)))",
    ),
    # Without a final stop, too.
    "en-command": (
        "(S (VP (VB Go) (ADVP (RB home))))",
        "(S (VP (VERB Go) (ADVP (ADV home))))",
    ),
    "id-relative": (
        "(S (NP (NP (NNO Kucing) (ADJ hitam)) (RPN (PRR yang) (VP (VBI tidur)))) (VP "
        "(TAME akan) (VP (VBT makan) (NP (NNO ikan)) (PP (PPO di) (NNO dapur)))) "
        "(PUN .))",
        "(S (NP (NOUN Kucing) (ADJ hitam) (SBAR (PRON yang) (VP (VERB tidur)))) (VP "
        "(AUX akan) (VERB makan) (NP (NOUN ikan)) (PP (ADP di) (NP (NOUN dapur)))) "
        "(PUNCT .))",
    ),
    "id-governs": (
        "(S (NP (PRN Ia)) (VP (VBI gagal) (VP (VBT meraih) (NP (NNO kursi)))))",
        "(S (NP (PRON Ia)) (VP (VERB gagal) (VP (VERB meraih) (NP (NOUN kursi)))))",
    ),
    "is-clause": (
        "(TOP (S (IP (NP (pfn Hann)) (VP (VP (so veit)) (CP (C (st að)) (IP (NP "
        "(pfn hún)) (VP (so kemur))))))) (grm .))",
        "(S (NP (PRON Hann)) (VP (VERB veit) (SBAR (SCONJ að) (S (NP (PRON hún)) "
        "(VP (VERB kemur))))) (PUNCT .))",
    ),
    "is-infinitive": (
        "(S (IP (NP (pfn Hún)) (VP (VP (so vill)) (IP (TO (nhm að)) (VP (VP "
        "(so fara)) (ADVP (ao heim)))))))",
        "(S (NP (PRON Hún)) (VP (VERB vill) (VP (PART að) (VERB fara) (ADVP "
        "(ADV heim)))))",
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_of_treebanks_become_common_ones(name):
    own, common = TREES[name]
    scheme = find_language(name[:2]).to_common
    found = to_common(parse_tree(own), scheme)
    assert str(found) == common
    # A tree of the scheme is one already.
    assert to_common(found, find_language("xx").to_common) == found


@pytest.mark.parametrize("lang", ["en", "id", "is"])
def test_every_tag_of_a_treebank_has_a_universal_one(lang):
    language = find_language(lang)
    own = language.tags.keys() - {"-NONE-", "_SP", "SP"}
    found = to_common(Tree.flat(["a"] * len(own), sorted(own)), language.to_common)
    assert set(found.tags) <= UNIVERSAL


def test_conversion_writes_common_trees_and_tags(tmp_path):
    file = tmp_path / "trees.ptb"
    file.write_text(TREES["id-relative"][0], encoding="utf-8")
    conversion = Conversion(lang="id", common=True)
    conversion.read(file)
    conversion.write(tmp_path / "common.ptb")
    written = (tmp_path / "common.ptb").read_text(encoding="utf-8")
    assert written.strip() == TREES["id-relative"][1]


def test_the_page_has_a_tree_of_the_scheme_for_each_label():
    page = (ROOT / "docs" / "reference" / "common-scheme.md").read_text("utf-8")
    examples = dict(re.findall(r"^\| ([A-Z]+) \| [^|]+ \| (\(.*\)) \|$", page, re.M))
    assert examples.keys() == LABELS.keys()
    for label, brackets in examples.items():
        tree = parse_tree(brackets)
        assert label in {node.label for node in tree.constituents}
        assert to_common(tree, find_language("xx").to_common) == tree
