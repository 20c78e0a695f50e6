from helpers.strategies import trees
from hypothesis import given
from hypothesis import strategies as st

from spacy_gfl import Constituent, parse_tree
from spacy_gfl.tools.correction.edits import Edits
from spacy_gfl.trees.tree import check_constituents, unary_chains

FOUND = parse_tree(
    "(S (NP (PRP We)) (VP (VBD met) (NP (NP (DT the) (NN head)) (PP (IN of)"
    " (NP (DT the) (NN house)))) (PP (IN in) (NP (NNP Paris)))))"
)
LABELS = st.one_of(
    st.none(), st.lists(st.sampled_from(["NP", "S"]), max_size=2).map(tuple)
)


def put_right(edits, found=FOUND):
    return [tuple(node) for node in edits.apply(found.constituents)]


def labels(edits, *extent):
    return unary_chains(edits.apply(FOUND.constituents)).get(extent, ())


@given(trees(), trees(), st.data())
def test_whatever_is_said_a_tree_comes_out_that_has_the_last_of_it(found, given, data):
    n_words = len(found)
    edits = Edits.of(given if len(given) == n_words else None)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, n_words - 1))
        end = data.draw(st.integers(start + 1, n_words))
        wanted = data.draw(LABELS)
        edits = edits.say((start, end), wanted)
        nodes = edits.apply(found.constituents)
        check_constituents(nodes, n_words)
        has = unary_chains(nodes).get((start, end), ())
        assert has if wanted is None else has == wanted
        for extent, theirs in edits.held.items():
            assert theirs is None or unary_chains(nodes).get(extent, ()) == theirs


def test_nothing_said_leaves_what_was_found_or_given():
    other = parse_tree("(S (A a) (B b) (C c) (D d) (E e) (F f) (G g) (H h) (I i))")
    assert put_right(Edits.of(None)) == list(FOUND.constituents)
    assert put_right(Edits.of(other)) == list(other.constituents)


def test_what_is_crossed_goes_and_the_rest_stays():
    edits = Edits.of(None).say((5, 9), ("NP",))
    assert labels(edits, 5, 9) == ("NP",)
    assert labels(edits, 2, 7) == labels(edits, 4, 7) == ()
    assert labels(edits, 2, 4) == ("NP",)
    # The later of two that exclude each other is meant.
    edits = edits.say((4, 7), ("PP",))
    assert labels(edits, 5, 9) == ()
    assert labels(edits, 4, 7) == ("PP",)


def test_a_bracket_without_a_label_has_the_parsers_or_an_unknown_one():
    assert labels(Edits.of(None).say((2, 7), None), 2, 7) == ("NP",)
    assert labels(Edits.of(None).say((0, 2), None), 0, 2) == ("X",)


def test_a_given_tree_changes_only_around_what_is_said():
    flat = parse_tree(
        "(S (NP (PRP We)) (VP (VBD met) (NP (DT the) (NN head)) (IN of) (DT the)"
        " (NN house) (IN in) (NNP Paris)))"
    )
    edits = Edits.of(flat).say((4, 9), None)
    added = set(put_right(edits)) - set(flat.constituents)
    # Nothing over "the head of the house", which would cross the new bracket, nor
    # anything that the parser knows of other places.
    assert added == {
        ("X", 4, 9),
        ("PP", 4, 7),
        ("NP", 5, 7),
        ("PP", 7, 9),
        ("NP", 8, 9),
    }
    # The noun phrase in the given tree stays closed.
    found = [*FOUND.constituents[:4], Constituent("NML", 3, 4), *FOUND.constituents[5:]]
    assert ("NML", 3, 4) not in Edits.of(flat).say((4, 9), None).apply(found)
    relabelled = Edits.of(flat).say((1, 9), ("S", "VP"))
    assert set(put_right(relabelled)) - set(flat.constituents) == {("S", 1, 9)}


def test_a_bracket_that_crosses_another_opens_no_more_than_is_around_both():
    given = parse_tree(
        "(S (S (NP (DT the) (NN woman) (VBD saw)) (NP (DT the) (NN man))) (CC and)"
        " (RB then) (VBD left))"
    )
    found = parse_tree(
        "(S (S (NP (DT the) (NN woman)) (VP (VBD saw) (NP (DT the) (NN man)))) (CC and)"
        " (VP (RB then) (VBD left)))"
    )
    edits = Edits.of(given).say((2, 5), None)
    assert put_right(edits, found) == [
        *(("S", 0, 8), ("S", 0, 5), ("NP", 0, 2), ("VP", 2, 5), ("NP", 3, 5))
    ]


def test_a_bracket_taken_from_a_given_tree_lets_the_parser_fill_its_place():
    edits = Edits.of(FOUND).say((4, 7), ())
    found = [*FOUND.constituents[:-2], Constituent("PP", 7, 9)]
    assert ("NP", 5, 7) in edits.apply(found)
    assert ("PP", 4, 7) not in edits.apply(found)
