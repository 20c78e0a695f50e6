import gzip
import os

import pytest
from helpers.cli import done, refusal, run
from helpers.docs import token_doc
from spacy.tokens import DocBin, Span
from spacy.vocab import Vocab

from spacy_gfl import get_trees
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.tools.treebanks.formats.names import document_name

GOOD = """\
( (S (NP-SBJ-1 (-NONE- *)) (VP (VB Go)) (. !)) )
(ROOT
  (NP
    (NN rain)))
( (NP=2 (NP (NN a)) b) )
( (S (NP (-NONE- *))) )
"""
CLEANED = ["(S (VP (VB Go)) (. !))", "(NP (NN rain))", "(NP (NP (NN a)) (XX b))"]
BAD = """\
(NP (NN good))
(NP (NN a)

(NP ( (NN b)))
(NP (NN -U+0020-))
(NP (NN fine))
"""


@pytest.fixture
def corpus(tmp_path):
    """A folder of documents."""
    folder = tmp_path / "in"
    (folder / "below").mkdir(parents=True)
    (folder / "GUM_bio_a.ptb").write_text("(NP (NN a1))\n(NP (NN a2))\n(NP (NN a3))")
    (folder / "GUM_news_b.ptb").write_text("(NP (NN b1))")
    (folder / "below" / "GUM_fiction_c.mrg").write_text("(NP (NN c1))")
    (folder / "123.tree").write_text("(NP (NN d1))")
    (folder / "LICENSE.txt").write_text("Anyone may use this.")
    return folder


@pytest.fixture
def source(tmp_path):
    """Where a test writes brackets."""
    path = tmp_path / "in.ptb"
    path.write_text(GOOD)
    return path


def failure(*arguments, **settings):
    """What a run that must fail says, on one line without wrapping."""
    result = run("convert", *arguments, **settings)
    refusal(result)
    return " ".join(result.output.split())


def success(*arguments, **settings):
    return " ".join(done("convert", *arguments, **settings).output.split())


def read_docs(path):
    return [get_trees(doc) for doc in docbin.read(path, Vocab())]


def words(path):
    """The words of each Doc, joined."""
    return ["+".join(w for t in doc for w in t.words) for doc in read_docs(path)]


def test_trees_are_cleaned_and_counted(source, tmp_path):
    out = tmp_path / "new" / "folder" / "out.spacy"
    output = success(source, out)
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
        "Trees without words removed 1",
        "Trees rejected 0",
    ):
        assert row in output
    assert "\x1b" not in output


@pytest.mark.parametrize(
    ("n_sents", "expected"),
    [
        (1, ["d1", "a1", "a2", "a3", "b1", "c1"]),
        (2, ["d1", "a1+a2", "a3", "b1", "c1"]),
        (0, ["d1", "a1+a2+a3", "b1", "c1"]),
    ],
)
def test_a_doc_holds_as_many_sentences_of_a_file_as_asked(
    corpus, tmp_path, n_sents, expected
):
    # A file named twice is read once.
    success(corpus / "123.tree", corpus, tmp_path / "out.spacy", "--n-sents", n_sents)
    assert words(tmp_path / "out.spacy") == expected


def test_standard_input_is_read_where_it_is_named_and_named_in_errors(tmp_path):
    (tmp_path / "c.ptb").write_text("(NP (NN c))")
    text = "\ufeff(NP (NN naïve))\r\n(NP (NN b))"
    success("-", tmp_path / "c.ptb", tmp_path / "out.spacy", stdin=text)
    assert words(tmp_path / "out.spacy") == ["naïve+b", "c"]
    assert "<stdin>:1:1" in failure("-", tmp_path / "new.spacy", stdin="(NP (NN a)")
    success("-", tmp_path / "out.spacy", "--input-format", "conll", stdin=CONLL)
    assert words(tmp_path / "out.spacy") == ["Go"]


def test_dependencies_become_trees_in_every_format_and_errors_name_their_line(
    tmp_path,
):
    rows = ["1 Er er PRON _ _ 2 nsubj _ _", "2 schläft _ VERB _ _ 0 root _ _"]
    text = "\n".join(row.replace(" ", "\t") for row in rows) + "\n"
    source = tmp_path / "de.conllu"
    source.write_text(text, encoding="utf-8")
    for name in ("trees.ptb", "trees.spacy", "trees.json"):
        success(source, tmp_path / name, "--lang", "de")
    tree = "(S (NP (PRON Er)) (VP (VERB schläft)))"
    assert (tmp_path / "trees.ptb").read_text(encoding="utf-8") == f"{tree}\n"
    success(tmp_path / "trees.json", tmp_path / "again.ptb")
    assert (tmp_path / "again.ptb").read_text(encoding="utf-8") == f"{tree}\n"
    assert words(tmp_path / "trees.spacy") == ["Er+schläft"]
    source.write_text(f"{text}\n" + text.replace("\t0\t", "\t_\t"), encoding="utf-8")
    said = failure(source, tmp_path / "new.ptb")
    assert f"{source}:5: word 2 has no head" in said.replace("\n", "")
    assert not (tmp_path / "new.ptb").exists()
    success(source, tmp_path / "new.ptb", "--skip-errors")


