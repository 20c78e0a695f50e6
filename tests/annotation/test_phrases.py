import re

import nltk
import pytest
from helpers import strategies
from helpers.docs import make_doc, token_doc
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.vocab import Vocab

from spacy_gfl import get_trees, trees_to_docs
from spacy_gfl.annotation.sentence_words import word_indices

HAT = (
    "(S (NP (NP (DT the) (NN hat)) (PP (IN of) (NP (NP (DT the) (NN man)) "
    "(SBAR (WHNP (WP who)) (S (VP (VBD sang))))))) (VP (VBD was) (ADJP (JJ red))))"
)


def extents(spans):
    return [(span.start, span.end) for span in spans]


@pytest.fixture
def hat():
    return make_doc(HAT)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("WHNP", {"WHNP"}),
        ("WH*", {"WHNP"}),
        ("*P", {"NP", "PP", "VP", "WHNP", "ADJP"}),
        ("[!N]P", {"PP", "VP"}),
        ("S*", {"S", "SBAR"}),
        ("*", {"S", "NP", "PP", "SBAR", "WHNP", "VP", "ADJP"}),
        ("xq", set()),
        ("DT", set()),
        ({"PP", "VP"}, {"PP", "VP"}),
        (iter(["PP", "VP"]), {"PP", "VP"}),
        ([], set()),
        (re.compile("S|SBAR"), {"S", "SBAR"}),
        (re.compile("S"), {"S"}),
        (re.compile("wh.p", re.IGNORECASE), {"WHNP"}),
        ([re.compile("S.*"), "PP"], {"S", "SBAR", "PP"}),
    ],
)
def test_labels_are_named_by_patterns_sets_and_regular_expressions(
    hat, label, expected
):
    assert {span.label_ for span in hat._.phrases(label)} == expected


def test_labels_that_look_like_patterns_match_themselves():
    nodes = [("[X]", 0, 2), ("X", 0, 1), ("N*", 1, 2), ("NP", 1, 2)]
    doc = token_doc("a|b", trees=[nodes])
    assert {span.label_ for span in doc._.phrases("[X]")} == {"[X]", "X"}
    assert extents(doc._.phrases("N*")) == [(1, 2)]
    assert doc._.phrases("N*")[0].label_ == "N*"
    assert doc._.phrases(re.compile(r"N\*"))[0].label_ == "N*"


@pytest.mark.parametrize("nested", ["", "inner", "ALL", None, True, ["all"]])
def test_an_unknown_value_of_nested_is_refused(hat, nested):
    message = '"all", "outermost", "innermost", not ' + re.escape(repr(nested))
    for place in (hat, hat[0:2]):
        with pytest.raises(ValueError, match=message):
            place._.phrases("NP", nested=nested)


@pytest.mark.parametrize(
    "label", [None, 3, "", [""], ["NP", None], {"NP", 4}, b"NP", re.compile(b"NP")]
)
def test_labels_that_are_empty_or_no_text_are_refused(hat, label):
    for place in (hat, hat[0:2]):
        with pytest.raises(ValueError, match='"NP" or "WH\\*"'):
            place._.phrases(label)


LABELS = st.sampled_from(["S", "NP", "VP", "WHNP", "NP-SBJ", "[X]"])
ASKED = st.sampled_from(["S", "NP", "NP*", "*NP", "*", "[X]", "ZZZ"]) | st.sets(
    st.sampled_from(["S", "NP", "VP", "WHNP"])
)


def is_meant(label, asked):
    """The naive definition of a pattern: `*` alone, at either end, or nowhere."""
    if not isinstance(asked, str):
        return label in asked
    if asked.startswith("*"):
        return label.endswith(asked[1:])
    return label.startswith(asked[:-1]) if asked.endswith("*") else label == asked


def naive_phrases(doc, asked, start, end):
    """All, outermost and innermost extents, by comparing each with each other."""
    found = set()
    for sent, tree in zip(doc.sents, get_trees(doc), strict=True):
        at = word_indices(sent)
        found |= {
            (at[a], at[b - 1] + 1)
            for label, a, b in tree.constituents
            if is_meant(label, asked) and start <= at[a] and at[b - 1] < end
        }

    def holds(outer, inner):
        return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]

    outermost = {x for x in found if not any(holds(y, x) for y in found)}
    innermost = {x for x in found if not any(holds(x, y) for y in found)}
    kinds = {"all": found, "outermost": outermost, "innermost": innermost}
    return {
        name: sorted(kind, key=lambda extent: (extent[0], -extent[1]))
        for name, kind in kinds.items()
    }


@given(strategies.docs(labels=LABELS), ASKED, st.data())
def test_phrases_agree_with_their_plain_definition_in_any_tree(doc, asked, data):
    start = data.draw(st.integers(0, len(doc)), label="start")
    end = data.draw(st.integers(start, len(doc)), label="end")
    for nested, expected in naive_phrases(doc, asked, 0, len(doc)).items():
        assert extents(doc._.phrases(asked, nested)) == expected
    for nested, expected in naive_phrases(doc, asked, start, end).items():
        found = doc[start:end]._.phrases(asked, nested)
        assert extents(found) == expected
        for span in found:
            labels = doc[span.start : span.end]._.labels
            assert span.label_ == next(x for x in labels if is_meant(x, asked))


def test_phrases_are_found_in_trees_a_thousand_levels_deep():
    doc = next(trees_to_docs([strategies.deep_tree(1000)], Vocab()))
    assert extents(doc._.phrases("*")) == [(0, 3), (2, 3)]
    assert extents(doc._.phrases("*", "outermost")) == [(0, 3)]
    assert extents(doc._.phrases("*", "innermost")) == [(2, 3)]
    for nested in ("outermost", "innermost"):
        assert doc[:]._.phrases("R*", nested)[0].label_ == "R0"
    assert doc[:]._.height == 1000
    assert doc[2:3]._.height == doc[2:3]._.depth == 500


def shallowest_positions(tree: nltk.Tree):
    """For each extent in words the length of the shortest nltk tree position."""
    leaves = [tree.leaf_treeposition(i) for i in range(len(tree.leaves()))]
    found = {}
    for position in tree.treepositions():
        if isinstance(tree[position], nltk.Tree):
            below = [
                i for i, at in enumerate(leaves) if at[: len(position)] == position
            ]
            extent = (below[0], below[-1] + 1)
            found[extent] = min(len(position), found.get(extent, len(position)))
    return found


# A root is counted above a constituent of its label too.
@example(make_doc("(TOP (TOP (NN tea)))", "(TOP (TOP (NP (NN tea)) (. .)))"))
@given(strategies.docs(labels=LABELS))
def test_height_and_depth_are_those_of_nltk(doc):
    for sent in doc.sents:
        at = word_indices(sent)
        for (start, end), steps in shallowest_positions(sent._.parse_tree).items():
            span = doc[at[start] : at[end - 1] + 1]
            assert span._.depth == steps
            assert span._.height == span._.parse_tree.height() - 2
        assert sent._.height == max(doc[i]._.depth + doc[i]._.height for i in at)


def test_a_label_in_small_letters_is_asked_about():
    doc = make_doc("(S (NP (PRP We)) (VP (VBD left)))")
    for asked in (doc, doc[:]):
        with pytest.warns(UserWarning, match='Did you mean "NP"') as said:
            assert asked._.phrases("np") == []
        assert said[0].filename == __file__
    assert doc._.phrases("xyz") == []
