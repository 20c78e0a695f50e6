"""The programs in examples/: what they find in gold trees, and that they run."""

import json
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from threading import Thread
from types import ModuleType, SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import spacy
import typer
from helpers import docs
from helpers.reading import ROOT
from nltk.parse.corenlp import CoreNLPParser
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_gfl import read_trees

EXAMPLES = ROOT / "examples"
SCRIPTS = {
    "reading_difficulty.py": ["council_report.txt", "council_letter.txt"],
    "glossary.py": ["beavers.txt"],
    "passives.py": ["council_report.txt"],
}
sys.path.insert(0, str(EXAMPLES))

import corenlp_server  # noqa: E402
import own_decoder  # noqa: E402
from passives import find_passives  # noqa: E402
from service import make_server  # noqa: E402

make_doc = partial(docs.make_doc, vocab=spacy.blank("en").vocab)


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (DT The) (NN museum)) (VP (VBD was) (VP (VBN closed) (PP (IN by)"
            " (NP (DT the) (NN mayor))) (NP (NN yesterday)))) (. .))",
            [(15, 44, "passive", "the mayor")],
        ),
        # Who says so is not told, only who closed it.
        (
            "(S (NP (PRP It)) (VP (VBZ is) (VP (VBN said) (SBAR (IN that) (S (NP (PRP"
            " it)) (VP (VBD was) (VP (VBN closed) (PP (IN by) (NP (PRP them))))))))))",
            [(6, 37, "passive", None), (23, 37, "passive", "them")],
        ),
        ("(S (NP (PRP They)) (VP (VBP have) (VP (VBN sold) (NP (PRP it)))) (. .))", []),
    ],
)
def test_passives_and_their_agents_are_found(brackets, expected):
    found = [
        (phrase.start_char, phrase.end_char, phrase.label_, agent and agent.text)
        for phrase, agent in find_passives(make_doc(brackets))
    ]
    assert found == expected


def run(script, *arguments):
    app = typer.Typer()
    app.command()(import_module(script.removesuffix(".py")).main)
    done = CliRunner().invoke(app, list(arguments), env={"TERM": "dumb"})
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.usefixtures("en_gfl_sm")
def test_scripts_run_have_help_and_are_short(script, tmp_path):
    assert "--model" in run(script, "--help")
    assert len((EXAMPLES / script).read_text(encoding="utf-8").splitlines()) < 60
    printed = run(script, *(str(EXAMPLES / "data" / name) for name in SCRIPTS[script]))
    if script == "reading_difficulty.py":
        assert printed.startswith("council_report.txt  words ")
        assert len(printed.splitlines()) == 2 * 4
        (tmp_path / "empty.txt").touch()
        assert run(script, str(tmp_path / "empty.txt")).startswith("empty.txt  no")
    elif script == "glossary.py":
        count, _, *places = printed.splitlines()[0].split("\t")
        assert int(count) == len(places) >= 2
    else:
        assert " sentences" in printed.splitlines()[-1]


@pytest.fixture
def nlp(en_gfl_sm):
    return spacy.load("en_gfl_sm")


@pytest.fixture
def server(nlp):
    """A service of the pipeline that does not run yet."""
    with make_server(nlp, "127.0.0.1", 0) as server:
        yield server


@pytest.fixture
def running(server):
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def ask(server, text, **headers):
    """The trees that a service answers a text with."""
    url = f"http://127.0.0.1:{server.server_port}"
    body = text if isinstance(text, bytes) else text.encode()
    with urlopen(Request(url, body, headers=headers), timeout=120) as answer:
        return json.load(answer)


def test_the_service_answers_text_with_trees(nlp, running):
    trees = ask(running, "Who called? Zoë did.")
    assert trees == nlp("Who called? Zoë did.")._.parse_strings
    with pytest.raises(HTTPError, match="UTF-8"):
        ask(running, b"\xff")
    for length in ("1000001", "9" * 5000):
        with pytest.raises(HTTPError, match="at most"):
            # Says that it is long, and is not: who is refused may still be sending.
            ask(running, " ", **{"Content-Length": length})


