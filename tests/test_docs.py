"""README and the guides: their Python runs, and their commands exist.

What is in a ```text block right after a ```python block is what it prints; `...`
stands for anything there. `<!-- skip: next "reason" -->` leaves a block out.
"""

import io
import json
import re
import shlex
from configparser import ConfigParser
from contextlib import redirect_stdout, suppress
from doctest import ELLIPSIS, OutputChecker
from pkgutil import resolve_name
from textwrap import dedent
from unittest import SkipTest

import pytest
import spacy
import srsly
import typer
from helpers.reading import ROOT
from helpers.shipped import needs
from spacy import util
from spacy.util import registry
from sybil import Document
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, SkipParser
from thinc.api import Config

import spacy_gfl
import spacy_gfl.tools.cli

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def run_python(example):
    """Run a block, and keep what it prints for the block that may follow."""
    with redirect_stdout(io.StringIO()) as stream:
        PythonEvaluator()(example)
    example.document.printed = example.region.end, stream.getvalue()


def compare_output(example):
    """The difference from what the block right before has printed, or None."""
    end, printed = getattr(example.document, "printed", (0, ""))
    if end and not example.document.text[end : example.region.start].strip():
        # Sybil has taken what all lines of the block are indented by.
        shown = dedent(printed)
        if not OutputChecker().check_output(example.parsed, shown, ELLIPSIS):
            return f"the page says\n{example.parsed}\nbut it prints\n{printed}"
    return None


def check_config(example):
    # Parts of configs: thinc would want the sections around them too.
    config = ConfigParser(interpolation=None, delimiters=["="])
    config.read_string(example.parsed)
    for section in config.sections():
        for key, value in config[section].items():
            if key.startswith("@"):
                assert registry.has(key[1:], json.loads(value))
            elif not value.startswith("$"):
                json.loads(value)
    if "nlp" in config:
        whole = Config().from_str(example.parsed)
        util.load_model_from_config(whole, auto_fill=True)


def check_commands(example):
    """Where lines begin with a prompt, the others are output."""
    lines = example.parsed.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    for line in lines:
        check_command(line)


def check_command(line):
    """Raise unless what a command names exists, and our own takes its options."""
    words = shlex.split(line, comments=True)
    ends = [i for i, word in enumerate(words) if word in ("|", ">", ">>", "<", "&&")]
    match words[: ends[0]] if ends else words:
        case ["nice", *others]:
            check_command(shlex.join(others))
        case ["spacy-gfl", *others] | ["python", "-m", "spacy_gfl", *others]:
            check_own_command(*others)
        case ["spacy", *others] | ["python", "-m", "spacy", *others]:
            check_spacy_command(*others)
        case ["python", script, *_] if script.endswith(".py"):
            assert (ROOT / script).exists(), f"there is no {script}"


def check_own_command(name, *words):
    if not name.startswith("-"):
        commands = typer.main.get_command(spacy_gfl.tools.cli.app.app).commands
        assert name in commands, f"spacy-gfl has no command {name}"
        if "--help" not in words:
            commands[name].make_context(name, list(words))


def check_spacy_command(*words):
    if words[:2] == ("project", "run"):
        folder = words[3] if words[3:] and words[3] == "making/release" else "."
        project = srsly.read_yaml(ROOT / folder / "project.yml")
        names = [command["name"] for command in project["commands"]]
        assert words[2] in [*names, *project["workflows"]], f"no step {words[2]}"
        for word in words:
            if word.startswith("--vars."):
                assert word[len("--vars.") :] in project["vars"], f"no {word}"
    for word in words:
        if word.startswith("configs/"):
            assert (ROOT / word).exists(), f"there is no {word}"


PARSERS = (
    SkipParser(),
    CodeBlockParser("python", run_python),
    CodeBlockParser("text", compare_output),
    CodeBlockParser("ini", check_config),
    CodeBlockParser("bash", check_commands),
    CodeBlockParser("console", check_commands),
)


def check_page(page):
    """Go through a page from top to bottom, in one namespace."""
    document = Document.parse(str(page), *PARSERS)
    document.namespace["__name__"] = "__main__"
    for example in document.examples():
        with suppress(SkipTest):
            example.evaluate()


@needs("en_gfl_sm")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.usefixtures("threads")
def test_examples_of_a_page_work(page, tmp_path, monkeypatch):
    model = tmp_path / "training" / "smoke" / "model-best"
    model.parent.mkdir(parents=True)
    model.symlink_to(spacy.load("en_gfl_sm").path)
    monkeypatch.chdir(tmp_path)
    check_page(page)


NOTES = [
    ROOT / "CHANGELOG.md",
    *(ROOT / "making" / "benchmarks").rglob("*.md"),
    *(ROOT / "making" / "experiments").rglob("*.md"),
    *(ROOT / "making" / "fuzz").rglob("*.md"),
]


@pytest.mark.parametrize(
    "page", [*PAGES, *NOTES], ids=lambda page: page.parent.name + page.stem
)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [*PAGES, *NOTES], ids=lambda page: page.stem)
def test_modules_that_a_page_names_exist(page):
    rooms = "|".join(path.name for path in (ROOT / "spacy_gfl").iterdir())
    named = rf"`(?:spacy_gfl\.|(?=(?:{rooms})\.))((?:\w+\.)*[A-Za-z_]+)(?:\(.*?\))?`"
    for name in re.findall(named, page.read_text(encoding="utf-8")):
        assert name.endswith(".md") or resolve_name(f"spacy_gfl.{name}")


def test_every_public_name_has_a_reference():
    text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    for name in set(spacy_gfl.__all__) - {"__version__"}:
        assert f"`spacy_gfl.{name}`" in text
