import pytest
from helpers.docs import make_doc


@pytest.fixture
def doc():
    """Two sentences: the dog barks . he sleeps"""
    return make_doc(
        "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))",
        "(S (NP (PRP he)) (VP (VBZ sleeps)))",
    )
