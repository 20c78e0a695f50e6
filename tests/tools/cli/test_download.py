"""`spacy-gfl download`: which version is taken, and what pip does with it."""

import base64
import hashlib
import zipfile
from importlib.metadata import PackageNotFoundError, version

import pytest
from helpers.cli import refusal, run

from spacy_gfl.tools.cli.download import (
    Release,
    find_release,
    install,
    missing_packages,
    read_table,
)

ANY = {"extras": [], "spacy": ">=3.8", "python": ">=3.10"}
TABLE = [
    Release("en_gfl_xx", "3.0.0", ">=1.1,<2", sha256=None, **ANY),
    Release("en_gfl_xx", "2.0.0", ">=1.1,<2", sha256="b" * 64, **ANY),
    Release("en_gfl_xx", "1.0.0", ">=1.0,<2", sha256="a" * 64, **ANY),
    Release("id_gfl_xx", "1.0.0", ">=1.0,<2", sha256=None, **ANY),
]


@pytest.mark.parametrize(
    ("wanted", "own", "expected"),
    [
        ("en_gfl_xx", "1.0.2", "1.0.0"),
        ("en_gfl_xx", "1.1.0", "2.0.0"),
        ("en_gfl_xx", "1.2.0.dev1", "2.0.0"),
        ("en-gfl-xx==1.0.0", "1.1.0", "1.0.0"),
    ],
)
def test_the_newest_published_version_that_is_read_is_found(wanted, own, expected):
    assert find_release(wanted, TABLE, own).version == expected


@pytest.mark.parametrize(
    ("wanted", "own", "says"),
    [
        ("id_gfl_xx", "1.0.0", r"id_gfl_xx 1\.0\.0 is not published yet.+packages/id"),
        ("en_gfl_xx==3.0.0", "1.1.0", r"en_gfl_xx 3\.0\.0 is not published yet"),
        ("en_gfl_xx==2.0.0", "1.0.0", r"needs spacy-gfl >=1\.1,<2, and 1\.0\.0 is"),
        ("en_gfl_xx==9", "1.0.0", r"no version 9\. It has: 3\.0\.0, 2\.0\.0, 1\.0\.0"),
        ("de_gfl_xx", "1.0.0", r"no pipeline de_gfl_xx\. There are: en_gfl_xx, id_gfl"),
    ],
)
def test_what_cannot_be_installed_is_explained(wanted, own, says):
    with pytest.raises(ValueError, match=says):
        find_release(wanted, TABLE, own)


def test_the_command_names_the_pipelines_of_its_table():
    names = {row.name for row in read_table()}
    assert {"en_gfl_sm", "en_gfl_lg", "xx_gfl_trf"} <= names
    said = refusal(run("download", "de_gfl_none"))
    assert all(name in said for name in names)


@pytest.fixture
def wheel(tmp_path):
    """A wheel of one file, as an index has it."""
    files = {
        "en_gfl_xx/__init__.py": b"NAME = 'en_gfl_xx'\n",
        "en_gfl_xx-1.0.0.dist-info/METADATA": b"Metadata-Version: 2.1\n"
        b"Name: en_gfl_xx\nVersion: 1.0.0\nRequires-Dist: no-such-project\n",
        "en_gfl_xx-1.0.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: none\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "en_gfl_xx-1.0.0.dist-info/RECORD"
    path = tmp_path / "en_gfl_xx-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        digests = {name: hashlib.sha256(c).digest() for name, c in files.items()}
        lines = (
            f"{name},sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')},"
            for name, digest in digests.items()
        )
        archive.writestr(record, "\n".join([*lines, f"{record},,"]))
    return path


def test_pip_installs_the_wheel_of_the_hash_and_no_other(wheel, tmp_path):
    target = tmp_path / "target"
    options = ["--no-index", "--find-links", str(wheel.parent)]
    options += ["--target", str(target), "--quiet"]
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    with pytest.raises(ValueError, match=r"not installed en-gfl-xx==1\.0\.0"):
        install(TABLE[2], options)
    assert not target.exists()
    install(TABLE[2]._replace(sha256=right), options)
    assert (target / "en_gfl_xx" / "__init__.py").exists()


def is_installed(project):
    try:
        return bool(version(project))
    except PackageNotFoundError:
        return False


def test_packages_of_an_extra_that_are_missing_are_named():
    assert not list(missing_packages([]))
    named = ["curated-transformers", "tokenizers", "safetensors", "ray", "pyarrow"]
    expected = [name for name in named if not is_installed(name)]
    assert list(missing_packages(["transformers", "ray"])) == expected
