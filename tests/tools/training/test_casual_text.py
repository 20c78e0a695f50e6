from collections import Counter
from random import Random

import pytest
import spacy
from helpers.docs import make_doc
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl import get_trees, set_trees
from spacy_gfl.tools.training.casual_text import (
    casual_doc,
    create_casual_text_augmenter,
)

TREE = (
    "(S (ADVP (RB Now)) (, ,) (NP (PRP he)) (VP (VBZ does) (RB n't)"
    " (VP (VB see) (NP (NNP Ann)))) (. .))"
)


class Choices(Random):
    """Chooses what is given, in order."""

    def __new__(cls, *indices):
        # In Python 3.10, `Random` takes its arguments for a seed.
        return super().__new__(cls)

    def __init__(self, *indices):
        super().__init__()
        self.indices = list(indices)

    def choice(self, options):
        return options[self.indices.pop(0)]


@pytest.mark.parametrize(
    ("case", "marks", "apostrophes", "text"),
    [
        (2, 0, 0, "Now, he doesn't see Ann."),
        (0, 0, 0, "now, he doesn't see ann."),
        (4, 0, 0, "NOW, HE DOESN'T SEE ANN."),
        (2, 1, 0, "Now, he doesn't see Ann"),
        (2, 3, 0, "Now he doesn't see Ann"),
        (2, 0, 2, "Now, he doesnt see Ann."),
        (0, 3, 2, "now he doesnt see ann"),
    ],
)
def test_case_marks_and_apostrophes_change_and_constituents_stay(
    case, marks, apostrophes, text
):
    found = casual_doc(make_doc(TREE), Choices(case, marks, apostrophes))
    assert found.text.strip() == text
    [tree] = get_trees(found)
    labels = [node.label for node in tree.constituents]
    assert labels == ["S", "ADVP", "NP", "VP", "VP", "NP"]
    inner = tree.constituents[-1]
    assert [word.lower() for word in tree.words[inner.start : inner.end]] == ["ann"]


def test_words_stay_parted_where_white_space_tokens_were():
    words, spaces = ["Go", "\n", "home", "now"], [False, False, True, False]
    starts = [True, False, False, False]
    doc = Doc(Vocab(), words, spaces, sent_starts=starts)
    set_trees(doc, ["(VP (XX Go) (XX home) (XX now))"])
    assert casual_doc(doc, Choices(2, 0, 0)).text == "Go home now"


def test_a_share_of_examples_is_changed():
    nlp = spacy.blank("en")
    doc = make_doc(TREE)
    texts = Counter()
    augment = create_casual_text_augmenter(0.5, seed=1)
    for _ in range(400):
        [example] = augment(nlp, Example(nlp.make_doc(doc.text), doc))
        assert example.predicted.text == example.reference.text
        texts[example.reference.text.strip()] += 1
    n_same = texts[doc.text.strip()]
    # Of the changed half a tenth stays as it is by what is drawn.
    assert 190 <= n_same <= 290
    assert len(texts) > 10
    [example] = create_casual_text_augmenter(0.0)(nlp, Example(doc.copy(), doc))
    assert example.reference is doc


@pytest.mark.parametrize("level", [-0.1, 1.5])
def test_a_level_that_is_no_share_is_refused(level):
    with pytest.raises(ValueError, match="level"):
        create_casual_text_augmenter(level)
