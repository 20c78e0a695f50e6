"""Sphinx reads this project's docstrings, which are plain text, as what they mean.

In them, `code` stands between single backticks; an argument or attribute is a line
`name: what it is`, with its further lines indented; sentences that begin with Raises,
Returns or Yields begin a line; whatever else is indented is shown as it stands.
autodoc wants reStructuredText, which this makes of it.
"""

import inspect
import re
from contextlib import suppress
from itertools import groupby
from typing import Any, Container, Dict, Iterator, List, Optional, Tuple

from sphinx.application import Sphinx

_NAMED = re.compile(r"\*{0,2}(\w+(?:, \w+)*):(?: +|$)")
_SENTENCE = re.compile(r"(Raises|Returns|Yields|Gives|Takes)\b")
_BULLET = re.compile(r"(-|\d+\.) ")
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_MARKUP = re.compile(r"[*|\\]|(?<=\w)_(?!\w)")


def to_rst(lines: List[str], names: Container[str] = ()) -> List[str]:
    """The lines of a docstring as reStructuredText.

    names: The arguments or attributes that `name: text` can be about.
    """
    result: List[str] = []
    for is_text, group in groupby(lines, key=lambda line: bool(line.strip())):
        block = list(group)
        if not is_text:
            result.append("")
        elif block[0].startswith(">>>"):
            result += [*block, ""]
        elif block[0].startswith(" "):
            result += ["::", "", *block, ""]
        else:
            result += _paragraph(block, names)
    return result


def _paragraph(lines: List[str], names: Container[str]) -> Iterator[str]:
    """The parts of a paragraph, each followed by an empty line."""
    parts: List[str] = []
    for line in lines:
        begins = _BULLET.match(line) or _SENTENCE.match(line) or _named(line, names)
        # An argument's further lines are indented: others are no longer about it.
        is_over = bool(parts) and _named(parts[-1], names) is not None
        if parts and (line.startswith(" ") or not (begins or is_over)):
            parts[-1] += " " + line.strip()
        else:
            parts.append(line.strip())
    return (line for part in parts for line in (_item(part, names), ""))


def _named(text: str, names: Container[str]) -> Optional[Tuple[str, str]]:
    """What `name: text` is about, and the text; None if it is nothing of the kind."""
    match = _NAMED.match(text)
    if match is None or not all(name in names for name in match[1].split(", ")):
        return None
    return match[1], text[match.end() :]


def _item(text: str, names: Container[str]) -> str:
    if bullet := _BULLET.match(text):
        return f"{bullet[0]}{_inline(text[bullet.end() :])}"
    if named := _named(text, names):
        return f"* **{_inline(named[0])}** – {_inline(named[1])}"
    return _inline(text)


def _inline(text: str) -> str:
    """Code as reStructuredText has it; characters that it would take as marks."""
    pieces = _CODE.split(text)
    for i, piece in enumerate(pieces):
        if i % 2 == 0:
            pieces[i] = _MARKUP.sub(_escape, piece)
            continue
        # A mark must not touch a letter, as in `Span`s.
        touches = pieces[i + 1][:1].isalnum()
        pieces[i] = f"``{piece}``" + "\\ " * touches
    return "".join(pieces)


def _escape(match: "re.Match[str]") -> str:
    return "\\" + match[0]


def argument_names(thing: Any) -> List[str]:
    """What a docstring can describe: a function's arguments, a class's attributes."""
    names = list(getattr(thing, "__annotations__", ()))
    names += getattr(thing, "__members__", ())
    # Properties and data have no signature.
    with suppress(TypeError, ValueError):
        names += inspect.signature(thing).parameters
    return names


def _process(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: List[str]
) -> None:
    lines[:] = to_rst(lines, argument_names(thing) if what != "module" else ())


def setup(app: Sphinx) -> Dict[str, bool]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
