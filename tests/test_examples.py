"""The scripts in examples/: what they find in gold trees, and that they run."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import spacy
import typer
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.query.matcher import TreeMatcher
from spacy_gfl.trees.brackets import parse_tree, read_tree_file

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = {
    "reading_difficulty.py": ["council_report.txt", "council_letter.txt"],
    "glossary.py": ["beavers.txt"],
    "passives.py": ["council_report.txt"],
}
sys.path.insert(0, str(EXAMPLES))

from glossary import glossary  # noqa: E402
from passives import find_passives  # noqa: E402
from reading_difficulty import Difficulty, measure  # noqa: E402


def make_doc(*brackets):
    trees = [parse_tree(text) for text in brackets]
    return next(trees_to_docs(trees, spacy.blank("en").vocab, n_sents=0))


@pytest.fixture(scope="module")
def gold(data) -> Doc:
    """All trees of tests/data in one Doc."""
    trees = [
        tree
        for name in ("train.ptb", "dev.ptb")
        for tree in read_tree_file(data / name)
    ]
    return next(trees_to_docs(trees, spacy.blank("en").vocab, n_sents=0))


def sentence(doc, beginning):
    return next(sent for sent in doc.sents if sent.text.startswith(beginning))


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        # The: VP and dog to come; dog: VP; saw: NP; me: nothing.
        (
            "(S (NP (DT The) (NN dog)) (VP (VBD saw) (NP (PRP me))) (. .))",
            Difficulty(4, (2 + 1 + 1 + 0) / 4, 1.5 + 1 + 1, 0),
        ),
        (
            "(S (NP (PRP I)) (VP (VBP know) (SBAR (IN that) (S (NP (NNS cats))"
            " (VP (VBP purr))))) (. .))",
            # know that cats: VP, SBAR, S and NP.
            Difficulty(5, (1 + 1 + 1 + 1 + 0) / 5, 1 + 1.5 + 1.5 + 1, 1),
        ),
        ("(INTJ (UH Yes) (. .))", Difficulty(1, 0.0, 1.0, 0)),
    ],
)
def test_difficulty(brackets, expected):
    assert measure(next(make_doc(brackets).sents)) == expected


def test_difficulty_ignores_unary_chains_for_depth_alone():
    plain, chain = (
        measure(next(make_doc(text).sents))
        for text in (
            "(S (NP (PRP We)) (VP (VBP run)))",
            "(S (NP (NP (PRP We))) (VP (VBP run)))",
        )
    )
    assert plain.depth == chain.depth == 0.5
    assert chain.density == plain.density + 1


def test_long_sentences_are_harder(gold):
    measures = [measure(sent) for sent in gold.sents]
    short = [m.depth for m in measures if m.words <= 6]
    long = [m.depth for m in measures if m.words >= 30]
    assert sum(short) / len(short) < 1 < 2 < sum(long) / len(long)


def test_subordinate_clauses_are_counted(gold):
    assert measure(sentence(gold, "If the train is late")).clauses == 1
    assert measure(sentence(gold, "The woman sitting near the window")).clauses == 5


def test_passives_are_those_that_tags_tell(gold):
    matcher = TreeMatcher(gold.vocab)
    matcher.add(
        "tagged", ["VP < VBN > (VP < (/^V/ < i@/^(am|is|are|was|were|be|been)$/))"]
    )
    expected = [span.text for span in matcher(gold, as_spans=True)]
    found = [found.phrase for found in find_passives(gold)]
    assert [span.text for span in found if span.label_ == "passive"] == expected
    assert len(expected) > 20


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (DT The) (NN museum)) (VP (VBD was) (VP (VBN closed) (PP (IN by)"
            " (NP (DT the) (NN mayor))) (NP (NN yesterday)))) (. .))",
            [(15, 44, "passive", "the mayor")],
        ),
        (
            "(S (NP (NP (DT A) (NN book)) (VP (VBN written) (PP (IN by)"
            " (NP (PRP$ my) (NN uncle))))) (VP (VBD was) (VP (VBN sold))) (. .))",
            [(7, 26, "reduced", "my uncle"), (31, 35, "passive", None)],
        ),
        # Who says so is not told, only who closed it.
        (
            "(S (NP (PRP It)) (VP (VBZ is) (VP (VBN said) (SBAR (IN that) (S (NP (PRP"
            " it)) (VP (VBD was) (VP (VBN closed) (PP (IN by) (NP (PRP them))))))))))",
            [(6, 37, "passive", None), (23, 37, "passive", "them")],
        ),
        ("(S (NP (PRP He)) (VP (VBZ is) (VP (VBG sleeping))) (. .))", []),
        ("(S (NP (PRP He)) (VP (VBZ 's) (VP (VBN been) (ADJP (JJ ill)))) (. .))", []),
        (
            "(S (NP (PRP It)) (VP (VBZ has) (VP (VBN been) (VP (VBN sold)))) (. .))",
            [(12, 16, "passive", None)],
        ),
        ("(S (NP (PRP They)) (VP (VBP have) (VP (VBN sold) (NP (PRP it)))) (. .))", []),
    ],
)
def test_passives(brackets, expected):
    found = [
        (phrase.start_char, phrase.end_char, phrase.label_, agent and agent.text)
        for phrase, agent in find_passives(make_doc(brackets))
    ]
    assert found == expected


def test_passives_need_no_tags(gold):
    expected = [found.phrase.text for found in find_passives(gold)]
    untagged = gold.copy()
    for token in untagged:
        token.tag_ = ""
    assert [found.phrase.text for found in find_passives(untagged)] == expected


def test_glossary_counts_every_place():
    doc = make_doc(
        "(S (NP (NP (DT The) (JJ old) (NN dam)) (PP (IN of) (NP (DT the) (NNS"
        " beavers)))) (VP (VBZ holds)) (. .))",
        "(S (NP (NP (DT A) (NN beaver) (POS 's)) (JJ old) (NN dam)) (VP (VBZ leaks))"
        " (. .))",
        "(S (NP (PRP It)) (VP (VBZ needs) (NP (CD two) (NNS beavers)) (NP (DT every)"
        " (NN beaver))) (. .))",
    )
    terms = glossary(doc)
    assert {name: len(places) for name, places in terms.items()} == {
        "old dam": 2,
        "beaver": 3,
    }
    assert [doc.text[a:b] for a, b in terms["beaver"]] == [
        "beavers",
        "beavers",
        "beaver",
    ]


def test_glossary_of_gold_trees(gold):
    terms = glossary(gold)
    for name, places in terms.items():
        assert places == sorted(set(places))
        for start, end in places:
            assert gold.text[start:end].lower() in (name, f"{name}s")
    # Pronouns and articles are no terms.
    assert not {"it", "the", "they", "who"} & set(terms)
    assert gold.text.lower().count(" train ") <= len(terms["train"]) + 2


def run(script, *arguments, folder):
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(EXAMPLES / script), *arguments],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_run(script, installed_pipeline):
    texts = [EXAMPLES / "data" / name for name in SCRIPTS[script]]
    done = run(script, *map(str, texts), folder=installed_pipeline)
    assert done.returncode == 0, done.stderr
    if script == "reading_difficulty.py":
        assert done.stdout.startswith("council_report.txt  words ")
        assert len(done.stdout.splitlines()) == 2 * 4
    elif script == "glossary.py":
        count, _, *places = done.stdout.splitlines()[0].split("\t")
        assert int(count) == len(places) >= 2
    else:
        assert " sentences" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_have_help_and_are_short(script):
    app = typer.Typer()
    app.command()(import_module(script.removesuffix(".py")).main)
    shown = CliRunner().invoke(app, ["--help"], env={"TERM": "dumb"})
    assert shown.exit_code == 0
    assert "--model" in shown.output
    assert len((EXAMPLES / script).read_text(encoding="utf-8").splitlines()) < 60
