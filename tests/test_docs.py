"""README and the guides: their Python runs, and their commands exist."""

import json
import os
import shlex
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
import srsly
import typer
from helpers.pages import PageError, read_blocks, run_page
from spacy.util import registry

import spacy_gfl
import spacy_gfl.cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCKS = [
    pytest.param(page, block, id=f"{page.relative_to(ROOT)}:{block.line}")
    for page in PAGES
    for block in read_blocks(page)
]
#: Blocks that may be left out of the tests, in all pages together.
MAX_SKIPPED = 4
SHELL = ("bash", "sh", "shell", "console")


def having(*languages):
    return [param for param in BLOCKS if param.values[1].language in languages]


def pages_with_python():
    pages = dict.fromkeys(param.values[0] for param in having("python"))
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages]


@pytest.mark.parametrize("page", pages_with_python())
def test_python_runs(page, installed_pipeline, tmp_path):
    # In a process of its own, as a reader would: blocks start worker processes.
    path = os.pathsep.join([str(installed_pipeline), str(ROOT)])
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            str(ROOT / "tests" / "helpers" / "pages.py"),
            str(page),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_skipped_blocks_are_few_and_say_why():
    skipped = [param for param in BLOCKS if param.values[1].reason is not None]
    assert len(skipped) <= MAX_SKIPPED


def shell_lines(code):
    """The commands of a shell block: each as words, without prompt and redirection.

    Where there are prompts, lines without one are output.
    """
    lines = code.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    for line in lines:
        words = shlex.split(line, comments=True)
        ends = [i for i, word in enumerate(words) if word in ("|", ">", ">>", "<")]
        if words:
            yield words[: ends[0]] if ends else words


def check_own_command(words):
    """Raise unless `spacy-gfl` takes these words."""
    if words[0] in ("--help", "-h", "--version"):
        return
    commands = typer.main.get_command(spacy_gfl.cli.app.app).commands
    assert words[0] in commands, f"spacy-gfl has no command {words[0]}"
    if "--help" not in words:
        commands[words[0]].make_context(words[0], words[1:])


def check_spacy_command(words):
    """Raise unless the workflow or recipe that a spaCy command names exists."""
    if words[:2] == ["project", "run"]:
        project = srsly.read_yaml(ROOT / "project.yml")
        names = {command["name"] for command in project["commands"]}
        assert words[2] in names | set(project["workflows"])
        options = [word for word in words if word.startswith("--vars.")]
        assert {option[len("--vars.") :] for option in options} <= set(project["vars"])
    for word in words:
        if word.startswith("configs/"):
            assert (ROOT / word).exists(), f"there is no {word}"


def check_command(words):
    words = words[1:] if words[0] == "nice" else words
    if words[0] == "spacy-gfl":
        check_own_command(words[1:])
    elif words[:3] == ["python", "-m", "spacy_gfl"]:
        check_own_command(words[3:])
    elif words[0] == "spacy":
        check_spacy_command(words[1:])
    elif words[:3] == ["python", "-m", "spacy"]:
        check_spacy_command(words[3:])
    elif words[0] == "python" and words[1].endswith(".py"):
        assert (ROOT / words[1]).exists(), f"there is no {words[1]}"


@pytest.mark.parametrize(("page", "block"), having(*SHELL))
def test_commands_exist(page, block):
    for words in shell_lines(block.code):
        check_command(words)


@pytest.mark.parametrize(
    "line",
    [
        "spacy-gfl pares en_gfl_sm text.txt",
        "spacy-gfl parse en_gfl_sm --bean-width 10",
        "spacy-gfl evaluate gold.ptb",
        "python -m spacy_gfl convert in out.spacy --n-sents many",
        "python -m spacy project run everything",
        "python -m spacy project run all --vars.gpu 0",
        "python -m spacy train configs/none.cfg",
        "python examples/none.py text.txt",
    ],
)
def test_wrong_commands_are_seen(line):
    with pytest.raises(Exception):  # noqa: B017, PT011 - typer's own and ours
        check_command(shlex.split(line))


@pytest.mark.parametrize(("page", "block"), having("ini"))
def test_configs_name_what_exists(page, block):
    # Parts of configs: thinc would want the sections around them too.
    config = ConfigParser(interpolation=None, delimiters=["="])
    config.read_string(block.code)
    for section in config.sections():
        for key, value in config[section].items():
            if key.startswith("@"):
                assert registry.has(key[1:], json.loads(value))
            elif not value.startswith("$"):
                json.loads(value)


def test_every_command_has_a_reference():
    text = (ROOT / "docs" / "api" / "cli.md").read_text(encoding="utf-8")
    for name in typer.main.get_command(spacy_gfl.cli.app.app).commands:
        assert f"```{{spacy-gfl}} {name}\n" in text


def test_every_public_name_has_a_reference():
    text = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
    for name in set(spacy_gfl.__all__) - {"__version__"}:
        assert f"`spacy_gfl.{name}`" in text


PAGE = """
```python
x = 1
print(x)
```

```text
{}
```

```python
x + 1
# {}
```
"""


@pytest.mark.parametrize(("printed", "value"), [("1", "3"), ("2", "2"), ("1\n1", "2")])
def test_wrong_outputs_are_seen(tmp_path, printed, value):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("1", "2"), encoding="utf-8")
    run_page(page)
    page.write_text(PAGE.format(printed, value), encoding="utf-8")
    with pytest.raises(PageError):
        run_page(page)


def test_errors_are_raised_and_skipped_blocks_left_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n1 / 0\n```\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError):
        run_page(page)
    skip = "<!-- skip: shows an error -->\n"
    page.write_text(skip + page.read_text(encoding="utf-8"), encoding="utf-8")
    run_page(page)
