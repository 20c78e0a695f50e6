"""project.yml, the recipes and the pages say what is there and works."""

import re
import shlex
from pathlib import Path

import pytest
import srsly
from spacy.cli import app as spacy_cli
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
PROJECT = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
PAGE = ROOT / "docs" / "how-to" / "project.md"


def invoke(*arguments):
    return CliRunner().invoke(spacy_cli, ["project", *arguments])


class TestProject:
    def test_the_project_has_its_workflows_and_commands(self):
        wanted = {"corpus", "labels", "train", "evaluate", "parse", "package"}
        assert wanted | {"document", "clean"} <= set(COMMANDS)
        assert set(PROJECT["workflows"]) == {
            "all",
            "all-gpu",
            "smoke",
            "language",
            "shipped",
            "shipped-trf",
            "paper",
        }
        assert wanted == set(PROJECT["workflows"]["all"])

    @pytest.mark.parametrize("name", COMMANDS)
    def test_files_in_the_repository_exist(self, name):
        scripts = [
            word
            for line in COMMANDS[name]["script"]
            for word in shlex.split(line)
            if word.startswith(("scripts/", "configs/", "tests/"))
        ]
        generated = ("corpus/", "training/", "output/", "metrics/")
        deps = [
            d for d in COMMANDS[name].get("deps", ()) if not d.startswith(generated)
        ]
        for path in scripts + deps:
            for variable, value in PROJECT["vars"].items():
                path = path.replace(f"${{vars.{variable}}}", str(value))
            assert (ROOT / path).exists(), path

    def test_every_variable_is_defined_and_used(self):
        used = set(re.findall(r"\$\{vars\.(\w+)\}", srsly.yaml_dumps(COMMANDS)))
        assert used == set(PROJECT["vars"])

    def test_every_dependency_is_made_or_there(self):
        made = {out for c in PROJECT["commands"] for out in c.get("outputs", ())}
        parts = {"corpus/${vars.name}/${vars.part}.spacy"}
        for command in PROJECT["commands"]:
            for dep in command.get("deps", ()):
                if dep.startswith(("corpus/", "training/", "metrics/")):
                    assert dep in made | parts

    def test_settings_are_on_the_page(self):
        steps = [COMMANDS[name] for name in PROJECT["workflows"]["all"]]
        text = PAGE.read_text(encoding="utf-8")
        for name in re.findall(r"\$\{vars\.(\w+)\}", srsly.yaml_dumps(steps)):
            assert f"`{name}`" in text

    def test_the_project_file_is_valid(self, tmp_path, monkeypatch):
        # Reading the file makes its folders, so let it be another's.
        (tmp_path / "project.yml").write_bytes((ROOT / "project.yml").read_bytes())
        monkeypatch.chdir(tmp_path)
        result = invoke("run", "all", str(tmp_path), "--dry")
        assert result.exit_code == 0, result.output
        assert result.output.count("Running command") >= len(
            PROJECT["workflows"]["all"]
        )

    def test_the_page_of_the_project_is_up_to_date(self, tmp_path):
        (tmp_path / "project.yml").write_bytes((ROOT / "project.yml").read_bytes())
        page = tmp_path / "project.md"
        page.write_bytes(PAGE.read_bytes())
        result = invoke("document", str(tmp_path), "--no-emoji", "--output", str(page))
        assert result.exit_code == 0
        # If this fails: python -m spacy project run document
        assert page.read_bytes() == PAGE.read_bytes()
