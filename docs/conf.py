"""How Sphinx builds the site: `sphinx-build -W --keep-going -b html docs site`."""

import re
import sys
from pathlib import Path
from typing import List

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "site_extensions"))

import spacy_gfl

project = "spacy_gfl"
author = "The spacy_gfl developers"
copyright = author
version = release = spacy_gfl.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "plain_docstrings",
    "command_reference",
    "linked_names",
]
exclude_patterns = ["site_extensions"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = f"spacy_gfl {version}"
html_copy_source = False

# Options are written --so, also outside code.
smartquotes = False

# Links to headings, as GitHub makes them.
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_inherit_docstrings = False
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

# A reference to anything of ours that the site does not have is an error, but for
# private names; what other packages have is not looked up: a build needs no network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!spacy_gfl\b).*"),
    (r"py:.*", r"spacy_gfl\..*\b_\w+"),
]


def _join_workflow(app: Sphinx, page: str, source: List[str]) -> None:
    """Make spaCy's part of a page, written to stand by itself, a part of it."""
    if page == "project":
        text = source[0].replace("(project.yml)", "(../project.yml)")
        source[0] = re.sub(r"^# Weasel Project: .*\n", "", text, flags=re.MULTILINE)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _join_workflow)
