"""Make a release: addresses, wheels and sdists, trials of them, and a public history.

    python making/publishing/release.py prepare https://github.com/OWNER/spacy_gfl \
        --maintainer OWNER --email MAIL --python python3.10 --python python3.14

Nothing here publishes anything. README.md beside it says what a person does when.
"""

import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import addresses
import builds
import compatibility
import history
import trials
import typer
from addresses import DEFAULT, Publisher

app = typer.Typer(add_completion=False, rich_markup_mode=None)
ROOT = builds.ROOT
Out = Annotated[Path, typer.Option(help="The folder of wheels and sdists.")]
Address = Annotated[str, typer.Argument(help="https://github.com/OWNER/spacy_gfl")]
Maintainer = Annotated[list[str], typer.Option(help="A name on GitHub. Repeatable.")]
Email = Annotated[str, typer.Option(help="Where a letter reaches the maintainers.")]
Python = Annotated[list[str], typer.Option(help="A Python to try. Repeatable.")]
Torch = Annotated[str, typer.Option(help="How pip installs PyTorch.")]
#: PyPI takes no fourth pending publisher.
PENDING = 3
CPU_TORCH = "torch --index-url https://download.pytorch.org/whl/cpu"


@app.command()
def address(address: Address, maintainer: Maintainer, email: Email = "") -> None:
    """Write address, maintainers and contact into all files that say them."""
    publisher = Publisher(address.rstrip("/"), maintainer, email)
    addresses.write(publisher, ROOT)
    print(f"{publisher.repository} is written into the files: see git diff.")


@app.command()
def build(out: Out = ROOT / "dist", package_only: bool = False) -> None:
    """Build the package and all pipelines twice, and write hashes where they belong.

    Hashes of pipelines come into the table of the package's wheel, that of the
    package's sdist into the recipe, and those of all files into SHA256SUMS.
    """
    folders = [] if package_only else compatibility.packages()
    for old in (*out.glob("*.whl"), *out.glob("*.tar.gz"), *out.glob(builds.SUMS)):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        python = builds.make_environment(work / "env", "-r", str(builds.TOOLS))
        hashes = {}
        for package in folders:
            below = package.relative_to(ROOT).as_posix()
            builds.build_twice(python, ROOT, below, out, work / "build")
            wheel = f"{package.name}-{builds.version_of(package)}-py3-none-any.whl"
            hashes[package.name] = builds.sha256(out / wheel)
            print(f"{wheel}: {(out / wheel).stat().st_size / 1e6:.1f} MB")
        if hashes:
            compatibility.write(ROOT, hashes)
        builds.build_twice(python, ROOT, ".", out, work / "build")
        builds.run_twine(python, out)
    if hashes:
        fill_recipe(out)
    builds.write_sums(out)
    print(f"{len(list(out.iterdir())) - 1} files, built twice with the same bytes.")


def fill_recipe(out: Path, path: Path = ROOT / "making/publishing/recipe.yaml") -> None:
    """Put the version and the hash of the package's sdist into the conda recipe."""
    [sdist] = out.glob("spacy_gfl-*.tar.gz")
    version = sdist.name.removesuffix(".tar.gz").partition("-")[2]
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'sha256: "\w+"', f'sha256: "{builds.sha256(sdist)}"', text)
    text = re.sub(r'version: "[\d.]+"', f'version: "{version}"', text)
    path.write_text(text, encoding="utf-8")


@app.command("try")
def try_wheels(
    out: Out = ROOT / "dist",
    python: Python = [],  # noqa: B006 - typer's way
    torch: Torch = CPU_TORCH,
) -> None:
    """Install each wheel in clean environments and parse with it.

    Where there is no wheel of the package, or none of a pipeline, the checkout's is
    built.
    """
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder) / "wheels"
        shutil.copytree(out, wheels)
        missing = [] if list(wheels.glob("spacy_gfl-*.whl")) else ["."]
        if not trials.pipelines(wheels):
            missing.append(f"packages/{DEFAULT}")
        if missing:
            tools = builds.make_environment(
                Path(folder) / "env", "-r", str(builds.TOOLS)
            )
        for below in missing:
            work = Path(folder) / "build" / Path(below).name
            builds.build(tools, ROOT, below, wheels, work)
        for one in python or [""]:
            print(f"== {one or 'this Python'}", flush=True)
            trials.try_wheels(wheels, one, shlex.split(torch))


@app.command()
def check(out: Out = ROOT / "dist") -> None:
    """Check that wheels of pipelines are those of the table in the package's wheel."""
    known = {row.sha256: row.name for row in trials.read_table() if row.sha256}
    for name, wheel in trials.pipelines(out).items():
        if known.get(builds.sha256(wheel)) != name:
            raise SystemExit(f"{wheel.name} is not the wheel of the table.")
        print(f"{wheel.name} is the wheel of the table.")


def rounds(repository: str, tags: dict[str, str]) -> Iterator[str]:
    """What is to be done for each project, in rounds.

    PyPI takes three pending publishers at once, and no two with one environment. One
    that has published is no longer pending.

    Args:
        repository: Owner and name.
        tags: The tag of each project's release.
    """
    owner, name = repository.split("/")
    for number, (project, tag) in enumerate(tags.items()):
        if number % PENDING == 0:
            yield f"\n# Round {number // PENDING + 1}"
        yield (
            f"\n# {project}: owner {owner}, repository {name}, workflow release.yml, "
            f"environment pypi-{project}"
        )
        yield f"gh api -X PUT repos/{repository}/environments/pypi-{project}"
        files = "" if tag.startswith("v") else f" dist/{tag.replace('-v', '-')}*"
        yield f"gh release create {tag}{files} --target main --title {tag} --notes ''"


@app.command()
def publishers() -> None:
    """List what PyPI and GitHub must know before each project's first release."""
    repository = Publisher(builds.address_of(ROOT), []).repository
    tags = {"spacy-gfl": f"v{builds.version_of(ROOT)}"}
    pipelines = [package.name for package in compatibility.packages()]
    for one in sorted(pipelines, key=lambda name: name != DEFAULT):
        version = builds.version_of(ROOT / "packages" / one)
        tags[one.replace("_", "-")] = f"{one}-v{version}"
    print(*rounds(repository, tags), sep="\n")


@app.command()
def public(branch: str = "public") -> None:
    """Make the branch that becomes `main` of the public repository."""
    version = builds.version_of(ROOT)
    history.make_public(ROOT, branch, DEFAULT, f"spacy_gfl {version}")
    whole, stored = history.clone_size(ROOT, branch)
    print(f"A clone of {branch} takes {whole:.0f} MB, {stored:.0f} MB of them .git.")
    if url := builds.address_of(ROOT):
        print(f"git push {url}.git {branch}:main")
        print(f"git push {url}.git {history.KEPT}  # if wished: the history until now")


@app.command()
def prepare(
    address_: Annotated[str, typer.Argument(metavar="ADDRESS")],
    maintainer: Maintainer,
    email: Email = "",
    python: Python = [],  # noqa: B006 - typer's way
    torch: Torch = CPU_TORCH,
) -> None:
    """Do all that comes before publishing: address, build, try, publishers."""
    address(address_, maintainer, email)
    build()
    try_wheels(python=python, torch=torch)
    check()
    publishers()
    print("\nNow look at git diff, commit, and run: release.py public")


if __name__ == "__main__":
    app()
