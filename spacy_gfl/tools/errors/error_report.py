"""Errors by kind and by example, as tables and texts for people and as plain data."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

from wasabi import color, table

from spacy_gfl import Constituent
from spacy_gfl.tools.errors.errors import Diagnosis, Error, Kind

# What each of two trees must have to be read beside the other.
_COLUMN = 48
# A line of a printed tree: its first word, and its text after a mark.
_Line: TypeAlias = tuple[int, str]


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
    diagnoses: dict[int, Diagnosis], kinds: dict[Kind, ErrorCounts]
) -> dict[str, Any]:
    """All errors as plain data.

    Sentences count from 1, as in EVALB's reports; words from 0.
    """
    return {
        "sentences": len(diagnoses),
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
            for number, diagnosis in diagnoses.items()
            if diagnosis.errors
        ],
    }


def kind_table(kinds: dict[Kind, ErrorCounts]) -> str:
    """The table of the kinds: how many errors, and which share of wrong brackets."""
    total = _total(kinds)
    named = [*((kind.value, counts) for kind, counts in kinds.items()), ("All", total)]
    *rows, last = (
        [name, *n, n.brackets, f"{100 * n.brackets / max(total.brackets, 1):.2f}"]
        for name, n in named
    )
    header = ("Kind", "Errors", "Missing", "Extra", "Brackets", "Share")
    return table(rows, header=header, footer=last, divider=True, aligns=("l", *"rrrrr"))


def show_sentence(number: int, diagnosis: Diagnosis) -> str:
    """The errors of a sentence, and its trees with the wrong brackets marked.

    Gold stands beside the prediction where the terminal is wide enough, else above.
    """
    width = shutil.get_terminal_size().columns
    words, errors = list(map(_visible, diagnosis.words)), diagnosis.errors
    title = f"Sentence {number}: {diagnosis.size} wrong brackets"
    parts = ["", color(title, bold=True), " ".join(words), ""]
    for error in errors:
        text = " ".join(words[error.start : error.end])
        parts.append(_cut(f"{error.kind.value} ({error.size}): {text}", width))
    legend = (
        color("+ missing: only the gold tree has it", "green"),
        color("- extra", "red"),
    )
    parts += ["", ", ".join(legend), ""]
    missing = Counter(b for error in errors for b in error.missing)
    extra = Counter(b for error in errors for b in error.extra)
    places = {(start, end) for _, start, end in [*missing, *extra]}
    gold = list(_tree_lines(diagnosis.gold, words, missing, places, "+"))
    predicted = list(_tree_lines(diagnosis.predicted, words, extra, places, "-"))
    column = (width - 1) // 2
    if column >= _COLUMN:
        for left, right in _beside(gold, predicted):
            parts.append(f"{_shown(left, column)} {_shown(right, column)}")
    else:
        parts += ["Gold:", *(_shown(text, width) for _, text in gold), ""]
        parts += ["Predicted:", *(_shown(text, width) for _, text in predicted)]
    return "\n".join(part.rstrip() for part in parts)


def _tree_lines(
    brackets: list[Constituent],
    words: list[str],
    wrong: Counter[Constituent],
    places: set[tuple[int, int]],
    mark: str,
) -> Iterator[_Line]:
    """A bracket per line, indented and, if it is wrong, marked.

    Words are on their bracket's line unless the bracket holds one of `places`, the
    extents of the wrong brackets of both trees.
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
            yield at, f"  {indent(at)}{' '.join(words[at:stop])}"
            at = stop

    for number, bracket in enumerate(brackets):
        label, start, end = bracket
        if start < at:
            continue
        yield from loose(start)
        is_wrong = left[bracket] > 0
        left[bracket] -= is_wrong
        text = f"{mark if is_wrong else ' '} {indent(start)}{_visible(label)}"
        has_inner = any(start <= a and b <= end for _, a, b in brackets[number + 1 :])
        if not has_inner or not any(start <= a and b <= end for a, b in places):
            yield start, " ".join([text, *words[start:end]])
            at = end
        else:
            yield start, text
            ends.append(end)
    yield from loose(len(words))


def _beside(left: list[_Line], right: list[_Line]) -> Iterator[tuple[str, str]]:
    """Pairs of lines; lines that begin with one word stand in the same rows."""
    for start in sorted({start for start, _ in [*left, *right]}):
        golds = [text for at, text in left if at == start]
        predictions = [text for at, text in right if at == start]
        # Inner nodes begin where outer ones do, and are more often alike.
        rows = zip_longest(reversed(golds), reversed(predictions), fillvalue="")
        yield from reversed(list(rows))


def _shown(text: str, width: int) -> str:
    """A line as wide as its column; also marked for who sees no colours."""
    text = _cut(text, width)
    padding = " " * (width - len(text))
    shade = {"+": "green", "-": "red"}.get(text[:1])
    return (color(text, shade) if shade else text) + padding


def _visible(text: str) -> str:
    """Text that a terminal shows, and does not obey."""
    return text if text.isprintable() else repr(text)[1:-1]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
