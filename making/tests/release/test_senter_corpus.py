"""make_senter_corpus.py: the sentences stay, whatever the style."""

import runpy

import pytest
import spacy
from helpers.reading import ROOT, read_tree_file

from spacy_gfl.annotation.building import trees_to_docs

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
