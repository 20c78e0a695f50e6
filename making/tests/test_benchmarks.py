"""The programs in making/benchmarks/: each runs small, and prints such a line."""

import re
import runpy
import shlex
import sys

import pytest
from helpers.installed_pipeline import PACKAGE
from helpers.reading import ROOT, read_tree_file
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.tools.treebanks.formats import docbin

PROGRAMS = [
    (
        "throughput MODEL --treebank dev.ptb --length 0 --number 4 --rounds 1"
        " --precision fp32",
        r"MODEL +1 +1 +fp32 +\d+ +\d+",
    ),
    (
        "gpu MODEL --treebank dev.ptb --gpu-id -1 --no-tests --compared 5 --number 4"
        " --of-core 4 --updates 1 --batches 64 --precisions fp32",
        r"0 of 5 trees differ[^$]*CPU +fp32 +64 +\d+ [^$]*core: [\d.]+ updates/s",
    ),
    ("long_sentences MODEL --text text.txt --lengths 1,5 --runs 1", r"5 +[\d.]+ +\d+"),
    (
        "confidence MODEL dev.ptb --number 5 --samples 3 --temperatures 1",
        r"max_f1, 3 drawn, temperature 1.0( +[\d.]+){5}",
    ),
    (
        "dependencies MODEL --treebank dependencies.spacy --relations",
        r"all +\d+ +[\d.]+\s+nmod +\d+ ",
    ),
    (
        "dev_parts MODEL --folder . --only 'MASC without punctuation'"
        " --only 'EWT, dependencies'",
        r"MASC without punctuation +[\d.]+\s+EWT, dependencies +[\d.]+\s+mean +[\d.]+",
    ),
    ("under_load stream MODEL text.txt --words 20 --zone 3", r"MB per million words"),
    ("clauses dev.ptb --number 3", r"\n3 \w+: "),
    ("correction dev.ptb out.ptb --model MODEL --number 3", r"all are as in gold"),
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
    for name in ("dev", "dev-masc"):
        docbin.write(tmp_path / f"{name}.spacy", docs)
    for doc in docs:
        for token in doc[:-1]:
            token.head, token.dep_ = doc[token.i + 1], "nmod"
        doc[-1].dep_ = "root"
    for name in ("dependencies", "dependencies-dev-ewt"):
        docbin.write(tmp_path / f"{name}.spacy", docs)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MODEL").symlink_to(installed_pipeline / PACKAGE / "model")
    monkeypatch.syspath_prepend(str(ROOT / "making" / "benchmarks"))
    name, *arguments = shlex.split(command)
    path = str(ROOT / "making" / "benchmarks" / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as status:
        if status.code:
            raise
    printed = capsys.readouterr().out
    assert re.search(line, printed), printed
