"""`spacy-gfl predictors`: what trees say of each word, as a table."""

import csv
import io
import json

import pytest
from helpers.cli import done, refusal, run
from helpers.pipelines import GENERATIVE, initialized, trained
from pyarrow import parquet
from spacy.vocab import Vocab

from spacy_gfl import Tree, trees_to_docs
from spacy_gfl.tools.syntax.word_syntax import NOTED
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.tools.treebanks.formats.names import name_document
from spacy_gfl.trees.escaping import unescape_name

TREES = "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))))\n(NP (SYM =) (CD 1))\n"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_word_is_a_row(tmp_path):
    trees, docs = tmp_path / "trees.ptb", tmp_path / "docs.spacy"
    trees.write_text(TREES, encoding="utf-8")
    done("convert", trees, docs, "--n-sents", 1)
    rows = table(done("predictors", trees, docs).stdout)
    assert [(row["file"], row["document"]) for row in rows] == [
        *[(str(trees), "1")] * 6,
        *[(str(docs), "1")] * 4,
        *[(str(docs), "2")] * 2,
    ]
    assert [int(row["sentence"]) for row in rows] == [1] * 4 + [2] * 2 + [1] * 6
    assert [row["position"] for row in rows[:6]] == ["1", "2", "3", "4", "1", "2"]
    assert rows[0] == {
        **{"file": str(trees), "document": "1", "sentence": "1", "position": "1"},
        **{"word_number": "1", "word": "The", "tag": "DT"},
        **{"opened": "2", "closed": "0", "left_corner": "1"},
        **{"open_nodes": "2", "depth": "2", "yngve": "2", "break_after": "0"},
        **{"label": "NP", "head": "2"},
        # What only a parser knows.
        **dict.fromkeys(NOTED, ""),
    }
    # A spreadsheet would run it.
    assert rows[4]["word"] == "'="


def test_tables_are_written_as_csv_and_parquet(tmp_path):
    trees = tmp_path / "trees.ptb"
    trees.write_text(TREES, encoding="utf-8")
    for name in ("a.csv", "a.parquet"):
        assert done("predictors", trees, "-o", tmp_path / name).stdout == ""
    rows = table((tmp_path / "a.csv").read_text(encoding="utf-8"))
    found = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert [str(row["yngve"]) for row in found] == [row["yngve"] for row in rows]
    assert found[4]["word"] == "="
    (tmp_path / "none.jsonl").touch()
    done("predictors", tmp_path / "none.jsonl", "-o", tmp_path / "none.parquet")
    assert parquet.read_table(tmp_path / "none.parquet").column_names == [*rows[0]]
    wrong = run("predictors", trees, "-o", tmp_path / "a.xlsx")
    assert ".parquet" in refusal(wrong)


def test_of_parsed_texts_actions_have_their_probability(tmp_path):
    trained().to_disk(tmp_path / "model")
    text = tmp_path / "text.txt"
    text.write_text("The dog barks.", encoding="utf-8")
    rows = table(done("predictors", text, "-m", tmp_path / "model").stdout)
    assert all(0 < float(row["action_probability"]) <= 1 for row in rows)
    assert [row["surprisal"] for row in rows] == [""] * 4


def test_white_space_of_docs_has_no_row(tmp_path):
    nlp = trained()
    [doc] = nlp.pipe(["The  dog barks."])
    docbin.write(tmp_path / "a.spacy", doc)
    rows = table(done("predictors", tmp_path / "a.spacy").stdout)
    assert [row["word"] for row in rows] == ["The", "dog", "barks", "."]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    trained().to_disk(folder)
    return str(folder)


@pytest.mark.parametrize("command", ["predictors", "complexity"])
def test_a_record_has_its_name_or_number(tmp_path, command, model):
    lines = tmp_path / "a.txt"
    lines.write_text("We left.\n\nIt barks. It left.\n", encoding="utf-8")
    named = tmp_path / "b.jsonl"
    records = [{"id": "s1", "text": "We left."}, {"text": "It barks."}]
    records += [{"id": 7, "part": 2, "text": "It left."}]
    named.write_text("".join(json.dumps(one) + "\n" for one in records))
    conll = tmp_path / "c.conll"
    done("parse", named, "-m", model, "-o", conll)

    def documents(*words):
        rows = table(done(command, *words, "-m", model).stdout)
        return list(dict.fromkeys(row["document"] for row in rows if row["file"]))

    given = ["1", "3"] if command == "predictors" else ["1", "2", "3"]
    assert documents(lines, "--input-format", "lines") == given
    assert documents(lines) == ["1"]
    assert documents(named) == ["s1", "2", "7:2"]
    assert documents(conll) == ["s1", "1", "7:2"]


