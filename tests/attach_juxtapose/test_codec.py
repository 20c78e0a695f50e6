import json

import pytest
from helpers.strategies import deep_tree, trees
from helpers.transitions import act, codec, every_sequence, sequences, tree_of
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.attach_juxtapose.codec import AttachJuxtapose
from spacy_gfl.parser.codecs import LabelDataError
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.tree import Tree, check_constituents

N_LABELS = 3
DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))")


def read(text):
    return parse_tree(text)


# Worked examples


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        # Label numbers: NP 1, S 2, VP 3.
        (
            "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))",
            [(0, 0, 1), (1, 0, 0), (1, 2, 3)],
        ),
        ("(TOP (X a))", [(0, 0, 0)]),
        ("(S (X a))", [(0, 0, 2)]),
        ("(TOP (NP (X a)) (X b) (VP (X c)))", [(0, 0, 1), (0, 0, 0), (0, 0, 3)]),
        # The left corner is not guessed: NP becomes two when `of` arrives.
        ("(NP (NP (X a)) (X of))", [(0, 0, 1), (1, 1, 0)]),
        ("(S (NP (X a) (X b)))", None),
        (
            "(S (X a) (VP (X b) (NP (X c) (X d))) (X .))",
            [(0, 0, 2), (1, 0, 3), (2, 0, 1), (3, 0, 0), (1, 0, 0)],
        ),
    ],
)
def test_trees_as_actions(text, actions):
    vocabulary = AttachJuxtapose(
        ["NP", "S", "VP"], [("NP",), ("S",), ("VP",), ("S", "NP")]
    )
    tree = read(text)
    if actions is None:
        actions = [(0, 0, 4), (1, 0, 0)]
    encoded = vocabulary.encode(tree)
    assert [tuple(row) for row in encoded.actions.tolist()] == actions
    decoded = vocabulary.decode(actions, len(tree))
    assert tuple(decoded.constituents) == tree.constituents
    assert not decoded.malformed


def test_steps_are_the_words():
    assert codec(1).steps(DOG) == ["The", "dog", "barks"]


# There and back


@given(trees())
def test_decoding_inverts_encoding(tree):
    vocabulary = AttachJuxtapose.from_trees([tree])
    encoded = vocabulary.encode(tree)
    assert encoded.actions.shape == (len(tree), 3)
    decoded = vocabulary.decode(encoded.actions.tolist(), len(tree))
    assert tuple(decoded.constituents) == tree.constituents
    assert not decoded.malformed


@given(sequences(N_LABELS))
def test_encoding_inverts_decoding(actions):
    vocabulary = codec(N_LABELS)
    decoded = vocabulary.decode(actions, len(actions))
    check_constituents(decoded.constituents, len(actions))
    encoded = vocabulary.encode(tree_of(vocabulary, actions))
    assert [tuple(row) for row in encoded.actions.tolist()] == actions


@pytest.mark.parametrize(("n_words", "n_labels"), [(1, 3), (2, 2), (3, 2), (4, 1)])
def test_different_actions_are_different_trees(n_words, n_labels):
    vocabulary = codec(n_labels)
    every = every_sequence(n_words, n_labels)
    found = {tree_of(vocabulary, actions).constituents for actions in every}
    assert len(found) == len(every)


@given(sequences(N_LABELS))
def test_the_chain_before_each_word(actions):
    vocabulary = codec(N_LABELS)
    encoded = vocabulary.encode(tree_of(vocabulary, actions))
    chain, at = [(0, N_LABELS + 1)], 0
    for word, action in enumerate(actions):
        size = encoded.chain_sizes[word]
        starts = encoded.chain_starts[at : at + size].tolist()
        labels = encoded.chain_labels[at : at + size].tolist()
        assert list(zip(starts, labels, strict=True)) == chain
        at += size
        chain = act(chain, action, word)
    assert at == len(encoded.chain_starts) == len(encoded.chain_labels)


@pytest.mark.parametrize("depth", [1, 2, 1000, 1001])
def test_a_deep_tree_survives(depth):
    tree = deep_tree(depth)
    vocabulary = AttachJuxtapose.from_trees([tree])
    decoded = vocabulary.decode(vocabulary.encode(tree).actions.tolist(), len(tree))
    assert tuple(decoded.constituents) == tree.constituents


@pytest.mark.parametrize("first", [True, False])
def test_a_long_chain_survives(first):
    # Right-branching or left-branching over 300 words.
    n = 300
    nodes = [("NP", 0, n - i) if first else ("NP", i, n) for i in range(n - 1)]
    tree = Tree(("w",) * n, ("NN",) * n, tuple(nodes))
    vocabulary = AttachJuxtapose.from_trees([tree])
    encoded = vocabulary.encode(tree)
    assert encoded.chain_sizes.max() == (2 if first else n)
    decoded = vocabulary.decode(encoded.actions.tolist(), n)
    assert tuple(decoded.constituents) == tree.constituents


