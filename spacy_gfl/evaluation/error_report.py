"""Errors by kind and by example, as tables and texts for people and as plain data."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from wasabi import color, table

from spacy_gfl.evaluation.errors import Diagnosis, Error, Kind
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.trees.tree import Constituent

# What each of two trees must have to be read beside the other.
_COLUMN = 48


class ErrorCounts(NamedTuple):
    """How many errors there are of a kind, and the brackets that they cost."""

    errors: int
    missing: int
    extra: int

    @property
    def brackets(self) -> int:
        return self.missing + self.extra


def count_errors(errors: Iterable[Error]) -> dict[Kind, ErrorCounts]:
    """The kinds that occur, the costliest first."""
    counts: defaultdict[Kind, Counter[str]] = defaultdict(Counter)
    for error in errors:
        counts[error.kind].update(
            errors=1, missing=len(error.missing), extra=len(error.extra)
        )
    kinds = {kind: ErrorCounts(**counts[kind]) for kind in Kind if kind in counts}
    return dict(sorted(kinds.items(), key=lambda item: -item[1].brackets))


def _total(kinds: dict[Kind, ErrorCounts]) -> ErrorCounts:
    return ErrorCounts(*map(sum, zip((0, 0, 0), *kinds.values(), strict=True)))


def errors_as_dict(
    found: dict[int, Diagnosis], kinds: dict[Kind, ErrorCounts]
) -> dict[str, Any]:
    """All errors as plain data.

    Sentences count from 1, as in EVALB's reports; words from 0.
    """
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


def kind_table(kinds: dict[Kind, ErrorCounts]) -> str:
    """The table of the kinds: how many errors, and which share of wrong brackets."""
    total = _total(kinds)
    named = [*((kind.value, counts) for kind, counts in kinds.items()), ("All", total)]
    *rows, last = (
        [name, *n, n.brackets, f"{percent(n.brackets, total.brackets):.2f}"]
        for name, n in named
    )
    header = ("Kind", "Errors", "Missing", "Extra", "Brackets", "Share")
    return table(rows, header=header, footer=last, divider=True, aligns=("l", *"rrrrr"))


def show_sentence(number: int, diagnosis: Diagnosis) -> str:
    """The errors of a sentence, and its trees with the wrong brackets marked.

    Gold stands beside the prediction where the terminal is wide enough, else above.
    """
    width = shutil.get_terminal_size().columns
    words, errors = diagnosis.words, diagnosis.errors
    title = f"Sentence {number}: {diagnosis.size} wrong brackets"
    parts = ["", color(title, bold=True), " ".join(words), ""]
    for error in errors:
        text = " ".join(words[error.start : error.end])
        parts.append(_cut(f"{error.kind.value} ({error.size}): {text}", width))
    legend = color("+ missing: gold alone has it", "green"), color("- extra", "red")
    parts += ["", ", ".join(legend), ""]
    missing = Counter(b for error in errors for b in error.missing)
    extra = Counter(b for error in errors for b in error.extra)
    places = {(start, end) for _, start, end in [*missing, *extra]}
    gold = list(_tree_lines(diagnosis.gold, words, missing, places))
    predicted = list(_tree_lines(diagnosis.predicted, words, extra, places))
    column = (width - 1) // 2
    if column >= _COLUMN:
        for line, other in _beside(gold, predicted):
            left = _shown(line, "+", "green", column)
            parts.append(f"{left} {_shown(other, '-', 'red', column)}")
    else:
        parts += ["Gold:", *(_shown(line, "+", "green", width) for line in gold), ""]
        parts += ["Predicted:", *(_shown(n, "-", "red", width) for n in predicted)]
    return "\n".join(part.rstrip() for part in parts)


class _Line(NamedTuple):
    """A line of a tree: its first word, its text, whether it is a wrong bracket's."""

    start: int
    text: str
    is_wrong: bool = False


def _tree_lines(
    brackets: list[Constituent],
    words: list[str],
    wrong: Counter[Constituent],
    places: set[tuple[int, int]],
) -> Iterator[_Line]:
    """A bracket a line, indented; with its words where no wrong one of both is within.

    `places` are the extents of the wrong brackets of both trees.
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
    """Pairs of lines; lines that begin with one word stand in the same rows."""
    for start in sorted({line.start for line in [*left, *right]}):
        golds = [line for line in left if line.start == start]
        predictions = [line for line in right if line.start == start]
        # Inner nodes begin where outer ones do, and are more often alike.
        rows = list(zip_longest(reversed(golds), reversed(predictions)))
        yield from reversed(rows)


def _shown(line: _Line | None, mark: str, shade: str, width: int) -> str:
    """A line as wide as its column; where wrong, marked for who sees no colours."""
    if line is None or not line.is_wrong:
        return _cut(f"  {line.text}" if line else "", width).ljust(width)
    text = _cut(f"{mark} {line.text}", width)
    return color(text, shade) + " " * (width - len(text))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
