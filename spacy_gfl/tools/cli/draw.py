"""`spacy-gfl draw`: pictures of trees as SVG, PNG, HTML or text."""

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL, get_parser
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import (
    STDIN,
    check_inputs,
    check_output,
    errors_said,
    is_file_name,
)
from spacy_gfl.tools.cli.options import (
    INPUT,
    PIPELINE,
    Format,
    load_parser,
    option,
    output_option,
    reads_files,
)
from spacy_gfl.tools.pictures.page import SUFFIXES, picture_file
from spacy_gfl.tools.treebanks.formats.atomic_files import beside
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import lines_of
from spacy_gfl.tools.treebanks.inputs import (
    docs_from_lines,
    find_treebank_format,
    read_docs,
    read_treebank,
)
from spacy_gfl.trees.brackets import begins_square
from spacy_gfl.trees.tree import Tree


class Style(str, Enum):
    """The kinds of pictures."""

    TREE = "tree"
    ATTENTION = "attention"


_Path: TypeAlias = Annotated[
    Path | None,
    output_option(
        "The file to write: .svg, .png, .html or .txt. Without it, the tree is printed."
    ),
]
_Model: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that parses: a package or folder with a "
        f"constituency_parser. [default: {DEFAULT_MODEL}]",
        "--model",
        "-m",
        group=PIPELINE,
    ),
]
_Brackets: TypeAlias = Annotated[
    str | None,
    option(
        "Draw these trees instead of parsing: '(S (NP ...) ...)', a file of "
        "trees, or - for standard input.",
        "--brackets",
        "-b",
        group=INPUT,
    ),
]
_Direction: TypeAlias = Annotated[
    str | None,
    option(
        "The direction of writing. auto takes that of the pipeline's language. "
        "[default: auto]",
        metavar="auto|ltr|rtl",
    ),
]
_Tags: TypeAlias = Annotated[
    bool | None,
    option(
        "Draw tags or leave them out. [default: draw them if there are any]",
        "--tags/--no-tags",
    ),
]
_Colors: TypeAlias = Annotated[
    list[str] | None, option("The colour of a label, such as NP=crimson. Repeatable.")
]
_MaxWidth: TypeAlias = Annotated[
    float | None,
    option(
        "Cut wider trees into parts. In pixels, or in characters for text.",
        min=1,
    ),
]
_MaxDepth: TypeAlias = Annotated[
    int | None,
    option("The levels to draw. Deeper ones become a roof over their words.", min=1),
]


@app.command("draw", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files(Format)
def draw_command(
    text: Annotated[
        str | None,
        typer.Argument(help="The text to parse and draw; - for standard input."),
    ] = None,
    output: _Path = None,
    model: _Model = None,
    brackets: _Brackets = None,
    style: Annotated[
        Style,
        option(
            "tree, or attention: which words the model looked at to write each symbol."
        ),
    ] = Style.TREE,
    color: _Colors = None,
    tags: _Tags = None,
    no_punctuation: Annotated[
        bool, option("Leave punctuation out.", "--no-punctuation")
    ] = False,
    compact: Annotated[
        bool,
        option(
            "Draw tags close to their words, and everything closer together.",
            "--compact",
        ),
    ] = False,
    align_words: Annotated[
        bool, option("Draw all words on the lowest level.", "--align-words")
    ] = False,
    max_width: _MaxWidth = None,
    max_depth: _MaxDepth = None,
    direction: _Direction = None,
    font_size: Annotated[float | None, option("In pixels.", min=1)] = None,
    scale: Annotated[
        float,
        option("Pixels of a .png per pixel of the other formats.", min=0.1, max=20),
    ] = 2.0,
    *,
    reading: Reading,
) -> None:
    """Draw the trees of a text, or trees in brackets.

    Draws sentences below each other. Pictures other than text need the extra "viz":
    pip install "spacy-gfl[viz]".
    """
    if output is not None and output.suffix.lower() == ".pdf":
        raise ValueError(
            f"{output}: draw cannot write PDF. Write LaTeX, such as `spacy-gfl "
            f"parse TEXT -o {output.with_suffix('.tex').name}`, and run pdflatex "
            "on it."
        )
    check_output(output, inputs=[Path(brackets or "")], endings=SUFFIXES)
    suffix = output.suffix.lower() if output is not None else ".txt"
    if style == Style.ATTENTION and suffix == ".txt":
        raise ValueError(
            "--style attention needs an --output that ends in .svg, .png or .html."
        )
    given: dict[str, Any] = {
        "colors": dict(map(_read_color, color or [])) or None,
        "tags": tags,
        "punctuation": False if no_punctuation else None,
        "compact": compact or None,
        "align_words": align_words or None,
        "max_width": max_width,
        "max_depth": max_depth,
        "direction": direction,
        "font_size": font_size,
    }
    options = {name: value for name, value in given.items() if value is not None}
    docs, parser = _find(text, model, brackets, style, reading)
    if style == Style.ATTENTION:
        options["parser"] = parser
    data = picture_file(docs, suffix, style.value, options, scale=scale)
    if output is None:
        typer.echo(data, nl=False)
        return
    with beside(output) as new:
        new.write_bytes(data)


def _find(
    text: str | None,
    model: str | None,
    brackets: str | None,
    style: Style,
    reading: Reading,
) -> tuple[Any, ConstituencyParser | None]:
    """The Doc or the trees to draw, and the parser, if one is asked."""
    if brackets is None:
        return _parse(text, model, reading)
    if text is None and model is None and style == Style.TREE:
        return _read_trees(brackets, reading), None
    raise ValueError(
        "--brackets does not parse: leave out the text, --model and --style attention."
    )


def _parse(
    text: str | None, model: str | None, reading: Reading
) -> tuple[list[Doc], ConstituencyParser]:
    """The text as Docs with trees, and the parser that they are of."""
    if text is None:
        raise ValueError("Give a text to parse, or trees with --brackets.")
    if is_file_name(text):
        check_inputs([Path(text)])
        raise ValueError(
            f"{text} is a file. `--brackets {text}` draws its trees, and "
            f"`spacy-gfl draw - < {text}` parses its text."
        )
    nlp = load_parser(model or DEFAULT_MODEL)
    if text == STDIN:
        docs = read_docs(nlp, None, reading)
    else:
        docs = docs_from_lines(nlp, lines_of(text), reading)
    return list(nlp.pipe(docs)), get_parser(nlp)


def _read_color(pair: str) -> tuple[str, str]:
    label, _, color = pair.partition("=")
    if not label or not color:
        raise ValueError(f"--color takes LABEL=COLOUR, such as NP=red, not {pair}.")
    return label, color


def _read_trees(brackets: str, reading: Reading) -> list[Tree]:
    """Trees as they stand, with their traces and function tags."""
    path = None if brackets == STDIN else Path(brackets)
    if brackets.lstrip()[:1] in ("(", "") or begins_square(brackets):
        path = None
        reading = replace(reading, given=[brackets], given_name="--brackets")
    reading = replace(reading, path=path, clean=False)
    row = find_treebank_format(path, reading.format)
    if row.trees:
        return list(row.trees(replace(reading, format=row.name)))
    docs = read_treebank(path, Vocab(), reading)
    return [tree for doc in docs for tree in get_trees(doc)]
