"""Which room of the package may know which: imports never run back up."""

import ast
from pathlib import Path

import pytest

import spacy_gfl

# What is tested: the checkout, or an installed wheel.
PACKAGE = Path(spacy_gfl.__file__).parent
#: From the ground up. A room may import rooms of lower floors and itself.
FLOORS = (
    {"trees", "layers"},
    {"decoding", "annotation"},
    {"attach_juxtapose", "seq2seq", "evaluation", "query", "formats"},
    {"data", "parser"},
    {"pictures"},
    {""},
    {"cli"},
    {"__main__"},
)
#: What a room may import of other packages, where that is restricted.
OUTSIDE = {
    "trees": {"spacy", "thinc", "torch"},
    **{
        room: {"spacy", "thinc", "nltk"}
        for room in ("layers", "decoding", "attach_juxtapose", "seq2seq")
    },
}
#: The glossary of other languages' tags is looked up on demand.
LAZY = {("trees", "labels", "spacy")}


def imports(file):
    """The modules that a file imports, and whether it does so at once."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    at_once = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: name the package in imports"
            yield node.module, id(node) in at_once
        elif isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in at_once) for alias in node.names)


def room(module):
    parts = module.split(".")
    folder = PACKAGE.joinpath(*parts[1:2])
    return parts[1] if len(parts) > 1 and folder.is_dir() else "".join(parts[1:2])


def floor(name):
    [found] = [i for i, rooms in enumerate(FLOORS) if name in rooms]
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize(
    "file", FILES, ids=[str(file.relative_to(PACKAGE)) for file in FILES]
)
def test_no_import_runs_back_up(file):
    parts = file.relative_to(PACKAGE).parts
    own = parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")
    own = "" if own == "__init__" else own
    for module, at_once in imports(file):
        outside = module.split(".")[0]
        if outside != "spacy_gfl":
            allowed = not at_once and (own, file.stem, outside) in LAZY
            assert allowed or outside not in OUTSIDE.get(own, ()), module
        elif room(module) != own:
            assert floor(room(module)) < floor(own), f"{own} imports {module}"


def test_every_room_is_known():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders | {"", "__main__"} == set().union(*FLOORS)
