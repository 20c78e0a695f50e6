"""How Sphinx builds the site: `sphinx-build -W --keep-going -b html docs site`."""

import re
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from typer import Context
from typer.cli import get_docs_for_click
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
        command = get_command(spacy_gfl.tools.cli.app.app)
        _, _, text = get_docs_for_click(
            obj=command, ctx=Context(command), name="spacy-gfl"
        ).partition("\n")
        source[0] = f"# Commands\n{text}"


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _complete_page)
    app.add_transform(LinkNames)
