import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.storage import set_trees
from spacy_gfl.trees.tree import Constituent, Tree, TreeError

VOCAB = Vocab()
#: "I cannot go." as gold has it: S over all, NP I, VP can not go, ADVP not.
GOLD = ["I", "can", "not", "go", "."]
SPACES = [True, False, True, False, False]
NODES = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("ADVP", 2, 3), ("VP", 3, 4)]


def make_doc(words, spaces, starts=None):
    starts = None if starts is None else [i in starts for i in range(len(words))]
    return Doc(VOCAB, words, spaces, sent_starts=starts)


def gold_doc(words=GOLD, spaces=SPACES, starts=(0,), nodes=(NODES,)):
    doc = make_doc(words, spaces, starts)
    set_trees(doc, [[Constituent(*node) for node in tree] for tree in nodes])
    return doc


def align(reference, predicted, **kwargs):
    return list(gold_sentences(Example(predicted, reference), **kwargs))


@pytest.mark.parametrize(
    ("words", "spaces", "indices", "nodes"),
    [
        (GOLD, SPACES, [0, 1, 2, 3, 4], NODES),
        # can and not are one token: no ADVP.
        (
            ["I", "cannot", "go", "."],
            [True, True, False, False],
            [0, 1, 2, 3],
            [("S", 0, 4), ("NP", 0, 1), ("VP", 1, 3), ("VP", 2, 3)],
        ),
        # go and the period are one token: neither VP ends with a token.
        (
            ["I", "can", "not", "go."],
            [True, False, True, False],
            [0, 1, 2, 3],
            [("S", 0, 4), ("NP", 0, 1), ("ADVP", 2, 3)],
        ),
        # not is two tokens.
        (
            ["I", "can", "n", "ot", "go", "."],
            [True, False, False, True, False, False],
            [0, 1, 2, 3, 4, 5],
            [("S", 0, 6), ("NP", 0, 1), ("VP", 1, 5), ("ADVP", 2, 4), ("VP", 4, 5)],
        ),
        # Cut across: can|not go|. is ca|nnot go|.
        (
            ["I", "ca", "nnot", "go", "."],
            [True, False, True, False, False],
            [0, 1, 2, 3, 4],
            [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("VP", 3, 4)],
        ),
        # All in one.
        (["I cannot go."], [False], [0], [("S", 0, 1)]),
        # White space is no word, wherever it is.
        (
            ["\n", "I", " ", "can", "not", "\n\n", "go", ".", " "],
            [False, True, False, False, True, False, False, True, False],
            [1, 3, 4, 6, 7],
            NODES,
        ),
    ],
)
def test_tokens_differ(words, spaces, indices, nodes):
    [sentence] = align(gold_doc(), make_doc(words, spaces))
    assert sentence.words == indices
    assert sentence.tree.constituents == tuple(Constituent(*node) for node in nodes)
    assert sentence.tree.words == tuple(words[i] for i in indices)


TWO = {
    "words": ["Go", ".", "Run", "."],
    "spaces": [False, True, False, False],
    "starts": (0, 2),
    "nodes": ([("S", 0, 2)], [("S", 0, 2), ("VP", 0, 1)]),
}


@pytest.mark.parametrize(
    ("words", "spaces", "found"),
    [
        (TWO["words"], TWO["spaces"], [[0, 1], [2, 3]]),
        (["Go.", "Run", "."], [True, False, False], [[0], [1, 2]]),
        # A token over the boundary spoils both sentences.
        (["Go", ".Run", "."], [False, False, False], []),
        (["Go", ".", "Run."], [False, True, False], [[0, 1], [2]]),
        (["Go. Run."], [False], []),
    ],
)
def test_several_sentences(words, spaces, found):
    sentences = align(gold_doc(**TWO), make_doc(words, spaces))
    assert [sentence.words for sentence in sentences] == found


