import json
from functools import partial

import pytest
import spacy
from helpers.cli import done, run
from spacy.language import Language

from spacy_gfl import Constituent, Tree, set_trees
from spacy_gfl.tools.cli import search as search_module

DOG = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"
RAIN = "(FRAG (NP (NN Rain)) (. .))"
KEYS = "(NP (NP (DT the) (NNS keys)) (PP (IN to) (NP (PRP$ my) (NN door))))"

search = partial(run, "search")


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x85\u2028\u2029\n")
def test_a_hit_is_one_line_whatever_is_in_it(tmp_path, character):
    tree = Tree(
        (f"a{character}b",),
        ("NN",),
        (("NP", 0, 1), (f"N{character}P", 0, 1)),
    )
    path = tmp_path / f"a{character}.ptb"
    path.write_text(str(tree), encoding="utf-8")
    for options in ((), ("--json",), ("--trees",), ("--count",)):
        ended = search("NP", path, *options)
        assert len(ended.stdout.splitlines()) == 1
    found = search("NP", path, "--json").stdout
    assert json.loads(found)["text"] == f"a{character}b"
    drawn = done("draw", "--brackets", path).stdout
    assert len(drawn.splitlines()) == drawn.count("\n")


def hits(*words, pattern="NP", **settings):
    """What is found, as it is told in JSON."""
    result = search(pattern, *words, "--json", **settings)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def in_text(hits, text):
    return [text[hit["doc_start"] : hit["doc_end"]] for hit in hits]


@pytest.fixture
def brackets(tmp_path):
    path = tmp_path / "some.ptb"
    path.write_text(f"{DOG}\n{RAIN}\n{KEYS}\n")
    return path


@pytest.fixture
def docs(brackets):
    path = brackets.with_suffix(".spacy")
    done("convert", brackets, path, "--n-sents", 2)
    return path


@pytest.fixture
def pipeline(monkeypatch):
    """A pipeline whose sentences are each one NP over the words but the last."""

    @Language.component("test_cli_search_parser")
    def parse(doc):
        trees = []
        for sent in doc.sents:
            n_words = sum(not token.is_space for token in sent)
            trees.append([Constituent("NP", 0, n_words - 1)] if n_words > 1 else [])
        set_trees(doc, trees)
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_cli_search_parser")
    monkeypatch.setattr(search_module, "load_parser", lambda name: nlp)
    return "some_model"


def test_hits_are_marked_in_their_sentences_whatever_the_format(brackets, docs):
    others = [docs.with_suffix(suffix) for suffix in (".jsonl", ".conll")]
    for other in others:
        done("convert", docs, other)
    for path in (brackets, docs, *others):
        result = search("NP !< NP", path)
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            f"{path}:1: NP: [The dog] barks.",
            f"{path}:2: NP: [Rain].",
            f"{path}:3: NP: [the keys] to my door",
            f"{path}:3: NP: the keys to [my door]",
        ]
        # A word has its tag for a label.
        assert search("dog", path).stdout == f"{path}:1: NN: The [dog] barks.\n"


def test_trees_of_hits_are_printed_if_asked_for(brackets):
    lines = search("NP < PP|NN", brackets, "--trees").stdout.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "(NP (DT The) (NN dog))",
        "(NP (NN Rain))",
        KEYS,
        "(NP (PRP$ my) (NN door))",
    ]


def test_hits_are_counted_and_no_more_than_asked_are_shown(brackets, docs):
    assert search("NP", brackets, docs, "-c").stdout == f"{brackets}: 5\n{docs}: 5\n"
    assert search("QQ", brackets, "-c").stdout == f"{brackets}: 0\n"
    assert search("QQ", brackets, "-c").exit_code == 1
    result = search("np", brackets)
    assert result.exit_code == 1
    assert 'Did you mean "NP"?' in result.stderr
    nothing = search("QQ", brackets)
    assert (nothing.exit_code, nothing.output) == (1, "")
    assert len(search("NP", brackets, docs, "--max", 6).stdout.splitlines()) == 6
    assert search("NP", brackets, docs, "-c", "-m", 2).stdout == f"{brackets}: 2\n"
    counted = json.loads(search("NP", docs, "-c", "--json").stdout)
    assert counted == {"file": str(docs), "hits": 5}


