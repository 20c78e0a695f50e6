"""Which room of the package may know which: imports never run back up."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import spacy_gfl

# What is tested: the checkout, or an installed wheel.
PACKAGE = Path(spacy_gfl.__file__).parent
#: From the ground up. A room may import rooms of lower floors and itself. The wall is
#: between the parser, which is below, and the tools.
FLOORS = (
    {"trees"},
    {"languages", "layers"},
    {"annotation", "decoding"},
    {"model", "evaluation", "sentences", "data"},
    {"attach_juxtapose", "embedding", "transformer"},
    {"seq2seq", "pipe"},
    {"left_to_right", "functions"},
    # The tools, which may also use the names that any user may.
    {"tools.treebanks", "tools.pictures"},
    {"tools.query", "tools.evalb"},
    {"tools.syntax", "tools.training", "tools.errors", "tools.correction"},
    {"tools.cli"},
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
#: Files that make a model of thinc of a network.
ARCHITECTURES = {"architecture", "ensemble_architecture", "word_table"}


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
    """The room of a module, "" of the package itself, whose names are looked up."""
    parts = module.split(".")[1:]
    if not parts or not PACKAGE.joinpath(parts[0]).is_dir():
        return "".join(parts)
    return ".".join(parts[: 2 if parts[0] == "tools" else 1])


def floor(name):
    [found] = [i for i, rooms in enumerate(FLOORS) if name in rooms]
    return found


@pytest.mark.parametrize("floor_of_file", range(len(FLOORS)))
def test_no_import_runs_back_up(floor_of_file):
    """Rooms of one floor do not import each other: no decoder knows the other."""
    for name, file in MODULES.items():
        own = room(name)
        if own in ("", "tools") or floor(own) != floor_of_file:
            continue
        for module, at_once in imports(file):
            outside = module.split(".")[0]
            if outside != "spacy_gfl":
                allowed = file.stem in ARCHITECTURES
                allowed |= not at_once and (own, file.stem, outside) in LAZY
                assert allowed or outside not in OUTSIDE.get(own, ()), (name, module)
            elif room(module) != own:
                is_public = own.startswith("tools.") and room(module) == ""
                below = is_public or floor(room(module)) < floor_of_file
                assert below, f"{name} imports {module}"


def test_the_package_itself_imports_two_files():
    at_once = {module for module, at_once in imports(MODULES["spacy_gfl"]) if at_once}
    ours = {module for module in at_once if module.startswith("spacy_gfl")}
    rooms = {"spacy_gfl.annotation.extensions", "spacy_gfl.annotation.noun_chunks"}
    assert ours == rooms


def test_no_files_import_each_other_in_a_circle():
    arrows = {
        name: {module for module, _ in imports(file)} & MODULES.keys() - {name}
        for name, file in MODULES.items()
        if name != "spacy_gfl"
    }
    # Raises CycleError, which names the files.
    assert len(list(TopologicalSorter(arrows).static_order())) == len(MODULES)


def test_no_room_below_the_wall_names_a_tool_but_by_its_path():
    """Attributes, public names, other formats than .spacy and few bits are found so."""
    found = {
        name
        for name, file in MODULES.items()
        if not name.startswith("spacy_gfl.tools")
        and re.search(r"spacy_gfl\.tools|\"tools\.", file.read_text(encoding="utf-8"))
    }
    modules = (
        *("", ".__main__", ".annotation.extensions", ".data.corpus"),
        *(".model.weights", ".transformer.pretrained_encoder"),
    )
    assert found <= {f"spacy_gfl{module}" for module in modules}


def test_every_room_is_known():
    assert {*map(room, MODULES), "__main__"} - {"", "tools"} == set().union(*FLOORS)


#: What tools may import of each other and of the parser, beside the public names.
OF_TOOLS = """
    annotation.sentence_words.sentence_doc annotation.sentence_words.sentences
    evaluation.COLLINS evaluation.Parameters evaluation.Status evaluation.match_brackets
    tools.evalb.read_pair tools.evalb.score_pair
    tools.treebanks.bracket_counts.Rejections
    tools.treebanks.formats.docbin tools.treebanks.formats.find_format
    tools.treebanks.formats.lacks_trees
    tools.treebanks.formats.atomic_files.beside
    tools.treebanks.formats.atomic_files.locked
    tools.treebanks.formats.atomic_files.write_text
    tools.treebanks.formats.reading.AUTO tools.treebanks.formats.reading.Reading
    tools.treebanks.formats.text_files.read_lines
    tools.treebanks.inputs.begins_with_bracket tools.treebanks.inputs.read_docs
    tools.treebanks.inputs.read_treebank
    trees.tree.unary_chains
"""
MAY_IMPORT = {f"spacy_gfl.{name}" for name in (*spacy_gfl.__all__, *OF_TOOLS.split())}


@pytest.mark.parametrize("tool", ["correction", "errors", "training.silver"])
def test_tools_use_public_names_and_what_they_share(tool):
    own = f"spacy_gfl.tools.{tool}"
    for name, file in MODULES.items():
        if not name.startswith(own):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                "spacy_gfl"
            )
            if is_ours and not node.module.startswith(own):
                used = {f"{node.module}.{alias.name}" for alias in node.names}
                assert used <= MAY_IMPORT, (name, used - MAY_IMPORT)


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
