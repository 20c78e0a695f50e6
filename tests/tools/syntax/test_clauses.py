"""Clauses: their kinds on sentences of tests/data, and what is said of each."""

import inspect
import re
import sys

import pytest
import spacy
from helpers import strategies
from helpers.docs import make_doc, token_doc
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import parse_tree, set_trees, trees_to_docs
from spacy_gfl.tools.syntax.clauses import clauses
from spacy_gfl.tools.syntax.complexity import complexity

#: Sentences, each with its clauses as sentences, "-" where gaps, wh-words or
#: comparisons are more than rules can fill; what is indented goes on with the line
#: before.
REWRITTEN = """
(S (NP (NP (DT The) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD sold) (NP (PRP us)) (NP
  (DT the) (NN boat)))))) (VP (VP (VBD laughed)) (CC and) (VP (VBD left))) (. .))
The man who sold us the boat laughed. | The man sold us the boat. |
  The man who sold us the boat left.
(S (SBAR (IN Because) (S (NP (PRP he)) (VP (VBD was) (ADJP (JJ ill))))) (, ,) (NP
  (PRP she)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP they)) (VP (MD would) (VP
  (VB try) (S (VP (TO to) (VP (VB come)))))))) (, ,) (S (VP (VBG smiling)))) (. .))
Because he was ill, she said that they would try to come, smiling. | He was ill. |
  They would try to come. | - | She smiled.
(S (S (CC But) (NP (PRP I)) (VP (VBD came))) (, ,) (CC and) (S (NP (DT the) (NN dog))
  (VP (VBD left))) (. .))
I came. | The dog left.
(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP you)) (VP (VB see))) (. ?))
What did you see?
(S (VP (VP (VB Come) (ADVP (RB in))) (CC and) (VP (VB sit))) (. !))
Come in. | Sit.
(S (NP (NP (DT the) (NN book)) (SBAR (S (NP (PRP I)) (VP (VBP read))))) (VP (VBZ shows)
  (SBAR (WHNP (WP what)) (S (NP (PRP they)) (VP (VBD did))))) (. .))
The book I read shows what they did. | I read the book. | They did something.
(S (NP (PRP He)) (VP (VBZ runs) (ADVP (ADVP (RBR faster)) (SBAR (IN than) (S (NP
  (PRP I)) (VP (VBP do)))))) (. .))
He runs faster than I do. | -
(S (S (NP (PRP We)) (VP (VBP know))) (, ,) (NP (PRP he)) (VP (VBD said)) (. .))
We know, he said. | We know.
(S (SBAR (WHADVP (WRB When)) (S (NP (PRP it)) (VP (VBD rang)))) (, ,) (NP (PRP we)) (VP
  (VBD left)) (. .))
When it rang, we left. | It rang.
(S (NP (PRP He)) (VP (VBD left) (PRN (-LRB- -LRB-) (PP (IN with) (NP (PRP her)))
  (-RRB- -RRB-))) (. .))
He left (with her).
(S (NP (`` ``) (NNP Rome) ('' '')) (VP (VBD was) (`` ``) (ADJP (RB very) (JJ old))
  (. .) ('' '')))
``Rome'' was very old.
(SQ (S (NP (PRP He)) (VP (VBD came))) (, ,) (SQ (VBD did) (RB n't) (NP (PRP he)))
  (. ?))
He came. | Didn't he?
(S (SBAR (IN If) (S (NP (PRP you)) (VP (VBP go)))) (VP (VB tell) (NP (PRP me))) (. .))
If you go tell me. | You go.
(S (VP (VB Stay)) (CC or) (S (S (NP (PRP I)) (VP (VBP cry))) (CC and) (S (NP (PRP you))
  (VP (VBP go)))) (. .))
Stay. | I cry. | You go.
(S (NP (CC Neither) (NP (PRP he)) (CC nor) (NP (PRP she))) (VP (VBD came)) (. .))
Neither he nor she came.
(S (SBAR (IN If) (S (NP (PRP you)) (VP (VBP go)))) (VP (NN ring) (NP (PRP me))) (. .))
- | You go.
(S (SBAR (WHNP (WDT Whatever)) (S (NP (PRP you)) (VP (VBP say)))) (, ,) (NP (PRP I))
  (VP (VBP stay)) (. .))
Whatever you say, I stay. | You say something.
(S (NP (PRP He)) (VP (VP (VBD opened) (NP (DT the) (NN door))) (CC and) (VP (VB let)
  (NP (DT the) (NN dog)) (ADVP (RB out)))) (. .))
He opened the door. | He let the dog out.
(S (NP (PRP She)) (VP (VP (VBD came)) (, ,) (VP (VB put) (NP (PRP it)) (ADVP (RB down)))
  (CC and) (VP (VBN left))) (. .))
She came. | She put it down. | She left.
(S (NP (PRP He)) (VP (MD will) (VP (VP (VB come)) (CC and) (VP (VB help)))) (. .))
He will come and help.
(S (NP (PRP It)) (VP (VP (VBD was) (VP (VBN seen))) (CC and) (VP (VBN heard))) (. .))
It was seen and heard.
(S (NP (PRP He)) (VP (VP (VBD was) (ADJP (JJ ill))) (CC and) (VP (VB let) (NP (PRP us))
  (VP (VB go)))) (. .))
He was ill. | He let us go.
"""
LINES = [" ".join(line.split()) for line in re.split(r"\n(?!\s)", REWRITTEN.strip())]
MAN, ILL = LINES[0], LINES[2]
RANG = (
    "(S (SBAR (WHADVP (WRB When)) (S (NP (NN it)) (VP (VBD rang)))) (, ,) (S (S (NP"
    " (PRP we)) (VP (VBD ran))) (CC and) (S (NP (PRP he)) (VP (VBD smiled)))) (. .))"
)
RAINS = (
    "(SBARQ (SBAR (IN If) (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (WHNP (WP what))"
    " (SQ (VBP do) (NP (PRP we)) (VP (VB do))) (. ?))"
)
HERE = (
    "(SBARQ (WHNP (WP Who)) (SQ (VBD was) (ADVP (RB here)) (NP (JJ last) (NN night)))"
    " (. ?))"
)
THINK = (
    "(S (NP (PRP I)) (VP (VBP know) (SBAR (WHNP (WP what)) (PRN (, ,) (S (NP (PRP I))"
    " (VP (VBP think))) (, ,)) (S (NP (PRP he)) (VP (VBD did))))) (. .))"
)


