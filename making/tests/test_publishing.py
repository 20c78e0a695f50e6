"""What publishing needs: the files agree with each other and with the package."""

import hashlib
import re
import subprocess
import sys

import pytest
import srsly
from helpers.reading import ROOT

from spacy_gfl.tools.cli.download import Release, read_table

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PUBLISHING = ROOT / "making" / "publishing"
RECIPE = srsly.read_yaml(PUBLISHING / "recipe.yaml")
sys.path.insert(0, str(PUBLISHING))

import addresses  # noqa: E402
import builds  # noqa: E402
import compatibility  # noqa: E402
import history  # noqa: E402
import release  # noqa: E402


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
        allowed = {job: {"id-token"} for job in ("publish", "rehearse")}
        allowed["attach"] = {"contents"}
        assert writes == allowed.get(job, set())


WORKFLOW = srsly.read_yaml(ROOT / ".github" / "workflows" / "release.yml")


@pytest.mark.parametrize(
    ("tag", "project"),
    [("v1.2.3", "spacy-gfl"), ("en_gfl_sm-v1.2.3", "en-gfl-sm")],
)
def test_a_tag_names_what_is_released(tag, project, tmp_path):
    steps = WORKFLOW["jobs"]["build"]["steps"]
    [step] = [step for step in steps if step.get("id") == "name"]
    output = tmp_path / "output"
    subprocess.run(
        ["bash", "-euc", step["run"]],
        env={"TAG": tag, "GITHUB_OUTPUT": str(output)},
        check=True,
    )
    assert output.read_text() == f"project={project}\nversion=1.2.3\n"
    if project != "spacy-gfl":
        package = ROOT / "packages" / project.replace("-", "_")
        assert (package / "pyproject.toml").exists()


def test_only_a_release_is_published_and_only_after_its_trial():
    jobs = WORKFLOW["jobs"]
    assert jobs["publish"]["if"] == "github.event_name == 'release'"
    assert jobs["rehearse"]["if"] == "github.event_name == 'workflow_dispatch'"
    for job, index in (("publish", "pypi"), ("rehearse", "testpypi")):
        assert set(jobs[job]["needs"]) == {"build", "try"}
        assert jobs[job]["environment"].startswith(f"{index}-${{{{ needs.build.")
    lowest, *_, highest = re.findall(r"Python :: (3\.\d+)", PYPROJECT)
    assert jobs["try"]["strategy"]["matrix"]["python"] == [lowest, highest]


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


def test_published_pages_link_to_files_from_anywhere():
    text = '[a](docs/a.md#b) [c](#d) [e](https://f.g) ![h](i.svg) <img src="j/k.svg">'
    found = builds.with_whole_links(text, "https://github.com/o/r", "1.0")
    at, raw = "https://github.com/o/r/blob/v1.0", "https://raw.githubusercontent.com"
    assert found == (
        f"[a]({at}/docs/a.md#b) [c](#d) [e](https://f.g) ![h]({at}/i.svg)"
        f' <img src="{raw}/o/r/v1.0/j/k.svg">'
    )


def test_each_round_has_as_many_publishers_as_pypi_takes():
    tags = {"spacy-gfl": "v1.0", **{f"en-gfl-{c}": f"en_gfl_{c}-v2" for c in "abc"}}
    lines = "\n".join(release.rounds("o/r", tags)).split("# Round ")[1:]
    assert [text.count("gh release create") for text in lines] == [3, 1]
    assert "environments/pypi-en-gfl-c" in lines[1]
    assert "gh release create en_gfl_c-v2 dist/en_gfl_c-2* --target main" in lines[1]
    assert "gh release create v1.0 --target main" in lines[0]


def test_a_wheel_that_is_not_the_one_of_the_table_is_refused(tmp_path):
    release.check(tmp_path)
    (tmp_path / "en_gfl_sm-1.0.0-py3-none-any.whl").write_bytes(b"other")
    with pytest.raises(SystemExit, match=r"en_gfl_sm-1\.0\.0.+ is not the wheel"):
        release.check(tmp_path)


def test_the_recipe_gets_version_and_hash_of_the_sdist(tmp_path):
    (tmp_path / "spacy_gfl-9.8.7.tar.gz").write_bytes(b"sdist")
    path = tmp_path / "recipe.yaml"
    path.write_bytes((PUBLISHING / "recipe.yaml").read_bytes())
    release.fill_recipe(tmp_path, path)
    found = srsly.read_yaml(path)
    assert found["context"]["version"] == "9.8.7"
    assert found["source"]["sha256"] == hashlib.sha256(b"sdist").hexdigest()
    expected = {**RECIPE, "context": found["context"], "source": found["source"]}
    assert found == expected


SMALL = (".md", ".json", ".toml", ".yaml", ".cff", ".py")
PUBLISHER = addresses.Publisher("https://github.com/ann/gfl", ["ann", "bob"], "a@b.org")


@pytest.fixture
def checkout(tmp_path):
    """The files of this checkout that say an address, or link to one that does."""
    listed = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CITATION.cff")]
    listed += [ROOT / "pyproject.toml", ROOT / ".ci" / "run"]
    for name in ("docs", "making/publishing", "making/release", "packages"):
        files = (ROOT / name).rglob("*")
        listed += [path for path in files if path.suffix in SMALL]
    for path in listed:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path


def texts(root):
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root): path.read_text("utf-8") for path in files}