def test_the_service_takes_json_with_a_text_and_says_what_else_it_wants(nlp, running):
    kind = {"Content-Type": "application/json"}
    expected = nlp("Who called?")._.parse_strings
    assert ask(running, '{"text": "Who called?"}', **kind) == expected
    for body in ("Who called?", '{"texts": []}', "[1]", '{"text": 1}', "[" * 100_000):
        with pytest.raises(HTTPError, match="Send JSON as"):
            ask(running, body, **kind)


def test_the_service_answers_four_threads_at_once_and_waits_for_no_idle_one(
    nlp, running
):
    """Each thread sends words that are new: a zone per thread would lose them."""
    texts = [
        f"The {letter * 9} dog barks at the {letter * 7}s." for letter in "bdfgkmpt"
    ]
    other = spacy.load("en_gfl_sm")
    expected = [other(text)._.parse_strings for text in texts]
    with socket.create_connection(("127.0.0.1", running.server_port)) as idle:
        idle.send(b"POST / HTTP/1.1\r\n")
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(partial(ask, running), 3 * texts))
    assert found == 3 * expected
    assert not any(letter * 9 in nlp.vocab.strings for letter in "bdfgkmpt")


@pytest.fixture
def corenlp(nlp):
    """The address of a server for clients of CoreNLP."""
    with corenlp_server.make_server(nlp, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_nltks_client_of_corenlp_gets_trees(nlp, corenlp):
    parser = CoreNLPParser(url=corenlp, tagtype="pos")
    text = "Who called? The teacher (Zoë) did."
    trees = list(parser.parse_text(text))
    assert [tree.label() for tree in trees] == ["ROOT", "ROOT"]
    expected = [f"(ROOT {brackets})" for brackets in nlp(text)._.parse_strings]
    assert [tree.pformat(10**6) for tree in trees] == expected
    [[tree]] = parser.parse_sents([["Who", "called", "?", "Zoë", "did", "."]])
    assert len(tree.leaves()) == 6, "a line is a sentence"
    lines = list(parser.raw_parse_sents(["Who called? Zoë did.", "Nobody."]))
    assert [len(tree.leaves()) for [tree] in lines] == [6, 2]
    assert list(parser.tokenize(text))[3:6] == ["The", "teacher", "("]
    words = ["The", "well-known", "U.S.A.", "(so", "called)"]
    assert [word for word, _ in parser.tag(words)] == words


def test_a_request_to_corenlp_is_answered_as_it_is_made(corenlp):
    def ask(text, query="", **headers):
        request = Request(f"{corenlp}/{query}", text.encode(), headers=headers)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)["sentences"]

    form = {"Content-Type": "application/x-www-form-urlencoded"}
    plain = {"Content-Type": "text/plain"}
    said = "?properties=%7B%27ssplit.isOneSentence%27%3A%20True%7D"
    [sentence] = ask("Zoë%20called.+Who?", said, **form)
    assert sentence["parse"].startswith("(ROOT (")
    places = [
        (t["word"], t["characterOffsetBegin"], t["characterOffsetEnd"])
        for t in sentence["tokens"]
    ]
    expected = [("Zoë", 0, 3), ("called", 4, 10), (".", 10, 11), ("Who", 12, 15)]
    assert places == [*expected, ("?", 15, 16)]
    assert [one["index"] for one in ask("Who?\n\n Zoë.", **plain)] == [0, 1]
    assert ask("", **plain) == ask(" \n", **plain) == []
    with urlopen(f"{corenlp}/ping", timeout=60) as answer:
        assert answer.status == 200
    for query in ("?properties=%7B", "?properties=%7B%22outputFormat%22:%22xml%22%7D"):
        with pytest.raises(HTTPError, match="400"):
            ask("Who?", query, **plain)


