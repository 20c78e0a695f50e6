"""project.yml, the recipes and the pages say what is there and works."""

import re
import shlex

import pytest
import srsly
from helpers.reading import ROOT
from spacy.cli import app as spacy_cli
from typer.testing import CliRunner

PROJECT = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
PAGE = ROOT / "docs" / "how-to" / "project.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_files_in_the_repository_exist(name):
    scripts = [
        word
        for line in COMMANDS[name]["script"]
        for word in shlex.split(line)
        if word.startswith(("scripts/", "configs/", "tests/"))
    ]
    generated = ("assets/", "corpus/", "training/", "output/", "metrics/")
    deps = [d for d in COMMANDS[name].get("deps", ()) if not d.startswith(generated)]
    for path in scripts + deps:
        for variable, value in PROJECT["vars"].items():
            path = path.replace(f"${{vars.{variable}}}", str(value))
        assert (ROOT / path).exists(), path


def test_every_variable_is_defined_and_used():
    used = set(re.findall(r"\$\{vars\.(\w+)\}", srsly.yaml_dumps(COMMANDS)))
    assert used == set(PROJECT["vars"])


def test_every_dependency_is_made_or_there():
    made = {out for c in PROJECT["commands"] for out in c.get("outputs", ())}
    parts = {"corpus/${vars.name}/${vars.part}.spacy"}
    made |= {asset["dest"] for asset in PROJECT["assets"]}
    for command in PROJECT["commands"]:
        for dep in command.get("deps", ()):
            if dep.startswith(("assets/", "corpus/", "training/", "metrics/")):
                assert dep in made | parts


def test_settings_are_on_the_page():
    steps = [COMMANDS[name] for name in PROJECT["workflows"]["all"]]
    text = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"\$\{vars\.(\w+)\}", srsly.yaml_dumps(steps)):
        assert f"`{name}`" in text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Another with the project file: reading it makes its folders."""
    (tmp_path / "project.yml").write_bytes((ROOT / "project.yml").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def project(*arguments):
    result = CliRunner().invoke(spacy_cli, ["project", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_project_file_is_valid_and_makes_all_of_a_pipeline(folder):
    steps = PROJECT["workflows"]["all"]
    assert set(steps) == {"corpus", "labels", "train", "evaluate", "parse", "package"}
    assert {"document", "clean"} <= set(COMMANDS)
    printed = project("run", "all", str(folder), "--dry")
    assert printed.count("Running command") >= len(steps)


def test_the_page_of_the_project_is_up_to_date(folder):
    page = folder / "project.md"
    page.write_bytes(PAGE.read_bytes())
    project("document", str(folder), "--no-emoji", "--output", str(page))
    # If this fails: python -m spacy project run document
    assert page.read_bytes() == PAGE.read_bytes()
