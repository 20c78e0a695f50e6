"""Programs do work in proportion to the sentences of a Doc, and of a file."""

import shlex

import pytest
from helpers.cli import done
from helpers.docs import make_doc
from helpers.growth import work
from helpers.pipelines import initialized
from spacy.tokens import DocBin

SIZES = (20, 80)
TREE = (
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP "
    "(DT a) (NN hat))))) (. .))"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One Doc of so many sentences, a file of as many trees, and a pipeline."""
    folder = tmp_path_factory.mktemp("growth")
    for n in SIZES:
        DocBin(docs=[make_doc(*[TREE] * n)]).to_disk(folder / f"{n}.spacy")
        (folder / f"{n}.ptb").write_text(f"{TREE}\n" * n)
    initialized().to_disk(folder / "model")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "convert {n}.ptb out.spacy --force",
        "parse {n}.spacy -m model",
        "evaluate {n}.spacy {n}.spacy --by-label",
        "analyse {n}.spacy {n}.spacy",
        "search 'NP < PP' {n}.spacy --trees",
        "complexity {n}.spacy",
        "silver {n}.spacy --agree-with {n}.spacy --exclude {n}.ptb -o out.spacy",
    ],
)
def test_four_times_as_many_sentences_are_four_times_the_work(
    folder, monkeypatch, command
):
    monkeypatch.chdir(folder)

    def run(n):
        done(*shlex.split(command.format(n=n)))

    run(min(SIZES))  # what is done once
    few, many = (work(run, n) for n in SIZES)
    assert few < many < 5 * few
