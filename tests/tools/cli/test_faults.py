"""What can go wrong with a command: one sentence, and nothing half written."""

import bz2
import contextlib
import gzip
import os
import shlex
import subprocess
import sys

import helpers.cli
import pytest
import torch
from helpers.cli import refusal
from helpers.pipelines import SEQ2SEQ, initialized
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

import spacy_gfl_command
from spacy_gfl.tools.cli import app as cli

TREES = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))\n(INTJ (UH Yes))\n"
FILES = {
    "bank.ptb": TREES,
    "one.ptb": "(INTJ (UH Yes))\n",
    "untagged.ptb": "(S (XX Go))\n",
    "long.ptb": "(X (N a) (N b) (N c))\n",
    "unclosed.ptb": TREES + "(S (NP",
    "blank.ptb": "\n \n",
    "binary.ptb": b"(NN a)\n(NN \xff\x00)",
    "binary.spacy": b"no such thing",
    "packed.ptb.bz2": bz2.compress(TREES.encode()),
    "damaged.ptb.gz": gzip.compress(TREES.encode())[:40],
    "text.txt": "The dog barks.\n",
    "text.pdf": "The dog barks.\n",
    "bad.jsonl": "\n{}",
    "odd.jsonl": '{"text": 3}',
    "pretty.json": '{\n "text": "Go"\n}\n',
    "wide.txt": "The dog barks.".encode("utf-32"),
    "wide-le.txt": "The dog barks.\n".encode("utf-32-le"),
    "wide-be.txt": "The dog barks.\n".encode("utf-32-be"),
    "wide-ja.txt": "犬が吠える。\n".encode("utf-32-le"),
    "wide-blank.txt": "\nThe dog barks.\n".encode("utf-16-le"),
    "table.csv": "text\nThe dog barks.\n",
    "bad.prm": "DELETE TOP\n",
    "kept.ptb": "(X (N kept))\n",
    "notes/kept.txt": "kept",
    "notes/bare": "The dog barks.\n",
}


