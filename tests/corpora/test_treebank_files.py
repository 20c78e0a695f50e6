"""Which files make a treebank, and which of them release/make_corpus.py takes."""

import shutil
import tarfile

import pytest
from helpers.docs import token_doc
from helpers.reading import MAKE_CORPUS, ROOT, read_tree_file
from spacy.vocab import Vocab

from spacy_gfl.data.inputs import treebank_files
from spacy_gfl.formats import docbin
from spacy_gfl.formats.reading import Reading

SPLITS = """\
# Splits

The documents of each split; `train` is the largest.
* GUM_not_listed

## train

  * GUM_academic_art
  * GUM_bio_byron
  * GUM_reddit_masked
## dev
* GUM_bio_dvorak
## test
## test2
- `GENTLE_legal_abortion`
"""


def test_a_folder_is_searched_in_order_and_a_file_taken_whatever_its_name(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.ptb", "a.mrg", "below/c.TREE", ".hidden/d.ptb", ".e.ptb"):
        (tmp_path / name).write_text("(X (Y y))")
    (tmp_path / "trees.txt").write_text("\ufeff\n  (X (Y y))\n", encoding="utf-8")
    (tmp_path / "LICENSE.txt").write_text("Anyone (or anything) may use this.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "docs.spacy").touch()
    names = [str(f.relative_to(tmp_path)) for f in treebank_files(tmp_path)]
    assert names == ["a.mrg", "b.ptb", "below/c.TREE", "trees.txt"]
    assert tmp_path / "docs.spacy" in treebank_files(tmp_path, docbins=True)
    assert treebank_files(tmp_path / "LICENSE.txt") == [tmp_path / "LICENSE.txt"]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_files_of_a_folder_that_begin_as_the_format_named_are_taken(tmp_path, encoding):
    (tmp_path / "README").write_text("Trees (of news).")
    for name in ("a.fid", "b", "c.txt"):
        (tmp_path / name).write_bytes("\n(X (Y caf\u00e9))\n".encode(encoding))
    reading = Reading(format="brackets", encoding=encoding)
    names = [file.name for file in treebank_files(tmp_path, reading)]
    assert names == ["a.fid", "b", "c.txt"]
    reading = Reading(encoding=encoding)
    assert treebank_files(tmp_path, reading) == [tmp_path / "c.txt"]


def test_of_ontonotes_the_automatic_trees_are_left_out_where_gold_ones_are(tmp_path):
    for name in ("a.v4_auto_conll", "a.v4_gold_conll", "b.v4_auto_conll"):
        (tmp_path / name).touch()
    told = []
    names = [file.name for file in treebank_files(tmp_path, tell=told.append)]
    assert names == ["a.v4_gold_conll", "b.v4_auto_conll"]
    assert told[0].endswith("a.v4_auto_conll (has gold trees beside it).")


@pytest.fixture
def assets(tmp_path):
    """The layout of the project's assets."""
    gum = "GUM_academic_art GUM_bio_byron GUM_bio_dvorak GENTLE_legal_abortion"
    files = {
        "craft/ids/craft-ids-train.txt": "\ufeff123\n",
        "craft/ids/craft-ids-dev.txt": "456\n",
        "craft/ids/craft-ids-test.txt": "",
        "gum/splits.md": SPLITS,
        **{
            f"gum/const/{name}.ptb": "(X (Y y))"
            for name in [*gum.split(), "GUM_not_listed"]
        },
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def chosen(folder, *without):
    found = MAKE_CORPUS["inputs"](folder, set(without))
    return {part: [file.name for file in files] for part, files in found.items()}


def test_treebanks_are_parted_and_genres_left_out_of_training(assets):
    gum = ["GUM_academic_art.ptb", "GUM_bio_byron.ptb"]
    assert chosen(assets) == {
        "train": ["123.tree", *gum],
        "dev": ["456.tree", "GUM_bio_dvorak.ptb"],
        "train-craft": ["123.tree"],
        "train-gum": gum,
        "dev-craft": ["456.tree"],
        "dev-gum": ["GUM_bio_dvorak.ptb"],
        "test2-gum": ["GENTLE_legal_abortion.ptb"],
    }
    # Genres are left out of training alone.
    parts = chosen(assets, "bio")
    assert parts["train-gum"] == ["GUM_academic_art.ptb"]
    assert parts["train"] == ["123.tree", "GUM_academic_art.ptb"]
    assert parts["dev-gum"] == ["GUM_bio_dvorak.ptb"]


def test_masc_has_a_dev_part_and_leaves_out_what_others_license(assets):
    (assets / "masc" / "data").mkdir(parents=True)
    others = ["sw2014.mrg", "wsj_0006.mrg", "d.prop"]
    for name in ["a.mrg", "chZ.mrg", "c.mrg.txt", *others]:
        (assets / "masc" / "data" / name).touch()
    parts = chosen(assets)
    assert parts["train-masc"] == ["a.mrg", "c.mrg.txt"]
    assert parts["dev-masc"] == ["chZ.mrg"]
    assert "test-masc" not in parts
    assert parts["train"] == ["123.tree", "GUM_academic_art.ptb", "GUM_bio_byron.ptb"]
    for name in ("craft", "gum"):
        shutil.rmtree(assets / name)
    alone = chosen(assets)
    assert (alone["train"], alone["dev"]) == (parts["train-masc"], parts["dev-masc"])


def test_documents_of_masc_2_and_3_are_those_that_a_list_names(assets):
    sources = assets / "sources" / "MASC2and3"
    sources.mkdir(parents=True)
    for name in ("jokes1", "jokes5", "kept_back", "wsj_0006"):
        (sources / f"{name}.mrg").write_text("(X (Y y))")
    (assets / "masc").mkdir()
    with tarfile.open(assets / "masc23.tar.gz", "w:gz") as archive:
        archive.add(assets / "sources", "masc/data")
    parts = chosen(assets)
    assert parts["train-masc23"] == ["jokes1.mrg"]
    assert parts["dev-masc23"] == ["jokes5.mrg"]
    assert "train-masc" not in parts


def test_brackets_and_slashes_of_masc_2_and_3_are_those_of_the_text():
    text = '(S (CODE <curly>) (CODE {TEXT:x}) (ADD a$$b<bracket>c) (CODE -RRB-) (" ?))'
    found = MAKE_CORPUS["masc23_text"](text)
    assert found == '(S (-LRB- {) (CODE {TEXT:x}) (ADD a/b[c) (-RRB- -RRB-) (" "))'


def test_the_dev_part_has_no_sentence_of_the_training_parts(tmp_path):
    for name, words in (("dev", ["Go now", "Stay here"]), ("train", ["go Now"])):
        docs = [token_doc(text.replace(" ", "|"), trees=[[]]) for text in words]
        docbin.write(tmp_path / f"{name}.spacy", docs)
    MAKE_CORPUS["without_known"](tmp_path / "dev.spacy", [tmp_path / "train.spacy"])
    [doc] = docbin.read(tmp_path / "dev.spacy", Vocab())
    assert [token.text for token in doc] == ["Stay", "here"]


SENTENCE = """\
# text = Don't (go).
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t4\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
3\t(\t(\tPUNCT\t-LRB-\t_\t4\tpunct\t_\tSpaceAfter=No
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t)\t)\tPUNCT\t-RRB-\t_\t4\tpunct\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


def test_gold_dependencies_are_found_and_read(assets):
    (assets / "gum" / "dep").mkdir()
    (assets / "ewt").mkdir()
    for name in ("GUM_academic_art", "GUM_bio_byron", "GUM_reddit_masked"):
        (assets / "gum" / "dep" / f"{name}.conllu").write_text(SENTENCE)
    (assets / "ewt" / "en_ewt-ud-dev.conllu").write_text(SENTENCE * 2)
    found = MAKE_CORPUS["dependencies"](assets, {"bio"})
    assert {part: [file.name for file in files] for part, files in found.items()} == {
        "dependencies-train-gum": ["GUM_academic_art.conllu"],
        "dependencies-dev-ewt": ["en_ewt-ud-dev.conllu"],
    }
    docs = MAKE_CORPUS["dependency_docs"](found["dependencies-dev-ewt"])
    one, other = docs.get_docs(Vocab())
    assert one.text == other.text == "Don't (go)."
    assert [token.tag_ for token in one] == ["VB", "RB", "-LRB-", "VB", "-RRB-", "."]
    assert [token.head.i for token in one] == [3, 3, 3, 3, 3, 3]


def test_a_treebank_of_ones_own_takes_the_place_of_others_in_their_layout(assets):
    for part in ("train", "dev"):
        (assets / f"{part}.ptb").touch()
    assert chosen(assets) == {"train": ["train.ptb"], "dev": ["dev.ptb"]}
    # And a folder of another layout is refused.
    with pytest.raises(FileNotFoundError, match=r"needs both train\.ptb"):
        chosen(assets / "gum")


def test_treebanks_of_other_languages_are_taken_alone(assets):
    (assets / "icon").mkdir()
    for part in ("train", "dev", "test"):
        (assets / "icon" / f"{part}.txt").touch()
    folder = assets / "greynir" / "devset" / "psd"
    folder.mkdir(parents=True)
    for i in range(1, 22):
        (folder / f"greynir_corpus_{i:05}.gld").touch()
    english = chosen(assets)
    assert not any("icon" in part or "greynir" in part for part in english)
    icon = MAKE_CORPUS["inputs"](assets, set(), "icon")
    assert icon == {p: [assets / "icon" / f"{p}.txt"] for p in ("train", "dev")}
    greynir = MAKE_CORPUS["inputs"](assets, set(), "greynir")
    assert [f.stem[-2:] for f in greynir["dev"]] == ["10", "20"]
    assert len(greynir["train"]) == 19
    with pytest.raises(FileNotFoundError, match="no treebank icon"):
        MAKE_CORPUS["inputs"](assets / "greynir", set(), "icon")


def test_no_sentence_of_our_own_treebank_is_learnt_and_judged_by():
    def sentences(part):
        trees = read_tree_file(ROOT / "treebank" / f"{part}.ptb")
        return {" ".join(tree.words).lower().rstrip(" .!?") for tree in trees}

    train, dev = sentences("train"), sentences("dev")
    assert len(train) > 5000
    assert len(dev) > 900
    assert not train & dev
