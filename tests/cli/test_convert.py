from pathlib import Path
from typing import Any

import pytest
from helpers.cli import done, run
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.trees.brackets import read_tree_file
from spacy_gfl.trees.tree import Tree

GOOD = """\
( (S (NP-SBJ-1 (-NONE- *)) (VP (VB Go)) (. !)) )
(ROOT
  (NP
    (NN rain)))
( (NP=2 (NP (NN a)) b) )
( (S (NP (-NONE- *))) )
"""
CLEANED = ["(S (VP (VB Go)) (. !))", "(NP (NN rain))", "(NP (NP (NN a)) (XX b))"]
BAD = "(NP (NN good))\n(NP (NN a)\n\n(NP ( (NN b)))\n(NP (NN fine))\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of documents."""
    folder = tmp_path / "in"
    (folder / "below").mkdir(parents=True)
    (folder / "GUM_bio_a.ptb").write_text("(NP (NN a1))\n(NP (NN a2))\n(NP (NN a3))")
    (folder / "GUM_news_b.ptb").write_text("(NP (NN b1))")
    (folder / "below" / "GUM_fiction_c.mrg").write_text("(NP (NN c1))")
    (folder / "123.tree").write_text("(NP (NN d1))")
    (folder / "LICENSE.txt").write_text("Anyone may use this.")
    return folder


def failure(*arguments: Any, stdin: Any = None) -> str:
    """What a run that must fail says, on one line without wrapping."""
    result = run("convert", *arguments, stdin=stdin)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    return " ".join(result.output.split())


def success(*arguments: Any, stdin: Any = None) -> str:
    return " ".join(done("convert", *arguments, stdin=stdin).output.split())


def read_docs(path: Path) -> list[list[Tree]]:
    return [get_trees(doc) for doc in DocBin().from_disk(path).get_docs(Vocab())]


def words(path: Path) -> list[str]:
    """The words of each Doc, joined."""
    return ["+".join(w for t in doc for w in t.words) for doc in read_docs(path)]


