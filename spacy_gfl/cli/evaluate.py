"""`spacy-gfl evaluate`: bracket scores of predicted trees against gold trees."""

import json
from pathlib import Path
from typing import Annotated

import typer
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import check_output, errors_said, warn
from spacy_gfl.cli.score_tables import label_table, length_table, summary_table
from spacy_gfl.data.inputs import holds_docs, read_treebank
from spacy_gfl.evaluation.evalb import SentenceScore, score_lines
from spacy_gfl.evaluation.files import pair_lines
from spacy_gfl.evaluation.lines import copy_tags, map_root
from spacy_gfl.evaluation.parameters import Parameters, load_parameters
from spacy_gfl.evaluation.report import evalb_messages, evalb_report
from spacy_gfl.evaluation.scorer import prediction_flags, score_doc
from spacy_gfl.evaluation.summary import evaluate
from spacy_gfl.formats.files import read_lines, write_text
from spacy_gfl.trees.tree import ROOT_LABEL

# What `analyse` takes too.
Gold = Annotated[
    Path,
    typer.Argument(help="Gold trees: brackets, or Docs (.spacy, .jsonl, .conll)."),
]
Predicted = Annotated[
    Path, typer.Argument(help="Predicted trees of the same sentences, in their order.")
]
Params = Annotated[
    str, typer.Option(help="COLLINS, new, or one of EVALB's parameter files.")
]
GoldTags = Annotated[
    bool,
    typer.Option(
        "--gold-tags",
        help="Put the gold tags into predicted brackets first; Docs always have them. "
        "A wrong tag on a comma makes a sentence an error, and XX on all punctuation "
        "nearly all of them.",
    ),
]
Raw = Annotated[
    bool,
    typer.Option("--raw", help="Leave root labels (ROOT, S1, none) as they are."),
]


@app.command("evaluate", no_args_is_help=True)
def evaluate_command(
    gold: Gold,
    predicted: Predicted,
    params: Params = "COLLINS",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Count a sentence that cannot be compared as nothing recalled; EVALB "
            "leaves it out of all totals.",
        ),
    ] = False,
    gold_tags: GoldTags = False,
    raw: Raw = False,
    output: Annotated[
        Path | None, typer.Option("--json", help="Write all scores to this file.")
    ] = None,
    evalb: Annotated[
        bool,
        typer.Option("--evalb", help="Print EVALB's own report instead of a table."),
    ] = False,
    by_label: Annotated[
        bool, typer.Option("--by-label", help="Print the scores of each label too.")
    ] = False,
    by_length: Annotated[
        bool,
        typer.Option("--by-length", help="Print the scores by sentence length too."),
    ] = False,
) -> None:
    """Score predicted trees against gold trees, exactly as EVALB does.

    Takes two bracket files, or two files of Docs of the same texts; of the latter
    gold's tags always decide which words are deleted, and tokens may differ.
    """
    flags: list[str] | None = None
    with errors_said():
        check_output(output, inputs=(gold, predicted))
        parameters = load_parameters(params)
        if holds_docs(gold) and holds_docs(predicted):
            scores, flags = _score_docs(gold, predicted, parameters)
        else:
            lines = paired_lines(gold, predicted, parameters, gold_tags, raw)
            scores = score_lines(*lines, parameters)
        evaluation = evaluate(
            scores, cutoff=parameters.cutoff, strict=strict, flags=flags
        )
        if output is not None:
            text = json.dumps(evaluation.as_dict(), indent=2)
            write_text(output, [text, "\n"])
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
            f"Errors ({errors}) and skipped sentences ({skips}) are in no score. "
            "--evalb names the reasons, --strict counts them as nothing recalled, "
            "--gold-tags helps where the tags of punctuation differ."
        )


def paired_lines(
    gold: Path, predicted: Path, parameters: Parameters, gold_tags: bool, raw: bool
) -> tuple[list[str], list[str]]:
    """The trees of two files as lines of brackets, one a tree, ready for EVALB.

    Raises:
        OSError: A file cannot be read.
        ValueError: It has no trees, or the numbers of trees differ.
    """
    lines, others = pair_lines(
        _lines(gold), _lines(predicted), str(gold), str(predicted)
    )
    if not raw:
        lines, others = list(map(map_root, lines)), list(map(map_root, others))
    if gold_tags:
        others = [
            copy_tags(line, other, parameters)
            for line, other in zip(lines, others, strict=True)
        ]
    return lines, others


def _lines(path: Path) -> list[str]:
    if not holds_docs(path):
        return [line.rstrip("\n") for line in read_lines(path)]
    docs = read_treebank(path, Vocab())
    return [tree.brackets(ROOT_LABEL) for doc in docs for tree in get_trees(doc)]


def _score_docs(
    gold: Path, predicted: Path, parameters: Parameters
) -> tuple[list[SentenceScore], list[str] | None]:
    """The scores of all sentences, and what the parser says of its trees."""
    golds = list(read_treebank(gold, Vocab()))
    predictions = list(read_treebank(predicted, Vocab(), need_trees=False))
    if not golds:
        raise ValueError(f"{gold}: there are no trees.")
    if len(golds) != len(predictions):
        raise ValueError(
            f"{gold} has {len(golds)} Docs, but {predicted} has {len(predictions)}."
        )
    scores: list[SentenceScore] = []
    for number, (doc, other) in enumerate(zip(golds, predictions, strict=True)):
        if "".join(doc.text.split()) != "".join(other.text.split()):
            raise ValueError(
                f"Doc {number} of {gold} and of {predicted} differ in their text."
            )
        scores.extend(score_doc(doc, other, parameters=parameters))
    return scores, prediction_flags(predictions)