def test_kinds_of_clauses_are_right_in_sentences_written_for_them(data):
    rows = (data / "clauses.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) >= 200
    for row in rows:
        expected, brackets = row.split("\t")
        kinds = [clause.kind for clause in make_doc(brackets)._.clauses]
        assert kinds == expected.split(), brackets


def test_a_clause_has_its_subject_verbs_and_the_clause_it_depends_on():
    laughed, sold, left = make_doc(MAN)._.clauses
    assert laughed.span.text == "The man who sold us the boat laughed and left."
    assert [span.text for span in laughed.spans] == ["The man", "laughed"]
    assert laughed.subject.text == "The man who sold us the boat"
    assert laughed.depends_on is None
    assert (sold.kind, sold.span.text) == ("relative", "who sold us the boat")
    assert (sold.subject.text, sold.antecedent.text) == ("who", "The man")
    assert sold.depends_on is laughed
    assert (left.kind, left.span.text) == ("coordinate", "left")
    assert left.subject.text == laughed.subject.text
    assert left.depends_on is laughed
    said, was, would, come, smiling = make_doc(ILL)._.clauses
    assert [token.text for token in would.verbs] == ["would", "try"]
    assert [token.text for token in come.verbs] == ["to", "come"]
    assert [one.depends_on for one in (was, would, come)] == [said, said, would]
    assert [span.text for span in said.spans] == ["she said"]
    assert would.spans[0].text == "that they would try"
    assert (come.subject, smiling.subject) == (None, None)
    rang, ran, smiled = make_doc(RANG)._.clauses
    kinds = [one.kind for one in (rang, ran, smiled)]
    assert kinds == ["adverbial", "main", "coordinate"]
    assert [one.depends_on for one in (rang, ran, smiled)] == [ran, None, ran]
    rains, asked = make_doc(RAINS)._.clauses
    assert (rains.depends_on, asked.subject.text) == (asked, "we")
    (was,) = make_doc(HERE)._.clauses
    assert was.subject.text == "Who"
    know, think, did = make_doc(THINK)._.clauses
    assert [one.spans[0].text for one in (know, think)] == ["I know", "I think"]
    assert [span.text for span in did.spans] == ["what", "he did"]
    assert repr(smiling) == "Clause(participial, 'smiling')"


@pytest.mark.parametrize(
    ("brackets", "expected"), list(zip(LINES[::2], LINES[1::2], strict=True))
)
def test_clauses_are_rewritten_as_sentences(brackets, expected):
    found = [clause.as_sentence or "-" for clause in make_doc(brackets)._.clauses]
    assert " | ".join(found) == expected


@pytest.mark.parametrize(
    ("wh", "clitic", "expected"),
    [
        ("who", "'s", "The man's calling."),
        ("that", "’s", "The man’s calling."),
        ("who", "'ll", "The man'll calling."),
        ("who", "s", "The man's calling."),
        ("who", "is", "The man is calling."),
    ],
)
def test_a_clitic_joins_what_stands_before_it_in_the_sentence(wh, clitic, expected):
    brackets = (
        f"(S (NP (NP (DT The) (NN man)) (SBAR (WHNP (WP {wh})) (S (VP (VBZ {clitic})"
        " (VP (VBG calling)))))) (VP (VBZ waits)) (. .))"
    )
    tree = parse_tree(brackets)
    spaces = [True, True, clitic == "is", True, True, False, False]
    doc = Doc(Vocab(), tree.words, spaces, tags=tree.tags, sent_starts=[1] + [-1] * 6)
    set_trees(doc, [tree])
    assert [clause.as_sentence for clause in doc._.clauses][1] == expected


def test_a_span_has_the_clauses_that_lie_in_it():
    doc = make_doc(MAN, ILL)
    assert len(doc._.clauses) == 8
    assert len(list(doc.sents)[1]._.clauses) == 5
    assert [one.kind for one in doc[2:7]._.clauses] == ["relative"]
    assert doc[3:7]._.clauses == []


def test_white_space_and_sentences_without_clauses_are_passed_over():
    tags = "PRP|_SP|VBD|.|UH|_SP"
    trees = ["(S (NP (X He)) (VP (X left)) (X .))", "(INTJ (X Yes))"]
    doc = token_doc("He|\n|left|.", "Yes|\n", tags=tags, trees=trees)
    (clause,) = doc._.clauses
    assert (clause.kind, clause.as_sentence) == ("main", "He left.")


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (S (NP (PRP you)) (ADVP (RB here))) (CC and) (S (NP (PRP he)) (VP "
            "(VBD left))) (CC and) (S (NP (PRP she)) (VP (VBD came))))",
            [("main", "he left", None), ("coordinate", "she came", "he left")],
        ),
        (
            "(S (SQ (SBAR (WHNP (WP who)) (S (VP (VBD left)))) (. ?)) (S (NP (PRP he)) "
            "(VP (VBD came))))",
            [("complement", "who left", None), ("main", "he came", None)],
        ),
    ],
)
def test_conjuncts_without_a_verb_are_no_clauses(brackets, expected):
    found = [
        (one.kind, one.span.text, one.depends_on and one.depends_on.span.text)
        for one in make_doc(brackets)._.clauses
    ]
    assert found == expected


