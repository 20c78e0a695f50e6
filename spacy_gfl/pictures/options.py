"""What may be chosen about a picture, checked where it is given."""

import re
from dataclasses import dataclass, field, fields
from typing import Any, Dict, Mapping, Optional, Type, TypeVar

_COLOR = re.compile(r"[\w#(),.%/ -]+")
_FONT = re.compile(r"[\w ,.'-]+")
_Options = TypeVar("_Options", "TreeOptions", "AttentionOptions")

#: Levels that are drawn at most; whoever asks for more gets an error.
DEEPEST = 150


@dataclass(frozen=True)
class TreeOptions:
    """The options of `render(..., style="tree")`.

    colors: A CSS colour for labels and tags: `{"NP": "#1f77b4"}`.
    color: The colour of lines and of all other text.
    bg: The background. With both defaults a picture has the text colour of the
        page that holds it, so that it can be read on a light and on a dark one.
    font: A CSS list of font families.
    font_size: In pixels.
    distance: Between two levels, in units of the font size.
    spacing: Between two words, in units of the font size.
    tags: Whether to draw part-of-speech tags; None for wherever there are any,
        a sentence of XX having none.
    compact: Write each tag above its word without a line, and everything closer.
    align_words: Put all words on the lowest level.
    max_width: In pixels. A wider tree is drawn in parts below each other, each
        constituent taken out being numbered in its old place and its new one.
        None for one part, whatever its width.
    max_depth: Levels of constituents, from 1 to 150; what lies deeper is drawn
        as a roof over its words.
    direction: "ltr", "rtl" for words that run from right to left, or "auto" for
        that of the Doc's language.

    Raises ValueError for a value that none of them can have.
    """

    colors: Mapping[str, str] = field(default_factory=dict)
    color: str = "currentColor"
    bg: str = "transparent"
    font: str = "Arial, Helvetica, sans-serif"
    font_size: float = 15
    distance: float = 1.9
    spacing: float = 0.8
    tags: Optional[bool] = None
    compact: bool = False
    align_words: bool = False
    max_width: Optional[float] = None
    max_depth: int = 100
    direction: str = "auto"

    def __post_init__(self) -> None:
        _check_style(self)
        for label, color in self.colors.items():
            _check_text(f"colors[{label!r}]", color, _COLOR)
        _check_number("distance", self.distance, 0, 100)
        _check_number("spacing", self.spacing, 0, 100)
        _check_number("max_depth", self.max_depth, 1, DEEPEST)
        if self.max_width is not None:
            _check_number("max_width", self.max_width, 1, 1e6)
        if self.direction not in ("auto", "ltr", "rtl"):
            raise ValueError(
                f'direction must be "auto", "ltr" or "rtl", not {self.direction!r}.'
            )


@dataclass(frozen=True)
class AttentionOptions:
    """The options of `render(..., style="attention")`.

    parser: The component whose attention is drawn: `nlp.get_pipe(...)`. Not
        needed for matrices that are given as they are.
    color, bg, font, font_size: As for trees.
    cmap: The name of one of matplotlib's colormaps.
    cell_size: The side of a cell in pixels.
    vmax: The weight that has the last colour; None for the largest.
    symbols_across: Turn the matrix: words down, symbols across.

    Raises ValueError for a value that none of them can have.
    """

    parser: Any = None
    color: str = "currentColor"
    bg: str = "transparent"
    font: str = "Arial, Helvetica, sans-serif"
    font_size: float = 13
    cmap: str = "Blues"
    cell_size: float = 18
    vmax: Optional[float] = None
    symbols_across: bool = False

    def __post_init__(self) -> None:
        _check_style(self)
        _check_number("cell_size", self.cell_size, 1, 1000)
        if self.vmax is not None:
            _check_number("vmax", self.vmax, 1e-9, 1e9)


def read_options(
    kind: Type[_Options], options: Optional[Mapping[str, Any]]
) -> _Options:
    """Options from a mapping. Raises ValueError for an option that there is not."""
    given: Dict[str, Any] = dict(options or {})
    names = [entry.name for entry in fields(kind)]
    if unknown := sorted(set(given) - set(names)):
        raise ValueError(
            f"There is no option {', '.join(unknown)}; there are {', '.join(names)}."
        )
    return kind(**given)


def _check_style(options: Any) -> None:
    _check_text("color", options.color, _COLOR)
    _check_text("bg", options.bg, _COLOR)
    _check_text("font", options.font, _FONT)
    _check_number("font_size", options.font_size, 1, 1000)


def _check_text(name: str, value: Any, pattern: "re.Pattern[str]") -> None:
    """Raise ValueError for what could end a CSS declaration."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"{name} is no value for CSS: {value!r}.")


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least} to {most}: {value!r}.")
