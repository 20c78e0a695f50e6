"""What the codecs of both decoders promise alike."""

import json

import pytest
from helpers.strategies import deep_tree, trees
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl.attach_juxtapose.codec import AttachJuxtapose
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.seq2seq.codec import Symbols
from spacy_gfl.trees.tree import Tree

both = pytest.mark.parametrize("codec", [Symbols, AttachJuxtapose])


def written(vocabulary, tree):
    """What the decoder is to write for a tree, as it would write it."""
    encoded = vocabulary.encode(tree)
    return encoded.actions.tolist() if hasattr(encoded, "actions") else encoded


def there_and_back(codec, tree):
    vocabulary = codec.from_trees([tree])
    decoded = vocabulary.decode(written(vocabulary, tree), len(tree))
    assert not decoded.malformed
    return tuple(decoded.constituents)


@both
@given(trees())
def test_decoding_inverts_encoding(codec, tree):
    assert there_and_back(codec, tree) == tree.constituents


@both
@pytest.mark.parametrize("depth", [1, 2, 1000, 1001])
def test_a_deep_tree_survives(codec, depth):
    tree = deep_tree(depth)
    assert there_and_back(codec, tree) == tree.constituents


@both
@pytest.mark.parametrize("first", [True, False])
def test_a_long_chain_survives(codec, first):
    """Right-branching or left-branching over 300 words."""
    n = 300
    nodes = [("NP", 0, n - i) if first else ("NP", i, n) for i in range(n - 1)]
    tree = Tree(("w",) * n, ("NN",) * n, tuple(nodes))
    assert there_and_back(codec, tree) == tree.constituents


@both
@given(st.lists(trees(), max_size=4), st.randoms())
def test_the_order_of_trees_does_not_matter(codec, forest, random):
    shuffled = list(forest)
    random.shuffle(shuffled)
    assert codec.from_trees(forest).to_json() == codec.from_trees(shuffled).to_json()


@both
@given(st.lists(trees(), max_size=3))
def test_label_data_survive_json(codec, forest):
    vocabulary = codec.from_trees(forest)
    again = codec.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again.to_json() == vocabulary.to_json()
    for tree in forest:
        assert written(again, tree) == written(vocabulary, tree)


SYMBOLS = {"kind": "symbols", "labels": ["S"]}
ACTIONS = {
    "kind": "attach_juxtapose",
    "labels": ["S"],
    "chains": [["S"]],
    "tags": ["A"],
}


@pytest.mark.parametrize(
    ("codec", "data", "change", "message"),
    [
        *(
            (codec, data, change, message)
            for codec, data in ((Symbols, SYMBOLS), (AttachJuxtapose, ACTIONS))
            for change, message in (
                ({"kind": None}, "of the kind"),
                ({"version": 2}, "version 2.*up to 1"),
                ({"version": "1"}, "version 1.*up to 1"),
                ({"labels": None}, '"labels"'),
                ({"labels": "S"}, '"labels"'),
                ({"labels": {"S": 0}}, '"labels"'),
                ({"labels": [1]}, "1"),
                ({"labels": [["S"]]}, "no label"),
                ({"labels": ["S", ""]}, "no label"),
                ({"labels": ["S", "\ud800"]}, "no label"),
            )
        ),
        (Symbols, SYMBOLS, {"labels": ["NP", "S", "NP"]}, "more than once: NP"),
        *(
            (Symbols, SYMBOLS, {"longest_opening_run": run}, "[Ll]abel")
            for run in (None, "many", 0, 1.5)
        ),
        (
            *(Symbols, SYMBOLS, {"kind": "attach_juxtapose"}),
            '"attach_juxtapose", but.*needs "symbols"',
        ),
        (
            *(AttachJuxtapose, ACTIONS, {"kind": "symbols"}),
            '"symbols", but the model needs "attach_juxtapose"',
        ),
        *(
            (AttachJuxtapose, ACTIONS, change, message)
            for change, message in (
                ({"labels": ["S", "S"]}, "twice"),
                ({"chains": None}, '"chains"'),
                ({"chains": [["S"], ["S"]]}, "twice"),
                ({"chains": [["S", "NP"]]}, "no chain"),
                ({"chains": [[]]}, "no chain"),
                ({"chains": [1]}, "1"),
                ({"chains": [[["S"]]]}, "no chain"),
                ({"chains": ["S"]}, "S"),
                ({"tags": "A"}, '"tags"'),
                ({"tags": [1]}, "1"),
                ({"tags": [""]}, "tag"),
                ({"tags": ["\ud800"]}, "no tag"),
            )
        ),
    ],
)
def test_broken_label_data_are_refused(codec, data, change, message):
    assert codec.from_json(data).to_json().items() >= {**data, "version": 1}.items()
    with pytest.raises(LabelDataError, match=message):
        codec.from_json({**data, **change})


@both
@pytest.mark.parametrize("data", [None, "S", ["S", "NP"], {}, {"labels": ["S"]}])
def test_what_are_no_label_data_are_refused(codec, data):
    with pytest.raises(LabelDataError, match="abel data"):
        codec.from_json(data)
