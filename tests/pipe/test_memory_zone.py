"""Inside `nlp.memory_zone`: the same trees, and nothing of ours outlives the zone.

`making/benchmarks/under_load.py` measures memory over millions of words.
"""

import gc
import random
import weakref

import pytest
import spacy
from helpers.pipelines import ATTACH_JUXTAPOSE, SEQ2SEQ, get_parser, initialized
from helpers.shipped import needs
from spacy.util import minibatch

from spacy_gfl import get_trees

PACKAGE = "en_gfl_sm"
FEATURES = {"@architectures": "spacy_gfl.WordFeatures.v1", "min_character_frequency": 1}
SETTINGS = {SEQ2SEQ: {}, ATTACH_JUXTAPOSE: {"tok2vec": FEATURES, "tag_loss": 0.5}}
pipelines = pytest.mark.parametrize(
    "name", [*SETTINGS, pytest.param(PACKAGE, marks=needs(PACKAGE))]
)


def pipeline(name):
    if name == PACKAGE:
        return spacy.load(PACKAGE)
    return initialized(architecture=name, **SETTINGS[name])


@pipelines
def test_trees_in_zones_are_those_outside_and_docs_do_not_outlive_them(name):
    """Words are new in the first zones, known to our caches alone in the others."""
    nlp = pipeline(name)
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdehilmnorst", k=9)) for _ in range(20)]
    texts = [f"The {word} dog barks at the {word}ing cats. Yes." for word in words]
    found, references = [], []
    for some in minibatch(2 * texts, 16):
        with nlp.memory_zone():
            for doc in nlp.pipe(some, batch_size=16):
                trees = get_trees(doc)
                assert [tree.brackets() for tree in trees] == doc._.parse_strings
                found.append((trees, doc.spans["constituents"].attrs["flags"]))
                references.append(weakref.ref(doc))
            del doc
        gc.collect()
        assert not any(reference() for reference in references)
        assert not any(word in nlp.vocab.strings for word in words)
    outside = list(nlp.pipe(texts))
    assert found == 2 * [
        (get_trees(doc), doc.spans["constituents"].attrs["flags"]) for doc in outside
    ]


@pipelines
def test_labels_outlive_a_zone(name):
    """A Doc from before the zone may be parsed in it."""
    nlp = pipeline(name)
    get_parser(nlp).predict_tags = True
    doc = nlp.make_doc("The dog barks.")
    with nlp.memory_zone():
        nlp(doc)
        trees = get_trees(doc)
    assert get_trees(doc) == trees
