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


def shown(name: str, default: Any) -> str:
    """A setting with its default, as a config has it."""
    if isinstance(default, dict):
        for key in default:
            if key.startswith("@"):
                return f"`{name}` (`{default[key]}`)"
    return f"`{name} = {json.dumps(default)}`"


def lines(settings: dict[str, str], meanings: dict[str, str]) -> Iterator[str]:
    """A line per setting, with its default and its meaning.

    Raises:
        ValueError: If a setting has no description.
    """
    for name, setting in settings.items():
        if not meanings.get(name):
            raise ValueError(f"{name} has no description in its docstring.")
        yield f"- {setting}: {meanings[name]}"


def component() -> Iterator[str]:
    """The sections of the components and of the parser's search."""
    defaults = spacy.blank("en").get_factory_meta(FACTORY).default_config
    search = SearchSettings().model_dump()
    settings = {name: shown(name, default) for name, default in defaults.items()}
    settings["search"] = f"[`search`](#{FACTORY}-search)"
    yield f"## {FACTORY}\n"
    yield f"`[components.{FACTORY}]`\n"
    meanings = described(inspect.getdoc(ConstituencyParser) or "", "Args")
    yield from lines(settings, meanings)
    yield f"\n## {FACTORY} search\n"
    yield (
        f"`[components.{FACTORY}.search]`, and in Python"
        f' `nlp.get_pipe("{FACTORY}").search`, which you may change between two'
        " parses.\n"
    )
    meanings = described(inspect.getdoc(SearchSettings) or "", "Attributes")
    yield from lines({name: shown(name, search[name]) for name in search}, meanings)
    defaults = spacy.blank("en").get_factory_meta(FUNCTIONS).default_config
    yield f"\n## {FUNCTIONS}\n"
    yield f"`[components.{FUNCTIONS}]`\n"
    meanings = described(inspect.getdoc(ConstituentFunctions) or "", "Args")
    yield from lines({name: shown(name, x) for name, x in defaults.items()}, meanings)


def settings_of(entry: EntryPoint) -> dict[str, tuple[str, str]]:
    """Each setting of a registered function with its default, and its meaning."""
    function = entry.load()
    meanings = described(inspect.getdoc(function) or "", "Args")
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        is_required = parameter.default is parameter.empty
        setting = (
            f"`{name}` (required)" if is_required else shown(name, parameter.default)
        )
        found[name] = setting, meanings.get(name, "")
    return found


def registered(entry: EntryPoint, shared: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The section of a registered function, which only names `shared` settings."""
    docstring = inspect.getdoc(entry.load()) or ""
    yield f"\n### {entry.name}\n"
    yield " ".join(docstring.split("\n\n")[0].split()) + "\n"
    settings = settings_of(entry)
    repeated = [name for name in settings if settings[name] == shared.get(name)]
    own = {name: pair for name, pair in settings.items() if name not in repeated}
    yield from lines(
        {name: setting for name, (setting, _) in own.items()},
        {name: meaning for name, (_, meaning) in own.items()},
    )
    if repeated:
        names = ", ".join(f"`{name}`" for name in repeated)
        anchor = MODEL.lower().replace(".", "")
        yield f"- as in [AttachJuxtapose.v1](#{anchor}): {names}"


def page() -> str:
    """The whole page."""
    written = [HEAD, *component()]
    found: dict[tuple[str, str], EntryPoint] = {}
    for entry in distribution("spacy-gfl").entry_points:
        registry = entry.group.partition("_")[2]
        if entry.group.startswith(("spacy_", "thinc_")) and registry != "factories":
            found[registry, entry.name] = entry
    shared = settings_of(found["architectures", MODEL])
    heading = ""
    for registry, name in sorted(found):
        if registry != heading:
            written.append(f"\n## @{registry}")
            heading = registry
        entry = found[registry, name]
        written += registered(entry, {} if name == MODEL else shared)
    return re.sub("\n{3,}", "\n\n", "\n".join(written).strip()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