@pytest.fixture
def folder(made, monkeypatch):
    """Where commands run."""
    monkeypatch.chdir(made)
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Files and pipelines, good and bad ones; none of them is to change."""
    folder = tmp_path_factory.mktemp("faults")
    (folder / "empty").mkdir()
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        content = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(content)
    run(f"convert {folder}/bank.ptb {folder}/bank.spacy")
    for name, text in (("bare", "The dog"), ("other", "Another text")):
        doc = Doc(Vocab(), text.split(), sent_starts=[True, False])
        DocBin(docs=[doc]).to_disk(folder / f"{name}.spacy")
    nlp = initialized()
    nlp.to_disk(folder / "model")
    (folder / "runs").mkdir()
    nlp.to_disk(folder / "runs" / "model-best")
    initialized(architecture=SEQ2SEQ).to_disk(folder / "labels")
    nlp.remove_pipe("sentencizer")
    nlp.to_disk(folder / "unsplit")
    nlp.remove_pipe("constituency_parser")
    nlp.to_disk(folder / "no_parser")
    return folder


def run(command, **settings):
    return helpers.cli.run(*shlex.split(command), **settings)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SILVER = "silver bank.spacy -o new.spacy"
ATTENTION = "draw Go -m model --style attention"
RAY = "parse text.txt -m model --ray local"
FAULTS = [
    # What is read.
    ("convert gone.ptb new.spacy", "no treebank at gone.ptb"),
    ("convert empty new.spacy", "no treebank files: no file ends in ."),
    ("convert blank.ptb new.spacy", "The input has no trees"),
    ("convert binary.ptb new.spacy", "binary.ptb:2: this is not UTF-8"),
    ("convert binary.spacy new.ptb", "binary.spacy cannot be read as a .spacy"),
    ("convert text.pdf new.spacy", ".pdf names no format"),
    ("convert table.csv new.spacy", ".spacy, .jsonl, .json do"),
    ("convert notes/bare new.spacy", "bare: a name without an ending names no format"),
    (
        "convert bank.ptb new.spacy --input-format tokens",
        "the format tokens has no trees",
    ),
    ("convert - new.ptb --input-format spacy", "cannot be a .spacy file"),
    ("convert bank.ptb", "at least one file"),
    ("parse -m model gone.txt", "There is no file gone.txt"),
    ("parse -m model empty", "empty is a folder"),
    ("parse -m model bad.jsonl", "bad.jsonl:2: text: Field"),
    ("parse -m model odd.jsonl", "odd.jsonl:1: text: Input should be a valid string"),
    ("parse -m model pretty.json", "pretty.json:1: each line needs a JSON object"),
    ("parse -m model wide.txt", "not UTF-8 but utf-32: add --encoding utf-32"),
    ("parse -m model wide-le.txt", "not UTF-8 but utf-32-le: add"),
    ("parse -m model wide-be.txt", "not UTF-8 but utf-32-be: add"),
    ("parse -m model wide-ja.txt", "not UTF-8 but utf-32-le: add"),
    ("parse -m model wide-blank.txt", "not UTF-8 but utf-16-le: add"),
    ("parse -m model 'notes/gone for good.txt'", "There is no file notes/gone for"),
    ("parse -m model bad.jsonl --n-process 2", "bad.jsonl:2: text: Field"),
    ("parse -m model unclosed.ptb -o kept.ptb", "unclosed.ptb:3:"),
    ("evaluate blank.ptb bank.ptb", "has no trees"),
    ("evaluate bank.ptb one.ptb", "bank.ptb has 2 trees, but one.ptb has 1"),
    ("convert damaged.ptb.gz new.spacy", "damaged.ptb.gz:1: damaged .gz file"),
    ("convert bank.ptb new.spacy --encoding none", "no encoding 'none'"),
    ("convert bank.ptb new.spacy --labels common --lang de", 'treebank of "de"'),
    ("evaluate bare.spacy bank.spacy", "bare.spacy has no trees"),
    ("evaluate bank.spacy other.spacy", "Doc 1 of bank.spacy and"),
    ("evaluate bank.ptb bank.ptb --params collins", "built in (COLLINS, new"),
    ("search NP text.txt", "To search a text, add --model"),
    ("draw --brackets '(S (NN x)'", "--brackets:1:1: this bracket is not closed"),
    ("draw bank.ptb", "bank.ptb is a file. `--brackets bank.ptb` draws"),
    ("draw gone.ptb", "There is no file gone.ptb"),
    ("draw empty", "empty is a folder"),
    ("draw notes/gone", "There is no file notes/gone"),
    ("draw --brackets -", "no sentence to draw"),
    ("complexity gone.ptb", "1 of 1 texts cannot be measured"),
    (f"{SILVER} --min-probability 0.5", "A tree has no probability"),
    ("silver long.ptb -o new.spacy --match-lengths one.ptb", "No selected sentence"),
    ("parse text.txt -m model --dependencies", "needs Docs with dependencies"),
    ("parse bank.ptb -m model --sentences unsplit", "--sentences works for text only"),
    (f"{SILVER} --exclude gone.ptb", "There is no treebank at"),
    (f"{SILVER} --match-lengths long.ptb --max-length 2", "no sentences whose lengths"),
    # Pipelines.
    ("parse Go", "no pipeline en_gfl_sm. Install a package"),
    ("parse Go --lang de", "no pipeline xx_gfl_trf"),
    ("parse Go -m no_such", "no pipeline no_such"),
    ("parse Go -m empty", "empty is not the folder of a pipeline"),
    ("parse Go -m runs", "Name runs/model-best, which is one."),
    ("parse Go -m no_parser", "no constituency_parser; its components are: none"),
    ("parse 'Go on' -m unsplit", 'nlp.add_pipe("sentencizer"'),
    ("parse Go -m model --gpu-id 99", "GPU 99 cannot be used"),
    ("parse Go -m model --gpu-id 0 --n-process 2", "--n-process works on the CPU only"),
    ("parse Go -m model --precision fp8", "precision = 'fp8'"),
    ("ensemble model -o new", "at least two pipelines"),
    # What is written.
    ("convert bank.ptb new", "does not end in one of .spacy"),
    ("convert bank.ptb empty", "empty is a folder"),
    ("convert bank.ptb text.txt/new.spacy", "text.txt"),
    ("convert bank.ptb bank.ptb", "both read and written"),
    ("convert bank.ptb kept.ptb", "Add --force to overwrite it"),
    ("parse -m model bank.ptb -o new.spacy -f json", "leave out --format"),
    ("parse -m model Go --n-best 3 -f json", "--n-best prints brackets"),
    ("evaluate bank.ptb one.ptb --json bank.ptb", "both read and written"),
    (f"{SILVER} --agree-with bank.spacy -o bank.spacy", "both read and written"),
    ("ensemble model labels -o notes", "notes exists. Name a new folder"),
    # What does not go together.
    ("draw Go --brackets '(A a)'", "leave out the text"),
    ("draw -b '(A a)' -m model", "--brackets does not parse"),
    ("draw -m model", "Give a text to parse"),
    (ATTENTION, "ends in .svg, .png or .html"),
    (f"{ATTENTION} -o new.svg --max-depth 2", "no option max_depth"),
    ("draw -b '(A a)' --color NP", "--color takes LABEL=COLOUR"),
    ("draw -b '(A a)' --color 'NP=<' -o new.svg", "colors.NP"),
    (f"{SILVER} --agreement 0.9", "needs --agree-with"),
    *[
        (command, "--ray needs input files of one format")
        for command in (
            RAY,
            "parse Go -m model --ray local -o new",
            f"{RAY} -o new --n-best 2",
            f"{RAY} bank.ptb -o new",
            f"{RAY} -o new --encoding latin-1",
            f"{RAY} -o new.parquet --probabilities",
        )
    ],
    (f"{RAY} -o notes", "notes exists"),
    (f"{RAY} -o new", "spacy-gfl[ray]"),
    # What no command takes.
    (f"{SILVER} --limit 0", "Invalid value"),
    ("parse Go --input-format pdf", "Invalid value"),
    ("silver bank.spacy", "Missing option"),
]


@pytest.mark.parametrize(("command", "message"), FAULTS)
def test_every_fault_is_said_and_leaves_files_as_they_were(
    folder, monkeypatch, command, message
):
    # Packages that may be installed, or not.
    monkeypatch.setattr("spacy.util.is_package", lambda name: False)
    monkeypatch.setitem(sys.modules, "ray", None)
    before = contents(folder)
    is_usage = message in ("Invalid value", "Missing option")
    status = 2 if is_usage or command.startswith("search") else 1
    assert message in refusal(run(command, stdin=""), status)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("command", "module", "message"),
    [
        ("analyse bank.ptb bank.ptb --chart new.svg", "matplotlib", "--chart needs"),
        ("draw -b '(A a)' -o new.svg", "svgling", "Pictures need"),
        ("draw -b '(A a)' -o new.png", "resvg_py", "Pictures need"),
        ("draw Go -m labels --style attention -o new.svg", "matplotlib", "need"),
    ],
)
def test_a_missing_package_is_named_with_how_to_install_it(
    folder, monkeypatch, command, module, message
):
    monkeypatch.delitem(
        sys.modules, "spacy_gfl.tools.pictures.attention_matrix", raising=False
    )
    for name in (module, f"{module}.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    error = refusal(run(command))
    assert f"{message} {module}" in error
    assert 'pip install "spacy-gfl[viz]"' in error


WRITING = {
    "convert": "convert bank.ptb {out}/out.spacy",
    "docs": "parse Go -m model -o {out}/out.spacy",
    "evaluate": "evaluate bank.ptb bank.ptb --json {out}/out.json",
    "ensemble": "ensemble model model/. -o {out}/out",
}
PRINTING = {
    "convert": "convert bank.ptb {out}/out.spacy",
    "parse": "parse Go -m model",
    "search": "search NP bank.ptb",
    "silver": "silver bank.spacy -o {out}/out.spacy",
}


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
@pytest.mark.parametrize("name", WRITING)
def test_a_full_or_read_only_disk_is_told_and_nothing_half_written_stays(
    folder, name, tmp_path
):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as small:
        rest, command = small / "rest", WRITING[name].format(out=small)
        with contextlib.suppress(OSError), rest.open("wb", buffering=0) as file:
            for _ in range(17):
                file.write(bytes(4096))
        out = shlex.split(command)[-1]
        assert refusal(run(command)) == f"Error: {out}: No space left on device."
        assert list(small.iterdir()) == [rest]
    with mounted(tmp_path / "fixed", "-t", "tmpfs", "-o", "ro", "tmpfs") as fixed:
        error = refusal(run(WRITING[name].format(out=fixed)))
    assert "cannot be written: permission denied" in error


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("name", PRINTING)
@pytest.mark.parametrize("fault", ["full", "closed"])
def test_a_full_standard_output_is_told_and_a_closed_one_is_not(
    folder, tmp_path, monkeypatch, capfd, name, fault
):
    """A full disk is told; who closes a pipe, as `head` does, has had enough."""
    if fault == "closed":
        read, write = os.pipe()
        os.close(read)
    else:
        write = os.open("/dev/full", os.O_WRONLY)
    command = shlex.split(PRINTING[name].format(out=tmp_path))
    with os.fdopen(write, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as stopped:
            cli.app(command)
    errors = capfd.readouterr().err
    if fault == "closed":
        assert "Error" not in errors
        assert (stopped.value.code == 0) == (name == "search")
    else:
        assert stopped.value.code == (2 if name == "search" else 1)
        assert errors.endswith("Error: standard output: No space left on device.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("words", ["--version", "--help", "parse --help"])
def test_help_into_a_full_standard_output_is_told(monkeypatch, capfd, words):
    monkeypatch.setattr(sys, "argv", ["spacy-gfl", *words.split()])
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as stopped:
            spacy_gfl_command.main()
    assert stopped.value.code == 1
    said = "Error: standard output: No space left on device.\n"
    assert capfd.readouterr().err == said


#: What happens when a module of the package is looked for.
IMPORTING = """
import signal, sys, spacy_gfl_command
class Finder:
    def find_spec(self, name, *others):
        if name == "spacy_gfl":
            {event}
sys.meta_path.insert(0, Finder())
# A shell has what it runs in the background ignore the signal, these tests too.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["spacy-gfl", "parse", "Go"]
spacy_gfl_command.main()
"""


@pytest.mark.parametrize(
    ("event", "status", "said"),
    [
        ("signal.raise_signal(signal.SIGINT)", 130, "Interrupted."),
        ("raise MemoryError", 1, "Error: There is too little memory to load spaCy"),
        ("raise ImportError('no torch')", 1, "Error: spaCy and PyTorch cannot be"),
    ],
)
def test_what_ends_a_command_while_modules_load_is_one_sentence(event, status, said):
    command = [sys.executable, "-c", IMPORTING.format(event=event)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status
    [line] = done.stderr.splitlines()
    assert line.startswith(said)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:118] not enough memory"),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    ],
)
@pytest.mark.parametrize("place", ["torch.load", "spacy_gfl.model.model.forward"])
def test_too_little_memory_is_no_damage(folder, monkeypatch, error, place):
    def fail(*arguments, **settings):
        raise error

    monkeypatch.setattr(place, fail)
    said = refusal(run("parse Go -m model"))
    assert said == "Error: There is too little memory: free some, or take less at once."
