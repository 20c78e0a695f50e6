"""Build wheels and sdists outside the checkout, twice, and compare the bytes."""

import filecmp
import hashlib
import os
import re
import shutil
import subprocess
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The versions of what builds: another one may write other bytes.
TOOLS = Path(__file__).with_name("build-requirements.txt")
SUMS = "SHA256SUMS"


def make_environment(folder: Path, *requirements: str, python: str = "") -> Path:
    """Make a virtual environment, and give its Python.

    Args:
        folder: Where.
        requirements: Arguments of `pip install`.
        python: The Python to make it of; without one, this one.
    """
    if python:
        subprocess.run([python, "-m", "venv", folder], check=True)
    else:
        venv.create(folder, with_pip=True)
    inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    if requirements:
        pip(folder / inside, "install", *requirements)
    return folder / inside


def pip(python: Path, *arguments: str | Path) -> None:
    """Run the pip of an environment, outside the checkout."""
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *arguments], check=True, cwd=python.parent)


def copy_checkout(root: Path, folder: Path, below: str = ".") -> None:
    """Copy the files that git knows, and that are there, as a build sees them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", below], cwd=root, check=True, capture_output=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)


def with_whole_links(text: str, address: str, version: str) -> str:
    """A page whose links and pictures are found from anywhere.

    PyPI shows README beside none of the files that it links to.
    """
    at = f"{address}/blob/v{version}/"
    raw = address.replace("github.com", "raw.githubusercontent.com") + f"/v{version}/"
    relative = r"(?!\w+:|#)"
    text = re.sub(rf"\]\({relative}([^)]+)\)", rf"]({at}\1)", text)
    return re.sub(rf'src="{relative}([^"]+)"', rf'src="{raw}\1"', text)


def address_of(root: Path) -> str:
    """The repository's address in pyproject.toml, or nothing before it has one."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^Homepage = "(.+)"$', text, re.MULTILINE)
    return found[1] if found else ""


def version_of(project: Path) -> str:
    """The version in a pyproject.toml's folder."""
    text = (project / "pyproject.toml").read_text(encoding="utf-8")
    [version] = re.findall(r'^version = "(.+)"$', text, re.MULTILINE)
    return version


def build(python: Path, root: Path, below: str, out: Path, work: Path) -> list[Path]:
    """Build a wheel and an sdist of a copy.

    Args:
        python: Of an environment with what TOOLS lists.
        root: The checkout.
        below: What to build in it: `.`, or such as `packages/en_gfl_sm`.
        out: Where the files go.
        work: A folder for the copy.
    """
    copy_checkout(root, work, below)
    if below == "." and (address := address_of(root)):
        readme = work / "README.md"
        text = readme.read_text(encoding="utf-8")
        text = with_whole_links(text, address, version_of(root))
        readme.write_text(text, encoding="utf-8")
    # Without it, hatchling takes a date that never changes.
    environment = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    command = [python, "-m", "build", "--quiet", "--no-isolation", "--outdir", out]
    subprocess.run([*command, work / below], check=True, env=environment, cwd=work)
    return sorted(out.iterdir())


def build_twice(python: Path, root: Path, below: str, out: Path, work: Path) -> None:
    """Build, and raise unless a second build gives the same bytes.

    Raises:
        ValueError: If it does not.
    """
    built = []
    for name in ("once", "again"):
        folder = work / name
        built.append(build(python, root, below, folder / "out", folder / "copy"))
        shutil.rmtree(folder / "copy")
    for one, other in zip(*built, strict=True):
        if one.name != other.name or not filecmp.cmp(one, other, shallow=False):
            raise ValueError(f"{one.name} differs each time that it is built.")
        out.mkdir(parents=True, exist_ok=True)
        shutil.move(one, out / one.name)
    shutil.rmtree(work)


def run_twine(python: Path, folder: Path) -> None:
    """Let twine check what PyPI will read."""
    files = [path for path in folder.iterdir() if path.name != SUMS]
    command = [python, "-m", "twine", "check", "--strict", *files]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def sha256(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sums(folder: Path) -> None:
    """Write what `sha256sum --check SHA256SUMS` reads."""
    files: Iterable[Path] = (path for path in folder.iterdir() if path.name != SUMS)
    lines = (f"{sha256(path)}  {path.name}\n" for path in sorted(files))
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
