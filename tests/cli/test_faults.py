"""Damaged input and full disks: one sentence, exit status 1, nothing half written."""

import contextlib
import subprocess
import sys

import pytest
import spacy
from helpers.pipelines import ATTACH_JUXTAPOSE, initialized
from typer.testing import CliRunner

from spacy_gfl.cli import app as cli

TREES = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))\n(INTJ (UH Yes))\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    initialized(architecture=ATTACH_JUXTAPOSE).to_disk(folder)
    return folder


@pytest.fixture
def bank(tmp_path):
    (tmp_path / "bank.ptb").write_text(TREES)
    assert run("convert", tmp_path / "bank.ptb", tmp_path / "bank.spacy").exit_code == 0
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def said(result):
    """The one sentence with which a command failed."""
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    *_, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    return last


def damages(data, step):
    """A file cut after every byte (or each `step`), and with a bit flipped there."""
    for at in range(0, len(data), step):
        yield data[:at]
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        yield bytes(flipped)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("bank.ptb", 1),
        ("bank.spacy", 5),
        pytest.param("bank.spacy", 1, marks=pytest.mark.slow),
    ],
)
def test_damaged_trees(bank, name, step):
    """Read as a tree bank, or refused by name; what was there is left alone.

    All of it: `pytest -m slow tests/cli/test_faults.py`.
    """
    path, out = bank / name, bank / "out.ptb"
    n_refused = 0
    for content in damages(path.read_bytes(), step):
        path.write_bytes(content)
        out.write_text("kept")
        result = run("convert", path, out, "--force")
        if result.exit_code:
            sentence = said(result)
            assert name in result.stderr or "no trees in the input" in sentence
            assert out.read_text() == "kept"
            n_refused += 1
        else:
            result = run("convert", out, bank / "again.spacy")
            assert result.exit_code == 0, content
    assert n_refused > 50
    assert not list(bank.glob(".*"))


@pytest.mark.parametrize(
    "name",
    [
        *["config.cfg", "meta.json", "tokenizer", "vocab/strings.json"],
        *["vocab/vectors", "constituency_parser/cfg", "constituency_parser/model"],
    ],
)
def test_damaged_pipelines(model, bank, name):
    path, out = model / name, bank / "out.ptb"
    data = path.read_bytes()
    out.write_text("kept")
    try:
        for content in (b"", data[: len(data) // 2]):
            path.write_bytes(content)
            result = run("parse", "Go on.", "--model", model, "--output", out)
            assert str(model) in said(result)
            assert out.read_text() == "kept"
    finally:
        path.write_bytes(data)


def test_other_widths(model, bank):
    config = model / "config.cfg"
    before = config.read_text()
    try:
        config.write_text(before.replace("width = 24", "width = 16"))
        result = run("parse", "Go on.", "--model", model)
        assert "constituency_parser holds no whole" in said(result)
    finally:
        config.write_text(before)


COMMANDS = {
    "convert": ["convert", "{bank}/bank.ptb", "{out}/out.spacy"],
    "brackets": ["convert", "{bank}/bank.spacy", "{out}/out.ptb"],
    "json": ["convert", "{bank}/bank.spacy", "{out}/out.jsonl"],
    "parse": ["parse", "Go on.", "--model", "{model}", "-o", "{out}/out.ptb"],
    "docs": ["parse", "Go on.", "--model", "{model}", "-o", "{out}/out.spacy"],
    "draw": ["draw", "--brackets", "(S (A a))", "-o", "{out}/out.svg"],
    "evaluate": [
        "evaluate",
        "{bank}/bank.ptb",
        "{bank}/bank.ptb",
        "--json",
        "{out}/o.json",
    ],
}


def command(name, model, bank, out):
    return [part.format(model=model, bank=bank, out=out) for part in COMMANDS[name]]


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system of its own, where that is permitted."""
    folder.mkdir(exist_ok=True)
    call = ["mount", *options, str(folder)]
    if subprocess.run(call, capture_output=True).returncode:
        pytest.skip("this user may not mount file systems")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(model, bank, name, tmp_path):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as small:
        out = command(name, model, bank, small)[-1]
        rest = small / "rest"
        with contextlib.suppress(OSError), rest.open("wb", buffering=0) as file:
            for _ in range(17):
                file.write(bytes(4096))
        result = run(*command(name, model, bank, small))
        assert said(result) == f"Error: {out}: No space left on device."
        assert list(small.iterdir()) == [rest]


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_is_read_only(model, bank, name, tmp_path):
    with mounted(tmp_path / "fixed", "-t", "tmpfs", "-o", "ro", "tmpfs") as fixed:
        assert "cannot be written: permission denied" in said(
            run(*command(name, model, bank, fixed))
        )


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_standard_output_that_is_full(bank, monkeypatch, capfd):
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as stopped:
            cli.app(["convert", str(bank / "bank.ptb"), str(bank / "out.spacy")])
    assert stopped.value.code == 1
    said = "Error: standard output: No space left on device.\n"
    assert capfd.readouterr().err == said


def test_a_damaged_corpus_of_training(bank):
    """What `spacy train` is told of a file that is not whole."""
    path = bank / "bank.spacy"
    path.write_bytes(path.read_bytes()[:-1])
    reader = spacy.registry.readers.get("spacy_gfl.TreebankCorpus.v1")(path)
    with pytest.raises(ValueError, match=r"bank\.spacy cannot be read as a \.spacy"):
        list(reader(spacy.blank("en")))
