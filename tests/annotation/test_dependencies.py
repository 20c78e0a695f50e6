import pytest
import spacy
from spacy.tokens import Doc

from spacy_gfl.annotation.dependencies import spans_from_dependencies

#: Word, relation, number of its head from 1 (0 for the root), as in CoNLL-U.
WHO_ATE = [
    ("She", "nsubj", 2),
    ("met", "root", 0),
    ("the", "det", 4),
    ("man", "obj", 2),
    ("who", "nsubj", 6),
    ("ate", "acl:relcl", 4),
    ("the", "det", 8),
    ("soup", "obj", 6),
    (",", "punct", 6),
    ("in", "case", 11),
    ("Paris", "obl", 2),
    (".", "punct", 2),
]
LIST = [
    ("We", "nsubj", 2),
    ("saw", "root", 0),
    ("old", "amod", 4),
    ("cats", "obj", 2),
    (",", "punct", 7),
    ("big", "amod", 7),
    ("dogs", "conj", 4),
    ("and", "cc", 10),
    ("a", "det", 10),
    ("hen", "conj", 4),
]


def make_doc(rows):
    vocab = spacy.blank("en").vocab
    words, relations, heads = zip(*rows, strict=True)
    return Doc(
        vocab,
        words=words,
        deps=relations,
        heads=[head - 1 if head else n for n, head in enumerate(heads)],
    )


def texts(doc):
    return [span.text for span in spans_from_dependencies(doc)]


def test_arguments_and_modifiers_are_constituents():
    doc = make_doc(WHO_ATE)
    assert texts(doc) == [
        "the man who ate the soup",
        "who ate the soup",
        "the soup",
        "in Paris",
    ]
    assert {span.label_ for span in spans_from_dependencies(doc)} == {""}


def test_a_conjunct_is_without_its_conjunction():
    assert texts(make_doc(LIST)) == [
        "old cats , big dogs and a hen",
        "big dogs",
        "a hen",
    ]


def test_conjuncts_that_hang_on_each_other_part_too():
    """spaCy's pipelines attach each conjunct to the one before, here hen to dogs."""
    chained = [*LIST[:4], (",", "punct", 4), LIST[5], LIST[6]]
    chained += [("and", "cc", 7), ("a", "det", 10), ("hen", "conj", 7)]
    assert texts(make_doc(chained)) == texts(make_doc(LIST))


def test_clear_style_has_its_prepositions():
    rows = [
        ("He", "nsubj", 2),
        ("sat", "ROOT", 0),
        ("on", "prep", 2),
        ("the", "det", 5),
        ("mat", "pobj", 3),
    ]
    assert texts(make_doc(rows)) == ["on the mat", "the mat"]


@pytest.mark.parametrize("relation", ["compound", "nmod:desc", "nmod:unmarked", "dep"])
def test_other_relations_say_nothing(relation):
    rows = [("old", "amod", 2), ("King", relation, 3), ("Arthur", "root", 0)]
    assert texts(make_doc(rows)) == []


def test_what_has_a_gap_is_no_constituent():
    rows = [
        ("A", "det", 2),
        ("hearing", "nsubj", 3),
        ("came", "root", 0),
        ("on", "case", 6),
        ("the", "det", 6),
        ("issue", "nmod", 2),
    ]
    assert texts(make_doc(rows)) == ["on the issue"]


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("“", "”"), ('"', '"')])
def test_marks_are_closed_or_the_span_is_left_out(opening, closing):
    rows = [
        ("the", "det", 2),
        ("virus", "nsubj", 6),
        (opening, "punct", 4),
        ("HIV", "appos", 2),
        (closing, "punct", 6),
        ("spread", "root", 0),
    ]
    whole = f"the virus {opening} HIV {closing}"
    assert texts(make_doc(rows)) == [whole]
    rows[4] = ("-", "punct", 6)
    assert texts(make_doc(rows)) == []


def test_a_span_does_not_close_what_it_does_not_open():
    rows = [
        ("the", "det", 2),
        ("virus", "nsubj", 5),
        (")", "punct", 4),
        ("HIV", "appos", 2),
        ("spread", "root", 0),
    ]
    assert texts(make_doc(rows)) == []


def test_white_space_does_not_count():
    rows = [*WHO_ATE[:2], ("the", "det", 5), ("\n", "dep", 3), ("man", "obj", 2)]
    doc = make_doc(rows)
    [span] = spans_from_dependencies(doc)
    assert (span.start, span.end) == (2, 5)


def test_dependencies_are_needed():
    with pytest.raises(ValueError, match="no dependencies"):
        spans_from_dependencies(Doc(spacy.blank("en").vocab, words=["Yes", "."]))
