"""Make a Python package of a trained pipeline, by `spacy package`.

    python scripts/package.py training/mine/model-best output --name gfl_mine

A package is imported by its name, so what cannot stand in one becomes `_`:
`--name gfl_my-trees` makes en_gfl_my_trees.
"""

import re
from pathlib import Path
from typing import Annotated
from unicodedata import normalize

import typer
from spacy.cli.package import package


def module_name(name: str) -> str:
    """A name that Python can import, as like to another as can be."""
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"\W+", "_", letters).strip("_")


def main(
    pipeline: Annotated[Path, typer.Argument(help="The folder of the pipeline.")],
    output: Annotated[Path, typer.Argument(help="Where the package is written.")],
    name: Annotated[
        str, typer.Option(help="The name of the package, after the language.")
    ],
    version: Annotated[str, typer.Option(help="Its version.")] = "0.1.0",
) -> None:
    """Package a pipeline as <lang>_<name>."""
    output.mkdir(parents=True, exist_ok=True)
    package(
        pipeline,
        output,
        name=module_name(name),
        version=version,
        create_sdist=True,
        force=True,
        silent=False,
    )


if __name__ == "__main__":
    typer.run(main)
