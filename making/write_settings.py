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

Every setting that a spaCy config can give to this package, with its default as in a
config. The [recipes](../how-to/train.md) in `configs/` set them.
"""
#: A setting that has this entry's default and meaning is only named in other sections.
MODEL = "spacy_gfl.AttachJuxtapose.v1"


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
    yield f"`[components.{FACTORY}]`\n"
    yield from rows(shown, described(inspect.getdoc(ConstituencyParser) or "", "Args"))
    yield f"\n## {FACTORY} search\n"
    yield (
        f"`[components.{FACTORY}.search]`, and in Python"
        f' `nlp.get_pipe("{FACTORY}").search`, which you may change between two'
        " parses.\n"
    )
    settings = spacy.blank("en").add_pipe(FACTORY).search
    meanings = described(inspect.getdoc(type(settings)) or "", "Attributes")
    yield from rows({name: value(search[name]) for name in search}, meanings)
    defaults = spacy.blank("en").get_factory_meta(FUNCTIONS).default_config
    yield f"\n## {FUNCTIONS}\n"
    yield f"`[components.{FUNCTIONS}]`\n"
    meanings = described(inspect.getdoc(ConstituentFunctions) or "", "Args")
    yield from rows({name: value(x) for name, x in defaults.items()}, meanings)


def settings_of(entry: EntryPoint) -> dict[str, tuple[str, str]]:
    """The default and the description of each setting of a registered function."""
    function = entry.load()
    meanings = described(inspect.getdoc(function) or "", "Args")
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        is_required = parameter.default is parameter.empty
        default = "required" if is_required else value(parameter.default)
        found[name] = default, meanings.get(name, "")
    return found


def registered(entry: EntryPoint, shared: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The section of a registered function, which only names `shared` settings."""
    docstring = inspect.getdoc(entry.load()) or ""
    yield f"\n### {entry.name}\n"
    yield " ".join(docstring.split("\n\n")[0].split())
    settings = settings_of(entry)
    repeated = [name for name in settings if settings[name] == shared.get(name)]
    if own := {name: settings[name] for name in settings if name not in repeated}:
        defaults, meanings = zip(*own.values(), strict=True)
        yield ""
        yield from rows(
            dict(zip(own, defaults, strict=True)), dict(zip(own, meanings, strict=True))
        )
    if repeated:
        names = ", ".join(f"`{name}`" for name in repeated)
        anchor = MODEL.lower().replace(".", "")
        yield f"\nAs in [AttachJuxtapose.v1](#{anchor}): {names}."


def page() -> str:
    """The whole page."""
    lines = [HEAD, *component()]
    found: dict[tuple[str, str], EntryPoint] = {}
    for entry in distribution("spacy-gfl").entry_points:
        registry = entry.group.partition("_")[2]
        if entry.group.startswith(("spacy_", "thinc_")) and registry != "factories":
            found[registry, entry.name] = entry
    shared = settings_of(found["architectures", MODEL])
    heading = ""
    for registry, name in sorted(found):
        if registry != heading:
            lines.append(f"\n## @{registry}")
            heading = registry
        entry = found[registry, name]
        lines += registered(entry, {} if name == MODEL else shared)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
