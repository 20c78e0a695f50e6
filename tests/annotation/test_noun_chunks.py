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

from spacy_gfl import TreeError

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
    with pytest.raises(TreeError, match="tokens of this Doc have changed"):
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
    with pytest.raises(NotImplementedError, match="E894"):
        texts(Doc(doc.vocab, words=["keys"]))
    del doc.spans["constituents"]
    with pytest.raises(NotImplementedError, match="constituency trees"):
        texts(doc)


VOCABS = {
    "en": lambda: spacy.blank("en").vocab,
    "xx": lambda: spacy.blank("xx").vocab,
    "none": Vocab,
}


@pytest.mark.parametrize("vocab", VOCABS.values(), ids=VOCABS)
def test_docs_that_spacy_reads_and_makes_keep_noun_chunks_and_their_heads(
    vocab, tmp_path
):
    vocab, doc, expected = vocab(), make_doc(MAN, MAN), CHUNKS * 2
    assert texts(doc) == expected
    (read,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(vocab)
    doc.to_disk(tmp_path / "doc")
    ways = {
        "copy": doc.copy(),
        "DocBin": read,
        "bytes": Doc(vocab).from_bytes(doc.to_bytes()),
        "bytes again": Doc(vocab).from_bytes(read.copy().to_bytes()),
        "disk": Doc(vocab).from_disk(tmp_path / "doc"),
        "json": Doc(vocab).from_json(doc.to_json()),
        "docs": Doc.from_docs([make_doc(MAN), make_doc(MAN)]),
        "pickle": pickle.loads(pickle.dumps(doc)),
    }
    for way, other in ways.items():
        assert texts(other) == expected, way
        roots = [chunk.root.text for chunk in other.noun_chunks]
        assert roots == [chunk.split()[-1] for chunk in expected], way


def test_spans_that_are_no_chunks_have_the_root_that_spacy_finds():
    rows = ["3 nsubj NOUN", "0 prep ADP", "1 pobj NOUN", "3 ROOT VERB"]
    doc, plain = (
        make_doc("(S (NP (NP (DT the) (NN key)) (PP (IN to))) (VP (VBP fit)))")
        for _ in range(2)
    )
    chunk = next(doc.noun_chunks)
    assert chunk.root.text == "key"
    assert doc[1:3].root.text == "key"
    assert doc[0:3].root.text == "the"
    for words in (doc, plain):
        for token, row in zip(words, rows, strict=True):
            head, token.dep_, token.pos_ = row.split()
            token.head = words[int(head)]
    # Now there are dependencies, which decide for every span.
    extents = [(a, b) for b in range(1, 5) for a in range(b)]
    assert [doc[a:b].root.i for a, b in extents] == [
        plain[a:b].root.i for a, b in extents
    ]


def test_a_merged_chunk_has_the_tag_of_its_head():
    doc = make_doc(MAN)
    with doc.retokenize() as retokenizer:
        for chunk in doc.noun_chunks:
            retokenizer.merge(chunk)
    assert [token.tag_ for token in doc if token.text in CHUNKS] == (
        ["NN", "WP", "PRP", "NN", "NNS", "NNS", "NN", "NNP"]
    )


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