def test_the_address_goes_into_all_files_that_say_one(checkout):
    addresses.write(PUBLISHER._replace(address="https://github.com/eve/x"), checkout)
    addresses.write(PUBLISHER, checkout)
    written = texts(checkout)
    addresses.write(PUBLISHER, checkout)
    assert texts(checkout) == written
    assert not [name for name, text in written.items() if "github.com/eve" in text]

    url, email = PUBLISHER.address, PUBLISHER.email
    project = (checkout / "pyproject.toml").read_text("utf-8")
    assert f'[project.urls]\nHomepage = "{url}"\n' in project
    assert (
        f'authors = [{{ name = "{addresses.AUTHOR}", email = "{email}" }}]' in project
    )
    citation = srsly.read_yaml(checkout / "CITATION.cff")
    assert citation["repository-code"] == url
    assert citation["contact"] == [{"name": addresses.AUTHOR, "email": email}]
    recipe = srsly.read_yaml(checkout / "making" / "publishing" / "recipe.yaml")
    assert recipe["about"]["homepage"] == recipe["about"]["repository"] == url
    assert recipe["extra"] == {"recipe-maintainers": ["ann", "bob"]}
    for path in checkout.glob("making/release/*_gfl_*.json"):
        meta = srsly.read_json(path)
        assert (meta["url"], meta["email"]) == (url, email)
        assert url not in [source["url"] for source in meta["sources"]]
    for package in compatibility.packages(checkout):
        for path in package.rglob("meta.json"):
            meta = srsly.read_json(path)
            assert (meta["url"], meta["email"]) == (url, email)
        for path in package.rglob("README.md"):
            assert f"[{addresses.AUTHOR}]({url}) |" in path.read_text("utf-8")
        project = (package / "pyproject.toml").read_text("utf-8")
        assert f'Homepage = "{url}"' in project
        assert f'email = "{email}"' in project


#: The fields of an entry that spaCy's website/UNIVERSE.md lists.
UNIVERSE = {
    **dict.fromkeys(("id", "title", "slogan", "description", "github", "pip"), str),
    **dict.fromkeys(("code_language", "url", "thumb", "image", "author"), str),
    **dict.fromkeys(("code_example", "category", "tags"), list),
    **{"author_links": dict, "spacy_version": int},
}


def test_the_entry_of_spacys_universe_is_as_spacy_wants_it(checkout):
    addresses.write(PUBLISHER, checkout)
    entry = srsly.read_json(checkout / "making" / "publishing" / "universe.json")
    assert entry["github"] == "ann/gfl"
    for name, value in entry.items():
        assert isinstance(value, UNIVERSE[name])
    assert set(entry["author_links"]) <= {"github", "twitter", "website"}
    kinds = ("pipeline", "training", "models", "visualizers", "research", "scientific")
    assert set(entry["category"]) <= set(kinds)
    _, image = entry["thumb"].split("/main/")
    assert (ROOT / image).exists()
    compile("\n".join(entry["code_example"]), "code_example", "exec")


def test_pages_say_what_is_published_only_once_it_is(checkout):
    def shown(text):
        return re.sub("<!--.*?-->", "", text, flags=re.DOTALL)

    before = (checkout / "README.md").read_text("utf-8")
    if not builds.address_of(ROOT):
        assert "spacy-gfl download" not in shown(before)
    addresses.write(PUBLISHER, checkout)
    pages = [checkout / "README.md", checkout / "CONTRIBUTING.md"]
    for path in [*pages, *(checkout / "docs").rglob("*.md")]:
        text = path.read_text("utf-8")
        assert "published -->" not in text
        assert "once published:" not in text
        assert "sparse" not in text or "clone" not in text
        assert set(re.findall(r"\./packages/(\w+)", text)) <= {addresses.DEFAULT}
    readme = pages[0].read_text("utf-8")
    assert "spacy-gfl download en_gfl_sm" in shown(readme)
    assert f"git clone {PUBLISHER.address}" in readme


@pytest.mark.parametrize(
    "address", ["github.com/a/b", "https://github.com/a", "https://github.com/a/b.git"]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ValueError, match="is not like https://github"):
        _ = addresses.Publisher(address, ["a"]).repository


def test_the_public_branch_has_one_pipeline_and_no_history(tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    history.git(repository, "init", "-qb", "main")
    history.git(repository, "config", "user.name", "Ann")
    history.git(repository, "config", "user.email", "a@b.org")

    def commit(**files):
        for name, text in files.items():
            path = repository / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        history.git(repository, "add", "-A")
        history.git(repository, "commit", "-qm", "Change")
        return history.git(repository, "rev-parse", "HEAD")

    commit(code="1", packages__a__w="old weights", packages__b__w="others")
    head = commit(packages__a__w="new weights")
    first = history.make_public(repository, "public", "a", "Version 1")
    listed = history.git(repository, "ls-tree", "-r", "--name-only", "public")
    assert listed.split() == ["code", "packages/a/w"]
    assert history.git(repository, "log", "--format=%H", "public") == first
    assert (
        history.git(repository, "rev-parse", "HEAD", history.KEPT) == f"{head}\n{head}"
    )
    assert history.git(repository, "status", "--porcelain") == ""
    (repository / "code").write_text("2")
    with pytest.raises(ValueError, match="Commit your changes"):
        history.make_public(repository, "public", "a", "Version 2")
    commit(code="2")
    second = history.make_public(repository, "public", "a", "Version 2")
    found = history.git(repository, "log", "--format=%H", "public").split()
    assert found == [second, first]
