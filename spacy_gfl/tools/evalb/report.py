"""EVALB's own report, character by character."""

from collections.abc import Iterable

from spacy_gfl.evaluation.evalb import SentenceScore
from spacy_gfl.evaluation.summary import Summary, percent, summarize

_RULE = "=" * 76
_HEAD = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
    _RULE,
)


def evalb_report(scores: Iterable[SentenceScore], cutoff: int = 40) -> list[str]:
    """The lines of EVALB's report, without line ends.

    Its second summary is of the sentences of up to `cutoff` words.
    """
    scores = list(scores)
    total = summarize(scores)
    short = summarize(score for score in scores if score.length <= cutoff)
    return [
        *_HEAD,
        *(_format_row(number, score) for number, score in enumerate(scores, start=1)),
        _RULE,
        _format_total(total),
        "=== Summary ===",
        "",
        "-- All --",
        *_format_summary(total),
        "",
        f"-- len<={cutoff} --",
        *_format_summary(short),
    ]


def evalb_messages(scores: Iterable[SentenceScore]) -> list[str]:
    """The lines that EVALB writes to the standard error stream."""
    return [
        f"{number} : {message}"
        for number, score in enumerate(scores, start=1)
        for message in score.messages
    ]


def _format_row(number: int, score: SentenceScore) -> str:
    """The row of one sentence, counted from 1."""
    return (
        f"{number:4d}  {score.length:3d}    {score.status:d}  "
        f"{percent(score.matched, score.gold):6.2f} "
        f"{percent(score.matched, score.predicted):6.2f}   "
        f"{score.matched:3d}    {score.gold:3d}  {score.predicted:3d}    "
        f"{score.crossing:3d}   {score.words:4d}  {score.correct_tags:4d}   "
        f"{percent(score.correct_tags, score.words):6.2f}"
    )


def _format_total(total: Summary) -> str:
    counts = total.labelled
    tags = (
        f"  {total.words:5d} {total.correct_tags:5d}   "
        f"{percent(total.correct_tags, total.words):6.2f}"
    )
    if not counts.gold or not counts.predicted:
        return tags
    recall, precision, _ = counts.scores(100.0)
    return (
        f"                {recall:6.2f} {precision:6.2f} {counts.correct:6d} "
        f"{counts.gold:5d} {counts.predicted:5d}  {total.crossing:5d}{tags}"
    )


def _format_summary(total: Summary) -> list[str]:
    recall, precision, f1 = total.labelled.scores(100.0)
    # C divides 0 by 0 here, and prints what comes of it.
    f_measure = f"{f1:6.2f}" if precision + recall else "  -nan"
    valid = total.valid
    return [
        f"Number of sentence        = {total.sentences:6d}",
        f"Number of Error sentence  = {total.errors:6d}",
        f"Number of Skip  sentence  = {total.skips:6d}",
        f"Number of Valid sentence  = {valid:6d}",
        f"Bracketing Recall         = {recall:6.2f}",
        f"Bracketing Precision      = {precision:6.2f}",
        f"Bracketing FMeasure       = {f_measure}",
        f"Complete match            = {percent(total.exact, valid):6.2f}",
        f"Average crossing          = {total.crossing / max(valid, 1):6.2f}",
        f"No crossing               = {percent(total.no_crossing, valid):6.2f}",
        f"2 or less crossing        = {percent(total.few_crossing, valid):6.2f}",
        f"Tagging accuracy          = {percent(total.correct_tags, total.words):6.2f}",
    ]
