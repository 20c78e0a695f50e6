"""The options of pictures, checked where they are given."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

# Nothing that could end a CSS declaration or an attribute.
_Color = Annotated[str, Field(pattern=r"^[\w#(),.%/ -]+$")]
_Fonts = Annotated[str, Field(pattern=r"^[\w ,.'-]+$")]
_Pixels = Annotated[float, Field(ge=1, le=1000)]
_Ems = Annotated[float, Field(ge=0, le=100)]


class PictureOptions(BaseModel):
    """The options of every picture.

    Attributes:
        color: The colour of lines and text; by default the page's around it.
        bg: The background.
        font: A CSS list of font families.
        font_size: In pixels.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    color: _Color = "currentColor"
    bg: _Color = "transparent"
    font: _Fonts = "Arial, Helvetica, sans-serif"
    font_size: _Pixels = 15


class TreeOptions(PictureOptions):
    """The options of `render(..., style="tree")`, beside those of every picture.

    Attributes:
        colors: A CSS colour for labels and tags: `{"NP": "#1f77b4"}`.
        distance: Between two levels, in font sizes.
        spacing: Between two words, in font sizes.
        tags: Whether to draw tags; None for wherever there are any other than XX.
        punctuation: Whether to draw punctuation.
        compact: Write each tag above its word without a line, and everything closer.
        align_words: Put all words on the lowest level.
        max_width: In pixels, or in characters for a drawing with characters. A wider
            tree is drawn in parts below each other, each constituent taken out being
            numbered in its old place and its new one.
        max_depth: Levels of constituents; deeper ones become a roof over their words.
        probabilities: Whether to draw doubtful constituents paler, by
            `Span._.probability`; in letters, probabilities stand behind labels.
        direction: "ltr", "rtl" for words that run from right to left, or "auto" for
            that of the Doc's language.
    """

    colors: dict[str, _Color] = {}
    distance: _Ems = 1.9
    spacing: _Ems = 0.8
    tags: bool | None = None
    punctuation: bool = True
    compact: bool = False
    align_words: bool = False
    max_width: Annotated[float, Field(ge=1)] | None = None
    # All that draws trees is recursive.
    max_depth: Annotated[int, Field(ge=1, le=150)] = 100
    probabilities: bool = False
    direction: Literal["auto", "ltr", "rtl"] = "auto"


class AttentionOptions(PictureOptions):
    """The options of `render(..., style="attention")`, beside those of every picture.

    Attributes:
        parser: The component whose attention is drawn: `nlp.get_pipe(...)`. Not
            needed for matrices that are given as they are.
        cmap: The name of one of matplotlib's colormaps.
        cell_size: The side of a cell in pixels.
        vmax: The weight that has the last colour; None for the largest.
        symbols_across: Turn the matrix: words down, symbols across.
    """

    parser: Any = None
    font_size: _Pixels = 13
    cmap: str = "Blues"
    cell_size: _Pixels = 18
    vmax: Annotated[float, Field(gt=0)] | None = None
    symbols_across: bool = False


_Options = TypeVar("_Options", bound=PictureOptions)


def read_options(kind: type[_Options], options: Mapping[str, Any] | None) -> _Options:
    """Check options, given by name.

    Raises:
        ValueError: For an unknown option, or a value that it cannot have.
    """
    try:
        return kind.model_validate(dict(options or {}))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        names = ", ".join(kind.model_fields)
        raise ValueError(f"There is no option {name}. The options are {names}.")
    if first["type"] == "string_pattern_mismatch":
        raise ValueError(
            f"The option {name} is not a value that CSS allows: {first['input']!r}."
        )
    raise ValueError(f"The option {name}: {first['msg']}, not {first['input']!r}.")
