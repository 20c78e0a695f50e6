"""`spacy-gfl`: the commands around treebanks, parses and scores."""

from importlib.metadata import version
from typing import Annotated

import typer

from spacy_gfl import __version__

app = typer.Typer(
    name="spacy-gfl",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        others = ", ".join(f"{name} {version(name)}" for name in ("spacy", "torch"))
        typer.echo(f"spacy-gfl {__version__} ({others})")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the versions of spacy-gfl, spaCy and PyTorch.",
        ),
    ] = False,
) -> None:
    """Constituency parsing for spaCy: treebanks, parses and scores.

    Training is spaCy's own: `spacy train configs/gfl.cfg`, or the whole workflow
    with `spacy project run all`.
    """


def main() -> None:
    """Run the command line."""
    app(prog_name="spacy-gfl")
