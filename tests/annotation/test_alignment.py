import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl import set_trees
from spacy_gfl.annotation.alignment import gold_sentences

VOCAB = Vocab()
#: "I cannot go." as gold has it: S over all, NP I, VP can not go, ADVP not.
GOLD = "I |can|not |go|."
NODES = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("ADVP", 2, 3), ("VP", 3, 4)]
#: Trees of two sentences. One without constituents is learnt too.
TWO_NODES = ([], [("S", 0, 2), ("VP", 0, 1)])


def make_doc(text, starts=None):
    """A Doc of tokens between bars; a blank at the end is the space after a token."""
    parts = text.split("|") if text else []
    words = [part[:-1] if part[:-1] and part[-1] == " " else part for part in parts]
    spaces = [len(part) > len(word) for part, word in zip(parts, words, strict=True)]
    starts = None if starts is None else [i in starts for i in range(len(words))]
    return Doc(VOCAB, words, spaces, sent_starts=starts)


def gold_doc(text=GOLD, starts=(0,), nodes=(NODES,)):
    doc = make_doc(text, starts)
    set_trees(doc, nodes)
    return doc


def align(reference, predicted):
    return list(gold_sentences(Example(predicted, reference)))


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        (GOLD, "S 0 5, NP 0 1, VP 1 4, ADVP 2 3, VP 3 4"),
        # can and not are one token: no ADVP.
        ("I |cannot |go|.", "S 0 4, NP 0 1, VP 1 3, VP 2 3"),
        # go and the period are one token: neither VP ends with a token.
        ("I |can|not |go.", "S 0 4, NP 0 1, ADVP 2 3"),
        # not is two tokens.
        ("I |can|n|ot |go|.", "S 0 6, NP 0 1, VP 1 5, ADVP 2 4, VP 4 5"),
        # Cut across: can|not go|. is ca|nnot go|.
        ("I |ca|nnot |go|.", "S 0 5, NP 0 1, VP 1 4, VP 3 4"),
        ("I cannot go.", "S 0 1"),
        # White space is no word, wherever it is.
        ("\n|I | |can|not |\n\n|go|. | ", "S 0 5, NP 0 1, VP 1 4, ADVP 2 3, VP 3 4"),
    ],
)
def test_constituents_that_split_a_predicted_token_are_left_out(text, nodes):
    words = [token for token in make_doc(text) if not token.text.isspace()]
    [sentence] = align(gold_doc(), make_doc(text))
    assert sentence.words == [token.i for token in words]
    assert ", ".join("%s %d %d" % node for node in sentence.tree.constituents) == nodes
    assert sentence.tree.words == tuple(token.text for token in words)


@pytest.mark.parametrize(
    ("text", "starts", "found"),
    [
        ("Go|. |Run|.", None, [[0, 1], [2, 3]]),
        # Sentences are those of the reference.
        ("Go|. |Run|.", (0, 1, 2, 3), [[0, 1], [2, 3]]),
        ("Go. |Run|.", None, [[0], [1, 2]]),
        # A token over the boundary spoils both sentences.
        ("Go|.Run|.", None, []),
        ("Go|. |Run.", None, [[0, 1], [2]]),
        ("Go. Run.", None, []),
    ],
)
def test_sentences_of_the_reference_are_found_unless_a_token_crosses_them(
    text, starts, found
):
    reference = gold_doc("Go|. |Run|.", (0, 2), TWO_NODES)
    sentences = align(reference, make_doc(text, starts))
    assert [sentence.words for sentence in sentences] == found


def test_white_space_tokens_of_the_reference_are_passed_over():
    [sentence] = align(gold_doc("\n|Go| |.|\n", nodes=TWO_NODES[1:]), make_doc("Go|. "))
    assert sentence.words == [0, 1]
    assert sentence.tree.constituents == (("S", 0, 2), ("VP", 0, 1))


def test_tags_are_golds_where_tokens_are_the_same():
    reference = gold_doc()
    for token, tag in zip(reference, ["PRP", "MD", "RB", "VB", ""], strict=True):
        token.tag_ = tag
    predicted = make_doc("I |cannot |GO|.")
    predicted[1].tag_ = "MD"
    [sentence] = align(reference, predicted)
    assert sentence.tree.tags == ("PRP", "XX", "VB", "XX")


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        # Lower case has another number of characters.
        ("İ |a |b |c", "i̇ |a |b |c"),
        ("STRASSE |a |b |c", "straße |a |b |c"),
        # Lower case depends on what follows, which is not the same in the text.
        ("ΟΔΟΣ |Α |b |c", "οδος |α |b |c"),
        # Nothing but case differs.
        ("I |CAN |GO |.", "i |can |go |."),
    ],
)
def test_texts_that_differ_in_case_and_so_in_length_are_aligned(upper, lower):
    nodes = [("S", 0, 4), ("NP", 0, 1), ("VP", 2, 4), ("NP", 3, 4)]
    for words, others in ((upper, lower), (lower, upper), (upper, upper)):
        predicted = make_doc(others)
        [sentence] = align(gold_doc(words, nodes=(nodes,)), predicted)
        assert sentence.words == [0, 1, 2, 3]
        assert sentence.tree.words == tuple(token.text for token in predicted)
        assert list(sentence.tree.constituents) == nodes


def test_a_reference_without_words_or_trees_gives_none_and_other_texts_are_refused():
    for text, starts, nodes in (("", (), ()), ("\n", (0,), ([],))):
        assert align(gold_doc(text, starts, nodes), make_doc(text)) == []
    assert align(make_doc(GOLD, (0,)), make_doc(GOLD)) == []
    with pytest.raises(ValueError, match="same text"):
        align(gold_doc(), make_doc("I |stay|."))