def test_rejected_trees_fail_with_their_places_or_are_skipped(source, tmp_path):
    out = tmp_path / "out.spacy"
    source.write_text(BAD)
    out.write_bytes(b"an older file")
    said = failure(source, out)
    assert f"{source}:2:1: " in said
    assert f"{source}:4:5: " in said
    for reason in ("unclosed bracket", "empty label", "white space as a word"):
        assert f"- {reason} 1" in said
    assert "3 trees were rejected, so nothing was written" in said
    assert out.read_bytes() == b"an older file"
    said = success(source, out, "--skip-errors")
    assert "Trees rejected 3" in said
    assert "Trees kept 2" in said
    assert words(out) == ["good+fine"]


def test_repairs_can_be_refused(source, tmp_path):
    assert f"{source}:5:21: " in failure(source, tmp_path / "out.spacy", "--no-repair")


@pytest.mark.parametrize("options", [[], ["--n-sents", 1]])
def test_docs_keep_all_their_annotations(tmp_path, options):
    doc = token_doc(
        "It|rains", "Go", trees=["(S (NP (NP (X It))) (X rains))", "(X Go)"]
    )
    doc[0].head, doc[0].dep_, doc[0].lemma_, doc[0].pos_ = doc[1], "expl", "it", "PRON"
    doc[1].dep_, doc[2].dep_ = "ROOT", "ROOT"
    doc[1].set_morph("Tense=Past")
    doc.set_ents([Span(doc, 2, 3, "GPE")])
    doc.cats, doc.user_data["source"] = {"weather": 1.0}, "a letter"
    doc.spans[SPANS_KEY].attrs["log_probs"] = [-1.0, -2.0]
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "in.spacy")
    success(tmp_path / "in.spacy", tmp_path / "out.spacy", *options)
    [out] = docbin.read(tmp_path / "out.spacy", Vocab())
    assert out.to_json()["tokens"] == doc.to_json()["tokens"]
    assert (out.to_json()["ents"], out.cats) == (doc.to_json()["ents"], doc.cats)
    assert out.user_data == doc.user_data
    assert get_trees(out) == get_trees(doc)
    assert out.spans[SPANS_KEY].attrs == doc.spans[SPANS_KEY].attrs


def test_the_language_of_trees_decides_where_their_text_has_spaces(tmp_path):
    source, out = tmp_path / "in.ptb", tmp_path / "out.spacy"
    source.write_text("(S (N l') (N acqua) (V corre))\n", encoding="utf-8")
    for options, text in (([], "l' acqua corre"), (["--lang", "it"], "l'acqua corre")):
        success(source, out, *options)
        [doc] = docbin.read(out, Vocab())
        assert doc.text == text
    assert 'no language "italian"' in failure(source, out, "--lang", "italian")


CONLL = "#begin document (x/y); part 002\nGo VB (S*)\n\n#end document\n"


def test_each_file_of_a_folder_is_a_document_of_its_own_name(source):
    folder = source.with_name("in")
    names = ["1210.jartein.psd", "1210.thorlakur.psd.GZ", os.fsdecode(b"caf\xe9.mrg")]
    folder.mkdir()
    for name in names:
        text = b"(S (VB a))"
        (folder / name).write_bytes(gzip.compress(text) if "GZ" in name else text)
    success(folder, out := source.with_name("out.spacy"))
    found = [document_name(doc)[0] for doc in docbin.read(out, Vocab())]
    assert found == ["1210.jartein", "1210.thorlakur", "caf\\udce9"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252"])
def test_other_encodings_are_read_if_they_are_named(source, encoding):
    source.write_text(
        "(NP (NN café))\r\n(NP (NN thé))\n", encoding=encoding, newline=""
    )
    out = source.with_name("out.ptb")
    success(source, out, "--encoding", encoding)
    assert out.read_text(encoding="utf-8") == "(NP (NN café))\n(NP (NN thé))\n"
    said = failure(source, source.with_name("no.ptb"))
    assert f"--encoding {encoding if 'utf' in encoding else 'latin-1'}" in said


def test_a_scheme_and_function_tags_are_taken_where_they_are_asked_for(source):
    source.write_text("( (IP-MAT (NP-SBJ *con*) (VBD sang)) (ID XT,1.1))\n")
    out = source.with_name("out.ptb")
    said = success(source, out)
    assert "try --scheme historical" in said
    said = success(source, out, "--scheme", "historical", "--keep-functions", "--force")
    assert "--scheme" not in said
    assert out.read_text() == "(IP-MAT (VBD sang))\n"


def test_labels_of_a_treebank_become_common_ones(source, tmp_path):
    source.write_text(
        "(S (NP (PRN Ia)) (VP (TAME akan) (VP (VBT makan) (NP (NNO ikan)))))"
    )
    out = tmp_path / "common.ptb"
    success(source, out, "--lang", "id", "--labels", "common")
    assert out.read_text(encoding="utf-8").strip() == (
        "(S (NP (PRON Ia)) (VP (AUX akan) (VERB makan) (NP (NOUN ikan))))"
    )
    result = run("convert", source, out, "--labels", "penn")
    assert result.exit_code == 2
    assert "is not one of own|common" in result.output