def test_trees_are_cleaned_and_counted(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / "new" / "folder" / "out.spacy"
    path.write_text(GOOD)
    output = success(path, out)
    assert [[str(tree) for tree in doc] for doc in read_docs(out)] == [CLEANED]
    for row in (
        "Trees read 4",
        "Trees kept 3",
        "Words kept 5",
        "Docs 1",
        "Trees repaired 1",
        "Repairs 1",
        "Words without tag, now XX 1",
        "Traces removed 2",
        "Trees of traces alone removed 1",
        "Trees rejected 0",
    ):
        assert row in output
    assert "\x1b" not in output


@pytest.mark.parametrize("suffix", ["ptb", "mrg", "txt", "TREE"])
def test_brackets_are_written_where_the_ending_asks_for_them(
    tmp_path: Path, suffix: str
) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / f"out.{suffix}"
    path.write_text(GOOD)
    success(path, out)
    assert out.read_text().splitlines() == CLEANED
    assert [str(tree) for tree in read_tree_file(out)] == CLEANED


def test_docs_and_brackets_can_be_written_at_once(tmp_path: Path) -> None:
    path, out, trees = (tmp_path / n for n in ("in.ptb", "out.spacy", "sub/out.mrg"))
    path.write_text(GOOD)
    success(path, out, "--trees", trees)
    success(path, out, "--trees", trees)
    assert out.exists()
    assert trees.read_text().splitlines() == CLEANED


def test_a_bracket_file_is_not_overwritten_by_mistake(corpus: Path) -> None:
    first, last = corpus / "GUM_bio_a.ptb", corpus / "GUM_news_b.ptb"
    before = last.read_text()
    assert "--force" in failure(first, last)
    assert last.read_text() == before
    success(first, last, "--force")
    assert last.read_text() == "(NP (NN a1))\n(NP (NN a2))\n(NP (NN a3))\n"


@pytest.mark.parametrize(
    ("n_sents", "expected"),
    [
        (1, ["d1", "a1", "a2", "a3", "b1", "c1"]),
        (2, ["d1", "a1+a2", "a3", "b1", "c1"]),
        (0, ["d1", "a1+a2+a3", "b1", "c1"]),
    ],
)
def test_a_doc_holds_as_many_sentences_of_a_file_as_asked(
    corpus: Path, tmp_path: Path, n_sents: int, expected: list[str]
) -> None:
    success(corpus, tmp_path / "out.spacy", "--n-sents", n_sents)
    assert words(tmp_path / "out.spacy") == expected


def test_a_file_named_twice_is_read_once(corpus: Path, tmp_path: Path) -> None:
    success(corpus / "123.tree", corpus, tmp_path / "out.spacy")
    assert words(tmp_path / "out.spacy") == ["d1", "a1+a2+a3", "b1", "c1"]


def test_standard_input_is_read_and_named_in_errors(tmp_path: Path) -> None:
    success("-", tmp_path / "out.spacy", stdin="\ufeff(NP (NN naïve))\r\n(NP (NN b))")
    assert words(tmp_path / "out.spacy") == ["naïve+b"]
    assert "<stdin>:1:1" in failure("-", tmp_path / "new.spacy", stdin="(NP (NN a)")


@pytest.mark.parametrize("suffix", ["ptb", "spacy", "jsonl", "conll"])
def test_what_is_written_is_read(corpus: Path, tmp_path: Path, suffix: str) -> None:
    """With the Docs that there are, and from standard input too."""
    first, again = tmp_path / f"first.{suffix}", tmp_path / "again.spacy"
    success(corpus, first, "--n-sents", 2)
    output = success(first, again, "--n-sents", 2)
    assert "Trees read 6" in output
    assert "Words kept 6" in output
    docs = ["d1", "a1+a2", "a3", "b1", "c1"]
    assert words(again) == (["d1+a1", "a2+a3", "b1+c1"] if suffix == "ptb" else docs)
    if suffix != "spacy":
        kind = {"ptb": "brackets", "jsonl": "json"}.get(suffix, suffix)
        bytes_read = first.read_bytes()
        other = tmp_path / "other.spacy"
        success("-", other, "--input-format", kind, "--n-sents", 2, stdin=bytes_read)
        assert words(other) == words(again)


def test_trees_are_written_as_a_latex_document(corpus: Path, tmp_path: Path) -> None:
    success(corpus, tmp_path / "out.tex")
    text = (tmp_path / "out.tex").read_text()
    assert text.startswith("\\documentclass")
    assert text.count("\\begin{forest}") == 6


def test_rejected_trees_fail_with_their_places(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / "out.spacy"
    path.write_text(BAD)
    out.write_bytes(b"an older file")
    output = failure(path, out)
    assert f"{path}:2:1: " in output
    assert f"{path}:4:5: " in output
    assert "- unclosed bracket 1" in output
    assert "- empty label 1" in output
    assert "2 trees were rejected, so nothing was written" in output
    assert out.read_bytes() == b"an older file"


def test_rejected_trees_can_be_skipped(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / "out.spacy"
    path.write_text(BAD)
    output = success(path, out, "--skip-errors")
    assert "Trees rejected 2" in output
    assert "Trees kept 2" in output
    assert words(out) == ["good+fine"]


def test_repairs_can_be_refused(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / "out.spacy"
    path.write_text("(NP (NP (NN a)) b)\n")
    assert f"{path}:1:17: " in failure(path, out, "--no-repair")


def test_a_word_of_white_space_is_rejected(tmp_path: Path) -> None:
    path, out = tmp_path / "in.ptb", tmp_path / "out.spacy"
    path.write_text("(NP (NN a))\n(NP (NN -U+0020-))\n")
    output = failure(path, out)
    assert f"{path}: " in output
    assert "Trees kept 1" in output
    assert "- white space as a word 1" in output
    success(path, out, "--skip-errors")
    assert words(out) == ["a"]


def test_corrections_are_counted_and_off_unless_asked_for(tmp_path: Path) -> None:
    """Rules are counted, and off unless they are asked for."""
    trees = "(HEADING (NP (NN rain)))\n(S (CODE <i>))\n(NP (NP (PRP It)))\n"
    source, docs = tmp_path / "in.ptb", tmp_path / "in.spacy"
    source.write_text(trees)
    success(source, docs)
    for given in (source, docs):
        out = tmp_path / f"{given.suffix}.ptb"
        success(given, out)
        assert out.read_text() == trees
        said = success(given, out, "--correct", "--force")
        assert out.read_text() == "(NP (NN rain))\n(NP (PRP It))\n"
        for rule in ("markup", "parts", "doubled"):
            assert f"Corrected: {rule} 1" in said
        assert "Trees read 3" in said
        assert "Trees kept 2" in said
        assert "Trees of traces alone removed 1" in said
    success("-", docs, stdin="(S (NP (NP (PRP It)))  (VP (VBZ is)))")
    said = success(docs, out, "--correct", "--force")
    assert out.read_text() == "(S (NP (PRP It)) (VP (VBZ is)))\n"
    assert "Corrected: doubled 1" in said
