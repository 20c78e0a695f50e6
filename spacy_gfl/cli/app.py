"""`spacy-gfl`: the commands around treebanks, parses and scores."""

import typer

app = typer.Typer(
    name="spacy-gfl",
    help="Constituency parsing for spaCy: treebanks, parses and scores.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line."""
    app()