def test_sentences_of_a_document_in_several_records_are_counted_on(tmp_path, model):
    path = tmp_path / "a.jsonl"
    records = [{"id": name, "text": "The dog barks."} for name in ("a", "b", "a")]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    rows = table(done("predictors", path, "-m", model, "--words").stdout)
    found = [(row["document"], row["sentence"], row["word_number"]) for row in rows]
    assert found[::3] == [("a", "1", "1"), ("b", "1", "1"), ("a", "2", "4")]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_columns_of_a_table_are_carried_through(tmp_path, model, mark):
    path = tmp_path / ("a.tsv" if mark == "\t" else "a.csv")
    lines = [
        "\ufeffitem,word,sentence,n",
        '1,c,"The dog,\u2028barks.",x',
        "2,d,It barks.",
    ]
    path.write_bytes("\r\n".join(lines).replace(",", mark).encode())
    options = "--text-column", "sentence", "-m", model
    rows = table(done("predictors", path, *options).stdout)
    assert list(rows[0])[:6] == [
        *("file", "document", "item", "word_given", "n", "sentence")
    ]
    assert [(r["item"], r["word_given"], r["n"]) for r in (rows[0], rows[-1])] == [
        ("1", "c", "x"),
        ("2", "d", ""),
    ]
    assert list(dict.fromkeys(row["document"] for row in rows)) == ["1", "2"]
    done("predictors", path, *options, "-o", tmp_path / "b.tsv")
    written = (tmp_path / "b.tsv").read_text(encoding="utf-8")
    assert list(csv.DictReader(io.StringIO(written), delimiter="\t")) == rows
    done("predictors", path, *options, "-o", tmp_path / "b.parquet")
    found = parquet.read_table(tmp_path / "b.parquet").to_pylist()
    assert [row["item"] for row in found] == [row["item"] for row in rows]
    measured = table(done("complexity", path, *options).stdout)
    assert [(row["document"], row["item"]) for row in measured] == [
        ("1", "1"),
        ("2", "2"),
    ]
    done("parse", path, *options, "-o", tmp_path / "b.jsonl")
    wrong = refusal(run("predictors", path, "-m", model))
    assert "no column 'text'; the columns are 'item', 'word', 'sentence', 'n'" in wrong
    # A folder may have tables of other things.
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.csv").write_text("a,b\n1,2\n")
    assert "no texts or treebanks" in refusal(run("predictors", tmp_path / "c"))


def test_tokens_of_a_word_between_white_space_are_added_up(tmp_path):
    trees = "(S (NP (PRP He)) (VP (VBD rang) (, ,) (VBP do) (RB n't) (VP (VB go))))"
    path = tmp_path / "a.ptb"
    path.write_text(trees, encoding="utf-8")
    tokens = table(done("predictors", path).stdout)
    assert [row["word_number"] for row in tokens] == ["1", "2", "2", "3", "3", "4"]
    words = table(done("predictors", path, "--words").stdout)
    assert [(row["word"], row["tag"]) for row in words] == [
        *(("He", "PRP"), ("rang,", "VBD ,"), ("don't", "VBP RB"), ("go", "VB")),
    ]
    for name in ("opened", "closed", "left_corner"):
        added = [sum(int(t[name]) for t in tokens[i:j]) for i, j in ((1, 3), (3, 5))]
        assert [int(row[name]) for row in words[1:3]] == added
    assert [row["open_nodes"] for row in words] == [
        tokens[i]["open_nodes"] for i in (0, 2, 4, 5)
    ]
    assert [row["head"] for row in words] == ["1", "2", "2", "4"]


@pytest.mark.parametrize("width", [0, 8])
def test_unknown_words_are_0_in_a_column_and_said_if_not_spelled(tmp_path, width):
    nlp = initialized(architecture=GENERATIVE, spelling_width=width)
    nlp.to_disk(tmp_path / "model")
    path = tmp_path / "a.txt"
    path.write_text("The zyzzyvas bark. The zyzzyvas, the dog barks.")
    for words in ((), ("--words",)):
        ended = done("predictors", path, "-m", tmp_path / "model", *words)
        rows = table(ended.stdout)
        unknown = [row["word"] for row in rows if row["known"] == "0"]
        assert any(word.startswith("zyzzyvas") for word in unknown)
        said = f"{len(unknown)} of {len(rows)} rows have words that the parser"
        assert ended.stderr.count(said) == (width == 0)


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_nothing_in_a_table_ends_a_line_but_its_end(tmp_path, character):
    odd = f"a{character}b"
    tree = Tree((odd, "-U+2028-"), ("NN", f"N{character}"), ((f"N{character}P", 0, 2),))
    [doc] = trees_to_docs([tree], Vocab())
    name_document(doc, odd)
    docbin.write(tmp_path / "a.spacy", doc)
    text = done("predictors", tmp_path / "a.spacy").stdout
    assert len(text.splitlines()) == 3
    first, second = table(text)
    names = ("document", "word", "label")
    assert [unescape_name(first[at]) for at in names] == [odd, odd, f"N{character}P"]
    assert unescape_name(second["tag"]) == f"N{character}"
    assert unescape_name(second["word"]).removeprefix("'") == "-U+2028-"
    done("complexity", tmp_path / "a.spacy", "-o", tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert len(text.splitlines()) == text.count("\n")
    assert json.loads(text)[0]["document"] == odd
