"""How Sphinx builds the site: `sphinx-build -W --keep-going -b html docs site`."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from typer.main import get_command

import spacy_gfl.tools.cli

project = "spacy_gfl"
author = "The spacy_gfl developers"
copyright = author
version = release = spacy_gfl.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.apidoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
html_theme = "furo"
html_title = f"spacy_gfl {version}"
html_copy_source = False
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))

# Options are written --so, also outside code.
smartquotes = False

# Links to headings, as GitHub makes them.
myst_heading_anchors = 3

# A page for each room of the package; the command line has its own.
apidoc_modules = [
    {
        "path": "../spacy_gfl",
        "destination": "reference/modules",
        "exclude_patterns": ["../spacy_gfl/tools/cli", "../spacy_gfl/__main__.py"],
        "module_first": True,
    }
]
apidoc_automodule_options = {"members", "show-inheritance"}
exclude_patterns = ["reference/modules/modules.rst"]
# What a package gives on is documented where it is defined.
autodoc_default_options = {"ignore-module-all": True}
# An extra, without which the site is built too.
autodoc_mock_imports = ["curated_transformers", "fsspec", "tokenizers"]
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_typehints_format = "short"
autodoc_use_type_comments = False
maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

# Docstrings are in Google style; `code` in them stands between single backticks.
default_role = "literal"
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# A reference to anything of ours that the site does not have is an error, but for
# private names and type variables; what other packages have is not looked up: a
# build needs no network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!spacy_gfl\b).*"),
    (r"py:.*", r"spacy_gfl\..*\b(_\w+|[A-Z]\w*T)"),
]


class LinkNames(SphinxTransform):
    """Names such as `spacy_gfl.render` in a guide link to their reference."""

    default_priority = 500
    # Names in spaCy's registries (spacy_gfl.Seq2Seq.v1) are no Python names.
    pattern = re.compile(r"(spacy_gfl(?:\.(?!v\d+\b)\w+)+)(?:\(.*\))?", re.DOTALL)

    def apply(self, **kwargs: Any) -> None:
        """Wrap such literals in references."""
        for literal in list(self.document.findall(nodes.literal)):
            match = self.pattern.fullmatch(literal.astext())
            if match and not isinstance(literal.parent, nodes.reference):
                options = {"refdomain": "py", "reftype": "obj", "refwarn": True}
                target = defining_name(match[1])
                reference = pending_xref("", reftarget=target, **options)
                literal.replace_self(reference)
                reference += literal


def defining_name(name: str) -> str:
    """The name of an object in the module that defines it.

    `spacy_gfl.Tree` is `spacy_gfl.trees.tree.Tree`.
    """
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError):
        return name
    if isinstance(found, ModuleType):
        return found.__name__
    return f"{found.__module__}.{found.__qualname__}" if callable(found) else name


def _complete_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Put what spaCy and Typer write into a page; name files that the site has not."""
    source[0] = re.sub(
        r"\[([^\]]+)\]\((?:\.\./)+(making/[^)#]+\.md|CONTRIBUTING\.md)[^)]*\)",
        r"\1 (`\2`)",
        source[0],
    )
    if page == "reference/cli":
        source[0] = "\n".join(_commands())


def _commands() -> Iterator[str]:
    """The page of the commands: what each `--help` says, in its groups."""
    group: Any = get_command(spacy_gfl.tools.cli.app.app)
    context = group.make_context("spacy-gfl", [], resilient_parsing=True)
    yield f"# Commands\n\n{inspect.cleandoc(group.help)}\n"
    for name in group.list_commands(context):
        command = group.commands[name]
        info = command.make_context(
            f"spacy-gfl {name}", [], parent=context, resilient_parsing=True
        )
        usage = " ".join(command.collect_usage_pieces(info))
        yield f"## {name}\n\n{inspect.cleandoc(command.help)}\n"
        yield f"```console\n$ spacy-gfl {name} {usage}\n```\n"
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in command.get_params(info):
            if row := param.get_help_record(info):
                kind = f"{param.param_type_name}s".capitalize()
                groups.setdefault(param.rich_help_panel or kind, []).append(row)
        groups["Options"] = groups.pop("Options")  # last
        for heading, rows in groups.items():
            yield f"**{heading}**\n"
            yield from (f"- `{names}`: {text}" for names, text in rows)
            yield ""


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _complete_page)
    app.add_transform(LinkNames)
