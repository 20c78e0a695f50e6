"""Bracket scores over many sentences: in sum, by label and by length."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spacy_gfl.evaluation.evalb import SentenceScore, Status


def share(part: int, total: int, whole: float = 1.0) -> float:
    """A part of a total as a part of `whole` (1, or 100 for percent); 0 of nothing."""
    # In the order in which EVALB computes it: the last digit depends on it.
    return whole * part / total if total else 0.0


def percent(part: int, total: int) -> float:
    """A share in percent."""
    return share(part, total, 100.0)


@dataclass(frozen=True)
class Counts:
    """How many brackets there are and how many agree.

    Recalled are the gold brackets that were predicted, correct the predicted ones that
    are in gold. These numbers differ only for one label, where two count as equal.
    """

    gold: int = 0
    predicted: int = 0
    recalled: int = 0
    correct: int = 0

    def scores(self, whole: float = 1.0) -> tuple[float, float, float]:
        """Recall, precision and F1 as parts of `whole`; of 100 to EVALB's last bit."""
        recall = share(self.recalled, self.gold, whole)
        precision = share(self.correct, self.predicted, whole)
        both = precision + recall
        return recall, precision, 2 * precision * recall / both if both else 0.0

    def as_dict(self, prefix: str = "") -> dict[str, Any]:
        """Precision, recall and F1, from 0 to 1, as `p`, `r` and `f`."""
        recall, precision, f1 = self.scores()
        return {f"{prefix}p": precision, f"{prefix}r": recall, f"{prefix}f": f1}


@dataclass(frozen=True)
class Summary:
    """Sums over sentences, as EVALB prints them.

    Attributes:
        sentences: How many there are.
        errors: How many of them cannot be compared.
        skips: How many have no word that counts.
        scored: The sentences that `exact` is a part of: the valid ones and, in
            strict mode, the ones that count as nothing recalled.
        labelled: Brackets that agree in label and extent.
        unlabelled: Brackets that agree in extent.
        exact: Sentences whose brackets all agree.
        crossing: Predicted brackets that cross a gold one.
        no_crossing: Sentences with no crossing bracket.
        few_crossing: Sentences with at most 2 crossing brackets.
        words: Words that were not deleted.
        correct_tags: Words, not deleted, that are tagged as gold.
    """

    sentences: int
    errors: int
    skips: int
    scored: int
    labelled: Counts
    unlabelled: Counts
    exact: int
    crossing: int
    no_crossing: int
    few_crossing: int
    words: int
    correct_tags: int

    @property
    def valid(self) -> int:
        """How many sentences are neither errors nor skips."""
        return self.sentences - self.errors - self.skips

    def as_dict(self) -> dict[str, Any]:
        """Plain data: shares from 0 to 1, and numbers of sentences."""
        return {
            **self.labelled.as_dict("con_"),
            "con_exact": share(self.exact, self.scored),
            "con_sentences": self.sentences,
            "con_error": self.errors,
            "con_skip": self.skips,
            **self.unlabelled.as_dict("con_unlabelled_"),
            "con_crossing": share(self.crossing, self.valid),
            "con_tag_acc": share(self.correct_tags, self.words),
        }


