"""What all commands do in the same way: errors, files to write, help, versions."""

import io
import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest
import typer
from typer.testing import CliRunner

from spacy_gfl.tools.cli import app as cli
from spacy_gfl.tools.cli.input_files import errors_said
from spacy_gfl.tools.treebanks.formats.text_files import read_lines


def test_mistakes_of_ours_are_not_hidden():
    with pytest.raises(KeyError), errors_said():
        {}["x"]


@pytest.mark.parametrize("name", typer.main.get_command(cli.app).commands)
def test_help_says_what_stands_in_brackets(name):
    shown = " ".join(CliRunner().invoke(cli.app, [name, "--help"]).stdout.split())
    command = typer.main.get_command(cli.app).commands[name]
    for parameter in command.params:
        text = " ".join((parameter.help or "").split())
        # A hyphen may be where a line is broken.
        assert text.replace(" ", "") in shown.replace(" ", "")


def loaded(word, names):
    """What a command prints, and which of some packages it has loaded."""
    code = (
        "import atexit, sys; import spacy_gfl_command as c; "
        f"sys.argv[1:] = [{word!r}]; "
        f"atexit.register(lambda: print(*{names!r} & set(sys.modules))); c.main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *lines, last = done.stdout.splitlines()
    return "\n".join(lines), last


def test_the_version_needs_neither_spacy_nor_torch():
    line, packages = loaded("--version", {"spacy", "torch", "thinc", "typer"})
    assert line.startswith(f"spacy-gfl {version('spacy-gfl')} (spacy 3.8")
    assert packages == ""
    assert CliRunner().invoke(cli.app, ["--version"]).stdout == f"{line}\n"


def test_other_commands_load_no_package_of_pictures():
    text, packages = loaded("-h", {"nltk", "svgling", "matplotlib"})
    assert "convert" in text
    assert packages == ""


def test_streams_that_the_shell_has_closed_are_no_fault(tmp_path, monkeypatch):
    path, out = tmp_path / "a.ptb", tmp_path / "a.spacy"
    path.write_text("(NP (NN a))")
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    monkeypatch.setattr(sys, "argv", ["spacy-gfl", "convert", str(path), str(out)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    with sys.stdout, sys.stderr:
        assert ended.value.code == 0
    assert out.exists()
    with pytest.raises(ValueError, match="input is closed"):
        list(read_lines(None))


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_what_is_printed_is_utf8_but_for_names_of_files(tmp_path, monkeypatch):
    path = tmp_path / os.fsdecode(b"\xe9.ptb")
    path.write_text("(NP (NN čaj))", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["spacy-gfl", "search", "NP", str(path)])
    with (tmp_path / "printed").open("w", encoding="cp1252") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit):
            cli.main()
    printed = (tmp_path / "printed").read_bytes()
    assert printed.endswith(b"\xe9.ptb:1: NP: [\xc4\x8daj]\n")


class Screen(io.BytesIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    "command",
    [
        "search NP trees.ptb --trees",
        "draw --brackets trees.ptb",
        "evaluate trees.ptb trees.ptb --by-label",
        "analyse trees.ptb other.ptb",
    ],
)
def test_a_terminal_shows_words_and_labels_and_obeys_none(
    tmp_path, monkeypatch, command
):
    tree = "(S (NP\x1b]0;x\x07 (NN a\x1b[2J)) (NP (NN b\x1b[31m) (NN c\x9b2J)))"
    (tmp_path / "trees.ptb").write_text(tree)
    (tmp_path / "other.ptb").write_text(tree.replace("(NP (", "(VP ("))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["spacy-gfl", *command.split()])
    screen = Screen()
    streams = [io.TextIOWrapper(screen, "utf-8") for _ in range(2)]
    for name, stream in zip(("stdout", "stderr"), streams, strict=True):
        monkeypatch.setattr(sys, name, stream)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    sys.stdout.flush()
    printed = screen.getvalue()
    assert ended.value.code == 0, printed
    shown = (b"\\u001b", b"\\x1b", b"\xef\xbf\xbd")
    assert any(sign in printed for sign in shown)
    # Colours are the command's own.
    assert b"\x1b" not in re.sub(rb"\x1b\[(0|1|38;5;[12])m", b"", printed)
    assert b"\x07" not in printed
    assert b"\xc2\x9b" not in printed
