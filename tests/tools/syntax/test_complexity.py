"""Counts of structures, by hand from the definitions, and what is made of them."""

import re

import pytest
from helpers import strategies
from helpers.docs import make_doc, token_doc
from hypothesis import given

from spacy_gfl import Tree, parse_tree
from spacy_gfl.tools.syntax.complexity import INDICES, STRUCTURES, measure

#: Counts of W, S, VP, C, T, DC, CT, CP and CN, what they show, and the sentence; what
#: is indented goes on with the line before.
COUNTED = """
5 1 2 2 1 1 1 0 1: a dependent clause
(S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP (NNS cats)) (VP (VBP purr)))))
  (. .))
5 1 2 2 2 0 0 0 0: the S around both is no clause, but a T-unit as the second is
(S (S (NP (PRP I)) (VP (VBD came))) (, ,) (CC but) (S (NP (PRP you)) (VP (VBD left)))
  (. .))
5 1 2 2 1 1 1 0 1: function tags count for nothing
(S (NP-SBJ (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP-SBJ (NNS cats)) (VP
  (VBP purr))))) (. .))
3 1 1 1 1 0 0 0 0: a question
(SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ ill)) (. ?))
3 1 1 1 1 0 0 0 0: a command
(S (VP (VB Close) (NP (DT the) (NN door))) (. !))
6 1 0 1 1 0 0 0 1: a fragment is a clause and a T-unit; a noun with a PP and adjective
(FRAG (NP (NP (DT The) (JJ old) (NN man)) (PP (IN in) (NP (DT the) (NN boat)))) (. .))
7 1 2 1 1 0 0 2 1: a coordinate VP and NP; a gerund as subject is a complex nominal
(S (S (VP (VBG Swimming) (CC and) (VBG running))) (VP (VBZ helps) (NP (NP (NNS dogs))
  (CC and) (NP (NNS cats)))) (. .))
4 1 1 1 1 0 0 0 1: an apposition is a complex nominal
(S (NP (NP (NNP Ada)) (, ,) (NP (PRP$ my) (NN aunt))) (VP (VBD came)))
6 1 1 1 1 0 0 0 1: don't and Ada's are a word each
(S (NP (PRP I)) (VP (VBP do) (RB n't) (VP (VB see) (NP (NP (NNP Ada) (POS 's)) (JJ new)
  (NN boat)))) (. .))
4 1 1 1 1 0 0 0 0: several outermost constituents; hyphens are no words
(TOP (NP (NN ice) (HYPH -) (NN cream)) (: ;) (S (NP (PRP we)) (VP (VBP eat))))
"""
LINES = [" ".join(line.split()) for line in re.split(r"\n(?!\s)", COUNTED.strip())]
KNOW, CAME = LINES[1], LINES[3]
DOG = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))) (. .))"


@pytest.mark.parametrize(
    ("counts", "brackets"), list(zip(LINES[::2], LINES[1::2], strict=True))
)
def test_structures_of_a_sentence_are_counted_as_defined(counts, brackets):
    found = measure([parse_tree(brackets)])
    assert [str(found[name]) for name in ("W", *STRUCTURES)] == counts[:17].split()


def test_measures_of_a_text_are_those_worked_out_by_hand():
    trees = [parse_tree(text) for text in (KNOW, CAME, DOG)]
    doc = make_doc(KNOW, CAME, DOG)
    found = doc._.complexity
    asked = [found[name] for name in ("MLS", "MLT", "C/T", "CT/T", "depth")]
    assert asked == [14 / 3, 14 / 4, 5 / 4, 1 / 4, (5 + 3 + 3) / 3]
    for sent, tree in zip(doc.sents, trees, strict=True):
        assert sent._.complexity == measure([tree])
    assert set(doc[1:]._.complexity.values()) > {0.0}
    assert doc[1:]._.complexity["S"] == 2
    spaced = token_doc("Go|\n", "Go|\n", trees=["(S (VP (VB Go)))"] * 2, tags="VB||VB|")
    assert spaced[:1]._.complexity["W"] == spaced[2:3]._.complexity["W"] == 1


def test_depth_and_branching_are_those_worked_out_by_hand():
    found = measure([parse_tree(DOG)])
    # To come after "The" are "dog" and the VP; after "dog" and "saw" one phrase.
    assert found["yngve"] == (2 + 1 + 1 + 0) / 4
    # S, NP and VP begin with the first three words.
    assert found["frazier"] == 1.5 + 1 + 1
    assert found["depth"] == 3
    assert found["branching"] == (2 + 2 + 2 + 1) / 4
    assert measure([parse_tree("(S (VP (VB Go)) (X (X (. .))))")])["depth"] == 2


def test_nothing_has_measures_of_zero_and_missing_tags_are_an_error():
    assert set(measure([Tree((), (), ())]).values()) == {0}
    doc = make_doc("(S (XX Go))")
    with pytest.raises(ValueError, match="tags"):
        _ = doc._.complexity


@given(strategies.trees())
def test_any_tree_can_be_measured(tree):
    if {*tree.tags} == {"XX"}:
        return
    found = measure([tree])
    assert len(found) == 9 + 14 + 4
    assert found["S"] == (found["W"] > 0)
    assert found["CT"] <= found["T"]
    for name, (part, whole) in INDICES.items():
        assert found[name] * found[whole] == pytest.approx(
            found[part] * bool(found[whole])
        )


def test_a_line_of_marks_is_no_sentence_of_no_words():
    marks = "(FRAG (. !) (. !) (. !))"
    dog = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"
    assert make_doc(dog, marks)._.complexity == make_doc(dog)._.complexity
