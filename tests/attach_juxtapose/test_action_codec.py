import pytest
from helpers.transitions import codec

from spacy_gfl import Tree, parse_tree
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose

DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))")


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        # Label numbers: NP 1, S 2, VP 3, and 4 for S over NP.
        ("(S (NP (X The) (X dog)) (VP (X barks)))", [(0, 0, 1), (1, 0, 0), (1, 2, 3)]),
        ("(TOP (X a))", [(0, 0, 0)]),
        ("(S (X a))", [(0, 0, 2)]),
        ("(TOP (NP (X a)) (X b) (VP (X c)))", [(0, 0, 1), (0, 0, 0), (0, 0, 3)]),
        # The left corner is not guessed: NP becomes two when `of` arrives.
        ("(NP (NP (X a)) (X of))", [(0, 0, 1), (1, 1, 0)]),
        ("(S (NP (X a) (X b)))", [(0, 0, 4), (1, 0, 0)]),
        (
            "(S (X a) (VP (X b) (NP (X c) (X d))) (X .))",
            [(0, 0, 2), (1, 0, 3), (2, 0, 1), (3, 0, 0), (1, 0, 0)],
        ),
    ],
)
def test_trees_are_written_as_one_action_a_word(text, actions):
    chains = [("NP",), ("S",), ("VP",), ("S", "NP")]
    encoded = AttachJuxtapose(["NP", "S", "VP"], chains).encode(parse_tree(text))
    assert [tuple(row) for row in encoded.actions.tolist()] == actions


def test_steps_are_the_words():
    assert codec(1).steps(DOG) == ["The", "dog", "barks"]


def test_a_sentence_without_words_has_no_actions():
    vocabulary = codec(1)
    encoded = vocabulary.encode(Tree((), (), ()))
    assert encoded.actions.shape == (0, 3)
    assert vocabulary.decode([], 0) == ([], False)


@pytest.mark.parametrize(
    ("chains", "kept"),
    [
        ([("A", "B", "C")], "A B C"),
        ([("A", "B"), ("B", "C")], "A B"),
        ([("B", "C"), ("A",)], "B C"),
        ([("C",), ("A",)], "A"),
        ([("C",)], "C"),
        ([("A", "C"), ("D",)], ""),
    ],
)
def test_unknown_chains_keep_their_longest_known_part(chains, kept):
    vocabulary = AttachJuxtapose("ABCD", chains)
    tree = parse_tree("(A (B (C (X a) (X b))))")
    encoded = vocabulary.encode(tree)
    decoded = vocabulary.decode(encoded.actions.tolist(), 2)
    assert decoded.constituents == [(label, 0, 2) for label in kept.split()]


def test_tags_are_numbered():
    forest = [DOG, parse_tree("(S (DT a) (XX b))")]
    vocabulary = AttachJuxtapose.from_trees(forest)
    assert vocabulary.tags == ("DT", "NN", "VBZ")
    tree = parse_tree("(S (NN a) (XX b) (JJ c) (DT d))")
    assert vocabulary.encode(tree).tags.tolist() == [1, -1, -1, 0]