def test_json_has_the_offsets_of_hits(brackets, docs):
    for path, starts in ((brackets, [0, 0]), (docs, [0, 15])):
        records = hits(path, "--trees", pattern='NP < NN !< "PRP$"')
        assert [r["hit"] for r in records] == ["The dog", "Rain"]
        for record, doc_start in zip(records, starts, strict=True):
            assert record["text"][record["start"] : record["end"]] == record["hit"]
            assert record["file"] == str(path)
            assert record["label"] == "NP"
            assert record["doc_start"] == doc_start
            assert record["doc_end"] == doc_start + len(record["hit"])
        assert records[1]["sentence"] == 2
        assert records[1]["tree"] == "(NP (NN Rain))"
        assert [record["document"] for record in records] == ["1", "1"]


def test_json_has_the_names_of_documents(tmp_path, pipeline):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Rain.", "id": "b", "part": 2}\n{"text": "Rain."}\n')
    records = hits(path, "--model", pipeline)
    assert [r["document"] for r in records] == ["b:2", "2"]


@pytest.mark.parametrize("start", ["\n ", "\ufeff"])
def test_texts_have_offsets_of_the_file_a_byte_order_mark_among_them(
    tmp_path, pipeline, start
):
    path = tmp_path / "a.txt"
    text = f"{start}The old dog. It\nbarks.\r\n \n\nRain again. \U0001f600 falls.\n"
    path.write_bytes(text.encode())
    records = hits(path, "--model", pipeline)
    expected = ["The old dog", "It\nbarks", "Rain again", "\U0001f600 falls"]
    assert [r["hit"] for r in records] == expected
    assert in_text(records, text) == expected
    assert [r["sentence"] for r in records] == [1, 2, 3, 4]
    shown = search("NP", path, "--model", pipeline).stdout.splitlines()
    assert shown[1] == f"{path}:2: NP: [It barks]."


def test_standard_input_is_searched_as_trees_or_text(brackets, pipeline):
    result = search("FRAG", brackets, "-", "--count", stdin=f"{DOG}\n\n{RAIN}\n")
    assert result.stdout == f"{brackets}: 1\n-: 1\n"
    result = search("NP < NN", "-", stdin=DOG)
    assert result.stdout == "-:1: NP: [The dog] barks.\n"
    text = "  The dog.\n \n\n Rain again.\n"
    found = hits("-", "--model", pipeline, stdin=text)
    assert {hit["file"] for hit in found} == {"-"}
    assert [hit["hit"] for hit in found] == ["The dog", "Rain again"]
    assert in_text(found, text) == ["The dog", "Rain again"]


def test_no_more_is_read_than_is_asked_for(tmp_path, pipeline):
    lines = tmp_path / "a.ptb"
    lines.write_bytes(f"{DOG}\n{DOG}\n".encode() + b"\xe9\n")
    assert search("NP", lines, "--max", 1).exit_code == 0
    assert search("NP", lines).exit_code == 2
    text = tmp_path / "a.txt"
    text.write_bytes(b"The dog barks.\n\n" * 1000 + b"\xe9\n")
    assert search("NP", text, "--max", 1, "--model", pipeline).exit_code == 0
    assert search("NP", text, "--model", pipeline).exit_code == 2


def test_what_cannot_be_read_is_passed_over(brackets, tmp_path):
    """A .txt file with trees, one of them bad, is not taken for a text."""
    (tmp_path / "bad.txt").write_text(f"(NP (NN a)))\n\n{RAIN}\n")
    (tmp_path / "latin.ptb").write_bytes(b"(NP (NN caf\xe9))\n")
    (tmp_path / "no.spacy").write_bytes(b"nothing")
    files = [tmp_path / name for name in ("none", "bad.txt", "latin.ptb", "no.spacy")]
    result = search("FRAG", *files, brackets)
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        f"{tmp_path / 'bad.txt'}:1: FRAG: [Rain.]",
        f"{brackets}:2: FRAG: [Rain.]",
    ]
    assert "--model" not in result.stderr
    errors = result.stderr.splitlines()
    for error, file in zip(errors, files, strict=True):
        assert error.startswith("Error: ")
        assert error.count(str(file)) == 1
