"""Write which version of a pipeline goes with which spacy-gfl, spaCy and Python.

    python making/publishing/compatibility.py

The table in the wheel, `spacy_gfl/tools/cli/compatibility.json`, is what `spacy-gfl
download` reads, and docs/reference/compatibility.md shows it. Versions come from
`packages/`. A published version stays in the table when the next one comes.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import srsly

from spacy_gfl.tools.cli.download import Release, read_table

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# Compatibility

The versions of spacy-gfl, spaCy and Python that each version of a pipeline needs, as
`spacy-gfl download` knows them.
"""


def packaged(package: Path, sha256: str | None = None) -> Release:
    """The row of a package, such as packages/en_gfl_sm.

    Args:
        package: Its folder.
        sha256: The hash of its wheel.

    Raises:
        ValueError: If it does not say which spacy-gfl it needs.
    """
    meta = srsly.read_json(package / package.name / "meta.json")
    project = (package / "pyproject.toml").read_text(encoding="utf-8")
    [python] = re.findall(r'^requires-python = "(.+)"$', project, re.MULTILINE)
    for line in meta["requirements"]:
        if needed := re.fullmatch(r"spacy-gfl(?:\[(.+)\])?([<>=!~].+)", line):
            extras = needed[1].split(",") if needed[1] else []
            return Release(
                *(package.name, meta["version"], needed[2], extras),
                *(meta["spacy_version"], python, sha256),
            )
    raise ValueError(f"{package} does not say which spacy-gfl it needs.")


def packages(root: Path = ROOT) -> list[Path]:
    """The folders of packages that a checkout has."""
    found = (path.parent for path in (root / "packages").glob("*/pyproject.toml"))
    return sorted(found)


def updated(
    table: list[Release], root: Path = ROOT, hashes: Mapping[str, str] | None = None
) -> list[Release]:
    """A table with the packages of a checkout in front of published versions.

    Args:
        table: The rows until now.
        root: The checkout.
        hashes: Of wheels just built, by the name of the pipeline.
    """
    known = {(row.name, row.version): row.sha256 for row in table}
    new = {}
    for package in packages(root):
        row = packaged(package)
        sha256 = (hashes or {}).get(row.name) or known.get((row.name, row.version))
        new[row.name] = row._replace(sha256=sha256)
    rows = []
    for name in sorted({row.name for row in table} | set(new)):
        if name in new:
            rows.append(new[name])
        for row in table:
            is_new = name in new and row.version == new[name].version
            # What was never published need not be remembered, once it is replaced.
            if row.name == name and not is_new and (row.sha256 or name not in new):
                rows.append(row)
    return rows


def as_json(table: list[Release]) -> str:
    """The file that the wheel has."""
    written: dict[str, dict[str, Any]] = {}
    for row in table:
        fields = row._asdict()
        name, version = fields.pop("name"), fields.pop("version")
        written.setdefault(name, {})[version] = fields
    return json.dumps(written, indent=2) + "\n"


def lines(table: list[Release]) -> Iterator[str]:
    """The page."""
    yield HEAD
    yield "| pipeline | version | spacy-gfl | spaCy | Python | published |"
    yield "|---|---|---|---|---|---|"
    for row in table:
        extras = f"[{','.join(row.extras)}]" if row.extras else ""
        needed = f"`{extras}{row.spacy_gfl}`"
        published = "yes" if row.sha256 else "not yet"
        cells = (row.name, row.version, needed, f"`{row.spacy}`", f"`{row.python}`")
        yield f"| `{cells[0]}` | " + " | ".join((*cells[1:], published)) + " |"


def page(table: list[Release]) -> str:
    """The whole page."""
    return "\n".join(lines(table)) + "\n"


def write(root: Path = ROOT, hashes: Mapping[str, str] | None = None) -> None:
    """Bring the table and the page of a checkout up to date."""
    path = root / "spacy_gfl" / "tools" / "cli" / "compatibility.json"
    table = updated(read_table(path) if path.exists() else [], root, hashes)
    path.write_text(as_json(table), encoding="utf-8")
    shown = root / "docs" / "reference" / "compatibility.md"
    shown.write_text(page(table), encoding="utf-8")


if __name__ == "__main__":
    write()
