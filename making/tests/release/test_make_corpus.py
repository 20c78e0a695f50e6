"""make_corpus.py: which files of the treebanks it takes, and for which part."""

import runpy
import shutil
import tarfile

import pytest
from helpers.docs import token_doc
from helpers.reading import ROOT, read_tree_file
from spacy.vocab import Vocab

from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts
from spacy_gfl.tools.treebanks.formats import docbin

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "make_corpus.py"))
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
    found = SCRIPT["inputs"](folder, set(without))
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
    found = SCRIPT["masc23_text"](text)
    assert found == '(S (-LRB- {) (CODE {TEXT:x}) (ADD a/b[c) (-RRB- -RRB-) (" "))'


def test_the_dev_part_has_no_sentence_of_the_training_parts(tmp_path):
    for name, words in (("dev", ["Go now", "Stay here"]), ("train", ["go Now"])):
        docs = [token_doc(text.replace(" ", "|"), trees=[[]]) for text in words]
        docbin.write(tmp_path / f"{name}.spacy", docs)
    SCRIPT["without_known"](tmp_path / "dev.spacy", [tmp_path / "train.spacy"])
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
    found = SCRIPT["dependencies"](assets, {"bio"})
    assert {part: [file.name for file in files] for part, files in found.items()} == {
        "dependencies-train-gum": ["GUM_academic_art.conllu"],
        "dependencies-dev-ewt": ["en_ewt-ud-dev.conllu"],
    }
    docs = SCRIPT["dependency_docs"](found["dependencies-dev-ewt"])
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
    icon = SCRIPT["inputs"](assets, set(), "icon")
    assert icon == {p: [assets / "icon" / f"{p}.txt"] for p in ("train", "dev")}
    greynir = SCRIPT["inputs"](assets, set(), "greynir")
    assert [f.stem[-2:] for f in greynir["dev"]] == ["10", "20"]
    assert len(greynir["train"]) == 19
    with pytest.raises(FileNotFoundError, match="no treebank icon"):
        SCRIPT["inputs"](assets / "greynir", set(), "icon")


def test_no_sentence_of_our_own_treebank_is_learnt_and_judged_by():
    def sentences(part):
        trees = read_tree_file(ROOT / "making" / "treebank" / f"{part}.ptb")
        return {" ".join(tree.words).lower().rstrip(" .!?") for tree in trees}

    train, dev = sentences("train"), sentences("dev")
    assert len(train) > 5000
    assert len(dev) > 900
    assert not train & dev


#: Of each part the trees, words and constituents, and for CRAFT what is repaired
#: and cleaned: trees repaired, repairs, traces and what they leave empty.
TREEBANKS = {
    ("craft", "dev"): ([2780, 67652, 49677], [0, 0, 0, 2968, 2955]),
    ("gum", "dev"): ([1575, 28119, 23765], [0] * 5),
    ("gum", "test2"): ([1334, 17799, 14306], [0] * 5),
}


@pytest.mark.shared
@pytest.mark.parametrize(("corpus", "part"), TREEBANKS)
def test_treebanks_are_read(shared, corpus, part):
    counts = ReadCounts()
    files = SCRIPT[corpus](shared / "treebanks", part, set())
    trees = [t for file in files for t in read_tree_file(file, counts=counts)]
    sizes, cleaned = TREEBANKS[corpus, part]
    n_words, n_nodes = sum(map(len, trees)), sum(len(t.constituents) for t in trees)
    assert [len(trees), n_words, n_nodes] == sizes
    assert counts == ReadCounts(len(trees), len(trees), *cleaned)
