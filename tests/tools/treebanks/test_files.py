import gzip
import multiprocessing
import os
import signal
import stat
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
import spacy
from helpers.docs import token_doc
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.tools.treebanks.formats import WRITERS, brackets, conll, json_lines
from spacy_gfl.tools.treebanks.formats.atomic_files import beside, write_text
from spacy_gfl.tools.treebanks.formats.names import document_name, name_document
from spacy_gfl.tools.treebanks.formats.table_rows import cells_of
from spacy_gfl.tools.treebanks.formats.text_files import read_lines
from spacy_gfl.tools.treebanks.inputs import (
    docs_from_lines,
    read_docs,
    read_treebank,
)
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.tree import Tree, TreeError


@pytest.fixture
def doc():
    return token_doc("Oh|!", trees=[[("INTJ", 0, 2)]])


@pytest.mark.parametrize("suffix", WRITERS)
def test_one_doc_is_written_as_one_of_many(doc, tmp_path, suffix):
    one, many = tmp_path / f"one{suffix}", tmp_path / f"many{suffix}"
    WRITERS[suffix](one, doc)
    WRITERS[suffix](many, [doc])
    assert one.read_bytes() == many.read_bytes()


@pytest.mark.parametrize("suffix", [".ptb", ".jsonl", ".conll", ".tex"])
@pytest.mark.parametrize(
    "character", "\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\r\ufeff"
)
def test_nothing_that_is_written_ends_a_line_but_its_end(tmp_path, suffix, character):
    words, label = (f"{character}a{character}b", "c"), f"{character}N{character}P"
    tree = Tree(words, (f"N{character}N", "V"), ((label, 0, 2),))
    [doc] = trees_to_docs([tree], Vocab())
    names = [f"{character}a{character}b", "", " ", "(x)"]
    for name in names:
        path = tmp_path / f"a{suffix}"
        name_document(doc, name, 3)
        WRITERS.get(suffix, brackets.write)(path, doc)
        text = path.read_bytes().decode()
        assert len(text.splitlines()) == text.count("\n")
        if suffix == ".tex":
            continue
        [found] = read_treebank(path, Vocab())
        assert get_trees(found) == [tree]
        if suffix != ".ptb":
            assert document_name(found) == (name, 3)


# A .spacy file takes Docs without trees as well.
@pytest.mark.parametrize("suffix", sorted(WRITERS.keys() - {".spacy"}))
def test_a_file_stays_as_it_was_where_writing_fails(doc, tmp_path, suffix):
    path = tmp_path / f"keep{suffix}"
    path.write_text("kept")
    without_trees = Doc(Vocab(), words=["Oh"])
    with pytest.raises(ValueError, match="no constituency trees"):
        WRITERS[suffix](path, [doc, without_trees])
    assert path.read_text() == "kept"
    with pytest.raises(FileNotFoundError, match="gone"):
        WRITERS[suffix](tmp_path / "gone" / "file", [doc])
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\r\n\ufeffb\u2028c\n\nd", ["a\n", "b\u2028c\n", "\n", "d"]),
        ("a\rb\r\rc\r", ["a\n", "b\n", "\n", "c\n"]),
        ("a\rb\nc\rd", ["a\rb\n", "c\rd"]),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_lines_end_as_their_file_has_it_and_byte_order_marks_go(
    tmp_path, text, lines, encoding
):
    path = tmp_path / "file"
    path.write_bytes(f"\ufeff{text}".encode(encoding))
    assert list(read_lines(path, encoding=encoding)) == lines


@pytest.mark.parametrize("packer", ["gzip", "bz2", "lzma", "zip"])
def test_what_is_compressed_is_known_by_its_content(tmp_path, packer):
    path = tmp_path / "trees.ptb"
    if packer == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("trees.ptb", "(NP (NN x))" * 100)
    else:
        path.write_bytes(import_module(packer).compress(b"(NP (NN x))" * 100))
    with pytest.raises(ValueError, match=r"ptb:1: this is compressed: unpack it"):
        list(read_lines(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "latin-1"])
def test_a_packed_file_may_not_be_one_line_without_end(tmp_path, encoding):
    path = tmp_path / "trees.ptb.gz"
    # Text packs to a tenth, or a line of a megabyte to less.
    path.write_bytes(gzip.compress(("(NP (NN x)) " * 50_000).encode(encoding)))
    assert len(list(read_lines(path, encoding=encoding))) == 1
    path.write_bytes(gzip.compress(b"a" * 100_000_000))
    with pytest.raises(ValueError, match=r"1: this line has .* characters or more"):
        list(read_lines(path, encoding=encoding))


