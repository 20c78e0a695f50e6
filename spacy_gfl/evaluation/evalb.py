"""EVALB's arithmetic on the brackets of pairs of trees.

EVALB (Sekine and Collins) is the program behind every published bracket score.
What it counts, it counts here, rule by rule, but no number of errors stops the scoring.
`tools.evalb` reads the lines of brackets that EVALB takes.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from spacy_gfl.evaluation.parameters import COLLINS, Parameters
from spacy_gfl.trees.tree import Constituent


class Status(IntEnum):
    """Whether a sentence counts. Errors and skips leave all totals."""

    VALID = 0
    ERROR = 1
    SKIP = 2


@dataclass(frozen=True)
class SentenceScore:
    """The scores of one sentence: a row of EVALB's table, and labels to group by.

    Attributes:
        length: Words of the gold sentence, punctuation included, traces not.
        status: What became of the sentence.
        gold_words: Words of the gold sentence that were not deleted.
        gold_labels: The labels of the gold brackets that count.
        messages: What EVALB prints about the sentence to standard error.
        gold: Brackets in gold. This and what follows is as EVALB prints it: 0 where
            words differ, yet counted where only the bracketing is unbalanced.
        predicted_labels: The labels of the predicted brackets that count.
        matched_labels: Labels (gold, predicted) of every matched bracket.
        unlabelled: Brackets that agree in extent.
        crossing: Predicted brackets that cross a gold one.
        words: Words that were not deleted.
        correct_tags: Words, not deleted, that are tagged as gold.
    """

    length: int
    status: Status
    gold_words: int = 0
    gold_labels: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    gold: int = 0
    predicted_labels: tuple[str, ...] = ()
    matched_labels: tuple[tuple[str, str], ...] = ()
    unlabelled: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    @property
    def matched(self) -> int:
        """Brackets that agree."""
        return len(self.matched_labels)

    @property
    def predicted(self) -> int:
        """Predicted brackets."""
        return len(self.predicted_labels)


def compare_brackets(
    score: SentenceScore,
    gold: Sequence[Constituent],
    predicted: Sequence[Constituent],
    parameters: Parameters,
) -> SentenceScore:
    """Add the numbers of brackets (as `match_brackets` takes them) to a score.

    All tags are taken to be correct.
    """
    matched, _, _ = match_brackets(gold, predicted, parameters)
    extents = Counter((start, end) for _, start, end in gold)
    others = Counter((start, end) for _, start, end in predicted)
    # No bracket of gold crosses another one.
    crossing = sum(
        (start, end) not in extents
        and any(a < start < b < end or start < a < end < b for a, b in extents)
        for _, start, end in predicted
    )
    return replace(
        score,
        gold=len(gold),
        predicted_labels=tuple(bracket.label for bracket in predicted),
        matched_labels=tuple(matched),
        unlabelled=(extents & others).total(),
        crossing=crossing,
        words=score.gold_words,
        correct_tags=score.gold_words,
    )


def match_brackets(
    gold: Sequence[Constituent],
    predicted: Sequence[Constituent],
    parameters: Parameters = COLLINS,
) -> tuple[list[tuple[str, str]], list[Constituent], list[Constituent]]:
    """Let each gold bracket meet at most one predicted bracket.

    Both have only the brackets that count, with labels cut (`Parameters.counted`).

    Returns:
        Labels (gold, predicted) of brackets that met, the gold brackets that met none,
        and the predicted ones that met none.
    """
    unused: dict[tuple[int, int], list[str]] = defaultdict(list)
    for label, start, end in predicted:
        unused[start, end].append(label)
    matched, missing = [], []
    for label, start, end in gold:
        candidates = unused.get((start, end), [])
        for at, other in enumerate(candidates):
            if not parameters.labelled or parameters.same_label(label, other):
                matched.append((label, candidates.pop(at)))
                break
        else:
            missing.append(Constituent(label, start, end))
    extra = [
        Constituent(label, *extent) for extent in unused for label in unused[extent]
    ]
    return matched, missing, extra
