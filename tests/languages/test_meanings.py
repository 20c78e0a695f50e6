import re

import pytest
import spacy

from spacy_gfl import explain
from spacy_gfl.languages.en import LANGUAGE
from spacy_gfl.trees.labels import LABELS, TAGS
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABELS

PENN_LABELS = (
    "S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC "
    "UCP VP WHADJP WHADVP WHNP WHPP X"
)
PENN_TAGS = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS "
    "RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB # $ . , : `` '' -LRB- -RRB- "
    "-NONE-"
)
PENN_FUNCTIONS = (
    "ADV NOM DTV LGS PRD PUT SBJ TPC VOC BNF DIR EXT LOC MNR PRP TMP CLR CLF HLN TTL"
)
# What OntoNotes, the English Web Treebank, GUM and CRAFT add.
ADDED = "HYPH AFX NFP ADD GW XX NML TITLE HEADING CAPTION CIT EDITED META"


def test_every_name_of_the_treebanks_is_explained():
    names = {*f"{PENN_LABELS} {PENN_TAGS} {ADDED}".split(), MISSING_TAG, *ROOT_LABELS}
    assert names - {""} <= LABELS | TAGS
    assert None not in map(explain, TAGS)
    assert set(PENN_FUNCTIONS.split()) <= LANGUAGE.functions.keys()
    assert LANGUAGE.labels.keys() == LABELS
    assert LANGUAGE.tags.keys() == TAGS
    assert not LABELS & TAGS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NP", "noun phrase"),
        ("-LRB-", "left round bracket"),
        # spaCy calls it a subordinating conjunction.
        ("SBAR", LANGUAGE.labels["SBAR"]),
        ("NP-SBJ-1=2", "noun phrase (subject)"),
        ("PP-LOC-PRD", "prepositional phrase (place, predicate other than a verb)"),
        ("NP-ZZZ", "noun phrase"),
        ("-SBJ", "subject"),
        ("-PRP", "purpose or reason"),
        ("PRP", "pronoun, personal"),
        ("_SP", "whitespace"),
        ("ADVP|PRT", "adverb phrase or particle of a verb"),
        ("JJ|VBG", "adjective or verb, gerund or present participle"),
    ],
)
def test_labels_tags_and_their_suffixes_are_explained(name, expected):
    assert explain(name) == expected


def test_unknown_names_give_none():
    names = "ZZZ np ZZSBJ -LRB LRB- NP| NP|ZZZ - -- = | |-| -ZZZ -1 -SBJ-TMP ZZZ-SBJ"
    assert [name for name in ["", " NP", *names.split()] if explain(name)] == []


@pytest.mark.parametrize("name", ["ADJA", "nsubj", "GPE", "PROPN"])
def test_spacys_glossary_explains_the_rest(name):
    assert explain(name) == spacy.explain(name) is not None


def test_the_trees_of_this_project_are_explained(data):
    for path in sorted(data.glob("*.ptb")):
        names = set(re.findall(r"\(([^\s()]+)", path.read_text(encoding="utf-8")))
        assert len(names) > 40
        assert not [name for name in names - ROOT_LABELS if explain(name) is None]


@pytest.mark.parametrize("name", [None, 8206900633647566924, b"NP", ["NP"]])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(TypeError, match=r"explain takes a name, such as span\.label_"):
        explain(name)
