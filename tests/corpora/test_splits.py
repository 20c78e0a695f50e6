from pathlib import Path

import pytest

from spacy_gfl.data.splits import (
    Selection,
    genre,
    read_ids,
    read_split,
    treebank_files,
)

SPLITS = """\
# Splits

The documents of each split; `train` is the largest.
* not_in_a_list

## train

  * GUM_academic_art
  * GUM_bio_byron
## test2
- `GENTLE_legal_abortion`
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.ptb", "a.mrg", "below/c.TREE", ".hidden/d.ptb", ".e.ptb"):
        (tmp_path / name).write_text("(X (Y y))")
    (tmp_path / "trees.txt").write_text("\ufeff\n  (X (Y y))\n", encoding="utf-8")
    (tmp_path / "LICENSE.txt").write_text("Anyone (or anything) may use this.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "docs.spacy").touch()
    return tmp_path


def test_folder_is_searched_in_order(folder: Path) -> None:
    names = [str(f.relative_to(folder)) for f in treebank_files(folder)]
    assert names == ["a.mrg", "b.ptb", "below/c.TREE", "trees.txt"]


def test_docbins_are_found_when_asked_for(folder: Path) -> None:
    assert folder / "docs.spacy" in treebank_files(folder, docbins=True)


def test_a_file_is_taken_whatever_its_name(folder: Path) -> None:
    assert treebank_files(folder / "LICENSE.txt") == [folder / "LICENSE.txt"]


def test_nothing_at_the_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no treebank at .*gone"):
        treebank_files(tmp_path / "gone")


def test_folder_without_treebanks(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no treebank files: .*\.ptb"):
        treebank_files(tmp_path)


def test_ids(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("\ufeff11532192\n\n# a comment\n 11597317 \r\n", encoding="utf-8")
    assert read_ids(path) == ["11532192", "11597317"]


@pytest.mark.parametrize("content", [b"", b"# nothing\n\n", b"\xff\xfe"])
def test_ids_file_without_names(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ids.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"ids\.txt"):
        read_ids(path)


def test_splits(tmp_path: Path) -> None:
    path = tmp_path / "splits.md"
    path.write_text(SPLITS)
    assert read_split(path, "train") == ["GUM_academic_art", "GUM_bio_byron"]
    assert read_split(path, "test2") == ["GENTLE_legal_abortion"]
    with pytest.raises(ValueError, match=r'no split "dev"; it has .*test2, train'):
        read_split(path, "dev")


def test_file_without_splits(tmp_path: Path) -> None:
    path = tmp_path / "splits.md"
    path.write_text("## train\n\nnone yet\n")
    with pytest.raises(ValueError, match="has no splits"):
        read_split(path, "train")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GUM_academic_art", "academic"),
        ("GENTLE_legal_abortion", "legal"),
        ("GUM_whow_two_parts", "whow"),
        ("11532192", None),
        ("wsj_0001", None),
        ("", None),
    ],
)
def test_genre(name: str, expected: str) -> None:
    assert genre(name) == expected


FILES = [Path(f) for f in ("x/GUM_bio_a.ptb", "GUM_whow_b.ptb", "123.tree")]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), [0, 1, 2]),
        (Selection(ids=frozenset({"123", "GUM_bio_a.ptb"})), [0, 2]),
        (Selection(genres=frozenset({"bio"})), [0]),
        (Selection(without_genres=frozenset({"bio"})), [1, 2]),
        (Selection(frozenset({"123", "GUM_bio_a"}), frozenset({"bio"})), [0]),
        (Selection(ids=frozenset()), []),
    ],
)
def test_selection(selection: Selection, expected: list) -> None:
    assert selection.select(FILES) == [FILES[i] for i in expected]


def test_selection_knows_what_is_missing() -> None:
    selection = Selection(ids=frozenset({"GUM_reddit_b", "123", "GUM_bio_c"}))
    assert selection.missing(FILES) == ["GUM_bio_c", "GUM_reddit_b"]
    assert Selection().missing(FILES) == []


def test_selection_is_false_where_it_selects_nothing_out() -> None:
    assert not Selection()
    assert Selection(ids=frozenset())
    assert Selection(without_genres=frozenset({"bio"}))


@pytest.mark.shared
def test_gum_splits(shared: Path) -> None:
    gum = shared / "treebanks" / "gum"
    files = treebank_files(gum / "const")
    for split in ("dev", "test", "test2", "train"):
        names = read_split(gum / "splits.md", split)
        selection = Selection(ids=frozenset(names))
        missing = selection.missing(files)
        assert all(genre(name) == "reddit" for name in missing)
        assert len(selection.select(files)) + len(missing) == len(names)


@pytest.mark.shared
def test_craft_ids(shared: Path) -> None:
    craft = shared / "treebanks" / "craft"
    files = treebank_files(craft)
    assert all(file.suffix == ".tree" for file in files)
    for split in ("train", "dev", "test"):
        ids = frozenset(read_ids(craft / "ids" / f"craft-ids-{split}.txt"))
        assert Selection(ids=ids).missing(files) == []
