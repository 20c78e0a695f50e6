import pytest
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.trees.brackets import parse_tree


@pytest.fixture
def doc():
    """Two sentences: the dog barks . he sleeps"""
    brackets = (
        "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))",
        "(S (NP (PRP he)) (VP (VBZ sleeps)))",
    )
    return next(trees_to_docs(map(parse_tree, brackets), Vocab(), n_sents=0))
