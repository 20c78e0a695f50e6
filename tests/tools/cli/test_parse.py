import io
import json
import re
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import spacy
from helpers.cli import done, refusal, run
from helpers.pipelines import initialized
from spacy.tokens import Doc, DocBin

from spacy_gfl import get_trees, load_language, parse_tree
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.tools.cli.app import app
from spacy_gfl.tools.treebanks.formats import WRITERS, docbin
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.inputs import docs_from_lines

TREEBANK = """\
( (S (NP-SBJ (DT The) (NN mayor)) (VP (VBD slept)) (. .)))
( (S (-LRB- -LRB-) (NP (PRP We)) (VP (VBD left)) (-RRB- -RRB-)))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bank.ptb").write_text(TREEBANK)
    (tmp_path / "text.txt").write_text(
        "The mayor slept. We left.\n\nA title\n\n\nGo!\n"
    )
    for suffix in ("spacy", "jsonl", "conll"):
        bank = tmp_path / f"bank.{suffix}"
        done("convert", tmp_path / "bank.ptb", bank, "--n-sents", 0)
    return tmp_path


parse = partial(done, "parse", "--model")


def printed(result):
    return [parse_tree(line) for line in result.stdout.splitlines()]


def words(trees):
    return [" ".join(tree.words) for tree in trees]


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    [
        (["text.txt"], "", "The mayor slept ./We left ./A title/Go !"),
        (["We left. Go!", "A (dog)", "x or y"], "", "We left ./Go !/A ( dog )/x or y"),
        (["Do n't go.\tA.B.", "--input-format", "tokens"], "", "Do n't go. A.B."),
        (["10\u00a0000 cats", "--input-format", "tokens"], "", "10\u00a0000 cats"),
        ([], "Go!\n", "Go !"),
        (["-"], "Go!\n", "Go !"),
        (["--input-format", "brackets"], TREEBANK, "The mayor slept ./( We left )"),
        (
            *(["text.txt", "bank.ptb"], ""),
            "The mayor slept ./We left ./A title/Go !/The mayor slept ./( We left )",
        ),
        # A format is for endings that tell none.
        (["text.pdf", "--input-format", "text"], "", "Go !"),
    ],
)
def test_text_tokens_and_brackets_are_parsed_wherever_they_come_from(
    model, folder, monkeypatch, arguments, stdin, expected
):
    monkeypatch.chdir(folder)
    (folder / "text.pdf").write_text("Go!")
    trees = printed(parse(model, *arguments, stdin=stdin))
    assert words(trees) == expected.split("/")
    if "text" in "".join(arguments):
        assert {tag for tree in trees[:4] for tag in tree.tags} == {"XX"}


def test_treebanks_keep_words_tags_and_sentences_but_no_trees(model, folder):
    (folder / "flat.ptb").write_text(
        "(S (DT The) (NN mayor) (VBD slept) (. .))\n"
        "(S (-LRB- -LRB-) (PRP We) (VBD left) (-RRB- -RRB-))\n"
    )
    trees = printed(parse(model, folder / "flat.ptb"))
    assert words(trees) == ["The mayor slept .", "( We left )"]
    tags = ["DT NN VBD .", "-LRB- PRP VBD -RRB-"]
    assert [" ".join(tree.tags) for tree in trees] == tags
    for suffix in (".ptb", ".spacy", ".jsonl", ".conll"):
        assert printed(parse(model, folder / f"bank{suffix}")) == trees


def test_the_ending_of_the_output_is_its_format_unless_one_is_given(model, folder):
    bank, out, wanted = folder / "bank.spacy", folder / "out.spacy", folder / "wanted"
    parse(model, bank, "-o", out)
    docs = list(docbin.read(out, spacy.blank("en").vocab))
    assert [get_trees(doc) for doc in docs] == [printed(parse(model, bank))]
    assert len(docs[0].spans[SPANS_KEY].attrs["log_probs"]) == 2
    done("evaluate", bank, out)
    for suffix in (".json", ".jsonl", ".conll", ".tex"):
        out = out.with_suffix(suffix)
        parse(model, bank, "-o", out)
        WRITERS[suffix](wanted, docs)
        assert out.read_text() == wanted.read_text()
    parse(model, bank, "-o", out, "--format", "brackets")
    lines = out.read_text().splitlines()
    assert [parse_tree(line) for line in lines] == get_trees(docs[0])
    drawing = parse(model, "Go!", "--format", "tree").stdout
    assert {"Go", "!"} <= set(drawing.split())
    assert not drawing.startswith("(")


def parse_here(model, *words):
    """Run the command with the streams of this process."""
    return app(
        ["parse", "--model", str(model), *map(str, words)], standalone_mode=False
    )


def test_trees_are_printed_before_the_input_ends(model, monkeypatch):
    ours, theirs = socket.socketpair()
    ours.settimeout(60)
    with ours, theirs, ours.makefile("rw") as mine:
        monkeypatch.setattr(sys, "stdin", theirs.makefile("r"))
        monkeypatch.setattr(sys, "stdout", theirs.makefile("w"))
        command = partial(parse_here, model, "--batch-size", 1)
        thread = threading.Thread(target=command, daemon=True)
        thread.start()
        for text in ("Go!", "We left."):
            mine.write(f"{text}\n\n")
            mine.flush()
            assert mine.readline().startswith("(")
        ours.shutdown(socket.SHUT_WR)
        thread.join(60)
        assert not thread.is_alive()


def test_search_settings_are_taken_and_malformed_trees_are_told(paper, folder):
    greedy = parse(paper, folder / "bank.ptb", "--beam-width", "1")
    beam = parse(paper, folder / "bank.ptb", "--beam-width", "4", "--batch-size", "1")
    assert words(printed(greedy)) == words(printed(beam))
    # A network that has not been trained writes no tree in free search.
    free = parse(paper, folder / "bank.ptb", "--unconstrained")
    assert words(printed(free)) == words(printed(greedy))
    assert "2 of 2 sentences had a malformed tree" in free.stderr
    assert "malformed" not in greedy.stderr


def test_several_processes_give_the_trees_of_one(model, folder):
    arguments = (model, folder / "text.txt", "--batch-size", "1")
    alone = parse(*arguments)
    assert printed(parse(*arguments, "--n-process", "2")) == printed(alone)


def test_a_terminal_without_input_is_not_waited_for(model, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    # Nor is input that has been closed.
    for stdin in (Terminal(), None):
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(SystemExit):
            parse_here(model)
        assert "Give texts or files to parse" in capsys.readouterr().err


def test_paragraphs_are_docs():
    nlp = spacy.blank("en")
    lines = ["\n", "One\n", "two.\n", " \n", "\n", "Three\n"]
    docs = docs_from_lines(nlp, lines, "text")
    assert [doc.text for doc in docs] == ["One\ntwo.", "Three"]
    nlp.max_length = 5
    with pytest.raises(ValueError, match="Text of length 8 exceeds maximum of 5"):
        list(docs_from_lines(nlp, lines, "text"))


def test_long_paragraphs_are_cut_at_line_ends():
    lines = ["a " * 2000 + "\n"] * 20
    docs = docs_from_lines(spacy.blank("en"), lines, "text")
    sizes = [len(doc.text) for doc in docs]
    assert sizes == [3 * 4001 - 2] * 6 + [2 * 4001 - 2]


def test_the_n_best_trees_are_printed_best_first(model, folder):
    text, saved = "The mayor slept. We left.", folder / "best.ptb"
    result = parse(model, "--n-best", "3", text)
    *blocks, end = result.stdout.split("\n\n")
    assert end == ""
    for block, sentence in zip(blocks, ["The mayor slept .", "We left ."], strict=True):
        pairs = [line.split("\t") for line in block.splitlines()]
        assert len({brackets for _, brackets in pairs}) == 3
        assert words(parse_tree(brackets) for _, brackets in pairs) == [sentence] * 3
        log_probs = [float(log_prob) for log_prob, _ in pairs]
        assert log_probs == sorted(log_probs, reverse=True)
    one = parse(model, "--n-best", "1", "--beam-width", "3", text)
    assert one.stdout.split("\n\n") == [block.split("\n")[0] for block in blocks] + [""]
    parse(model, "--n-best", "3", text, "-o", saved)
    assert saved.read_text() == result.stdout


def test_probabilities_are_in_json_and_docs_if_asked_for(model, folder):
    lines = parse(model, "--probabilities", "-f", "json", "We left.").stdout
    [line] = lines.splitlines()
    [sentence] = json.loads(line)["sentences"]
    assert sentence["constituents"]
    for node in sentence["constituents"]:
        assert 0 <= node["probability"] <= 1
    assert "probability" not in parse(model, "-f", "json", "We left.").stdout
    parsed = folder / "parsed.spacy"
    parse(model, "--probabilities", "We left.", "-o", parsed)
    [doc] = docbin.read(parsed, spacy.blank("en").vocab)
    expected = [node["probability"] for node in sentence["constituents"]]
    assert doc.spans[SPANS_KEY].attrs["probabilities"] == expected
    for lost in ([], ["-f", "conll"], ["-o", folder / "a.tex"], ["--n-best", "2"]):
        command = ["parse", "We left.", "-m", model, "--probabilities", *lost]
        assert "add --format json" in refusal(run(*command))


def test_sentences_are_found_by_the_pipeline_that_is_named(model, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.to_disk(tmp_path / "splitter")
    text = "She barks; who left?"
    assert words(printed(parse(model, text))) == ["She barks ; who left ?"]
    named = parse(model, text, "--sentences", tmp_path / "splitter")
    assert words(printed(named)) == ["She barks ;", "who left ?"]


def test_trees_agree_with_dependencies_and_keep_tags(model, tmp_path):
    """What a parser would do by itself, the dependencies of the Doc forbid."""
    doc = Doc(
        spacy.blank("en").vocab,
        words=["A", "man", "with", "a", "dog", "saw", "the", "room", "."],
        tags=["X"] * 9,
        heads=[1, 5, 4, 4, 1, 5, 7, 5, 5],
        deps=["det", "nsubj", "case", "det", "nmod", "ROOT", "det", "obj", "punct"],
    )
    path = tmp_path / "dependencies.spacy"
    DocBin(["TAG", "HEAD", "DEP"], docs=[doc]).to_disk(path)
    [tree] = printed(parse(model, path, "--dependencies", "--beam-width", 8))
    extents = {(node.start, node.end) for node in tree.constituents}
    assert {(0, 5), (2, 5), (6, 8)} <= extents
    assert set(tree.tags) == {"X"}


LINES = "The dog ran.\n\nWe left.\n   \nIt rained.\n"


@pytest.mark.parametrize("kind", ["lines", "sentences", "tokens"])
@pytest.mark.parametrize("options", [[], ["--n-best", "1"], ["--format", "json"]])
def test_as_many_records_come_out_as_go_in(model, kind, options):
    result = parse(model, "-", "--input-format", kind, *options, stdin=LINES)
    # A blank line ends the trees of each sentence.
    pattern = r"(.+\n)?\n" if options[:1] == ["--n-best"] else r"(.*)\n"
    records = re.findall(pattern, result.stdout)
    assert len(records) == 5
    if options[:1] != ["--format"]:
        assert [i for i, record in enumerate(records) if not record] == [1, 3]


def test_a_line_can_be_one_sentence(model):
    text = "The dog ran. We left.\nIt rained.\n"
    result = parse(model, "-", "--input-format", "sentences", stdin=text)
    assert len(printed(result)) == 2
    assert len(printed(parse(model, "-", "--input-format", "lines", stdin=text))) == 3


def test_trees_without_words_and_empty_documents_keep_their_places(model, folder):
    trees = folder / "traces.ptb"
    trees.write_text("(S (VB Go))\n( (S (NP (-NONE- *))) )\n(S (VB Go))\n")
    assert parse(model, trees).stdout.split("\n")[1::2] == ["", ""]


def test_text_of_a_language_has_the_words_that_spacy_gives_it(model, tmp_path):
    [line] = parse(model, "--lang", "fr", "L'eau dort.").stdout.splitlines()
    assert parse_tree(line).words == ("L'", "eau", "dort", ".")
    nlp = load_language("fr", str(model))
    nlp.to_disk(tmp_path / "french")
    doc = spacy.load(tmp_path / "french")("L'eau dort.")
    assert doc.lang_ == "fr"
    assert [str(tree) for tree in get_trees(doc, key="mine")] == [line]


def test_chinese_words_need_a_segmenter(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    said = refusal(run("parse", "--model", model, "--lang", "zh", "我爱书。"))
    assert "Jieba not installed" in said


def test_chinese_words_are_no_characters(model):
    pytest.importorskip("jieba")
    words = [token.text for token in load_language("zh", str(model))("我喜欢北京。")]
    assert words == ["我", "喜欢", "北京", "。"]


@pytest.mark.filterwarnings("ignore:Dictionary.create:DeprecationWarning")
def test_tags_that_a_tokenizer_sets_become_universal(model, tmp_path):
    pytest.importorskip("sudachipy")
    nlp = load_language("ja", str(model))
    nlp.to_disk(tmp_path / "japanese")
    for pipeline in (nlp, spacy.load(tmp_path / "japanese")):
        doc = pipeline("先生は本を読んだ。")
        tags = ["NOUN", "ADP", "NOUN", "ADP", "VERB", "AUX", "PUNCT"]
        assert [token.tag_ for token in doc] == tags
        [tree] = get_trees(doc, key="mine")
        assert list(tree.tags) == tags


def test_a_language_that_spacy_has_not_is_refused(model):
    said = refusal(run("parse", "--model", model, "--lang", "gl", "Ola."))
    assert 'spaCy has no language "gl". Use "xx"' in " ".join(said.split())


@pytest.mark.parametrize("name", ["*.txtx", "a[1].ptb", "texts/*", "a/b[0-9].txt"])
def test_a_pattern_that_the_shell_has_left_is_no_text(name):
    assert f"No file matches {name}." in refusal(run("parse", name))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_processes_end_with_a_command_that_is_killed_and_free_its_output(tmp_path):
    initialized().to_disk(tmp_path / "model")
    out = tmp_path / "out.ptb"
    arguments = f"parse -m {tmp_path}/model -o {out} --n-process 2 --batch-size 1"
    command = [sys.executable, "-m", "spacy_gfl", *arguments.split(), "-"]
    options = ["--input-format", "lines"]
    with subprocess.Popen([*command, *options], stdin=subprocess.PIPE) as process:
        assert process.stdin
        # It waits for more, and so do its processes.
        process.stdin.write(b"The dog barks.\n" * 1000)
        process.stdin.flush()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(found := children.read_text().split()) < 2:
            assert process.poll() is None
            time.sleep(0.1)
        process.kill()
    write_text(out, ["ours"])
    while any(Path(f"/proc/{child}/cmdline").exists() for child in found):
        time.sleep(0.1)
    assert out.read_text() == "ours"
