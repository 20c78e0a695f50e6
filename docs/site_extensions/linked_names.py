"""Names such as `spacy_gfl.render` in a guide link to their reference.

A name that the reference does not have is a warning, hence an error in CI.
"""

import re
from pkgutil import resolve_name
from typing import Any, Dict

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_NAME = re.compile(r"(spacy_gfl(?:\.\w+)+)(\(.*\))?", re.DOTALL)
#: Names in spaCy's registries, which are no Python names.
_REGISTERED = re.compile(r".*\.v\d+")


def defining_name(name: str) -> str:
    """The name that an object has in the module that defines it, or "".

    `spacy_gfl.Tree` is `spacy_gfl.trees.tree.Tree`.
    """
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError):
        return ""
    return f"{found.__module__}.{found.__qualname__}" if callable(found) else ""


class LinkNames(SphinxPostTransform):
    """Wraps such literals in a reference."""

    # After references are resolved, before they are written.
    default_priority = 20

    def run(self, **kwargs: Any) -> None:
        """Go through the literals of a page."""
        objects = self.env.domains["py"].objects  # type: ignore[attr-defined]
        for literal in list(self.document.findall(nodes.literal)):
            match = _NAME.fullmatch(literal.astext())
            if not match or _REGISTERED.fullmatch(match[1]):
                continue
            if isinstance(literal.parent, nodes.reference):
                continue
            entry = objects.get(match[1]) or objects.get(defining_name(match[1]))
            self._link(literal, match[1], entry)

    def _link(self, literal: nodes.literal, name: str, entry: Any) -> None:
        if entry is None:
            _LOGGER.warning(
                "%s is not in the reference", name, location=literal, type="ref"
            )
            return
        page = self.env.docname
        target = self.app.builder.get_relative_uri(page, entry.docname)
        reference = nodes.reference("", "", internal=True)
        reference["refuri"] = f"{target}#{entry.node_id}"
        literal.replace_self(reference)
        reference += literal


def setup(app: Sphinx) -> Dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