def test_answers_of_prodigy_become_trees_that_have_their_spans(
    nlp, monkeypatch, tmp_path
):
    """With the few names of Prodigy that the recipe uses."""
    text = "We met the director of the museum in Paris."
    saved = []
    names = {
        "prodigy": {"recipe": lambda *_, **__: lambda function: function},
        "prodigy.components": {},
        "prodigy.components.db": {
            "connect": lambda: SimpleNamespace(get_dataset_examples=lambda _: saved)
        },
        "prodigy.components.stream": {"get_stream": lambda *_, **__: [{"text": text}]},
        "prodigy.util": {"set_hashes": lambda task: task},
    }
    for name, members in names.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    recipe = import_module("prodigy_trees")
    given = recipe.trees_manual("set", "texts.jsonl", label="NP,PP")
    [task] = given["stream"]
    assert given["view_id"] == "spans_manual"
    assert [word["text"] for word in task["tokens"]][:2] == ["We", "met"]
    for span in task["spans"]:
        first, last = (task["tokens"][span[f"token_{at}"]] for at in ("start", "end"))
        assert (first["start"], last["end"]) == (span["start"], span["end"])
    phrases = [phrase.text for phrase in nlp(text)._.phrases("NP")]
    shown = [one for one in task["spans"] if one["label"] == "NP"]
    assert [text[one["start"] : one["end"]] for one in shown] == phrases

    whole = {"token_start": 2, "token_end": 8, "label": "NP"}
    spans = [{"token_start": 5, "token_end": 8, "label": "NP"}, whole]
    saved += [
        {**task, "spans": spans, "answer": "accept"},
        {**task, "answer": "reject"},
    ]
    recipe.trees_train("set", tmp_path / "train.spacy")
    [doc] = DocBin().from_disk(tmp_path / "train.spacy").get_docs(nlp.vocab)
    found = {(phrase.start, phrase.end) for phrase in doc._.phrases("NP")}
    assert {(5, 9), (2, 9)} <= found


def test_the_notebook_runs(en_gfl_sm, monkeypatch):
    """In a kernel of its own, as Jupyter runs it, with what each cell shows."""
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, sys.path)))
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells), "saved without what it printed"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in cells for output in cell.outputs]
    printed = "".join(output.get("text", "") for output in outputs)
    assert "(S (NP (DT The) (NN bridge)) (VP" in printed
    assert "['The bridge', 'the council'" in printed
    assert "main | The bridge | (was, closed) | The bridge was closed by" in printed
    shown = [output.data for output in outputs if "data" in output]
    agents, complexity, picture = shown
    assert agents["text/plain"] == "[the council]"
    assert "'CN/C': " in complexity["text/plain"]
    assert "<svg" in picture["text/html"]


def test_the_streamlit_app_shows_trees(en_gfl_sm):
    testing = pytest.importorskip("streamlit.testing.v1", reason="needs streamlit")
    app = testing.AppTest.from_file(str(EXAMPLES / "streamlit_app.py"))
    app.run(timeout=60)
    assert not app.exception
    app.text_area[0].set_value("The bridge was closed by the council.").run(timeout=60)
    assert not app.exception
    assert [code.value for code in app.code] == [
        "(S (NP (DT The) (NN bridge)) (VP (VBD was) (VP (VBN closed) (PP (IN by)"
        " (NP (DT the) (NN council))))) (. .))"
    ]
    assert [one for one in app.main if one.type in {"image", "imgs"}]


def test_a_decoder_of_ones_own_learns_and_keeps_trees_as_they_are(capsys):
    files = [ROOT / "tests" / "data" / name for name in ("dev.ptb", "train.ptb")]
    trees = list(read_trees(files[0].read_text(encoding="utf-8")))
    codec = own_decoder.ParseBits.from_trees(trees)
    codec = own_decoder.ParseBits.from_json(json.loads(json.dumps(codec.to_json())))
    for tree in trees:
        decoded = codec.decode(codec.encode(tree), len(tree.words))
        assert decoded == (list(tree.constituents), False)
    own_decoder.main(files[0], files[0], epochs=6)
    f1 = float(capsys.readouterr().out.split()[1])
    assert f1 > 0.3