def test_sentences_are_the_references():
    predicted = make_doc(TWO["words"], TWO["spaces"], starts=(0, 1, 2, 3))
    sentences = align(gold_doc(**TWO), predicted)
    assert [sentence.words for sentence in sentences] == [[0, 1], [2, 3]]


def test_white_space_in_the_reference():
    words = ["\n", "Go", " ", ".", "\n"]
    reference = gold_doc(words, [False] * 5, nodes=([("S", 0, 2), ("VP", 0, 1)],))
    [sentence] = align(reference, make_doc(["Go", "."], [True, False]))
    assert sentence.words == [0, 1]
    assert sentence.tree.constituents == (("S", 0, 2), ("VP", 0, 1))


def test_tags_are_golds_where_tokens_are_the_same():
    reference = gold_doc()
    for token, tag in zip(reference, ["PRP", "MD", "RB", "VB", ""], strict=True):
        token.tag_ = tag
    predicted = make_doc(["I", "cannot", "GO", "."], [True, True, False, False])
    predicted[1].tag_ = "MD"
    [sentence] = align(reference, predicted)
    assert sentence.tree.tags == ("PRP", "XX", "VB", "XX")


def test_case_may_differ():
    predicted = make_doc([word.upper() for word in GOLD], SPACES)
    assert len(align(gold_doc(), predicted)) == 1


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        # Lower case has another number of characters.
        (["İ", "a", "b", "c"], ["i̇", "a", "b", "c"]),
        (["STRASSE", "a", "b", "c"], ["straße", "a", "b", "c"]),
        # Lower case depends on what follows, which is not the same in the text.
        (["ΟΔΟΣ", "Α", "b", "c"], ["οδος", "α", "b", "c"]),
    ],
)
def test_case_changes_how_long_a_text_is(upper, lower):
    nodes = [("S", 0, 4), ("NP", 0, 1), ("VP", 2, 4), ("NP", 3, 4)]
    for words, others in ((upper, lower), (lower, upper), (upper, upper)):
        [sentence] = align(
            gold_doc(words, [True] * 4, nodes=(nodes,)), make_doc(others, [True] * 4)
        )
        assert sentence.words == [0, 1, 2, 3]
        assert sentence.tree.words == tuple(others)
        assert list(sentence.tree.constituents) == nodes


def test_other_texts_are_refused():
    reference = gold_doc()
    with pytest.raises(ValueError, match="same text"):
        align(reference, make_doc(["I", "stay", "."], SPACES[2:]))


def test_labels():
    [sentence] = align(gold_doc(), make_doc(GOLD, SPACES), labels={"S", "NP"})
    assert sentence.tree.constituents == (("S", 0, 5), ("NP", 0, 1))
    tree = Tree(("a",), ("A",), (Constituent("X", 0, 1),))
    assert tree.keep_labels({"X"}) is tree
    assert tree.keep_labels(()).constituents == ()


@pytest.mark.parametrize(
    ("words", "starts", "nodes"), [([], (), ()), (["\n"], (0,), ([],))]
)
def test_nothing_to_learn(words, starts, nodes):
    reference = gold_doc(words, [False] * len(words), starts, nodes)
    assert align(reference, make_doc(words, [False] * len(words))) == []


def test_no_trees():
    predicted = make_doc(GOLD, SPACES)
    assert align(make_doc(GOLD, SPACES, (0,)), predicted) == []
    assert align(gold_doc(), predicted, key="other") == []


def test_trees_without_constituents_are_learnt():
    reference = gold_doc(nodes=([],))
    [sentence] = align(reference, make_doc(GOLD, SPACES))
    assert sentence.tree.constituents == ()
    assert sentence.words == [0, 1, 2, 3, 4]


def test_reference_retokenized():
    reference = gold_doc()
    with reference.retokenize() as retokenizer:
        retokenizer.merge(reference[1:3])
    with pytest.raises(TreeError, match="retokenize"):
        align(reference, make_doc(GOLD, SPACES))
