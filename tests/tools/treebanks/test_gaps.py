"""Formats of trees with gaps: NEGRA's export and disco-dop's brackets."""

import pytest
from spacy.vocab import Vocab

from spacy_gfl import TreeError
from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts
from spacy_gfl.tools.treebanks.formats import FORMATS, find_format, why_no_treebank
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.inputs import (
    read_treebank,
)
from spacy_gfl.tools.treebanks.schemes import find_scheme

VERSION_3 = """\
%% a comment
#BOS 1 0 0 1 %% @SB1AV@
Das\t\tART\tNom\tNK\t500
Buch\tNN\t--\tNK\t500
habe\tVAFIN\t--\tHD\t502
ich\tPPER\t--\tSB\t502\tMO\t501
(\t$(\t--\t--\t0
gelesen\tVVPP\t--\tHD\t501\t%% read
.\t$.\t--\t--\t0
#500\tNP\t--\tOA\t501
#501\tVP\t--\tOC\t502
#502\tS\t--\t--\t0
#EOS 1
"""
VERSION_4 = """\
#FORMAT 4
#BOS 7
Ja ja ITJ -- -- 0
. . $. -- -- 0
#EOS 7
"""
WANTED = (
    "(TOP (S (VP (NP (ART Das) (NN Buch))) (VAFIN habe) (PPER ich) ($( -LRB-) "
    "(VVPP gelesen)) ($. .))"
).replace("($( ", "($-U+0028- ")
DISCBRACKET = (
    "(ROOT (S (VP (NP (ART 0=Das) (NN 1=Buch)) (VVPP 4=gelesen)) (VAFIN 2=habe) "
    "(PPER 3=#LRB#)) ($. 5=.))\n"
)


def read(name, text, **settings):
    counts = ReadCounts()
    reading = Reading(given=text.splitlines(True), counts=counts, **settings)
    return [tree.brackets() for tree in FORMATS[name].trees(reading)], counts


def test_the_export_format_is_read_in_both_versions():
    found, counts = read("export", VERSION_3 + VERSION_4)
    assert found == [WANTED, "(TOP (ITJ Ja) ($. .))"]
    assert (counts.read, counts.kept, counts.moved) == (2, 2, 2)
    scheme = find_scheme("penn", keep_functions=True)
    assert "(VP-OC (NP-OA (ART Das)" in read("export", VERSION_3, scheme=scheme)[0][0]


def test_brackets_with_numbered_words_are_read():
    found, counts = read("discbracket", DISCBRACKET)
    assert found == [
        "(TOP (S (VP (NP (ART Das) (NN Buch))) (VAFIN habe) (PPER -LRB-) "
        "(VVPP gelesen)) ($. .))"
    ]
    assert counts.moved == 1


@pytest.mark.parametrize("name", ["a.ptb", "a.txt", "a.mrg", "a", "a.psd"])
@pytest.mark.parametrize("given", ["auto", "brackets"])
def test_numbered_words_are_known_under_any_ending(tmp_path, name, given):
    (tmp_path / name).write_text(f"; a comment\n{DISCBRACKET}(S (NN 0=Ja))\n")
    docs = read_treebank(tmp_path / name, Vocab(), given, n_sents=0)
    words = ["Das", "Buch", "habe", "(", "gelesen", ".", "Ja"]
    assert [token.text for doc in docs for token in doc] == words


def test_labels_of_the_export_format_are_whole():
    text = "#BOS 1\nda\tADV\t--\tHD\t500\n#500\tR-SIMPX\t--\tMOD\t0\n#EOS 1\n"
    assert read("export", text)[0] == ["(R-SIMPX (ADV da))"]


def test_a_word_on_a_root_that_is_written_goes_into_the_gap_around_it():
    text = "(ROOT (S (VP (NN 0=Das) (VVPP 3=gelesen)) (PPER 2=ich)) ($, 1=,) ($. 4=.))"
    assert read("discbracket", text)[0] == [
        "(TOP (S (VP (NN Das)) ($, ,) (PPER ich) (VVPP gelesen)) ($. .))"
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("export", "#BOS 1\nDas ART -- NK 500\n#EOS 1\n", "text:1: in this sentence"),
        ("export", VERSION_4 + "#BOS 8\nJa\n#EOS 8\n", "the text:6: "),
        ("export", "#BOS 1\nJa ITJ -- -- 0\n", "has no end"),
        ("discbracket", "(S (A 0=a) b)", "in tree 1, the word b has no number"),
        ("discbracket", "(S (A 0=a) (B 0=b))", "two words have the same number"),
        ("discbracket", "(S (A 0=a)", "not closed"),
    ],
)
def test_what_is_not_in_the_format_is_named(name, text, message):
    with pytest.raises(TreeError, match=message):
        read(name, text)


def test_wide_spaces_and_brackets_are_parts_of_words():
    rows = "#BOS 1\n10\u00a0000\tCARD\t--\tNK\t0\n%% a comment\n#EOS 1\n"
    assert read("export", rows)[0] == ["(CARD 10-U+00A0-000)"]
    text = "(S (CARD 0=10\u00a0000) (NN 1=#LRB#a#RRB#))"
    found = read("discbracket", text)[0]
    assert found == ["(S (CARD 10-U+00A0-000) (NN -LRB-a-RRB-))"]


def test_sentences_that_do_not_end_are_counted_and_passed_over():
    errors = []
    text = "#BOS 1\nDas ART -- NK 0\n" + VERSION_4 + "#BOS 8\nJa ITJ -- -- 0\n"
    found, counts = read("export", text, on_error=errors.append)
    assert found == ["(TOP (ITJ Ja) ($. .))"]
    assert [error.line for error in errors] == [1, 8]
    assert (counts.read, counts.kept) == (3, 1)


def test_text_between_numbered_trees_is_counted_and_passed_over():
    errors = []
    text = "(S (A 0=a))\n7| (S (A 0=b))\n\n(S (A 0=c)\n\n(S (A 0=d))\n"
    found, counts = read("discbracket", text, on_error=errors.append)
    assert found == ["(S (A a))", "(S (A b))", "(S (A d))"]
    assert [(error.line, error.column) for error in errors] == [(2, 1), (4, 1)]
    assert (counts.read, counts.kept) == (5, 3)


def test_endings_tell_the_format(tmp_path):
    for name, ending in (("export", "export"), ("discbracket", "dbr")):
        assert find_format(tmp_path / f"a.{ending}").name == name
    with pytest.raises(ValueError, match="--inputfmt=tiger"):
        find_format(tmp_path / "a.xml")


@pytest.mark.parametrize("name", ["a.ptb", "a.txt", "a.conll", "a", "a.jsonl"])
@pytest.mark.parametrize(
    "head",
    ['<?xml version="1.0" encoding="ISO-8859-1"?>', '<corpus id="T">', "<alpino_ds>"],
)
def test_xml_is_named_with_what_converts_it_whatever_its_ending(tmp_path, name, head):
    path = tmp_path / name
    path.write_bytes(f"\n{head}\n<s>caf\u00e9 (S (N a))</s>\n".encode("latin-1"))
    for given in ("auto", "brackets"):
        with pytest.raises(ValueError, match=r"XML cannot be read.*--inputfmt=tiger"):
            read_treebank(path, Vocab(), given)
    assert why_no_treebank(path, Reading()) == "is XML"


def test_sgml_around_trees_is_no_xml(tmp_path):
    path = tmp_path / "a.ptb"
    path.write_text("<corpus>\n<S ID=1>\n(S (N a))\n</S>\n")
    assert len(list(read_treebank(path, Vocab()))) == 1