def test_a_sentence_without_words():
    vocabulary = codec(1)
    encoded = vocabulary.encode(Tree((), (), ()))
    assert encoded.actions.shape == (0, 3)
    assert vocabulary.decode([], 0) == ([], False)


# Labels


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
    tree = read("(A (B (C (X a) (X b))))")
    encoded = vocabulary.encode(tree)
    decoded = vocabulary.decode(encoded.actions.tolist(), 2)
    assert decoded.constituents == [(label, 0, 2) for label in kept.split()]


@given(trees(), trees())
def test_unknown_trees_can_be_written(seen, tree):
    vocabulary = AttachJuxtapose.from_trees([seen])
    decoded = vocabulary.decode(vocabulary.encode(tree).actions.tolist(), len(tree))
    check_constituents(decoded.constituents, len(tree))
    missing = list(tree.constituents)
    for node in decoded.constituents:
        missing.remove(node)
    assert {node.label for node in decoded.constituents} <= set(vocabulary.labels)
    assert sorted(vocabulary.unknown(tree)) == sorted(node.label for node in missing)


def test_unknown_labels_are_named():
    assert AttachJuxtapose(["S"], [("S",)]).unknown(DOG) == ["NP", "VP"]


def test_tags_are_numbered():
    forest = [DOG, read("(S (DT a) (XX b))")]
    vocabulary = AttachJuxtapose.from_trees(forest)
    assert vocabulary.tags == ("DT", "NN", "VBZ")
    tree = read("(S (NN a) (XX b) (JJ c) (DT d))")
    assert vocabulary.encode(tree).tags.tolist() == [1, -1, -1, 0]


@given(st.lists(trees(), max_size=4), st.randoms())
def test_the_order_of_trees_does_not_matter(forest, random):
    shuffled = list(forest)
    random.shuffle(shuffled)
    one = AttachJuxtapose.from_trees(forest)
    assert one.to_json() == AttachJuxtapose.from_trees(shuffled).to_json()


@given(st.lists(trees(), max_size=3))
def test_label_data_survive_json(forest):
    vocabulary = AttachJuxtapose.from_trees(forest)
    data = json.loads(json.dumps(vocabulary.to_json()))
    again = AttachJuxtapose.from_json(data)
    assert again.to_json() == vocabulary.to_json()
    for tree in forest:
        one, other = again.encode(tree), vocabulary.encode(tree)
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_further_labels_come_after_the_others():
    vocabulary = codec(2, 1).with_labels(["L1", "NEW"])
    assert vocabulary.labels == ("L0", "L1", "NEW")
    assert vocabulary.chains == (("L0",), ("L1",), ("NEW",))
    assert vocabulary.tags == ("T0",)


GOOD = {"kind": "attach_juxtapose", "labels": ["S"], "chains": [["S"]], "tags": ["A"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "symbols"}, '"symbols", but the model needs "attach_juxtapose"'),
        ({"kind": None}, "kind"),
        ({"version": 2}, "version 2.*up to 1"),
        ({"version": "1"}, "version 1"),
        ({"labels": None}, '"labels"'),
        ({"labels": [1]}, "1"),
        ({"labels": ["S", ""]}, "no label"),
        ({"labels": ["S", "S"]}, "twice"),
        ({"chains": None}, '"chains"'),
        ({"chains": [["S"], ["S"]]}, "twice"),
        ({"chains": [["S", "NP"]]}, "no chain"),
        ({"chains": [[]]}, "no chain"),
        ({"chains": [1]}, "1"),
        ({"chains": [[["S"]]]}, "no chain"),
        ({"labels": ["S", "\ud800"]}, "no label"),
        ({"chains": ["S"]}, "S"),
        ({"tags": "A"}, '"tags"'),
        ({"tags": [1]}, "1"),
        ({"tags": [""]}, "tag"),
        ({"tags": ["\ud800"]}, "no tag"),
    ],
)
def test_broken_label_data_are_refused(change, message):
    assert AttachJuxtapose.from_json(GOOD).to_json() == {**GOOD, "version": 1}
    with pytest.raises(LabelDataError, match=message):
        AttachJuxtapose.from_json({**GOOD, **change})


@pytest.mark.parametrize("data", [None, "S", [], {}, {"labels": ["S"]}])
def test_label_data_of_another_form_are_refused(data):
    with pytest.raises(LabelDataError, match="abel data"):
        AttachJuxtapose.from_json(data)
