"""What publishing needs: the files agree with each other and with the package."""

import re
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest
import srsly
from helpers.reading import ROOT

from spacy_gfl.tools.cli.download import Release, read_table

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PUBLISHING = ROOT / "making" / "publishing"
RECIPE = srsly.read_yaml(PUBLISHING / "recipe.yaml")
sys.path.insert(0, str(PUBLISHING))

import compatibility  # noqa: E402


def test_the_conda_recipe_requires_what_pip_installs():
    listed = re.search(r"^dependencies = \[(.+?)^\]", PYPROJECT, re.DOTALL | re.M)[1]
    wanted = {
        re.sub(r"^torch\b", "pytorch", name) for name in re.findall(r'"(.+?)"', listed)
    }
    run = RECIPE["requirements"]["run"]
    assert {r.replace(" ", "") for r in run if not r.startswith("python ")} == wanted


@pytest.mark.parametrize("name", ["tests", "release"])
def test_workflows_are_restricted_to_what_they_need(name):
    workflow = srsly.read_yaml(ROOT / ".github" / "workflows" / f"{name}.yml")
    assert workflow["permissions"] == {"contents": "read"}
    for job, content in workflow["jobs"].items():
        writes = {k for k, v in content.get("permissions", {}).items() if v == "write"}
        allowed = {"publish": {"id-token"}, "attach": {"contents"}}
        assert writes == allowed.get(job, set())


@pytest.mark.parametrize("tag", ["v{version}", "en_gfl_sm-v{version}"])
def test_a_tag_names_what_is_built(tag):
    workflow = srsly.read_yaml(ROOT / ".github" / "workflows" / "release.yml")
    [step] = [
        s for s in workflow["jobs"]["build"]["steps"] if "TAG" in s.get("env", {})
    ]
    script = step["run"].partition("python -m build")[0]
    done = subprocess.run(
        ["bash", "-euc", script + 'echo "$folder $version"'],
        env={"TAG": tag.format(version="1.2.3")},
        capture_output=True,
        text=True,
        check=True,
    )
    folder, version = done.stdout.split()
    assert version == "1.2.3"
    assert (ROOT / folder / "pyproject.toml").exists()
    patterns = workflow["on"]["push"]["tags"]
    assert any(fnmatchcase(tag, pattern) for pattern in patterns)
    # To GitHub, other special characters mean something else than to a shell.
    assert all(set(pattern).isdisjoint("?+[]!") for pattern in patterns)


def test_the_image_copies_what_is_there():
    lines = (PUBLISHING / "Dockerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    assert all((ROOT / name).exists() for names in copied for name in names)


def test_the_table_of_compatibility_is_that_of_the_packages_and_of_the_page():
    table = read_table(ROOT / "spacy_gfl" / "tools" / "cli" / "compatibility.json")
    message = "run python making/publishing/compatibility.py"
    assert compatibility.updated(table) == table, message
    shown = (ROOT / "docs" / "reference" / "compatibility.md").read_text("utf-8")
    assert shown == compatibility.page(table), message


def test_published_versions_stay_in_the_table(tmp_path):
    package = tmp_path / "packages" / "en_gfl_xx"
    (package / "en_gfl_xx").mkdir(parents=True)
    (package / "pyproject.toml").write_text('requires-python = ">=3.10"\n')
    meta = {"requirements": ["x", "spacy-gfl[transformers]>=1.0,<2"]}
    meta = {**meta, "version": "2.0.0", "spacy_version": ">=3.8"}
    srsly.write_json(package / "en_gfl_xx" / "meta.json", meta)
    needed = (">=1.0,<2", ["transformers"], ">=3.8", ">=3.10")
    old = [
        Release("en_gfl_xx", "1.1.0", *needed, None),
        Release("en_gfl_xx", "1.0.0", *needed, "a" * 64),
        Release("id_gfl_xx", "1.0.0", *needed, None),
    ]
    new = Release("en_gfl_xx", "2.0.0", *needed, "b" * 64)
    built = compatibility.updated(old, tmp_path, {"en_gfl_xx": "b" * 64})
    assert built == [new, *old[1:]]
    assert compatibility.updated(built, tmp_path) == built
    path = tmp_path / "compatibility.json"
    path.write_text(compatibility.as_json(built))
    assert read_table(path) == built
