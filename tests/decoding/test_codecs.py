"""What the codecs of both decoders promise alike."""

import json

import pytest
from helpers.strategies import deep_tree, trees
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_gfl import Tree
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.trees.tree import check_constituents

both = pytest.mark.parametrize("codec", [Symbols, AttachJuxtapose])


def written(vocabulary, tree):
    """What the decoder is to write for a tree, as it would write it."""
    encoded = vocabulary.encode(tree)
    return encoded.actions.tolist() if hasattr(encoded, "actions") else encoded


def long_chain(n_words, first):
    """Left-branching or right-branching."""
    nodes = [
        ("NP", 0, n_words - i) if first else ("NP", i, n_words) for i in range(299)
    ]
    return Tree(("w",) * n_words, ("NN",) * n_words, tuple(nodes))


@both
@given(trees())
@example(deep_tree(1))
@example(deep_tree(1000))
@example(deep_tree(1001))
@example(long_chain(300, first=True))
@example(long_chain(300, first=False))
def test_decoding_inverts_encoding(codec, tree):
    vocabulary = codec.from_trees([tree])
    decoded = vocabulary.decode(written(vocabulary, tree), len(tree))
    assert not decoded.malformed
    assert tuple(decoded.constituents) == tree.constituents


@both
@given(trees(), trees())
def test_unknown_trees_can_be_written(codec, seen, tree):
    vocabulary = codec.from_trees([seen])
    decoded = vocabulary.decode(written(vocabulary, tree), len(tree))
    check_constituents(decoded.constituents, len(tree))
    missing = list(tree.constituents)
    for node in decoded.constituents:
        missing.remove(node)
    assert {node.label for node in decoded.constituents} <= set(vocabulary.labels)
    assert sorted(vocabulary.unknown(tree)) == sorted(node.label for node in missing)


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
EITHER = [
    ({"kind": None}, "of the kind"),
    ({"version": 2}, "version 2.*up to 1"),
    *(({"labels": names}, '"labels"') for names in (None, "S", {"S": 0})),
    *(({"labels": names}, "not a label") for names in ([["S"]], ["S", ""], ["\ud800"])),
    ({"labels": ["NP", "S", "NP"]}, "labels twice: NP"),
]
BROKEN = {
    Symbols: [
        *(({"longest_opening_run": run}, "[Ll]abel") for run in (None, "many", 0, 1.5)),
        ({"kind": "attach_juxtapose"}, '"attach_juxtapose", but.*needs "symbols"'),
    ],
    AttachJuxtapose: [
        ({"kind": "symbols"}, '"symbols", but the model needs "attach_juxtapose"'),
        ({"chains": None}, '"chains"'),
        ({"chains": [["S"], ["S"]]}, "twice"),
        *(
            ({"chains": [chain]}, "not a unary chain")
            for chain in (["S", "NP"], [], [["S"]])
        ),
        ({"tags": "A"}, '"tags"'),
        ({"tags": [""]}, "tag"),
    ],
}


@pytest.mark.parametrize(
    ("codec", "change", "message"),
    [(codec, *case) for codec in BROKEN for case in EITHER + BROKEN[codec]],
)
def test_broken_label_data_are_refused(codec, change, message):
    data = SYMBOLS if codec is Symbols else ACTIONS
    assert codec.from_json(data).to_json().items() >= {**data, "version": 1}.items()
    with pytest.raises(LabelDataError, match=message):
        codec.from_json({**data, **change})


@both
@pytest.mark.parametrize("data", [None, "S", ["S", "NP"], {}, {"labels": ["S"]}])
def test_what_are_no_label_data_are_refused(codec, data):
    with pytest.raises(LabelDataError, match="abel data"):
        codec.from_json(data)
