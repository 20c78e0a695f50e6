"""en_gfl_functions, where `pip install` has put it."""

import spacy
from helpers.shipped import load, needs

import spacy_gfl

PACKAGE = "en_gfl_functions"
pytestmark = needs(PACKAGE)
TREES = (
    "(S (NP-TMP (JJ Last) (NN week)) (NP-SBJ (DT the) (NN board)) (VP (VBD met) "
    "(PP-LOC (IN in) (NP (NNP Paris)))) (. .))",
    "(S (NP-SBJ (DT The) (NN plan)) (VP (VBD was) (VP (VBN rejected) (PP (IN by) "
    "(NP-LGS (CD two) (NNS members))))) (. .))",
    "(S (NP-SBJ (PRP She)) (VP (VBD stayed) (ADVP-TMP (RB yesterday)) (SBAR-PRP "
    "(IN because) (S (NP-SBJ (PRP it)) (VP (VBD was) (ADJP-PRD (JJ cold)))))) (. .))",
)


def test_one_line_adds_it_to_a_pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("constituent_functions", source=load(PACKAGE))
    trees = spacy_gfl.read_trees("\n".join(TREES))
    for tree, doc in zip(TREES, spacy_gfl.trees_to_docs(trees, nlp.vocab), strict=True):
        [found] = spacy_gfl.get_trees(nlp(doc), functions=True)
        assert found.brackets() == tree


def test_it_is_small_and_says_its_sources():
    nlp = load(PACKAGE)
    assert nlp.pipe_names == ["constituent_functions"]
    assert nlp.meta["license"] == "MIT"
    assert all(source["license"] for source in nlp.meta["sources"])
    sizes = [file.stat().st_size for file in nlp.path.rglob("*") if file.is_file()]
    assert sum(sizes) < 3_000_000