class TestBeside:
    @pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
    def test_a_full_device_is_named(self):
        with pytest.raises(OSError, match="/dev/full"):
            write_text("/dev/full", ["text"])

    def test_no_file_of_its_own_may_be_executed(self, tmp_path):
        with beside(tmp_path / "file") as new:
            new.touch()
            files = [file for file in tmp_path.rglob("*") if file.is_file()]
            modes = [file.stat().st_mode & 0o111 for file in files]
        assert modes == [0, 0]

    def test_mode_and_links_stay(self, tmp_path):
        path, link = tmp_path / "file", tmp_path / "link"
        path.touch(mode=0o640)
        link.symlink_to(path)
        with beside(link) as new:
            new.write_text("new")
            assert path.read_text() == ""
        assert link.is_symlink()
        assert path.read_text() == "new"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_devices_are_written_and_stay_devices(self, doc):
        conll.write(os.devnull, [doc])
        assert not os.path.isfile(os.devnull)
        read, write = os.pipe()
        pipe = Path(f"/dev/fd/{write}")
        if not pipe.exists():
            pytest.skip("this system has no files for open pipes")
        write_text(pipe, ["a pipe"])
        os.close(write)
        with open(read) as file:
            assert file.read() == "a pipe"

    def test_a_folder_replaces_none(self, tmp_path):
        folder = tmp_path / "folder"
        with beside(folder) as new:
            new.mkdir()
            (new / "old").touch()
        with pytest.raises(FileNotFoundError) as gone, beside(folder) as new:
            (new / "part").touch()
        assert gone.value.filename == str(folder)
        for make in (Path.mkdir, Path.touch):
            with pytest.raises(OSError, match="folder"), beside(folder) as new:
                make(new)
        assert [path.name for path in folder.iterdir()] == ["old"]
        assert os.listdir(tmp_path) == ["folder"]

    def test_of_two_programs_on_one_file_the_second_is_refused(self, tmp_path):
        path, link = tmp_path / "file", tmp_path / "link"
        link.symlink_to(path)
        with beside(path) as new:
            new.write_text("first")
            with pytest.raises(ValueError, match="Another program is writing"):
                write_text(link, ["second"])
            write_text(tmp_path / "other", ["other"])
        assert path.read_text() == "first"
        write_text(link, ["second"])
        assert path.read_text() == "second"

    def test_who_is_killed_holds_nothing_and_what_he_left_goes(self, tmp_path):
        path = tmp_path / "file"
        forked = multiprocessing.get_context("fork")
        here, there = forked.Pipe()

        def hold():
            with beside(path) as new:
                new.mkdir()
                (new / "half").touch()
                there.send("held")
                signal.pause()

        process = forked.Process(target=hold)
        process.start()
        assert here.recv() == "held"
        with pytest.raises(ValueError, match="is writing"):
            write_text(path, ["ours"])
        process.kill()
        process.join()
        write_text(path, ["ours"])
        assert os.listdir(tmp_path) == ["file"]

    @pytest.mark.parametrize("ending", ["part", "lock"])
    @pytest.mark.parametrize("kind", ["file", "folder", "nothing"])
    def test_links_that_somebody_planted_lead_nowhere(self, tmp_path, kind, ending):
        away = tmp_path / "away"
        {"file": lambda: away.write_text("kept"), "folder": away.mkdir}.get(
            kind, bool
        )()
        out = tmp_path / "folder" / "out"
        out.parent.mkdir()
        with beside(out) as new:
            own = {
                "part": new.parent,
                "lock": next(
                    path for path in out.parent.iterdir() if path.suffix == ".lock"
                ),
            }[ending]
            new.write_text("a")
        own.symlink_to(away)
        if ending == "lock":
            with pytest.raises(ValueError, match=r"is a link\. Delete it"):
                write_text(out, ["new"])
        else:
            write_text(out, ["new"])
            assert out.read_text() == "new"
        assert away.exists() == (kind != "nothing")
        assert not away.is_file() or away.read_text() == "kept"
        assert not away.is_dir() or not os.listdir(away)


def read_table(path, text):
    path.write_text(text, encoding="utf-8")
    return [(doc.text, cells_of(doc)) for doc in read_docs(spacy.blank("en"), path)]


