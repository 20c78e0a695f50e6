"""The programs in benchmarks/: each runs small, and prints such a line."""

import re
import runpy
import shlex
import sys

import pytest
from helpers.installed_pipeline import PACKAGE
from helpers.reading import ROOT, read_tree_file
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.decoding import threads
from spacy_gfl.formats import docbin

PROGRAMS = [
    (
        "throughput MODEL --treebank dev.ptb --length 0 --number 4 --threads 1"
        " --beams 1 --batches 1600 --precision fp32 --rounds 1",
        r"MODEL +1 +8 +1 +1600 +fp32 +\d+ +\d+ +\d+ %",
    ),
    (
        "decoders MODEL --treebank dev.ptb --length 6 --number 2 --rounds 1",
        r"untrained +\d+ symbols +\d+",
    ),
    ("long_sentences MODEL --text text.txt --lengths 1,5 --runs 1", r"5 +[\d.]+ +\d+"),
    ("constraints MODEL --treebank dev.ptb --rounds 1", r"nothing( +[\d.]+){6}"),
    (
        "confidence MODEL dev.ptb --number 5 --n-best 2 --samples 3 --temperatures 1",
        r"oracle of 2 best( +[\d.]+){4} +-",
    ),
    (
        "dependencies MODEL --treebank dependencies.spacy --relations",
        r"all +\d+ +[\d.]+\s+nmod +\d+ ",
    ),
    ("gold_cache dev.spacy --model MODEL --number 4 --rounds 1", r"median: [\d.]+ "),
    ("silver dev.ptb -m MODEL -m MODEL --number 5", r"exact +100.0( +[\d.]+){6}"),
    ("same_answer MODEL dev.spacy --sentences 4 --widths 1", r"again +0 of 4"),
    ("hostile_text MODEL --only '10,000 tokens, searched'", r"10,000\t1\t.*\t0\t0"),
    ("under_load stream MODEL text.txt --words 20 --zone 3", r"MB a million words"),
    ("under_load latency MODEL dev.spacy --number 2 --rounds 1", r"5 +2( +[\d.]+){6}"),
    ("clauses dev.ptb --number 3", r"\n3 \w+: "),
    ("correction dev.ptb out.ptb --model MODEL --number 3", r"all are as in gold"),
    (
        "paper_cell dev.ptb tries.jsonl --updates 1 --width 4 --only lstm",
        r"lstm +SGD +2 +True( +[\d.]+){4}",
    ),
]


@pytest.mark.parametrize(
    ("command", "line"), PROGRAMS, ids=[command.split()[0] for command, _ in PROGRAMS]
)
@pytest.mark.usefixtures("threads")
def test_programs_run_small(
    command, line, data, installed_pipeline, tmp_path, monkeypatch, capsys
):
    trees = [tree for tree in read_tree_file(data / "dev.ptb") if len(tree) < 20]
    docs = list(trees_to_docs(trees, Vocab()))
    brackets = "\n".join(tree.brackets() for tree in trees)
    text = "\n".join(doc.text for doc in docs)
    for name, content in (("dev.ptb", brackets), ("text.txt", text)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    docbin.write(tmp_path / "dev.spacy", docs)
    for doc in docs:
        for token in doc[:-1]:
            token.head, token.dep_ = doc[token.i + 1], "nmod"
        doc[-1].dep_ = "root"
    docbin.write(tmp_path / "dependencies.spacy", docs)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MODEL").symlink_to(installed_pipeline / PACKAGE / "model")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    # Programs set these for themselves, and PyTorch's threads.
    monkeypatch.setattr(threads, "MOST_THREADS", threads.MOST_THREADS)
    name, *arguments = shlex.split(command)
    path = str(ROOT / "benchmarks" / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as status:
        if status.code:
            raise
    printed = capsys.readouterr().out
    assert re.search(line, printed), printed
