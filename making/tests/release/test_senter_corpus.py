"""make_senter_corpus.py: the sentences stay, whatever the style."""

import runpy

import pytest
import spacy
from helpers.reading import ROOT, read_tree_file

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.tools.treebanks.inputs import read_docs

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "make_senter_corpus.py"))
NLP = spacy.blank("en")


@pytest.fixture(scope="module")
def document(data):
    trees = list(read_tree_file(data / "train.ptb"))
    return next(iter(trees_to_docs(trees, NLP.vocab, n_sents=0)))


def test_a_seed_gives_the_same_texts_with_white_space_of_every_kind(document):
    first, again, other = (
        "|".join(piece.text for piece in SCRIPT["pieces"]([document], 1, seed))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert all(kind in first for kind in ("  ", "\u00a0", "\t"))


@pytest.mark.parametrize("style", SCRIPT["STYLES"])
def test_sentences_begin_where_they_should(style, document):
    sents = list(document.sents)
    for seed in range(5):
        piece = SCRIPT["Writer"](seed).piece(sents[20:40], style)
        doc = SCRIPT["to_doc"](NLP, piece)
        assert len(piece.starts) == 20
        # One may begin inside a token, where nothing parts it from the last.
        assert 18 <= len(list(doc.sents)) <= 20
        assert not any(token.is_space and token.is_sent_start for token in doc[1:])


def test_the_lines_of_a_text_are_the_sentences_of_one_text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("A Headline\nOne sentence. Still\nThe last\n" * 9, "utf-8")
    docs = list(read_docs(NLP, path, "sentences"))
    assert [len(list(doc.sents)) for doc in docs] == [1] * 27
    pieces = list(SCRIPT["pieces"](docs, 1, 0))
    assert sum(len(piece.starts) for piece in pieces) == 27
    assert len(pieces) < 27


def test_a_document_as_it_is_has_no_line_breaks_and_all_sentences(document):
    [piece] = SCRIPT["pieces"]([document], 0, 0)
    assert "\n" not in piece.text
    assert len(piece.starts) == len(list(document.sents))


def test_marks_in_texts_by_hand_say_where_sentences_begin(tmp_path):
    path = tmp_path / "hand.txt"
    path.write_text(
        "One.|\nTwo,\\nthree.\nA heading\\n\\n\nEnd.\n\nNext text.\n", "utf-8"
    )
    first, second = SCRIPT["read_lines"](path)
    assert first.text == "One.Two,\nthree. A heading\n\nEnd."
    assert first.starts == (0, 4, 16, 27)
    assert second.text == "Next text."
    found = [sent.text for sent in SCRIPT["to_doc"](NLP, first).sents]
    assert found == ["One.", "Two,\nthree.", "A heading\n\n", "End."]


def test_a_sentence_may_go_on_after_a_quotation(document):
    sent = next(s for s in document.sents if s.text.endswith("."))
    written = [SCRIPT["Writer"](seed)._sentence(sent, False) for seed in range(400)]
    spoken = [text for text in written if any(w in text for w in SCRIPT["SAYING"])]
    assert spoken
    assert all(text.count('"') == 2 or text.count("'") >= 2 for text in spoken)
    assert all(text.endswith(".") for text in spoken)


def test_other_languages_get_no_english_abbreviations(document):
    sent = next(s for s in document.sents if "NNP" in [t.tag_ for t in s])
    english = [SCRIPT["Writer"](seed)._sentence(sent, False) for seed in range(60)]
    other = [SCRIPT["Writer"](i, False)._sentence(sent, False) for i in range(60)]
    added = {*SCRIPT["TITLES"], *SCRIPT["NUMBERED"], *SCRIPT["ASIDES"]}
    assert added & {word for text in english for word in text.split()}
    assert not added & {word for text in other for word in text.split()}