def test_tables_may_have_lines_in_cells_and_columns_without_names(tmp_path):
    text = 'text,,\n"The dog\nbarks.",1,\n\n"""Go"", he said."\n'
    assert read_table(tmp_path / "a.csv", text) == [
        ("The dog\nbarks.", {"": ""}),
        ('"Go", he said.', {"": ""}),
    ]
    assert read_table(tmp_path / "a.tsv", 'text\n"Go."') == [("Go.", {})]


@pytest.mark.parametrize(
    "text",
    [
        '\n\nn,text\n1,"Go, he said."\n',
        'n, text\n1, "Go, he said."\n',
        "n|text\n1|Go, he said.\n",
        "sep=;\nn;text\n1;Go, he said.\n",
        '"sep=|"\nn|text\n1|Go, he said.\n',
        '"n;m;o",text\n1,"Go, he said."\n',
        "n\ttext\n1\tGo, he said.",
        'n,text\n   \n1,"Go, he said."\n',
    ],
)
def test_tables_of_spreadsheets_and_by_hand(tmp_path, text):
    [(read, cells)] = read_table(tmp_path / "a.csv", text)
    assert (read, [*cells.values()]) == ("Go, he said.", ["1"])


def test_quotation_marks_between_tabs_need_not_be_doubled(tmp_path):
    text = 'text\tn\n"Go!" she said.\t1\n"He said ""no""."\t2\n'
    texts = [text for text, _ in read_table(tmp_path / "a.tsv", text)]
    assert texts == ['"Go!" she said.', 'He said "no".']
    with pytest.raises(ValueError, match=r":2: a quotation mark within"):
        read_table(tmp_path / "a.csv", text.replace("\t", ","))


@pytest.mark.parametrize("line", ["sep=", 'sep="', "sep= ", "sep=x"])
def test_a_line_that_names_no_delimiter_is_a_row(tmp_path, line):
    with pytest.raises(ValueError, match="there is no column 'text'"):
        read_table(tmp_path / "a.csv", f"{line}\ntext\nGo.\n")


def test_a_cell_may_be_a_whole_book(tmp_path):
    text = "It ran. " * 20_000
    assert read_table(tmp_path / "a.csv", f"text\n{text}\n") == [(text, {})]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('n\ttext\n1\tGo.\n2\t"It rains.\n3\tStay.\n', r":3: a quotation mark"),
        ('n\ttext\n1\tGo.\n2\t"It rains.', r":3: a quotation mark"),
        ('n\t"text\n1\tGo.\n', r":1: a quotation mark"),
        ('n\ttext\n1\t"It rains.\n2\t"Stay."\n', r":2: a quotation mark within"),
        ("n\ttext\n1\t'Go\n\n2\tStay.\t3\n", r":4: this row has 3 cells"),
        ("n\ttext\tn\n1\tGo.\t2\n", r": 2 columns are 'n'"),
        ("text\ttext\nGo.\tStay.\n", r": 2 columns are 'text'"),
    ],
)
def test_no_row_of_a_table_and_no_cell_is_lost_without_a_word(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "a.tsv", text)


DOG = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))"


def test_a_text_is_read_as_its_lines(tmp_path):
    tree = parse_tree(DOG)
    columns = conll.tree_to_conll(tree) + conll.tree_to_conll(tree, part=1)
    assert [*conll.trees_from_conll(columns)] == [tree, tree]
    assert [get_trees(doc) for doc in conll.docs_from_conll(columns, Vocab())] == [
        [tree, tree]
    ]
    lines = json_lines.json_line(json_lines.tree_to_json(tree)) * 2
    docs = json_lines.docs_from_json_lines(lines.replace("\n", "\r\n"), Vocab())
    assert [get_trees(doc) for doc in docs] == [[tree], [tree]]
    nlp = spacy.blank("en")
    assert [doc.text for doc in docs_from_lines(nlp, "Go.\nStay.", "lines")] == [
        "Go.",
        "Stay.",
    ]


@pytest.mark.parametrize("given", [b"a b (S*)", Path("a.conll"), "a.conll", None])
def test_paths_and_bytes_are_no_lines(given):
    message = "text: Path" if given == "a.conll" else "Trees are read from text"
    for read in (conll.docs_from_conll, json_lines.docs_from_json_lines):
        with pytest.raises((TypeError, TreeError), match=message):
            list(read(given, Vocab()))
    with pytest.raises((TypeError, TreeError), match=message):
        list(conll.trees_from_conll(given))
