"""What publishing needs: the files agree with each other and with the package."""

import re
import subprocess
from fnmatch import fnmatchcase

import pytest
import srsly
from helpers.reading import ROOT

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PUBLISHING = ROOT / "making" / "publishing"
RECIPE = srsly.read_yaml(PUBLISHING / "recipe.yaml")


def test_the_conda_recipe_requires_what_pip_installs():
    listed = re.search(r"^dependencies = \[(.+?)^\]", PYPROJECT, re.DOTALL | re.M)[1]
    wanted = {
        re.sub(r"^torch\b", "pytorch", name) for name in re.findall(r'"(.+?)"', listed)
    }
    run = RECIPE["requirements"]["run"]
    assert {r.replace(" ", "") for r in run if not r.startswith("python ")} == wanted


def test_commits_are_checked_with_the_ruff_of_ci():
    pinned = re.search(r"^ruff==(.+)$", (ROOT / "constraints.txt").read_text(), re.M)
    repos = srsly.read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [r["rev"] for r in repos if "ruff" in r["repo"]] == [f"v{pinned[1]}"]


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
    # Whatever else the repository has would stay in the image.
    assert ["."] not in copied
