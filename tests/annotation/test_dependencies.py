import pytest
import spacy
from helpers.growth import work
from spacy.tokens import Doc

from spacy_gfl.annotation.dependencies import spans_from_dependencies

#: Word, relation and number of its head from 1 (0 for the root), as in CoNLL-U.
WHO_ATE = (
    "She nsubj 2, met root 0, the det 4, man obj 2, who nsubj 6, ate acl:relcl 4, "
    "the det 8, soup obj 6, ; punct 6, in case 11, Paris obl 2, . punct 2"
)
LIST = (
    "We nsubj 2, saw root 0, old amod 4, cats obj 2, ; punct {}, big amod 7, "
    "dogs conj 4, and cc {}, a det 10, hen conj {}"
)
APPOSITION = (
    "the det 2, virus nsubj 6, {} punct 4, HIV appos 2, {} punct 6, spread root 0"
)


def make_doc(text):
    rows = [row.split(" ") for row in text.split(", ")]
    words, relations, heads = zip(*rows, strict=True)
    return Doc(
        spacy.blank("en").vocab,
        words=words,
        deps=relations,
        heads=[int(head) - 1 if head != "0" else n for n, head in enumerate(heads)],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Arguments and modifiers.
        (WHO_ATE, "the man who ate the soup, who ate the soup, the soup, in Paris"),
        # A conjunct is without its conjunction. spaCy's pipelines attach each to the
        # one before, here hen to dogs.
        *(
            (LIST.format(*heads), "old cats ; big dogs and a hen, big dogs, a hen")
            for heads in ((7, 10, 4), (4, 7, 7))
        ),
        # CLEAR style has its prepositions.
        ("He nsubj 2, sat ROOT 0, on prep 2, a det 5, mat pobj 3", "on a mat, a mat"),
        # Other relations say nothing.
        *(
            (f"old amod 2, King {relation} 3, Arthur root 0", "")
            for relation in ("compound", "nmod:desc", "nmod:unmarked", "dep")
        ),
        # What has a gap is no constituent.
        ("Men nsubj 2, came root 0, on case 5, a det 5, boat nmod 1", "on a boat"),
        # Marks are closed, or the span is left out.
        *(
            (APPOSITION.format(*marks), f"the virus {marks[0]} HIV {marks[1]}")
            for marks in [
                "()",
                "“”",
                '""',
                "（）",
                "《》",
                "„“",
                "„”",
                "«»",
                "»«",
                "””",
            ]
        ),
        *((APPOSITION.format(mark, "-"), "") for mark in '(“"（„«”'),
        # A span does not close what it does not open.
        ("the det 2, virus nsubj 5, ) punct 4, HIV appos 2, spread root 0", ""),
        # White space does not count.
        ("She nsubj 2, met root 0, the det 5, \n dep 3, man obj 2", "the \n man"),
        # Heads that go in a circle ask for nothing.
        ("a nmod 2, b nmod 1, c det 4, cat nsubj 5, sat root 0", "c cat"),
    ],
)
def test_arguments_modifiers_and_conjuncts_give_unlabelled_spans(text, expected):
    found = spans_from_dependencies(make_doc(text))
    assert ", ".join(span.text for span in found) == expected
    assert {span.label_ for span in found} <= {""}


@pytest.mark.parametrize(
    ("tag", "expected"), [("HYPH", []), (":", []), ("SYM", ["long -"])]
)
def test_hyphens_are_punctuation_and_symbols_are_not(tag, expected):
    doc = make_doc("a det 5, long amod 4, - punct 2, running amod 5, show obj 0")
    doc[2].tag_ = tag
    assert [span.text for span in spans_from_dependencies(doc)] == [
        *expected,
        "long - running",
        "a long - running show",
    ]


def test_what_counts_is_no_constituent_beside_a_number():
    doc = make_doc(
        "more advmod 3, than fixed 1, ten nummod 4, men nsubj 5, left root 0"
    )
    assert [span.text for span in spans_from_dependencies(doc)] == [
        "more than",
        "more than ten men",
    ]
    doc[0].tag_, doc[2].tag_ = "JJR", "CD"
    assert [span.text for span in spans_from_dependencies(doc)] == ["more than ten men"]


def test_a_doc_without_dependencies_is_refused():
    with pytest.raises(ValueError, match="no dependencies"):
        spans_from_dependencies(Doc(spacy.blank("en").vocab, words=["Yes", "."]))


def chain(n):
    """A sentence in which each word is under the one before."""
    return make_doc(", ".join(f"w{i} nmod {i}" if i else "w root 0" for i in range(n)))


def test_the_work_is_linear_in_the_words_of_a_sentence():
    docs = {n: chain(n) for n in (50, 200)}
    steps = [work(lambda n: spans_from_dependencies(docs[n]), n) for n in docs]
    assert steps[1] < 6 * steps[0]
