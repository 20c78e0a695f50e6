"""`spacy-gfl draw`: pictures of trees as SVG, PNG, HTML or text."""

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import STDIN, check_output, errors_said
from spacy_gfl.formats.files import beside
from spacy_gfl.parser.pipelines import DEFAULT_MODEL, get_parser, load_pipeline
from spacy_gfl.pictures.page import SUFFIXES, picture_file
from spacy_gfl.trees.brackets import read_tree_file, read_trees
from spacy_gfl.trees.tree import Tree


class Style(str, Enum):
    """The kinds of pictures."""

    TREE = "tree"
    ATTENTION = "attention"


def _option(help: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=help, **settings)


@app.command("draw", no_args_is_help=True)
def draw_command(
    text: Annotated[
        str | None, typer.Argument(help="The text to parse and draw; - for stdin.")
    ] = None,
    output: Annotated[
        Path | None,
        _option(
            "The file to write, its kind by its ending: .svg, .png, .html or .txt. "
            "Without it the tree is printed.",
            "--output",
            "-o",
        ),
    ] = None,
    model: Annotated[
        str | None,
        _option(
            "The pipeline that parses: package or folder, with a constituency_parser; "
            f"{DEFAULT_MODEL} if not said.",
            "--model",
            "-m",
        ),
    ] = None,
    brackets: Annotated[
        str | None,
        _option(
            "Draw these trees instead of parsing: '(S (NP ...) ...)', a file of them, "
            "or - for stdin.",
            "--brackets",
            "-b",
        ),
    ] = None,
    style: Annotated[
        Style, _option("attention is for the words from which each symbol came.")
    ] = Style.TREE,
    color: Annotated[
        list[str] | None, _option("A label's colour: NP=crimson. Repeatable.")
    ] = None,
    tags: Annotated[
        bool | None,
        _option(
            "Draw tags or not; if not said, where there are any.", "--tags/--no-tags"
        ),
    ] = None,
    compact: Annotated[
        bool, _option("Tags close above words, all closer.", "--compact")
    ] = False,
    align_words: Annotated[
        bool, _option("All words on the lowest level.", "--align-words")
    ] = False,
    max_width: Annotated[
        float | None, _option("Draw trees wider than these pixels in parts.", min=1)
    ] = None,
    max_depth: Annotated[
        int | None, _option("Levels to draw; below, words under a roof.", min=1)
    ] = None,
    font_size: Annotated[float | None, _option("In pixels.", min=1)] = None,
    scale: Annotated[
        float, _option("Pixels of a .png to one of the others.", min=0.1, max=20)
    ] = 2.0,
) -> None:
    """Draw the trees of a text, or trees in brackets.

    Sentences are drawn below each other. Pictures other than text need the packages
    of the extra "viz".
    """
    options: dict[str, Any] = {
        "tags": tags,
        "compact": compact or None,
        "align_words": align_words or None,
        "max_width": max_width,
        "max_depth": max_depth,
        "font_size": font_size,
    }
    options = {name: value for name, value in options.items() if value is not None}
    with errors_said():
        check_output(output, endings=SUFFIXES)
        suffix = output.suffix.lower() if output is not None else ".txt"
        if style == Style.ATTENTION and suffix == ".txt":
            raise ValueError("Attention is drawn to an .svg, .png or .html --output.")
        if color:
            options["colors"] = dict(map(_read_color, color))
        if brackets is not None:
            if text is not None or model is not None or style == Style.ATTENTION:
                raise ValueError(
                    "--brackets are drawn as they are: without a text to parse, "
                    "--model and --style attention."
                )
            docs: Any = _read_brackets(brackets)
        elif text is None:
            raise ValueError("Give a text to parse, or trees with --brackets.")
        else:
            nlp = load_pipeline(model or DEFAULT_MODEL)
            docs = nlp(" ".join(sys.stdin.read().split()) if text == STDIN else text)
            if style == Style.ATTENTION:
                # The last parser's trees are those on the Doc.
                options["parser"] = get_parser(nlp)
        data = picture_file(docs, suffix, style.value, options, scale=scale)
        if output is None:
            typer.echo(data, nl=False)
        else:
            with beside(output) as new:
                new.write_bytes(data)


def _read_color(pair: str) -> tuple[str, str]:
    label, _, color = pair.partition("=")
    if not label or not color:
        raise ValueError(f"--color takes LABEL=COLOUR, such as NP=red, not {pair}.")
    return label, color


def _read_brackets(brackets: str) -> list[Tree]:
    """Trees as they stand, with their traces and function tags."""
    if brackets == STDIN:
        found = read_trees(sys.stdin, source="stdin", clean=False, repair=False)
    elif brackets.lstrip().startswith("("):
        found = read_trees([brackets], source="--brackets", clean=False, repair=False)
    else:
        found = read_tree_file(brackets, clean=False, repair=False)
    if not (trees := list(found)):
        raise ValueError("There are no trees in the brackets given.")
    return trees