@dataclass(frozen=True)
class Evaluation:
    """Everything that is reported of one set of predictions.

    Attributes:
        all: All sentences.
        short: The sentences of up to `cutoff` words.
        cutoff: The greatest length, in words, of a short sentence.
        by_label: The brackets of each label, in alphabetical order.
        by_length: By classes of ten words, "1-10" to "71+", as in Figure 3 of Vinyals
            et al. (2015); empty ones left out.
        strict: Whether errors count as nothing recalled, instead of not at all.
        repaired: Trees that the parser had to repair; None where the predictions do
            not tell.
        flat: Trees that the parser could not make; None where the predictions do not
            tell.
        tags_given: Whether tags are gold's, so that their accuracy says nothing.
    """

    all: Summary
    short: Summary
    cutoff: int
    by_label: dict[str, Counts]
    by_length: dict[str, Summary]
    strict: bool = False
    repaired: int | None = None
    flat: int | None = None
    tags_given: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `Summary.as_dict` has for all sentences, and more.

        The names for short sentences end in the cutoff: `con_f_40`.
        """
        every, short = self.all.as_dict(), self.short.as_dict()
        if self.tags_given:
            every["con_tag_acc"] = short["con_tag_acc"] = None
        return {
            **every,
            **{f"{name}_{self.cutoff}": value for name, value in short.items()},
            "con_repaired": self.repaired,
            "con_flat": self.flat,
            "con_strict": self.strict,
            "con_per_label": {
                label: {
                    **counts.as_dict(),
                    "gold": counts.gold,
                    "predicted": counts.predicted,
                }
                for label, counts in self.by_label.items()
            },
            "con_per_length": {
                name: {**total.labelled.as_dict(), "sentences": total.sentences}
                for name, total in self.by_length.items()
            },
        }


def evaluate(
    scores: Iterable[SentenceScore],
    *,
    cutoff: int = 40,
    strict: bool = False,
    flags: Iterable[str] | None = None,
    tags_given: bool = False,
) -> Evaluation:
    """Aggregate the scores of sentences.

    Args:
        scores: The scores of the sentences.
        cutoff: The greatest length, in words, of a short sentence.
        strict: Count an error, and a skip that gold has words for, as a sentence of
            which nothing was recalled; EVALB leaves both out of all totals.
        flags: The parser's flag of each tree: "ok", "repaired" or "flat".
        tags_given: Whether the predictions have gold's tags, and so no accuracy of any.
    """
    scores = list(scores)
    fates = None if flags is None else Counter(flags)
    return Evaluation(
        all=summarize(scores, strict=strict),
        short=summarize((s for s in scores if s.length <= cutoff), strict=strict),
        cutoff=cutoff,
        by_label=_by_label(scores, strict),
        by_length=_by_length(scores, strict),
        strict=strict,
        repaired=None if fates is None else fates["repaired"],
        flat=None if fates is None else fates["flat"],
        tags_given=tags_given,
    )


def summarize(scores: Iterable[SentenceScore], *, strict: bool = False) -> Summary:
    """The sums over sentences, of which micro-averages are made.

    If `strict`, sentences without a comparison count as nothing recalled.
    """
    scores = list(scores)
    valid, lost = _counted(scores, strict)
    gold = sum(len(score.gold_labels) for score in valid + lost)
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


def _by_label(scores: Iterable[SentenceScore], strict: bool) -> dict[str, Counts]:
    valid, lost = _counted(scores, strict)
    gold = Counter(label for score in valid + lost for label in score.gold_labels)
    predicted = Counter(label for score in valid for label in score.predicted_labels)
    matched = [pair for score in valid for pair in score.matched_labels]
    recalled = Counter(label for label, _ in matched)
    correct = Counter(label for _, label in matched)
    return {
        label: Counts(gold[label], predicted[label], recalled[label], correct[label])
        for label in sorted({*gold, *predicted})
    }


def _by_length(scores: Iterable[SentenceScore], strict: bool) -> dict[str, Summary]:
    classes: defaultdict[str, list[SentenceScore]] = defaultdict(list)
    for score in sorted(scores, key=lambda score: score.length):
        tens = max(score.length - 1, 0) // 10 * 10
        name = f"{tens + 1}-{tens + 10}" if tens < 70 else "71+"
        classes[name].append(score)
    return {
        name: summarize(of_class, strict=strict) for name, of_class in classes.items()
    }


def _counted(
    scores: Iterable[SentenceScore], strict: bool
) -> tuple[list[SentenceScore], list[SentenceScore]]:
    """The valid sentences; and, if strict, errors and skips that gold has words for."""
    valid, lost = [], []
    for score in scores:
        if score.status == Status.VALID:
            valid.append(score)
        elif strict and (score.status == Status.ERROR or score.gold_words):
            lost.append(score)
    return valid, lost
