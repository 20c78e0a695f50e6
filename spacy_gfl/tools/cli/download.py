"""`spacy-gfl download`: a trained pipeline by its name, checked by its hash."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import errors_said

#: Which version of a pipeline goes with which versions of what it needs, and the hash
#: of its wheel. `making/publishing/compatibility.py` writes it.
TABLE = Path(__file__).with_name("compatibility.json")


class Release(NamedTuple):
    """A version of a pipeline, as the table has it.

    Attributes:
        name: Such as `en_gfl_sm`.
        version: Such as `1.8.0`.
        spacy_gfl: The versions of this package that read it.
        extras: Extras of this package that it needs.
        spacy: The versions of spaCy that read it.
        python: The versions of Python that run it.
        sha256: The hash of its wheel, or None before the wheel is published.
    """

    name: str
    version: str
    spacy_gfl: str
    extras: list[str]
    spacy: str
    python: str
    sha256: str | None


def read_table(path: Path = TABLE) -> list[Release]:
    """The rows of the table: by name, and the newest version of a name first."""
    table = json.loads(path.read_text(encoding="utf-8"))
    return [
        Release(name, number, **row)
        for name, versions in table.items()
        for number, row in versions.items()
    ]


def find_release(wanted: str, table: Iterable[Release], own_version: str) -> Release:
    """Find what to install for a name, or a name and a version.

    Args:
        wanted: Such as `en_gfl_sm`, or `en_gfl_sm==1.8.0`.
        table: What there is.
        own_version: The version of this package.

    Returns:
        The newest published version that this package reads. It has a hash.

    Raises:
        ValueError: If there is none.
    """
    name, _, number = wanted.replace("-", "_").partition("==")
    rows = list(table)
    if not (named := [row for row in rows if row.name == name]):
        names = ", ".join(dict.fromkeys(row.name for row in rows))
        raise ValueError(f"There is no pipeline {name}. There are: {names}.")
    if not (asked := [row for row in named if number in ("", row.version)]):
        versions = ", ".join(row.version for row in named)
        raise ValueError(f"{name} has no version {number}. It has: {versions}.")
    if not (published := [row for row in asked if row.sha256]):
        raise ValueError(
            f"{name} {asked[0].version} is not published yet. In a clone of the "
            f"repository that has it, `pip install ./packages/{name}` installs it."
        )
    for row in published:
        if SpecifierSet(row.spacy_gfl).contains(own_version, prereleases=True):
            return row
    raise ValueError(
        f"{name} {published[0].version} needs spacy-gfl {published[0].spacy_gfl}, and "
        f"{own_version} is installed."
    )


def install(release: Release, pip_options: Sequence[str] = ()) -> None:
    """Let pip install the wheel of a release into this environment.

    pip refuses a wheel that has another hash than the table.

    Args:
        release: What to install; it has a hash.
        pip_options: Further options of `pip install`.

    Raises:
        ImportError: If the environment has no pip.
        ValueError: If pip does not install it. pip has said why.
    """
    project = release.name.replace("_", "-")
    line = f"{project}=={release.version}"
    if find_spec("pip") is None:
        raise ImportError(
            f"This environment has no pip. `uv pip install {line}` installs the "
            "pipeline; `python -m ensurepip` installs pip."
        )
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{line} --hash=sha256:{release.sha256}\n", encoding="utf-8")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--no-deps"),
                *("--only-binary", ":all:", "--require-hashes", "-r", str(wanted)),
                *pip_options,
            ],
            check=False,
        )
    if done.returncode:
        raise ValueError(f"pip has not installed {line}; see the lines above.")


def missing_packages(extras: Iterable[str]) -> Iterator[str]:
    """The packages of extras of this package that the environment lacks."""
    for extra in extras:
        for line in requires("spacy-gfl") or ():
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or marker.evaluate({"extra": ""}):
                continue
            if marker.evaluate({"extra": extra}) and not _is_met(requirement):
                yield requirement.name


def _is_met(requirement: Requirement) -> bool:
    try:
        installed = distribution(requirement.name).version
    except PackageNotFoundError:
        return False
    return requirement.specifier.contains(Version(installed), prereleases=True)


@app.command(
    "download",
    cls=GroupedCommand,
    no_args_is_help=True,
    context_settings={"ignore_unknown_options": True},
)
@errors_said()
def download_command(
    pipeline: Annotated[
        str,
        typer.Argument(
            help="The pipeline's name, such as en_gfl_lg, or en_gfl_lg==1.1.0."
        ),
    ],
    pip_options: Annotated[
        list[str] | None,
        typer.Argument(help="Options of `pip install`, such as --user."),
    ] = None,
) -> None:
    """Install a trained pipeline from PyPI, and check its hash.

    Without a version, the newest one that works with this spacy-gfl is installed.
    """
    release = find_release(pipeline, read_table(), version("spacy-gfl"))
    install(release, pip_options or [])
    if missing := ", ".join(missing_packages(release.extras)):
        extras = ",".join(release.extras)
        typer.echo(
            f"{release.name} also needs {missing}: "
            f'pip install "spacy-gfl[{extras}]" installs what is missing.'
        )
