"""project.yml, the recipes and the pages say what is there and works."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
import srsly
import typer
from helpers.reading import ROOT
from spacy.cli import app as spacy_cli
from typer.testing import CliRunner

from spacy_gfl.tools.cli.app import app

PROJECTS = {
    folder: srsly.read_yaml(folder / "project.yml")
    for folder in (ROOT, ROOT / "making" / "release")
}
PROJECT = PROJECTS[ROOT]
COMMANDS = [
    pytest.param(folder, command, id=f"{folder.name}-{command['name']}")
    for folder, project in PROJECTS.items()
    for command in project["commands"]
]
GENERATED = ("assets/", "corpus/", "training/", "output/", "metrics/")


def filled(folder, lines):
    """Lines of a project, with the values that its variables have."""
    for line in lines:
        for variable, value in PROJECTS[folder]["vars"].items():
            line = line.replace(f"${{vars.{variable}}}", str(value))
        yield line


@pytest.mark.parametrize(("folder", "command"), COMMANDS)
def test_commands_name_files_and_options_that_exist(folder, command):
    lines = [shlex.split(line) for line in filled(folder, command["script"])]
    is_file = re.compile(r"[\w./-]+\.(py|cfg)").fullmatch
    named = [word for words in lines for word in words if is_file(word)]
    for path in [*named, *filled(folder, command.get("deps", ()))]:
        if not path.startswith(GENERATED) and "-o" not in path:
            assert (folder / path).exists(), path
    for words in lines:
        match words:
            case ["python", "-m", "spacy_gfl", name, *options]:
                commands = typer.main.get_command(app).commands
                commands[name].make_context(name, options)


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_every_variable_is_defined_and_used(folder):
    commands = srsly.yaml_dumps(PROJECTS[folder]["commands"])
    used = set(re.findall(r"\$\{vars\.(\w+)\}", commands))
    assert used == set(PROJECTS[folder]["vars"])


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
    assert set(steps) == {"corpus", "train", "evaluate", "parse", "package"}
    words = ("--vars.treebanks", "my trees", "--vars.overrides", "a.b=1 c.d=2")
    printed = project("run", "all", str(folder), "--dry", *words)
    assert printed.count("Running command") >= len(steps)
    assert "scripts/convert.py my trees --train" in printed
    assert "configs/sm.cfg a.b=1 c.d=2 --corpus" in printed


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("mine", "mine"),
        ("my-trees.v2", "my_trees_v2"),
        ("2026", "2026"),
        ("größe", "groe"),
    ],
)
def test_the_package_has_the_name_of_its_run(folder, name, package):
    printed = project("run", "package", str(folder), "--dry", "--vars.name", name)
    assert f"gfl_{name}" in printed
    script = runpy.run_path(str(ROOT / "scripts" / "package.py"))
    made = script["module_name"](f"gfl_{name}")
    assert made == f"gfl_{package}"
    assert made.isidentifier()


def test_a_step_with_a_wrong_number_is_refused_in_one_line(folder, monkeypatch, capsys):
    for part in ("train", "dev"):
        (folder / f"{part}.ptb").write_text("(S (NP (PRP I)) (VP (VBP agree)))")
    script = runpy.run_path(str(ROOT / "scripts" / "convert.py"))
    monkeypatch.setattr("sys.argv", ["convert.py", ".", "--out", "out"])
    script["main"]()
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "dev.spacy",
        "train.spacy",
    ]
    monkeypatch.setattr("sys.argv", [*sys.argv, "--n-sents", "-1"])
    with pytest.raises(SystemExit) as ended:
        script["main"]()
    assert ended.value.code == 2
    assert "Invalid value for '--n-sents'" in capsys.readouterr().err


def test_the_project_of_what_ships_is_valid(tmp_path, monkeypatch):
    source = ROOT / "making" / "release" / "project.yml"
    (tmp_path / "project.yml").write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    for workflow in PROJECTS[source.parent]["workflows"]:
        printed = project("run", workflow, str(tmp_path), "--dry", "--force")
        assert "Running command" in printed
