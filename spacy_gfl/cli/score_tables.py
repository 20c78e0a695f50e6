"""Bracket scores as tables for people: percent, two digits, as EVALB has them."""

from wasabi import table

from spacy_gfl.evaluation.summary import Counts, Evaluation, Summary, percent

_SCORES = ("Recall", "Precision", "F1")


def summary_table(evaluation: Evaluation) -> str:
    """All sentences beside the short ones; errors and skips stand below F1."""
    columns = (_summary_column(evaluation.all), _summary_column(evaluation.short))
    names = [
        *_SCORES,
        "Errors (sentences)",
        "Skipped (sentences)",
        "Sentences",
        "Exact match",
        "Unlabelled F1",
        "Crossing brackets a sentence",
        "Tagging accuracy",
    ]
    rows = [list(row) for row in zip(names, *columns, strict=True)]
    if evaluation.repaired is not None:
        rows.append(["Repaired trees", str(evaluation.repaired), ""])
        rows.append(["Flat trees", str(evaluation.flat), ""])
    mode = "strict" if evaluation.strict else ""
    header = (mode, "all", f"length <= {evaluation.cutoff}")
    return table(rows, header=header, divider=True, aligns=("l", "r", "r"))


def label_table(evaluation: Evaluation) -> str:
    """The scores of each label, the most frequent in gold first."""
    labels = sorted(evaluation.by_label.items(), key=lambda item: -item[1].gold)
    rows = [
        [label, *_percentages(counts), str(counts.gold), str(counts.predicted)]
        for label, counts in labels
    ]
    header = ("Label", *_SCORES, "Gold", "Predicted")
    return table(rows, header=header, divider=True, aligns=("l", *"rrrrr"))


def length_table(evaluation: Evaluation) -> str:
    """The scores of each class of sentence length."""
    rows = [
        [
            name,
            *_percentages(total.labelled),
            str(total.sentences),
            str(total.errors),
            str(total.skips),
        ]
        for name, total in evaluation.by_length.items()
    ]
    header = ("Words", *_SCORES, "Sentences", "Errors", "Skipped")
    return table(rows, header=header, divider=True, aligns=("l", *"rrrrrr"))


def _summary_column(total: Summary) -> list[str]:
    return [
        *_percentages(total.labelled),
        str(total.errors),
        str(total.skips),
        str(total.sentences),
        f"{percent(total.exact, total.scored):.2f}",
        f"{total.unlabelled.percentages()[2]:.2f}",
        f"{total.crossing / max(total.valid, 1):.2f}",
        f"{percent(total.correct_tags, total.words):.2f}",
    ]


def _percentages(counts: Counts) -> list[str]:
    return [f"{score:.2f}" for score in counts.percentages()]
