"""Which files make a treebank."""

import pytest

from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.inputs import treebank_files


def test_a_folder_is_searched_in_order_and_a_file_taken_whatever_its_name(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.ptb", "a.mrg", "below/c.TREE", ".hidden/d.ptb", ".e.ptb"):
        (tmp_path / name).write_text("(X (Y y))")
    (tmp_path / "trees.txt").write_text("\ufeff\n  (X (Y y))\n", encoding="utf-8")
    (tmp_path / "LICENSE.txt").write_text("Anyone (or anything) may use this.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "docs.spacy").touch()
    (tmp_path / "h.zip").touch()
    told = []
    found = treebank_files(tmp_path, tell=told.append)
    names = [str(f.relative_to(tmp_path)) for f in found]
    assert names == ["a.mrg", "b.ptb", "below/c.TREE", "trees.txt"]
    assert "LICENSE.txt, empty.txt (does not begin as brackets)" in told[0]
    assert "h.zip (.zip is not the ending of a format with trees)" in told[0]
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
