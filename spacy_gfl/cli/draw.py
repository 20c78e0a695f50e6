"""`spacy-gfl draw`: pictures of trees as SVG, PNG, HTML or text."""

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Dict, List, Optional

import typer

from spacy_gfl.cli.app import app
from spacy_gfl.cli.errors import explain
from spacy_gfl.cli.parse import FACTORY, STDIN, load_parser
from spacy_gfl.pictures.files import SUFFIXES, draw_text, picture_file
from spacy_gfl.trees.brackets import read_tree_file, read_trees
from spacy_gfl.trees.tree import Tree


class Style(str, Enum):
    """What is drawn."""

    TREE = "tree"
    ATTENTION = "attention"


_Text = Annotated[
    Optional[str],
    typer.Argument(help="The text to parse and draw; - for standard input."),
]
_Output = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        "-o",
        help="The file to write, its kind by its ending: .svg, .png, .html or .txt. "
        "Without it the tree is printed.",
    ),
]
_Model = Annotated[
    Optional[str],
    typer.Option(
        "--model",
        "-m",
        help="The pipeline that parses: package or folder, with a constituency_parser.",
    ),
]
_Brackets = Annotated[
    Optional[str],
    typer.Option(
        "--brackets",
        "-b",
        help="Draw these trees instead of parsing: '(S (NP ...) ...)', a file of "
        "them, or - for standard input.",
    ),
]
_StyleOption = Annotated[
    Style,
    typer.Option(help="tree, or attention for the words each symbol came from."),
]
_Colors = Annotated[
    Optional[List[str]],
    typer.Option("--color", help="A label's colour: NP=crimson. Repeatable."),
]
_Tags = Annotated[
    Optional[bool],
    typer.Option("--tags/--no-tags", help="Draw tags or not. [where there are any]"),
]
_Compact = Annotated[
    bool, typer.Option("--compact", help="Tags close above words, all closer.")
]
_Align = Annotated[
    bool, typer.Option("--align-words", help="All words on the lowest level.")
]
_MaxWidth = Annotated[
    Optional[float],
    typer.Option(min=1, help="Draw trees wider than these pixels in parts."),
]
_MaxDepth = Annotated[
    Optional[int],
    typer.Option(min=1, help="Levels to draw; below, words under a roof."),
]
_FontSize = Annotated[Optional[float], typer.Option(min=1, help="In pixels.")]
_Scale = Annotated[
    float, typer.Option(min=0.1, max=20, help="Pixels of a .png to one of the others.")
]


@app.command("draw", no_args_is_help=True)
def draw_command(
    text: _Text = None,
    output: _Output = None,
    model: _Model = None,
    brackets: _Brackets = None,
    style: _StyleOption = Style.TREE,
    colors: _Colors = None,
    tags: _Tags = None,
    compact: _Compact = False,
    align_words: _Align = False,
    max_width: _MaxWidth = None,
    max_depth: _MaxDepth = None,
    font_size: _FontSize = None,
    scale: _Scale = 2.0,
) -> None:
    """Draw the trees of a text, or trees in brackets.

    Sentences are drawn below each other. Pictures other than text need the extra
    packages of `pip install "spacy-gfl[viz]"`.
    """
    chosen: Dict[str, Any] = {
        "tags": tags,
        "compact": compact or None,
        "align_words": align_words or None,
        "max_width": max_width,
        "max_depth": max_depth,
        "font_size": font_size,
        "colors": None,
    }
    try:
        _check_output(output)
        chosen["colors"] = _read_colors(colors or []) or None
        options = {name: value for name, value in chosen.items() if value is not None}
        docs = _docs(text, model, brackets, style, options)
        if output is None and style == Style.TREE:
            typer.echo(draw_text(docs, options), nl=False)
        elif output is None:
            raise ValueError("Attention is drawn to a file: name one with --output.")
        else:
            suffix = output.suffix.lower()
            data = picture_file(docs, suffix, style.value, options, scale=scale)
            output.write_bytes(data)
    except (OSError, ValueError, ImportError) as error:
        typer.secho(f"Error: {explain(error)}", fg="red", err=True)
        raise typer.Exit(1) from None


def _check_output(output: Optional[Path]) -> None:
    """Raise before anything is parsed what makes writing impossible."""
    if output is None:
        return
    if output.is_dir():
        raise ValueError(f"{output} is a folder; name a file to write.")
    if output.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{output} does not end in one of {', '.join(SUFFIXES)}.")
    if not output.parent.is_dir():
        raise ValueError(f"{output} cannot be written: there is no {output.parent}.")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise ValueError(f"{output} cannot be written: permission denied.")


def _read_colors(pairs: List[str]) -> Dict[str, str]:
    colors = {}
    for pair in pairs:
        label, equals, color = pair.partition("=")
        if not (label and equals and color):
            raise ValueError(f"--color takes LABEL=COLOUR, such as NP=red, not {pair}.")
        colors[label] = color
    return colors


def _docs(
    text: Optional[str],
    model: Optional[str],
    brackets: Optional[str],
    style: Style,
    options: Dict[str, Any],
) -> Any:
    """What to draw; for attention the parser is added to the options."""
    if (text is None) == (brackets is None):
        raise ValueError("Give either a text to parse or --brackets to draw.")
    if brackets is not None:
        if style == Style.ATTENTION:
            raise ValueError("Only what a model has parsed has attention to draw.")
        if model is not None:
            raise ValueError("--brackets are drawn as they are; leave out --model.")
        return _read_brackets(brackets)
    if model is None:
        raise ValueError("Parsing takes a pipeline: name one with --model.")
    nlp = load_parser(model)
    doc = nlp(" ".join(sys.stdin.read().split()) if text == STDIN else str(text))
    if style == Style.ATTENTION:
        # The last one's trees are those on the Doc.
        parsers = [n for n in nlp.pipe_names if nlp.get_pipe_meta(n).factory == FACTORY]
        options["parser"] = nlp.get_pipe(parsers[-1])
    return doc


def _read_brackets(brackets: str) -> List[Tree]:
    """Trees as they stand, with their traces and function tags."""
    if brackets != STDIN and not brackets.lstrip().startswith("("):
        trees = list(read_tree_file(brackets, clean=False, repair=False))
    else:
        is_stdin = brackets == STDIN
        lines = sys.stdin if is_stdin else [brackets]
        source = "standard input" if is_stdin else "--brackets"
        trees = list(read_trees(lines, source=source, clean=False, repair=False))
    if not trees:
        raise ValueError("There are no trees in the brackets given.")
    return trees
