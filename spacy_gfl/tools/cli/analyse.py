"""`spacy-gfl analyse`: where a parser goes wrong, by kind and by example."""

from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

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
from spacy_gfl.tools.errors.chart import CHARTS, draw_errors
from spacy_gfl.tools.errors.error_report import (
    count_errors,
    errors_as_dict,
    kind_table,
    show_sentence,
)
from spacy_gfl.tools.errors.errors import diagnose
from spacy_gfl.tools.evalb import load_parameters
from spacy_gfl.tools.evalb.file_scores import ScoredFiles
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import json_text


@app.command("analyse", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files()
def analyse_command(
    gold: Gold,
    predicted: Predicted,
    worst: Annotated[
        int,
        option(
            "How many sentences to print, those with the most wrong brackets first.",
            min=0,
            group=OUTPUT,
        ),
    ] = 5,
    params: Params = "COLLINS",
    gold_tags: GoldTags = False,
    raw: Raw = False,
    *,
    reading: Reading,
    output: Annotated[
        Path | None,
        option(
            "Write every error to this file.",
            "--json",
            group=OUTPUT,
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        option(
            "Draw the table as bars, to a .pdf, .png or .svg file.",
            group=OUTPUT,
        ),
    ] = None,
) -> None:
    """Count the errors in predicted trees by kind, and print the worst sentences.

    Wrong brackets with one cause, such as a prepositional phrase in the wrong place,
    are one error. The same words and brackets count as in `spacy-gfl evaluate`, so all
    errors together are the brackets that lower F1.

    Docs must have the tokens of the gold file: parse it with `spacy-gfl parse`.
    """
    check_output(output, inputs=(gold, predicted, Path(params)))
    check_output(chart, inputs=(gold, predicted, Path(params)), endings=CHARTS)
    parameters = load_parameters(params)
    files = ScoredFiles(gold, predicted, parameters, gold_tags, raw, reading)
    pairs = [*zip(*files.lines(), strict=True)]
    with tqdm(pairs, unit=" sentences", disable=None, leave=False) as bar:
        diagnoses = [diagnose(line, other, parameters) for line, other in bar]
    by_number = {number: d for number, d in enumerate(diagnoses, start=1) if d}
    kinds = count_errors(error for d in by_number.values() for error in d.errors)
    if output is not None:
        plain = errors_as_dict(by_number, kinds)
        write_text(output, [json_text(plain, indent=1), "\n"])
    if chart is not None:
        draw_errors(chart, kinds)
    typer.echo(kind_table(kinds))
    wrong = (number for number, diagnosis in by_number.items() if diagnosis.errors)
    for number in sorted(wrong, key=lambda number: -by_number[number].size)[:worst]:
        typer.echo(show_sentence(number, by_number[number]))
    if left_out := len(diagnoses) - len(by_number):
        warn(
            f"{left_out} of {len(diagnoses)} sentences cannot be compared, and "
            "no figure includes them. `spacy-gfl evaluate --evalb` prints the "
            "reasons. If the Docs have other tokens than the gold file, parse "
            "the gold file itself."
        )