def test_coordinations_inside_of_each_other_may_be_deep():
    verbs, depth = "(VP (VBZ sleeps))", 200
    for _ in range(depth):
        verbs = f"(VP (VP (VBZ eats)) (CC and) {verbs})"
    doc = make_doc(f"(S (NP (PRP He)) {verbs})")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        clauses = doc._.clauses
    finally:
        sys.setrecursionlimit(limit)
    assert [clause.subject.text for clause in clauses] == ["He"] * (depth + 1)


TAGS = "NN PRP VB VBG VBN VBZ MD TO IN CC WP , ."
LABELS = "S SBAR SQ SINV VP NP WHNP PP FRAG"


@given(
    strategies.trees(
        words=st.sampled_from(["who", "to", "and", "see", ","]),
        tags=st.sampled_from(TAGS.split()),
        labels=st.sampled_from(LABELS.split()),
    )
)
def test_clauses_of_any_tree_depend_on_others_and_stay_in_their_span(tree):
    for doc in trees_to_docs([tree], Vocab()):
        clauses = doc._.clauses
        for clause in clauses:
            assert clause.depends_on in (None, *clauses)
            assert clause.depends_on is not clause
            inside = [token for span in clause.spans for token in span]
            assert {token.i for token in inside} <= {token.i for token in clause.span}
        for statement in doc._.statements:
            words = [token.i for _, token in statement.words if token is not None]
            assert words
            assert len({*words}) == len(words)


@pytest.mark.parametrize("measure", [clauses, complexity])
def test_what_is_for_english_says_so_of_other_languages(measure):
    doc = make_doc("(S (NP (PRON Il)) (VP (VERB dort)))", vocab=spacy.blank("fr").vocab)
    with pytest.raises(ValueError, match=r'English trees, and this Doc is of .* "fr"'):
        measure(doc)
