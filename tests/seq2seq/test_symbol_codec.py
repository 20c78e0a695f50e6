import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import Constituent, Tree, parse_tree
from spacy_gfl.seq2seq.grammar import CLOSE, END, OPEN, WORD
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.trees.tree import check_constituents

DOG = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))")


def test_trees_are_written_as_in_the_paper():
    # Figure 2 of the paper, with typed closing brackets as in section 2.2.
    tree = parse_tree("(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))")
    vocabulary = Symbols.from_trees([tree])
    written = [vocabulary.symbols[i] for i in vocabulary.encode(tree)]
    assert " ".join(written) == "(S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S </s>"


def test_the_vocabulary_is_laid_out_as_documented():
    vocabulary = Symbols(["NP", "S"])
    assert vocabulary.symbols == ["</s>", "XX", "(NP", "(S", ")NP", ")S"]
    assert vocabulary.kinds == [END, WORD, OPEN, OPEN, CLOSE, CLOSE]
    assert vocabulary.label_ids == [-1, -1, 0, 1, 0, 1]
    assert len(vocabulary) == 6
    # VP is left out.
    assert vocabulary.encode(DOG) == [3, 2, 1, 1, 4, 1, 1, 5, 0]


@given(st.data(), st.integers(0, 3), st.integers(0, 6))
def test_any_symbols_give_a_tree(data, n_labels, n_words):
    vocabulary = Symbols([f"L{i}" for i in range(n_labels)])
    symbols = st.integers(0, len(vocabulary) - 1)
    # Few end symbols, which would make most sequences short.
    symbols = symbols | st.integers(1, len(vocabulary) - 1)
    ids = data.draw(st.lists(symbols, max_size=30))
    decoded = vocabulary.decode(ids, n_words)
    check_constituents(decoded.constituents, n_words)
    # Malformed is exactly what no tree over these words is encoded as.
    tree = Tree(("w",) * n_words, ("NN",) * n_words, tuple(decoded.constituents))
    until_end = ids[: ids.index(0) + 1] if 0 in ids else ids
    assert decoded.malformed == (vocabulary.encode(tree) != until_end)
    # What was repaired needs no second repair.
    assert not vocabulary.decode(vocabulary.encode(tree), n_words).malformed


REPAIRS = [
    # (symbols, words, constituents, malformed)
    ("XX XX </s>", 2, [], False),
    # A closing bracket without partner is opened at the beginning.
    ("XX )A XX </s>", 2, [("A", 0, 1)], True),
    ("(A XX )A XX )B </s>", 2, [("B", 0, 2), ("A", 0, 1)], True),
    ("XX )A (B XX )B </s>", 2, [("A", 0, 1), ("B", 1, 2)], True),
    # Open brackets are closed at the end.
    ("(A XX (B XX </s>", 2, [("A", 0, 2), ("B", 1, 2)], True),
    # Another type closes the innermost constituent, which keeps its own.
    ("(A XX )B </s>", 1, [("A", 0, 1)], True),
    ("(A (B XX )A XX )B </s>", 2, [("A", 0, 2), ("B", 0, 1)], True),
    # Words too many are dropped, with what is over them alone.
    ("(A XX XX XX )A </s>", 2, [("A", 0, 2)], True),
    # Words too few are added at the end, within what is still open there.
    ("(A XX )A </s>", 3, [("A", 0, 1)], True),
    ("</s>", 2, [], True),
    # A missing end symbol.
    ("(A XX )A", 1, [("A", 0, 1)], True),
    # Constituents without words are dropped.
    ("(A )A XX </s>", 1, [], True),
    ("(A (B )B XX )A </s>", 1, [("A", 0, 1)], True),
    (")A XX </s>", 1, [], True),
    # Nothing counts after the end.
    ("(A XX )A </s> XX )B", 1, [("A", 0, 1)], False),
]


@pytest.mark.parametrize(("text", "n_words", "constituents", "malformed"), REPAIRS)
def test_malformed_output_is_repaired_into_a_tree(
    text, n_words, constituents, malformed
):
    vocabulary = Symbols(["A", "B"])
    ids = [vocabulary.symbols.index(symbol) for symbol in text.split()]
    decoded = vocabulary.decode(ids, n_words)
    assert decoded.constituents == constituents
    assert all(isinstance(node, Constituent) for node in decoded.constituents)
    assert decoded.malformed == malformed


def test_thousands_of_closing_brackets_are_repaired_quickly():
    vocabulary = Symbols(["A"])
    decoded = vocabulary.decode([1] + [3] * 5000 + [0], 1)
    assert decoded.constituents == [("A", 0, 1)] * 5000


def test_labels_are_ordered_by_frequency_then_name():
    first = parse_tree("(S (B (X a)) (A (X b)) (B (X c)))")
    second = parse_tree("(S (A (X a)) (C (X b)))")
    assert Symbols.from_trees([first, second]).labels == ("A", "B", "S", "C")


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("(A (X a))", 1),
        ("(A (A (A (X a))))", 3),
        ("(A (X a) (A (A (X b))))", 2),
        ("(A (A (X a)) (A (A (X b))))", 2),
        ("(TOP (A (X a)) (A (X b)))", 1),
    ],
)
def test_the_longest_opening_run_is_measured(text, run):
    vocabulary = Symbols.from_trees([parse_tree(text)])
    assert vocabulary.longest_opening_run == run
