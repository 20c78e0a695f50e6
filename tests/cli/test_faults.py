"""Full disks and folders that are read-only: one sentence, nothing half written."""

import contextlib
import errno
import subprocess
import sys

import pytest
from helpers.pipelines import ATTACH_JUXTAPOSE, initialized
from spacy.language import Language
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
    "ensemble": ["ensemble", "{model}", "{model}/.", "-o", "{out}/joined"],
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


def test_an_ensemble_that_does_not_fit_leaves_the_one_before(
    model, tmp_path, monkeypatch
):
    out = tmp_path / "joined"
    assert run("ensemble", model, f"{model}/.", "-o", out).exit_code == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    write = Language.to_disk

    def fill(nlp, path):
        write(nlp, path)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Language, "to_disk", fill)
    result = run("ensemble", model, f"{model}/.", "-o", out)
    assert said(result) == f"Error: {out}: No space left on device."
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_standard_output_that_is_full(bank, monkeypatch, capfd):
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as stopped:
            cli.app(["convert", str(bank / "bank.ptb"), str(bank / "out.spacy")])
    assert stopped.value.code == 1
    said = "Error: standard output: No space left on device.\n"
    assert capfd.readouterr().err == said
