"""Trees of the common scheme on Docs of languages that have another annotation."""

import pytest
import spacy

from spacy_gfl import parse_tree, trees_to_docs
from spacy_gfl.languages.base import annotated_language
from spacy_gfl.languages.heads import find_heads

COMMON = parse_tree(
    "(S (NP (DET The) (NOUN dog) (SBAR (PRON that) (VP (VERB barked)))) "
    "(VP (VERB saw) (NP (DET a) (NOUN cat))) (PUNCT .))"
)


@pytest.mark.parametrize("lang", ["en", "id", "is", "de"])
def test_heads_and_chunks_are_those_of_the_annotation(lang):
    heads = [COMMON.words[head] for head in find_heads(COMMON, lang=lang)]
    assert heads == ["saw", "dog", "that", "barked", "saw", "cat"]
    [doc] = trees_to_docs([COMMON], spacy.blank(lang).vocab)
    assert [chunk.text for chunk in doc.noun_chunks] == ["The dog", "a cat"]


def test_patterns_for_penn_s_trees_refuse_others_of_english():
    [doc] = trees_to_docs([COMMON], spacy.blank("en").vocab)
    for name in ("clauses", "complexity"):
        with pytest.raises(ValueError, match="has trees of the common scheme"):
            getattr(doc._, name)


def test_tags_that_both_have_tell_nothing():
    assert annotated_language(["SYM", "X"], "en").lang == "xx"
    assert annotated_language(["SYM"], "en").lang == "en"
    assert annotated_language(["NOUN", "NN"], "en").lang == "en"
    assert annotated_language([], "is").lang == "is"
    assert annotated_language(["NOUN"], "tr").lang == "tr"


@pytest.mark.parametrize("lang", ["xx", "de", "id", "ja", ""])
def test_penn_s_trees_with_the_vocabulary_of_another_language_are_english(lang):
    tree = parse_tree("(S (NP (DT The) (JJ old) (NN man)) (VP (VBD slept)) (. .))")
    heads = [tree.words[head] for head in find_heads(tree, lang=lang)]
    assert heads == ["slept", "man", "slept"]
    assert annotated_language(["NN", "STTS"], "de").lang == "de"
