"""Write docs/reference/settings.md from the code: every setting that a config can have.

    python making/write_settings.py

Names come from the installed entry points, settings and defaults from signatures, and
meanings from the `Args:` of docstrings.
"""

import inspect
import json
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint, distribution
from pathlib import Path
from typing import Any

import spacy

from spacy_gfl.functions.component import ConstituentFunctions
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.pipe.search_settings import SearchSettings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "settings.md"
FACTORY, FUNCTIONS = "constituency_parser", "constituent_functions"
HEAD = """# Settings

Every setting that a spaCy config can give to a name that this package registers. Values
are written as in a config; "required" means that there is no default. The
[recipes](../how-to/train.md) in `configs/` set them. `python making/write_settings.py`
writes this page from signatures and docstrings.
"""


def described(docstring: str, heading: str) -> dict[str, str]:
    """The descriptions of a Google-style section, such as `Args`, by name."""
    section = re.search(rf"^{heading}:\n((?: +.*\n?|\n)+)", docstring, re.MULTILINE)
    if section is None:
        return {}
    entries = re.split(r"^ {4}(?=\S)", section[1], flags=re.MULTILINE)[1:]
    pairs = (entry.split(":", 1) for entry in entries)
    return {name.lstrip("*"): " ".join(text.split()) for name, text in pairs}


def value(default: Any) -> str:
    """A default as it stands in a config."""
    if isinstance(default, dict):
        for name in default:
            if name.startswith("@"):
                return f"`{default[name]}`"
    return f"`{json.dumps(default)}`"


def rows(settings: dict[str, str], meanings: dict[str, str]) -> Iterator[str]:
    """The table of some settings, each with its default.

    Raises:
        ValueError: If a setting has no description.
    """
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    for name, default in settings.items():
        if not meanings.get(name):
            raise ValueError(f"{name} has no description in its docstring.")
        meaning = meanings[name].replace("|", "\\|")
        yield f"| `{name}` | {default} | {meaning} |"


def component() -> Iterator[str]:
    """The sections of the components and of the parser's search."""
    defaults = spacy.blank("en").get_factory_meta(FACTORY).default_config
    search = SearchSettings().model_dump()
    shown = {name: value(default) for name, default in defaults.items()}
    shown["search"] = f"[below](#{FACTORY}-search)"
    yield f"## {FACTORY}\n"
    yield "The component: `[components.constituency_parser]`.\n"
    yield from rows(shown, described(inspect.getdoc(ConstituencyParser) or "", "Args"))
    yield f"\n## {FACTORY} search\n"
    yield (
        "`[components.constituency_parser.search]`, and in Python"
        ' `nlp.get_pipe("constituency_parser").search`, which you may change between'
        " two parses.\n"
    )
    settings = spacy.blank("en").add_pipe(FACTORY).search
    meanings = described(inspect.getdoc(type(settings)) or "", "Attributes")
    yield from rows({name: value(search[name]) for name in search}, meanings)
    defaults = spacy.blank("en").get_factory_meta(FUNCTIONS).default_config
    yield f"\n## {FUNCTIONS}\n"
    yield "The component: `[components.constituent_functions]`.\n"
    meanings = described(inspect.getdoc(ConstituentFunctions) or "", "Args")
    yield from rows({name: value(x) for name, x in defaults.items()}, meanings)


def registered(registry: str, entry: EntryPoint) -> Iterator[str]:
    """The section of a function that is registered."""
    function = entry.load()
    docstring = inspect.getdoc(function) or ""
    yield f"\n## {entry.name}\n"
    place = f"{function.__module__}.{function.__qualname__}"
    yield f'`@{registry} = "{entry.name}"`, which is `{place}`.'
    yield " ".join(docstring.split("\n\n")[0].split())
    parameters = inspect.signature(function).parameters.values()
    settings = {
        parameter.name: "required"
        if parameter.default is parameter.empty
        else value(parameter.default)
        for parameter in parameters
    }
    if settings:
        yield ""
        yield from rows(settings, described(docstring, "Args"))


def page() -> str:
    lines = [HEAD, *component()]
    entries = [
        (entry.group.partition("_")[2], entry)
        for entry in distribution("spacy-gfl").entry_points
        if entry.group.startswith(("spacy_", "thinc_"))
        and entry.group != "spacy_factories"
    ]
    for registry, entry in sorted(entries, key=lambda pair: (pair[0], pair[1].name)):
        lines += registered(registry, entry)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
