"""Bracket scores over many sentences: in sum, by label and by length."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spacy_gfl.evaluation.evalb import SentenceScore, Status

#: Upper bounds in words of the length classes in Figure 3 of Vinyals et al. (2015).
LENGTH_BOUNDS = (10, 20, 30, 40, 50, 60, 70)


def percent(part: int, whole: int) -> float:
    """A share in percent, 0 of nothing."""
    # In the order in which EVALB computes it: the last digit depends on it.
    return 100.0 * part / whole if whole else 0.0


@dataclass(frozen=True)
class Counts:
    """How many brackets there are and how many agree.

    Attributes:
        gold: Brackets in gold.
        predicted: Predicted brackets.
        recalled: Gold brackets that were predicted.
        correct: Predicted brackets that are in gold. Over all labels it is the same
            number; for one label it is not where two labels count as equal.
    """

    gold: int = 0
    predicted: int = 0
    recalled: int = 0
    correct: int = 0

    @property
    def precision(self) -> float:
        """The share of predicted brackets that are right, 0 to 1; 0 of none."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of gold brackets that were found, 0 to 1; 0 of none."""
        return self.recalled / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0 to 1."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def percentages(self) -> tuple[float, float, float]:
        """Recall, precision and F1 in percent, to the bit what EVALB prints."""
        recall = percent(self.recalled, self.gold)
        precision = percent(self.correct, self.predicted)
        both = precision + recall
        return recall, precision, 2 * precision * recall / both if both else 0.0

    def as_dict(self) -> dict[str, float]:
        """Precision, recall and F1 as `p`, `r` and `f`."""
        return {"p": self.precision, "r": self.recall, "f": self.f1}


@dataclass(frozen=True)
class Summary:
    """Sums over sentences, as EVALB prints them.

    Attributes:
        sentences: How many there are.
        errors: How many of them cannot be compared.
        skips: How many have no word that counts.
        scored: The sentences that `exact` is a part of: the valid ones and, in
            strict mode, those that count as nothing recalled.
        labelled: Brackets that agree in label and extent.
        unlabelled: Brackets that agree in extent.
        exact: Sentences whose brackets all agree.
        crossing: Predicted brackets that cross a gold one.
        no_crossing: Sentences with no crossing bracket.
        few_crossing: Sentences with at most 2 crossing brackets.
        words: Words that were not deleted.
        correct_tags: Those of them that are tagged as gold.
    """

    sentences: int = 0
    errors: int = 0
    skips: int = 0
    scored: int = 0
    labelled: Counts = Counts()
    unlabelled: Counts = Counts()
    exact: int = 0
    crossing: int = 0
    no_crossing: int = 0
    few_crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    @property
    def valid(self) -> int:
        """How many sentences are neither errors nor skips."""
        return self.sentences - self.errors - self.skips

    @property
    def exact_match(self) -> float:
        """The share of sentences whose brackets all agree, 0 to 1."""
        return self.exact / self.scored if self.scored else 0.0


