"""`spacy-gfl evaluate`: bracket scores of predicted trees against gold trees."""

import json
from pathlib import Path
from typing import Annotated

import typer

from spacy_gfl.evaluation.summary import evaluate
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said, warn
from spacy_gfl.tools.cli.options import (
    OUTPUT,
    Gold,
    GoldTags,
    Params,
    Predicted,
    Raw,
    option,
    reads_files,
)
from spacy_gfl.tools.evalb import load_parameters
from spacy_gfl.tools.evalb.file_scores import ScoredFiles
from spacy_gfl.tools.evalb.report import evalb_messages, evalb_report
from spacy_gfl.tools.evalb.score_tables import label_table, length_table, summary_table
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading


@app.command("evaluate", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files()
def evaluate_command(
    gold: Gold,
    predicted: Predicted,
    params: Params = "COLLINS",
    strict: Annotated[
        bool,
        option(
            "If a sentence cannot be compared, count all its gold brackets as "
            "missing. EVALB leaves such sentences out of all totals.",
            "--strict",
        ),
    ] = False,
    gold_tags: GoldTags = False,
    raw: Raw = False,
    *,
    reading: Reading,
    output: Annotated[
        Path | None,
        option(
            "Write all scores to this file.",
            "--json",
            group=OUTPUT,
        ),
    ] = None,
    evalb: Annotated[
        bool,
        option(
            "Print EVALB's own report instead of a table.",
            "--evalb",
            group=OUTPUT,
        ),
    ] = False,
    by_label: Annotated[
        bool,
        option(
            "Also print the scores of each label.",
            "--by-label",
            group=OUTPUT,
        ),
    ] = False,
    by_length: Annotated[
        bool,
        option(
            "Also print the scores by sentence length.",
            "--by-length",
            group=OUTPUT,
        ),
    ] = False,
) -> None:
    """Score predicted trees against gold trees, exactly as EVALB does.

    Takes two bracket files, or two files of Docs with the same texts. Docs may have
    different tokens, and their gold tags always decide which words are deleted.
    """
    check_output(output, inputs=(gold, predicted, Path(params)))
    parameters = load_parameters(params)
    files = ScoredFiles(gold, predicted, parameters, gold_tags, raw, reading)
    scores, flags = files.scores()
    evaluation = evaluate(
        scores,
        cutoff=parameters.cutoff,
        strict=strict,
        flags=flags,
        tags_given=files.have_gold_tags,
    )
    if output is not None:
        write_text(output, [json.dumps(evaluation.as_dict(), indent=2), "\n"])
    if evalb:
        typer.echo("\n".join(evalb_report(scores, parameters.cutoff)))
        for line in evalb_messages(scores):
            typer.echo(line, err=True)
    else:
        typer.echo(summary_table(evaluation))
    if by_label:
        typer.echo(label_table(evaluation))
    if by_length:
        typer.echo(length_table(evaluation))
    errors, skips = evaluation.all.errors, evaluation.all.skips
    if (errors or skips) and not strict:
        warn(
            f"The scores leave out {errors} errors and {skips} skipped "
            "sentences. --evalb prints the reasons, --strict counts their "
            "brackets as missing, and --gold-tags helps if the tags of "
            "punctuation differ."
        )
