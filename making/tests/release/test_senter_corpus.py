"""make_senter_corpus.py: the sentences stay, whatever the style."""

import runpy
import sys

import pytest
import spacy
from helpers.reading import ROOT, read_tree_file

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.tools.treebanks.formats import docbin

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


def test_the_files_of_a_folder_have_the_words_of_their_languages(
    tmp_path, monkeypatch, capsys
):
    words = ["C'", "est", "l'", "eau", "."]
    spaces, starts = [[n == at for n in range(len(words))] for at in (1, 0)]
    doc = spacy.tokens.Doc(NLP.vocab, words, spaces, sent_starts=starts)
    (tmp_path / "in").mkdir()
    for name in ("fr", "xx-more"):
        docbin.write(tmp_path / "in" / f"{name}.spacy", [doc] * 3)
    out = tmp_path / "out.spacy"
    given = ["-", str(tmp_path / "in"), str(out), "--copies", "0", "--limit", "2"]
    monkeypatch.setattr(sys, "argv", given)
    SCRIPT["main"]()
    found = [
        [token.text for token in doc]
        for doc in docbin.read(out, NLP.vocab, need_trees=False)
    ]
    assert found == [words] * 2 + [["C'est", "l'eau", "."]] * 2
    assert "4 Docs" in capsys.readouterr().out
