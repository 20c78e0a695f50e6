"""`spacy-gfl ensemble`: several trained pipelines to one."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_gfl.pipe.pipelines import load_pipeline
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said
from spacy_gfl.tools.cli.options import output_option
from spacy_gfl.tools.training.joined_pipelines import join_pipelines
from spacy_gfl.tools.treebanks.formats.atomic_files import beside


@app.command("ensemble", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
def ensemble_command(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL MODEL...",
            help=(
                "Trained pipelines, packages or folders, for example with different "
                "seeds. Everything but the parser comes from the first one."
            ),
        ),
    ],
    output: Annotated[
        Path, output_option("The folder to write. It must not exist yet.")
    ],
) -> None:
    """Make a pipeline whose parser is an ensemble.

    At every step, the parser averages the log-probabilities of its models, which need
    the same architecture and labels. With three models, parsing takes three times as
    long.
    """
    names = list(dict.fromkeys(models))
    if len(names) < 2:
        raise ValueError("An ensemble needs at least two pipelines: name another one.")
    if output.exists():
        raise ValueError(f"{output} exists. Name a new folder.")
    check_output(output, inputs=map(Path, names), is_folder=True)
    nlp = join_pipelines({name: load_pipeline(name) for name in names})
    with beside(output) as new:
        nlp.to_disk(new)
    typer.echo(f"Wrote {output}, an ensemble of {len(names)}.")
