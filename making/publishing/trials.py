"""Install built wheels in clean environments outside the checkout, and parse."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from builds import make_environment, pip

from spacy_gfl.tools.cli.download import read_table

#: What each pipeline reads, by the language in its name.
TEXTS = {
    "en": "The keys to the cabinet are on the table.",
    "id": "Saya membaca buku itu.",
    "is": "Hún las bókina í gær.",
    "xx": "The keys to the cabinet are on the table.",
}
#: Prints a tree, and ends with an error unless it is one of the installed wheel. A
#: pipeline without a parser gives the trees of others function tags.
PROGRAM = """
import sys, spacy, spacy_gfl
TREE = "(S (NP (DT The) (NN teacher)) (VP (VBD found) (NP (NNS keys))) (. .))"
name, text = sys.argv[1:]
nlp = spacy.load(name)
for path in (spacy_gfl.__file__, spacy.util.get_package_path(name)):
    assert str(path).startswith(sys.prefix), path
doc = nlp.make_doc(text)
if not nlp.has_pipe("constituency_parser"):
    [doc] = spacy_gfl.trees_to_docs(spacy_gfl.read_trees(TREE), nlp.vocab)
[tree] = map(str, spacy_gfl.get_trees(nlp(doc), functions=True))
assert tree.count("(") > len(doc) + 2, tree
assert nlp.has_pipe("constituency_parser") or "(NP-SBJ " in tree, tree
print(f"{name} {nlp.meta['version']}: {tree}")
"""


def pipelines(wheels: Path) -> dict[str, Path]:
    """The wheels of pipelines in a folder by name, those without an extra first."""
    with_extra = {row.name for row in read_table() if row.extras}
    found = {path.name.split("-")[0]: path for path in wheels.glob("*_gfl_*.whl")}
    return dict(sorted(found.items(), key=lambda item: item[0] in with_extra))


def try_wheels(
    wheels: Path, python: str = "", torch: Sequence[str] = ("torch",)
) -> None:
    """Install the package and then each pipeline, alone, and let it parse.

    Pipelines are installed by `spacy-gfl download`, which checks their hashes by the
    table in the wheel.

    Args:
        wheels: A folder with the wheels of the package and of pipelines.
        python: The Python to try; without one, this one.
        torch: Arguments of `pip install` that install PyTorch.
    """
    [package] = wheels.glob("spacy_gfl-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        run = make_environment(Path(folder) / "env", *torch, python=python)
        pip(run, "install", package)
        for name, wheel in pipelines(wheels).items():
            # What the wheel needs: an extra of this package.
            pip(run, "install", "--find-links", wheels, wheel)
            pip(run, "uninstall", "--yes", name)
            offline = ["--no-index", "--find-links", wheels, "--quiet"]
            for command in (
                ["-m", "spacy_gfl", "download", name, *offline],
                ["-m", "pip", "check"],
                ["-I", "-W", "ignore", "-c", PROGRAM, name, TEXTS[name[:2]]],
            ):
                subprocess.run([run, *command], check=True, cwd=folder)
            pip(run, "uninstall", "--yes", name)
