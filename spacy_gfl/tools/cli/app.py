"""`spacy-gfl`: the commands around treebanks, parses and scores."""

import os
import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from spacy_gfl.tools.cli.input_files import Terminal, errors_said
from spacy_gfl_command import versions

app = typer.Typer(
    name="spacy-gfl",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Brackets in help are brackets, not markup.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class GroupedCommand(TyperCommand):
    """A command whose help lists options under headings, their `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each heading, and last the options that have none."""
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            heading = getattr(param, "rich_help_panel", None)
            if param.param_type_name == "argument":
                heading = heading or "Arguments"
            if row is not None:
                (sections.setdefault(heading, []) if heading else others).append(row)
        for name, rows in [*sections.items(), ("Options", others)]:
            with formatter.section(name):
                formatter.write_dl(rows)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(versions())
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

    To train, use spaCy's commands: `spacy train configs/sm.cfg`, or `spacy project run
    all` for the complete workflow.
    """


@errors_said()  # of help and versions; commands say their own
def main() -> None:
    """Run the command line."""
    # Python has no stream where the shell has closed it (`>&-`).
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    if isinstance(sys.stdout, TextIOWrapper):
        # What is read from a pipe or a file is UTF-8, and names of files may be
        # other bytes.
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="surrogateescape")
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper) and stream.isatty():
            terminal = Terminal(
                stream.buffer, stream.encoding, stream.errors, line_buffering=True
            )
            setattr(sys, name, terminal)
    app(prog_name="spacy-gfl")
