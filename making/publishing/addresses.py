"""Write where the repository is and who keeps it into every file that says so."""

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import srsly
from builds import address_of
from compatibility import packages

#: Who is named where no person is: in authors of packages.
AUTHOR = "The spacy_gfl developers"
#: The pipeline that a public clone has in `packages/`.
DEFAULT = "en_gfl_sm"
#: What pages say until the package is on PyPI, and what they say from then on.
UNTIL_PUBLISHED = re.compile(
    r"<!-- until published -->\n?(?:.*?)<!-- end -->\n?", re.DOTALL
)
ONCE_PUBLISHED = re.compile(r"<!-- once published:[ \n](.*?)\s*-->", re.DOTALL)


class Publisher(NamedTuple):
    """What is public of those who publish.

    Attributes:
        address: The repository, such as https://github.com/owner/spacy_gfl.
        maintainers: Their names on GitHub. The first is linked on spaCy's page.
        email: Where a letter reaches them, or nothing.
    """

    address: str
    maintainers: list[str]
    email: str = ""

    @property
    def repository(self) -> str:
        """Owner and name.

        Raises:
            ValueError: If the address is not one of GitHub.
        """
        found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+)", self.address)
        if found is None or found[1].endswith(".git"):
            raise ValueError(
                f"{self.address} is not like https://github.com/owner/spacy_gfl."
            )
        return found[1]


def write(publisher: Publisher, root: Path) -> None:
    """Write it into all files of a checkout; written again, it replaces itself.

    Pages change what they say until the package is published to what they say once it
    is, and name pipelines by their projects on PyPI.
    """
    old = address_of(root) or "ADDRESS"
    written_by_name = {
        "pyproject.toml": project,
        "CITATION.cff": citation,
        "making/publishing/universe.json": universe,
        "making/publishing/recipe.yaml": recipe,
    }
    for name, change in written_by_name.items():
        edit(root / name, publisher, change)
    for path in (root / "making" / "release").glob("*_gfl_*.json"):
        edit(path, publisher, meta)
    pyproject = runpy.run_path(str(root / "making" / "release" / "package.py"))
    for package in packages(root):
        for path in package.rglob("meta.json"):
            edit(path, publisher, meta)
        for path in package.rglob("README.md"):
            edit(path, publisher, card)
        found = srsly.read_json(package / package.name / "meta.json")
        text = pyproject["pyproject"](found)
        (package / "pyproject.toml").write_text(text, encoding="utf-8")
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / ".ci" / "run"]
    for path in [*pages, *sorted((root / "docs").rglob("*.md"))]:
        text = page(path.read_text(encoding="utf-8"))
        text = text.replace(old, publisher.address)
        path.write_text(text, encoding="utf-8")


def edit(
    path: Path, publisher: Publisher, change: Callable[[str, Publisher], str]
) -> None:
    """Change the text of a file."""
    text = path.read_text(encoding="utf-8")
    path.write_text(change(text, publisher), encoding="utf-8")


def project(text: str, publisher: Publisher) -> str:
    """pyproject.toml with `[project.urls]` and the authors' address."""
    urls = {
        "Homepage": publisher.address,
        "Documentation": f"{publisher.address}/tree/main/docs",
        "Issues": f"{publisher.address}/issues",
        "Changelog": f"{publisher.address}/blob/main/CHANGELOG.md",
    }
    section = "\n".join(f'{name} = "{url}"' for name, url in urls.items())
    text = re.sub(r"\[project\.urls\]\n(?:\w+ = .*\n)+\n", "", text)
    text = text.replace(
        "[project.scripts]", f"[project.urls]\n{section}\n\n[project.scripts]", 1
    )
    email = f', email = "{publisher.email}"' if publisher.email else ""
    authors = f'authors = [{{ name = "{AUTHOR}"{email} }}]'
    return re.sub(r"^authors = .*$", authors, text, count=1, flags=re.MULTILINE)


def citation(text: str, publisher: Publisher) -> str:
    """CITATION.cff with the repository and a contact."""
    text = re.sub(r"^repository-code: .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^contact:\n(?: .*\n)+", "", text, flags=re.MULTILINE)
    new = f'repository-code: "{publisher.address}"\n'
    if publisher.email:
        new += f'contact:\n  - name: "{AUTHOR}"\n    email: "{publisher.email}"\n'
    return text.replace("license: ", new + "license: ", 1)


def universe(text: str, publisher: Publisher) -> str:
    """The entry of spaCy's Universe with its links."""
    entry = json.loads(text)
    raw = publisher.address.replace("github.com", "raw.githubusercontent.com")
    entry["github"] = publisher.repository
    entry["thumb"] = f"{raw}/main/docs/images/keys.svg"
    entry["author_links"] = {"github": publisher.maintainers[0]}
    return json.dumps(entry, indent=2, ensure_ascii=False) + "\n"


def recipe(text: str, publisher: Publisher) -> str:
    """The conda recipe with its links and maintainers."""
    text = re.sub(r"^  (?:homepage|repository): .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\nextra:\n(?: .*\n)+", "", text)
    links = f"  homepage: {publisher.address}\n  repository: {publisher.address}\n"
    text = text.replace("about:\n", f"about:\n{links}", 1)
    names = "".join(f"    - {name}\n" for name in publisher.maintainers)
    return f"{text}\nextra:\n  recipe-maintainers:\n{names}"


def meta(text: str, publisher: Publisher) -> str:
    """A pipeline's meta.json, or what it is made of; sources keep their links."""
    fields = {"email": publisher.email, "url": publisher.address}
    for name, value in fields.items():
        text = re.sub(rf'^(  "{name}": ?)".*"', rf'\1"{value}"', text, flags=re.M)
    return text


def card(text: str, publisher: Publisher) -> str:
    """The card of a pipeline, whose author is a link."""
    return re.sub(
        r"^(\| \*\*Author\*\* \| )\[(.+?)\]\(.*?\)",
        rf"\1[\2]({publisher.address})",
        text,
        flags=re.MULTILINE,
    )


def page(text: str) -> str:
    """A page, or a program, of the published package."""
    text = UNTIL_PUBLISHED.sub("", text)
    text = ONCE_PUBLISHED.sub(r"\1", text)

    def on_pypi(match: re.Match[str]) -> str:
        return match[0] if match[1] == DEFAULT else match[1].replace("_", "-")

    return re.sub(r"\./packages/(\w+_gfl_\w+)", on_pypi, text)