@dataclass(frozen=True)
class Evaluation:
    """Everything that is reported of one set of predictions.

    Attributes:
        all: All sentences.
        short: The sentences of up to `cutoff` words.
        cutoff: The greatest length, in words, of a short sentence.
        by_label: In alphabetical order.
        by_length: By classes of ten words, "1-10" to "71+"; empty ones left out.
        strict: Whether errors count as nothing recalled, instead of not at all.
        repaired: Trees that the parser had to repair; None where the predictions do
            not tell.
        flat: Trees that it could not make; None likewise.
    """

    all: Summary
    short: Summary
    cutoff: int
    by_label: dict[str, Counts]
    by_length: dict[str, Summary]
    strict: bool = False
    repaired: int | None = None
    flat: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data: shares from 0 to 1, and numbers of sentences.

        What is said of all sentences is said of the short ones too, under names
        that end in the cutoff: `con_f` and `con_f_40`.
        """
        scores = _named_scores(self.all)
        short = _named_scores(self.short)
        scores.update({f"{name}_{self.cutoff}": short[name] for name in short})
        scores["con_repaired"] = self.repaired
        scores["con_flat"] = self.flat
        scores["con_strict"] = self.strict
        scores["con_per_label"] = {
            label: {
                **counts.as_dict(),
                "gold": counts.gold,
                "predicted": counts.predicted,
            }
            for label, counts in self.by_label.items()
        }
        scores["con_per_length"] = {
            name: {**total.labelled.as_dict(), "sentences": total.sentences}
            for name, total in self.by_length.items()
        }
        return scores


def _named_scores(total: Summary) -> dict[str, Any]:
    labelled, unlabelled = total.labelled, total.unlabelled
    return {
        "con_p": labelled.precision,
        "con_r": labelled.recall,
        "con_f": labelled.f1,
        "con_exact": total.exact_match,
        "con_sentences": total.sentences,
        "con_error": total.errors,
        "con_skip": total.skips,
        "con_unlabelled_p": unlabelled.precision,
        "con_unlabelled_r": unlabelled.recall,
        "con_unlabelled_f": unlabelled.f1,
        "con_crossing": total.crossing / total.valid if total.valid else 0.0,
        "con_tag_acc": total.correct_tags / total.words if total.words else 0.0,
    }


def evaluate(
    scores: Iterable[SentenceScore],
    *,
    cutoff: int = 40,
    strict: bool = False,
    flags: Iterable[str] | None = None,
) -> Evaluation:
    """Aggregate the scores of sentences.

    Args:
        scores: The scores of the sentences.
        cutoff: The greatest length, in words, of a short sentence.
        strict: Count an error, and a skip that gold has words for, as a sentence of
            which nothing was recalled; EVALB leaves both out of all totals.
        flags: What the parser says of each tree: "ok", "repaired" or "flat".
    """
    scores = list(scores)
    fates = None if flags is None else Counter(flags)
    return Evaluation(
        all=summarize(scores, strict=strict),
        short=summarize((s for s in scores if s.length <= cutoff), strict=strict),
        cutoff=cutoff,
        by_label=score_labels(scores, strict=strict),
        by_length=score_lengths(scores, strict=strict),
        strict=strict,
        repaired=None if fates is None else fates["repaired"],
        flat=None if fates is None else fates["flat"],
    )


def summarize(scores: Iterable[SentenceScore], *, strict: bool = False) -> Summary:
    """The sums over sentences; micro-averages come of them. Strict as `evaluate`."""
    scores = list(scores)
    valid = [score for score in scores if score.status == Status.VALID]
    lost = [score for score in scores if strict and _is_lost(score)]
    gold = sum(score.gold for score in valid)
    gold += sum(len(score.gold_labels) for score in lost)
    predicted = sum(score.predicted for score in valid)
    matched = sum(score.matched for score in valid)
    unlabelled = sum(score.unlabelled for score in valid)
    return Summary(
        sentences=len(scores),
        errors=sum(score.status == Status.ERROR for score in scores),
        skips=sum(score.status == Status.SKIP for score in scores),
        scored=len(valid) + len(lost),
        labelled=Counts(gold, predicted, matched, matched),
        unlabelled=Counts(gold, predicted, unlabelled, unlabelled),
        exact=sum(score.gold == score.predicted == score.matched for score in valid),
        crossing=sum(score.crossing for score in valid),
        no_crossing=sum(score.crossing == 0 for score in valid),
        few_crossing=sum(score.crossing <= 2 for score in valid),
        words=sum(score.words for score in valid),
        correct_tags=sum(score.correct_tags for score in valid),
    )


def score_labels(
    scores: Iterable[SentenceScore], *, strict: bool = False
) -> dict[str, Counts]:
    """The counts of every label, in alphabetical order. Strict as in `evaluate`."""
    gold: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    recalled: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for score in scores:
        if score.status == Status.VALID:
            gold.update(score.gold_labels)
            predicted.update(score.predicted_labels)
            recalled.update(label for label, _ in score.matched_labels)
            correct.update(label for _, label in score.matched_labels)
        elif strict and _is_lost(score):
            gold.update(score.gold_labels)
    return {
        label: Counts(gold[label], predicted[label], recalled[label], correct[label])
        for label in sorted({*gold, *predicted})
    }


def score_lengths(
    scores: Iterable[SentenceScore],
    *,
    strict: bool = False,
    bounds: tuple[int, ...] = LENGTH_BOUNDS,
) -> dict[str, Summary]:
    """Summaries of classes of sentences by their length in words.

    Args:
        scores: The scores of the sentences.
        strict: As in `evaluate`.
        bounds: The greatest length of each class; a last one has all beyond.

    Returns:
        The classes that are not empty, by name: "1-10" to "71+".
    """
    names = [
        f"{low + 1}-{high}" for low, high in zip((0, *bounds[:-1]), bounds, strict=True)
    ]
    classes: list[list[SentenceScore]] = [[] for _ in range(len(bounds) + 1)]
    for score in scores:
        classes[sum(score.length > bound for bound in bounds)].append(score)
    return {
        name: summarize(members, strict=strict)
        for name, members in zip([*names, f"{bounds[-1] + 1}+"], classes, strict=True)
        if members
    }


def _is_lost(score: SentenceScore) -> bool:
    """Whether gold has something to recall, and no comparison took place."""
    if score.status == Status.SKIP:
        return score.gold_words > 0
    return score.status == Status.ERROR
