"""`doc.noun_chunks` of Docs with trees and no dependencies."""

import pickle
from functools import partial

import pytest
import spacy
from helpers import docs
from helpers.docs import token_doc
from spacy import displacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gfl.trees.tree import TreeError

MAN = (
    "(S (NP (NP (DT The) (JJ old) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD sold)"
    " (NP (PRP us)) (NP (NP (DT the) (NN dog) (POS 's)) (NN tail))))))"
    " (VP (VBD met) (NP (NP (NNS dogs)) (CC and) (NP (NNS cats))) (PP (IN in)"
    " (NP (NP (DT the) (NN garden)) (PP (IN of) (NP (NNP Mary) (NNP Jones))))))"
    " (. .))"
)
CHUNKS = [
    *("The old man", "who", "us", "the dog's tail", "dogs", "cats", "the garden"),
    "Mary Jones",
]
make_doc = partial(docs.make_doc, vocab=spacy.blank("en").vocab)


def texts(doc):
    return [chunk.text for chunk in doc.noun_chunks]


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (MAN, CHUNKS),
        # A clause or phrase behind its noun, though it is flat in the tree.
        (
            "(NP (NN fact) (SBAR (IN that) (S (NP (PRP he)) (VP (VBZ is)))))",
            ["fact", "he"],
        ),
        ("(NP (NN page) (CD 3) (, ,) (NP (DT the) (NN end)))", ["page 3", "the end"]),
        ("(NP (NNP May) (CD 3) (, ,) (CD 2026) (, ,))", ["May 3, 2026"]),
        ("(NP (NNS tea) (CC or) (NN milk))", ["tea or milk"]),
        ("(NP (NP (DT the) (NNS two)) (PP (IN of) (NP (PRP us))))", ["the two", "us"]),
        ("(NP (NML (NN health) (NN care)) (NNS costs))", ["health care costs"]),
        (
            "(NP (DT the) (NML (NML (NN heart) (NN rate)) (CC and) (NML (NN age))))",
            ["the heart rate and age"],
        ),
        (
            "(NP (NP (QP ($ $) (CD 2) (CD million))) (NP (DT a) (NN year)))",
            ["$2 million", "a year"],
        ),
        ("(WHNP (WHADJP (WRB how) (JJ many)) (NNS books))", ["how many books"]),
        ("(NP (DT the) (ADJP (RB very) (JJ rich)))", ["the very rich"]),
        ("(S (NP-SBJ (PRP I)) (VP (VBP eat) (ADVP (RB here))))", ["I"]),
        ("(INTJ (UH Yes) (. !))", []),
    ],
)
def test_noun_chunks_are_base_noun_phrases(brackets, expected):
    doc = make_doc(brackets)
    assert texts(doc) == expected
    assert {chunk.label_ for chunk in doc.noun_chunks} <= {"NP"}


def test_noun_chunks_of_every_sentence_are_found_without_white_space():
    storm = "(S (NP (NP (NN Storm) (NN damage)) (PP (IN in) (NP (NN May)))) (. .))"
    trees = storm, "(S (NP (X They)) (VP (X stayed)))"
    sentences = "Storm|damage| |in|\n|May|.| ", "They|stayed|\n"
    tags, vocab = "NN|NN||IN||NN|.||X|X|", spacy.blank("en").vocab
    doc = token_doc(*sentences, trees=trees, vocab=vocab, tags=tags)
    assert texts(doc) == ["Storm damage", "May", "They"]
    assert [chunk.text for chunk in doc[8:].noun_chunks] == ["They"]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    with pytest.raises(TreeError, match="tokens of this Doc have been changed"):
        texts(doc)


def test_a_doc_with_dependencies_keeps_spacys_own():
    doc = make_doc(
        "(S (NP (NP (NNS keys)) (PP (IN to) (NP (NNS doors)))) (VP (VBP fit)))"
    )
    rows = ["3 nsubj NOUN", "0 prep ADP", "1 amod NOUN", "3 ROOT VERB"]
    for token, row in zip(doc, rows, strict=True):
        head, token.dep_, token.pos_ = row.split()
        token.head = doc[int(head)]
    # Dependencies say that "doors" is no argument.
    assert texts(doc) == ["keys"]


def test_noun_chunks_are_found_with_any_vocabulary_and_without_trees_not():
    doc = make_doc(MAN)
    with pytest.raises(ValueError, match="E029"):
        texts(Doc(doc.vocab, words=["keys"]))
    doc = make_doc(MAN, vocab=Vocab())
    assert texts(doc) == CHUNKS
    with pytest.raises(NotImplementedError, match="constituency trees"):
        texts(Doc(doc.vocab, words=["keys"]))


def test_copies_bytes_and_pickles_keep_noun_chunks():
    doc = make_doc(MAN, MAN)
    nlp = spacy.blank("en")
    nlp.add_pipe("constituency_parser")
    (read,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    for other in (
        doc.copy(),
        read,
        Doc(nlp.vocab).from_bytes(doc.to_bytes()),
        Doc.from_docs([make_doc(MAN, vocab=nlp.vocab), make_doc(MAN, vocab=nlp.vocab)]),
        pickle.loads(pickle.dumps(doc)),
    ):
        assert texts(other) == CHUNKS * 2


def test_a_pipeline_gives_noun_chunks_pickled_in_processes_and_to_displacy(en_gfl_sm):
    nlp = spacy.load(en_gfl_sm)
    sentence = "The bridge was closed by the council."
    expected = ["The bridge", "the council"]
    assert texts(nlp(sentence)) == expected
    assert texts(pickle.loads(pickle.dumps(nlp))(sentence)) == expected
    found = nlp.pipe([sentence, sentence], n_process=2)
    assert [texts(doc) for doc in found] == [expected, expected]
    with pytest.warns(UserWarning, match="W005"):  # There are no arcs to draw.
        parsed = displacy.parse_deps(nlp(sentence), options={"collapse_phrases": True})
    assert [word["text"] for word in parsed["words"]][:2] == ["The bridge", "was"]
