"""Which room of the package may know which: imports never run back up."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import spacy_gfl

# What is tested: the checkout, or an installed wheel.
PACKAGE = Path(spacy_gfl.__file__).parent
#: From the ground up. A room may import rooms of lower floors and itself.
FLOORS = (
    {"trees"},
    {"languages", "layers"},
    {"annotation", "decoding"},
    {"attach_juxtapose", "seq2seq", "evaluation", "formats", "query"},
    {"data", "model", "syntax"},
    {"embedding", "transformer"},
    {"pipe"},
    {"pictures"},
    {""},
    {"apps"},
    {"cli"},
    {"__main__"},
)
#: What a room may import of other packages, where that is restricted.
OUTSIDE = {
    "trees": {"spacy", "thinc", "torch"},
    "languages": {"spacy", "thinc", "torch"},
    **{
        room: {"spacy", "thinc", "nltk"}
        for room in ("layers", "decoding", "attach_juxtapose", "seq2seq")
    },
}
#: The glossary of other languages' tags is looked up on demand.
LAZY = {("languages", "meanings", "spacy")}


def imports(file):
    """The modules that a file imports, for types too, and whether at once."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    at_once = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: name the package in imports"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module, id(node) in at_once
        elif isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in at_once) for alias in node.names)


def module_name(file):
    parts = ("spacy_gfl", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def room(module):
    parts = module.split(".")
    folder = PACKAGE.joinpath(*parts[1:2])
    return parts[1] if len(parts) > 1 and folder.is_dir() else "".join(parts[1:2])


def floor(name):
    [found] = [i for i, rooms in enumerate(FLOORS) if name in rooms]
    return found


@pytest.mark.parametrize("floor_of_file", range(len(FLOORS)))
def test_no_import_runs_back_up(floor_of_file):
    """Rooms of one floor do not import each other: no decoder knows the other."""
    for name, file in MODULES.items():
        own = room(name)
        for module, at_once in imports(file) if floor(own) == floor_of_file else ():
            outside = module.split(".")[0]
            if outside != "spacy_gfl":
                allowed = not at_once and (own, file.stem, outside) in LAZY
                assert allowed or outside not in OUTSIDE.get(own, ()), (name, module)
            elif room(module) != own:
                assert floor(room(module)) < floor_of_file, f"{name} imports {module}"


def test_no_files_import_each_other_in_a_circle():
    arrows = {
        name: {module for module, _ in imports(file)} & MODULES.keys() - {name}
        for name, file in MODULES.items()
    }
    # Raises CycleError, which names the files.
    assert len(list(TopologicalSorter(arrows).static_order())) == len(MODULES)


def test_every_room_is_known():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders | {"", "__main__"} == set().union(*FLOORS)


#: What a user may import: the names on the page of the API.
PUBLIC = set(
    re.findall(
        r"`(spacy_gfl[\w.]*)`",
        (Path(__file__).parents[1] / "docs/reference/api.md").read_text(),
    )
)


@pytest.mark.parametrize("app", ["correction", "errors", "silver"])
def test_programs_use_what_any_user_may_import(app):
    for name, file in MODULES.items():
        if not name.startswith(f"spacy_gfl.apps.{app}"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                "spacy_gfl"
            )
            if is_ours and not node.module.startswith(f"spacy_gfl.apps.{app}"):
                used = {f"{node.module}.{alias.name}" for alias in node.names}
                assert used <= PUBLIC, (name, used - PUBLIC)


def test_functions_take_six_values_at_most_but_commands_and_settings():
    """Settings are what constructors and the functions that a config names take."""
    for name, file in MODULES.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            named = re.match(r"__init__$|build_|make_|\w+_command$", node.name)
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            taken = [one.arg for one in given if one.arg not in ("self", "cls")]
            assert named or len(taken) <= 6, (name, node.name, taken)
