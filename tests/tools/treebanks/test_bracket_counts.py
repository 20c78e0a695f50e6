import pickle

import pytest
from helpers.reading import A, B, places, read
from helpers.strategies import plain_trees
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import TreeError, read_trees
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.trees.brackets import BracketError

UNCLOSED = "unclosed bracket"
UNOPENED = "too many closing brackets"
EMPTY = "empty label"
CHILDLESS = "node without children"
OUTSIDE = "text outside of a tree"


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("\n  (S (NP (NN a", UNCLOSED, 2, 3),
        ("(S (NN a))\n )", UNOPENED, 2, 2),
        ("(S\n ((NN a)))", EMPTY, 2, 2),
        ("(S ( a))", EMPTY, 1, 4),
        ("( S (NN a))", EMPTY, 1, 1),
        ("(S (NN a) (NP\n  ))", CHILDLESS, 1, 11),
        ("(S)", CHILDLESS, 1, 1),
        ("( )", CHILDLESS, 1, 1),
        ("  The dog barks\nand eats", OUTSIDE, 1, 3),
    ],
)
def test_errors_name_their_place(text, reason, line, column):
    with pytest.raises(BracketError) as raised:
        list(read_trees(text.split("\n"), rejections=Rejections("a.mrg")))
    error = raised.value
    assert isinstance(error, TreeError)
    assert (error.source, error.line, error.column) == ("a.mrg", line, column)
    assert str(error) == f"a.mrg:{line}:{column}: {error.explanation}"
    assert error.reason == reason
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    good = f"( {A} )\n"
    printed, errors, _ = read(f"{good}\n{text}\n{good}{good}")
    assert printed == [A, A, A]
    assert places(errors) == [(reason, line + 2, column)]


LINES = "(ROOT\n(S\n(NP (DT The) (NN dog))\n(VP (VBZ barks))))\n"
INDENTED = "(ROOT\n  (S\n    (NP (DT The) (NN dog))\n    (VP (VBZ barks))))\n\n"


def unclosed(tree):
    return tree.replace("dog))", "dog)")


@pytest.mark.parametrize(
    ("text", "printed", "expected"),
    [
        # On one line with good trees.
        (f"{A} (S (NP)) {B}", [A, B], [(CHILDLESS, 1, 48)]),
        (f"nonsense {A}\n{B} !\n", [A, B], [(OUTSIDE, 1, 1), (OUTSIDE, 2, 17)]),
        # Dependencies, as the Stanford Parser writes them after each tree.
        (
            f"{A}\n\ndet(dog-2, the-1)\nroot(ROOT-0, dog-2)\n\n{B}",
            [A, B],
            [(OUTSIDE, 3, 1)],
        ),
        # The third closing bracket of line 2 ends the tree too early.
        (
            f"{B}\n(ROOT (S (NP (NN a))))\n    (VP (VB b))\n  )\n)\n{A}\n",
            [B, A],
            [(UNOPENED, 4, 3)],
        ),
        # A line that begins with a bracket ends a tree that is not closed.
        (
            f"(S (NN a)\n{A}\n{B}\n(S (NN a)\n\n{B}\n",
            [A, B, B],
            [(UNCLOSED, 1, 1), (UNCLOSED, 4, 1)],
        ),
        (INDENTED + unclosed(INDENTED) + INDENTED, [A, A], [(UNCLOSED, 6, 1)]),
        # With inner lines in column 1, only one with an outer bracket does.
        (LINES + unclosed(LINES) + LINES, [A, A], [(UNCLOSED, 5, 1)]),
        # Of a tree that is cut short at the end of the text, nothing is guessed.
        (f"{A}\n(S (NP (NN a", [A], [(UNCLOSED, 2, 1)]),
    ],
)
def test_an_error_costs_no_tree_but_its_own(text, printed, expected):
    found, errors, _ = read(text)
    assert (found, places(errors)) == (printed, expected)


def test_an_unclosed_tree_says_what_it_lacks_and_what_ended_it():
    _, errors, _ = read(f"(S (NP (NN a))\n   (VP (VB b)\n{A}\n(NP (NN c)")
    assert [error.explanation for error in errors] == [
        "this tree lacks 2 closing brackets, the first for (VP in "
        "line 2, column 4; line 3 begins a new tree in column 1",
        "this bracket is not closed",
    ]


@given(
    st.lists(plain_trees(), min_size=1, max_size=5),
    st.sampled_from([None, "ROOT", ""]),
    st.booleans(),
    st.data(),
)
def test_one_bracket_too_few_or_too_many_costs_one_line(forest, root, is_extra, data):
    lines = [tree.brackets(root) for tree in forest]
    index = data.draw(st.integers(0, len(lines) - 1))
    line = lines[index]
    at = data.draw(st.sampled_from([i for i, c in enumerate(line) if c == ")"]))
    lines[index] = line[:at] + ("))" if is_extra else "") + line[at + 1 :]
    errors = []
    kept = list(read_trees(lines, rejections=Rejections(on_error=errors.append)))
    reason = UNOPENED if is_extra else UNCLOSED
    assert kept == forest[:index] + forest[index + 1 :]
    assert [(error.reason, error.line) for error in errors] == [(reason, index + 1)]
