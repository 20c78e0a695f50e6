"""Training and dev parts of many languages, of their dependencies."""

import runpy
from configparser import ConfigParser

import pytest
from helpers.reading import ROOT
from spacy.vocab import Vocab

from spacy_gfl import get_trees, read_trees
from spacy_gfl.languages.base import UNIVERSAL
from spacy_gfl.languages.xx import LABELS
from spacy_gfl.tools.treebanks.formats import docbin

WORD = "1\tw{0}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def main():
    return runpy.run_path(str(ROOT / "making" / "release" / "make_xx_corpus.py"))[
        "main"
    ]


def texts(file):
    docs = docbin.read(file, Vocab())
    return [tree.words[0] for doc in docs for tree in get_trees(doc)]


def test_every_tenth_sentence_of_a_language_is_held_out_once(main, tmp_path):
    (tmp_path / "xx").mkdir()
    (tmp_path / "pud").mkdir()
    of_pl = [WORD.format(n) for n in range(21)]
    (tmp_path / "xx" / "pl.conllu").write_text("".join(of_pl[:15]))
    (tmp_path / "pud" / "pl_pud.conllu").write_text("".join(of_pl[15:]))
    (tmp_path / "xx" / "nl.conllu").write_text(WORD * 11)
    folders = [tmp_path / "xx", tmp_path / "pud"]
    main(tmp_path / "out", folders, "pl nl")
    assert texts(tmp_path / "out" / "dev" / "pl.spacy") == ["w0", "w10", "w20"]
    assert len(texts(tmp_path / "out" / "train" / "pl.spacy")) == 18
    # What is there already stays, without its treebank.
    (tmp_path / "xx" / "nl.conllu").unlink()
    main(tmp_path / "out", folders, "pl nl")
    with pytest.raises(ValueError, match="file of sv"):
        main(tmp_path / "out", folders, "sv")


def test_multiword_tokens_of_training_parts_are_by_turns_one_word_and_their_parts(
    main, tmp_path
):
    row = "{0}\t{1}\t_\t{2}\t_\t_\t{3}\t{4}\t_\t_\n"
    parts = row.format(1, "in", "ADP", 3, "case") + row.format(2, "il", "DET", 3, "det")
    token = row.format("1-2", "nel", "_", "_", "_") + parts
    sentence = token + row.format(3, "mare", "NOUN", 0, "root") + "\n"
    (tmp_path / "it.conllu").write_text(sentence * 5)
    main(tmp_path / "out", [tmp_path], "it")
    assert texts(tmp_path / "out" / "dev" / "it.spacy") == ["nel"]
    assert texts(tmp_path / "out" / "train" / "it.spacy") == ["in", "nel", "in", "nel"]


def test_trees_in_many_styles_go_by_turns_to_both_parts(main, tmp_path):
    (tmp_path / "xx").mkdir()
    styles = tmp_path / "styles"
    styles.mkdir()
    for lang in ("de", "nl"):
        (tmp_path / "xx" / f"{lang}.conllu").write_text(WORD * 2)
        trees = [f"(S (VP (VERB v{n}) (ADVP (ADV a))))\n" for n in range(5)]
        (styles / f"{lang}.ptb").write_text("".join(trees))
    main(tmp_path / "out", [tmp_path / "xx"], "de nl", styles=styles)
    parts = tmp_path / "out" / "train", tmp_path / "out" / "dev"
    found = [
        texts(part / f"{lang}-styles.spacy") for lang in ("de", "nl") for part in parts
    ]
    # The other half of another language has the same styles.
    assert found == [["v0", "v2", "v4"], ["v1", "v3"], ["v1", "v3"], ["v0", "v2", "v4"]]
    [doc, *_] = docbin.read(parts[1] / "de-styles.spacy", Vocab())
    # S of a whole sentence stays above VP.
    assert get_trees(doc)[0].brackets() == "(S (VP (VERB v1) (ADVP (ADV a))))"
    (styles / "nl.ptb").write_text("(S (VERB v)")
    with pytest.raises(ValueError, match=r"nl\.ptb"):
        main(tmp_path / "out", [tmp_path / "xx"], "de nl", styles=styles)


def test_trees_in_many_styles_follow_the_common_scheme_and_are_trained_on():
    config = ConfigParser(interpolation=None)
    config.read(ROOT / "making" / "release" / "xx_gfl_trf.cfg", encoding="utf-8")
    files = sorted((ROOT / "making" / "treebank" / "languages").glob("*.ptb"))
    for file in files:
        trees = list(read_trees(file.read_text("utf-8"), repair=False))
        assert len(trees) == 30
        labels = {node.label for tree in trees for node in tree.constituents}
        tags = {tag for tree in trees for tag in tree.tags}
        assert (labels - set(LABELS), tags - UNIVERSAL) == (set(), set())
        name = f"{file.stem}-styles"
        path = config["corpora.train.paths"][name]
        assert path == f'"corpus/xx/train/{name}.spacy"'
        assert name in config["corpora.train.weights"]
    assert files
