"""Bracket scores as tables for people: percent, two digits, as EVALB has them."""

from collections.abc import Iterable

from wasabi import table

from spacy_gfl.evaluation.summary import Counts, Evaluation, Summary, percent

_SCORES = ("Recall", "Precision", "F1")


def summary_table(evaluation: Evaluation) -> str:
    """All sentences beside the short ones; errors and skips stand below F1."""
    every, short = map(_summary_column, (evaluation.all, evaluation.short))
    rows = [(name, every[name], short[name]) for name in every]
    if evaluation.tags_given:
        rows[-1] = ("Tagging accuracy", "gold's", "gold's")
    if evaluation.repaired is not None:
        rows.append(("Repaired trees", evaluation.repaired, ""))
        rows.append(("Flat trees", evaluation.flat, ""))
    mode = "strict" if evaluation.strict else ""
    return _table((mode, "all", f"length <= {evaluation.cutoff}"), rows)


def label_table(evaluation: Evaluation) -> str:
    """The scores of each label, the most frequent in gold first."""
    labels = sorted(evaluation.by_label.items(), key=lambda item: -item[1].gold)
    return _table(
        ("Label", *_SCORES, "Gold", "Predicted"),
        ((name, *_percentages(n), n.gold, n.predicted) for name, n in labels),
    )


def length_table(evaluation: Evaluation) -> str:
    """The scores of each class of sentence length."""
    return _table(
        ("Words", *_SCORES, "Sentences", "Errors", "Skipped"),
        (
            (name, *_percentages(n.labelled), n.sentences, n.errors, n.skips)
            for name, n in evaluation.by_length.items()
        ),
    )


def _table(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    aligns = ("l", *"r" * (len(header) - 1))
    return table(list(rows), header=header, divider=True, aligns=aligns)


def _summary_column(total: Summary) -> dict[str, object]:
    return {
        **dict(zip(_SCORES, _percentages(total.labelled), strict=True)),
        "Errors (sentences)": total.errors,
        "Skipped (sentences)": total.skips,
        "Sentences": total.sentences,
        "Exact match": f"{percent(total.exact, total.scored):.2f}",
        "Unlabelled F1": f"{total.unlabelled.scores(100.0)[2]:.2f}",
        "Crossing brackets per sentence": f"{total.crossing / max(total.valid, 1):.2f}",
        "Tagging accuracy": _tagging(total),
    }


def _tagging(total: Summary) -> str:
    """The accuracy of tags, which `spacy-gfl parse` copies from gold Docs."""
    if total.words and total.correct_tags == total.words:
        return "gold tags"
    return f"{percent(total.correct_tags, total.words):.2f}"


def _percentages(counts: Counts) -> list[str]:
    return [f"{score:.2f}" for score in counts.scores(100.0)]
