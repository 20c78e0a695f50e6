"""`spacy-gfl analyse`: where a parser goes wrong, by kind and by example."""

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from tqdm import tqdm
from wasabi import color, table

from spacy_gfl.cli.app import app
from spacy_gfl.cli.evaluate import (
    Gold,
    GoldTags,
    Params,
    Predicted,
    Raw,
    paired_lines,
)
from spacy_gfl.cli.files import check_output, errors_said, warn
from spacy_gfl.data.inputs import holds_docs
from spacy_gfl.evaluation.errors import Diagnosis, Error, Kind, diagnose
from spacy_gfl.evaluation.parameters import load_parameters
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.formats.files import beside, write_text
from spacy_gfl.pictures.page import extra_packages
from spacy_gfl.trees.tree import Constituent

_CHARTS = (".png", ".svg")
_LEGEND = (color("+ missing: gold alone has it", "green"), color("- extra", "red"))
# What each of two trees must have to be read beside the other.
_COLUMN = 48


class _Line(NamedTuple):
    """A line of a printed tree.

    Attributes:
        start: Its first word.
        text: What is printed.
        is_wrong: Whether it is the line of a bracket that the other tree has not.
    """

    start: int
    text: str
    is_wrong: bool = False


@app.command("analyse", no_args_is_help=True)
def analyse_command(
    gold: Gold,
    predicted: Predicted,
    worst: Annotated[
        int,
        typer.Option(
            min=0,
            help="How many sentences to print, those of most wrong brackets first.",
        ),
    ] = 5,
    params: Params = "COLLINS",
    gold_tags: GoldTags = False,
    raw: Raw = False,
    output: Annotated[
        Path | None, typer.Option("--json", help="Write every error to this file.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option(help="Draw the table as bars to this .png or .svg file."),
    ] = None,
) -> None:
    """Count the errors in predicted trees by kind, and print the worst sentences.

    Wrong brackets of one cause, such as a prepositional phrase in the wrong place,
    are one error. Which words and brackets count is as in `spacy-gfl evaluate`, so
    that all errors together are the brackets that cost F1.

    Docs must have gold's tokens: parse the gold file itself with `spacy-gfl parse`.
    """
    with errors_said():
        check_output(output, inputs=(gold, predicted))
        check_output(chart, inputs=(gold, predicted), endings=_CHARTS)
        parameters = load_parameters(params)
        gold_tags = gold_tags or (holds_docs(gold) and holds_docs(predicted))
        lines = paired_lines(gold, predicted, parameters, gold_tags, raw)
        pairs = tqdm(
            zip(*lines, strict=True),
            total=len(lines[0]),
            unit=" sentences",
            disable=None,
            leave=False,
        )
        diagnoses = [diagnose(line, other, parameters) for line, other in pairs]
        found = {number: d for number, d in enumerate(diagnoses, start=1) if d}
        kinds = _count(
            error for diagnosis in found.values() for error in diagnosis.errors
        )
        if output is not None:
            text = json.dumps(_as_dict(found, kinds), ensure_ascii=False, indent=1)
            write_text(output, [text, "\n"])
        if chart is not None:
            _draw(chart, kinds)
    typer.echo(_kind_table(kinds))
    wrong = sorted(
        (number for number in found if found[number].errors),
        key=lambda number: -found[number].size,
    )
    for number in wrong[:worst]:
        typer.echo(_show_sentence(number, found[number]))
    if left_out := len(diagnoses) - len(found):
        warn(
            f"{left_out} of {len(diagnoses)} sentences cannot be compared and are in "
            "no figure; `spacy-gfl evaluate --evalb` names the reasons."
        )


class _Counts(NamedTuple):
    """How many errors there are of a kind, and the brackets that they cost."""

    errors: int
    missing: int
    extra: int

    @property
    def brackets(self) -> int:
        return self.missing + self.extra


def _count(errors: Iterable[Error]) -> dict[Kind, _Counts]:
    """The kinds that occur, the costliest first."""
    counts: defaultdict[Kind, Counter[str]] = defaultdict(Counter)
    for error in errors:
        counts[error.kind].update(
            errors=1, missing=len(error.missing), extra=len(error.extra)
        )
    kinds = {kind: _Counts(**counts[kind]) for kind in Kind if kind in counts}
    return dict(sorted(kinds.items(), key=lambda item: -item[1].brackets))


def _total(kinds: dict[Kind, _Counts]) -> _Counts:
    return _Counts(*map(sum, zip((0, 0, 0), *kinds.values(), strict=True)))


def _as_dict(found: dict[int, Diagnosis], kinds: dict[Kind, _Counts]) -> dict[str, Any]:
    """Plain data. Sentences count from 1, as in EVALB's reports; words from 0."""
    return {
        "sentences": len(found),
        **_total(kinds)._asdict(),
        "kinds": {kind.value: counts._asdict() for kind, counts in kinds.items()},
        "wrong_sentences": [
            {
                "number": number,
                "words": diagnosis.words,
                "errors": [
                    {**error._asdict(), "kind": error.kind.value}
                    for error in diagnosis.errors
                ],
            }
            for number, diagnosis in found.items()
            if diagnosis.errors
        ],
    }


def _kind_table(kinds: dict[Kind, _Counts]) -> str:
    total = _total(kinds)
    named = [*((kind.value, counts) for kind, counts in kinds.items()), ("All", total)]
    *rows, last = (
        [name, *n, n.brackets, f"{percent(n.brackets, total.brackets):.2f}"]
        for name, n in named
    )
    header = ("Kind", "Errors", "Missing", "Extra", "Brackets", "Share")
    return table(rows, header=header, footer=last, divider=True, aligns=("l", *"rrrrr"))


def _show_sentence(number: int, diagnosis: Diagnosis) -> str:
    """Gold beside the prediction where the terminal is wide enough, else above."""
    width = shutil.get_terminal_size().columns
    title = f"Sentence {number}: {diagnosis.size} wrong brackets"
    parts = ["", color(title, bold=True), " ".join(diagnosis.words), ""]
    for error in diagnosis.errors:
        words = " ".join(diagnosis.words[error.start : error.end])
        parts.append(_cut(f"{error.kind.value} ({error.size}): {words}", width))
    parts += ["", ", ".join(_LEGEND), ""]
    missing = Counter(b for error in diagnosis.errors for b in error.missing)
    extra = Counter(b for error in diagnosis.errors for b in error.extra)
    places = {(start, end) for _, start, end in [*missing, *extra]}
    gold = list(_tree_lines(diagnosis.gold, diagnosis.words, missing, places))
    predicted = list(_tree_lines(diagnosis.predicted, diagnosis.words, extra, places))
    column = (width - 1) // 2
    if column >= _COLUMN:
        for line, other in _beside(gold, predicted):
            left = _shown(line, "+", "green", column)
            parts.append(f"{left} {_shown(other, '-', 'red', column)}")
    else:
        parts += ["Gold:", *(_shown(line, "+", "green", width) for line in gold), ""]
        parts += ["Predicted:", *(_shown(n, "-", "red", width) for n in predicted)]
    return "\n".join(part.rstrip() for part in parts)


def _tree_lines(
    brackets: list[Constituent],
    words: list[str],
    wrong: Counter[Constituent],
    places: set[tuple[int, int]],
) -> Iterator[_Line]:
    """A bracket a line, indented; with its words where all within it is right.

    Wrong are the brackets that the other tree has not; `places` are the extents of the
    wrong brackets of both trees.
    """
    # Which of equal brackets is the wrong one cannot be told.
    left = Counter(wrong)
    at = 0
    ends: list[int] = []  # of the brackets whose words are not on their line

    def indent(start: int) -> str:
        return " " * sum(end > start for end in ends)

    def loose(end: int) -> Iterator[_Line]:
        """The words up to an end, by the node that they stand right under."""
        nonlocal at
        while at < end:
            stop = min(stop for stop in (end, *ends) if stop > at)
            yield _Line(at, indent(at) + " ".join(words[at:stop]))
            at = stop

    for number, bracket in enumerate(brackets):
        label, start, end = bracket
        if start < at:
            continue
        yield from loose(start)
        is_wrong = left[bracket] > 0
        left[bracket] -= is_wrong
        has_inner = any(start <= a and b <= end for _, a, b in brackets[number + 1 :])
        if not has_inner or not any(start <= a and b <= end for a, b in places):
            text = " ".join([label, *words[start:end]])
            yield _Line(start, indent(start) + text, is_wrong)
            at = end
        else:
            yield _Line(start, indent(start) + label, is_wrong)
            ends.append(end)
    yield from loose(len(words))


def _beside(
    left: list[_Line], right: list[_Line]
) -> Iterator[tuple[_Line | None, _Line | None]]:
    """Pairs of lines, those that begin with the same word in the same rows."""
    for start in sorted({line.start for line in [*left, *right]}):
        golds = [line for line in left if line.start == start]
        predictions = [line for line in right if line.start == start]
        # Inner nodes begin where outer ones do, and are more often alike.
        rows = list(zip_longest(reversed(golds), reversed(predictions)))
        yield from reversed(rows)


def _shown(line: _Line | None, mark: str, shade: str, width: int) -> str:
    """A line as wide as its column; where wrong, marked for who sees no colours."""
    is_wrong = line is not None and line.is_wrong
    text = "" if line is None else f"{mark if is_wrong else ' '} {line.text}"
    text = _cut(text, width)
    padding = " " * (width - len(text))
    return (color(text, shade) if is_wrong else text) + padding


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _draw(path: Path, kinds: dict[Kind, _Counts]) -> None:
    """Draw the table as bars.

    Raises:
        ImportError: matplotlib is not installed.
    """
    with extra_packages("--chart needs"):
        import matplotlib
        from matplotlib.figure import Figure
    figure = Figure((7, 1 + 0.3 * len(kinds)), layout="constrained")
    axes = figure.add_subplot()
    names = [kind.value for kind in kinds]
    missing = [counts.missing for counts in kinds.values()]
    axes.barh(names, missing, label="missing", color="tab:green")
    bars = axes.barh(
        names,
        [counts.extra for counts in kinds.values()],
        left=missing,
        label="extra",
        color="tab:red",
    )
    axes.bar_label(bars, [str(counts.errors) for counts in kinds.values()], padding=3)
    axes.margins(x=0.1)
    axes.invert_yaxis()
    axes.set_xlabel("wrong brackets; beside the bars, the errors that they come of")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    # The text of an SVG stays text.
    settings: Any = {"svg.hashsalt": "spacy_gfl", "svg.fonttype": "none"}
    with beside(path) as new, matplotlib.rc_context(settings):
        kind = path.suffix.lower().removeprefix(".")
        # Without the date, the same errors make the same file.
        figure.savefig(
            new, format=kind, metadata={"Date": None} if kind == "svg" else {}
        )
