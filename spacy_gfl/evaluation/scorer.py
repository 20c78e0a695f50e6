"""The spaCy scorer: EVALB's bracket scores on Docs, whatever their tokens are."""

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.alignment import fold
from spacy_gfl.annotation.storage import SPANS_KEY, is_word, sentences
from spacy_gfl.evaluation.evalb import (
    SentenceScore,
    Status,
    compare_brackets,
    counted_brackets,
)
from spacy_gfl.evaluation.parameters import COLLINS, Parameters
from spacy_gfl.evaluation.summary import Evaluation, evaluate
from spacy_gfl.trees.escaping import escape_name
from spacy_gfl.trees.tree import MISSING_TAG, Constituent

#: The scores of `score_brackets`, apart from those named after the spans key.
SCORES = (
    "con_p",
    "con_r",
    "con_f",
    "con_exact",
    "con_error",
    "con_skip",
    "con_unlabelled_p",
    "con_unlabelled_r",
    "con_unlabelled_f",
    "con_repaired",
    "con_flat",
    "con_per_label",
)


def make_bracket_scorer() -> Callable[..., dict[str, Any]]:
    """Create the scorer registered as `spacy_gfl.bracket_scorer.v1`."""
    return score_brackets


def score_brackets(
    examples: Iterable[Example],
    *,
    spans_key: str = SPANS_KEY,
    gold_key: str = SPANS_KEY,
    predict_tags: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    """Score predicted trees against gold trees, by EVALB's rules with COLLINS.

    Args:
        examples: Those whose gold Doc has no trees are passed over.
        spans_key: Where the predicted Docs have their trees, in `doc.spans`.
        gold_key: Where the gold Docs have theirs.
        predict_tags: Score the predicted tags too, as `tag_acc`.
        kwargs: Whatever else the component's settings are; without effect.

    Returns:
        Shares from 0 to 1: `con_p`, `con_r`, `con_f` (labelled brackets),
        `con_unlabelled_p/r/f` (extents), `con_exact` (sentences without a mistake);
        numbers of sentences: `con_error` (without a predicted tree; they count as
        nothing recalled), `con_skip` (without a word that counts), `con_repaired`
        and `con_flat` (None where the predictions do not tell); `con_per_label`,
        label to p, r, f. The first three stand under `spans_<key>_p/r/f` too, and
        the last under `spans_<key>_per_type`, where `spacy evaluate --spans-key`
        looks for them. All are None if no gold Doc has trees.
    """
    examples = list(examples)
    pairs = [(example.reference, example.predicted) for example in examples]
    evaluation = evaluate_docs(pairs, spans_key=spans_key, gold_key=gold_key)
    scores: dict[str, Any] = dict.fromkeys(SCORES)
    if evaluation is not None:
        named = evaluation.as_dict()
        scores = {name: named[name] for name in SCORES}
        scores["con_per_label"] = {
            label: counts.as_dict() for label, counts in evaluation.by_label.items()
        }
    for name in ("p", "r", "f"):
        scores[f"spans_{spans_key}_{name}"] = scores[f"con_{name}"]
    scores[f"spans_{spans_key}_per_type"] = scores["con_per_label"]
    if predict_tags:
        scores.update(Scorer.score_token_attr(examples, "tag"))
    return scores


def evaluate_docs(
    pairs: Iterable[tuple[Doc, Doc]],
    *,
    spans_key: str = SPANS_KEY,
    gold_key: str = SPANS_KEY,
    parameters: Parameters = COLLINS,
    strict: bool = True,
) -> Evaluation | None:
    """Evaluate pairs of a gold and a predicted Doc of the same text.

    Args:
        pairs: Those whose gold Doc has no trees are passed over.
        spans_key: Where the predicted Docs have their trees, in `doc.spans`.
        gold_key: Where the gold Docs have theirs.
        parameters: Which words and brackets count.
        strict: Count sentences without a predicted tree as nothing recalled.

    Returns:
        What there is to report; None if no gold Doc has trees.

    Raises:
        ValueError: A gold Doc has no sentence boundaries.
    """
    pairs = [pair for pair in pairs if gold_key in pair[0].spans]
    if not pairs:
        return None
    scores = [
        score
        for gold, predicted in pairs
        for score in score_doc(
            gold,
            predicted,
            spans_key=spans_key,
            gold_key=gold_key,
            parameters=parameters,
        )
    ]
    flags = prediction_flags((predicted for _, predicted in pairs), spans_key)
    return evaluate(scores, cutoff=parameters.cutoff, strict=strict, flags=flags)


def score_doc(
    gold: Doc,
    predicted: Doc,
    *,
    spans_key: str = SPANS_KEY,
    gold_key: str = SPANS_KEY,
    parameters: Parameters = COLLINS,
) -> list[SentenceScore]:
    """Score each gold sentence of a Doc.

    The tags of gold decide which words are deleted. Brackets are compared by the
    characters between their ends that are neither white space nor of a deleted
    word, so that tokens and sentences may differ; a predicted bracket belongs to
    the gold sentence in which it begins. A bracket with an end inside a gold token
    is wrong.

    Args:
        gold: A Doc with trees.
        predicted: A Doc of the same text. If it has no trees, its sentences are
            errors.
        spans_key: Where the predicted Doc has its trees, in `doc.spans`.
        gold_key: Where the gold Doc has its trees.
        parameters: Which words and brackets count.

    Returns:
        The score of each sentence of gold.

    Raises:
        ValueError: The gold Doc has no sentence boundaries.
    """
    position = _kept_positions(gold, parameters)
    gold_sents = sentences(gold)
    offsets = _character_offsets(gold)
    starts = [position[offsets[sent.start]] for sent in gold_sents]
    ends = [position[offsets[sent.end]] for sent in gold_sents]
    missing = spans_key not in predicted.spans
    wanted = _by_sentence(_brackets(gold, position, gold_key, parameters), ends)
    found: list[list[Constituent]] = [[] for _ in gold_sents]
    if not missing:
        brackets = _brackets(predicted, position, spans_key, parameters)
        found = _by_sentence(brackets, ends)
    scores = []
    for number, sent in enumerate(gold_sents):
        tags = [token.tag_ or MISSING_TAG for token in sent if is_word(token)]
        words = sum(tag not in parameters.delete for tag in tags)
        length = sum(tag not in parameters.delete_for_length for tag in tags)
        if starts[number] == ends[number]:
            scores.append(SentenceScore(length=length, status=Status.SKIP))
            continue
        status = Status.ERROR if missing else Status.VALID
        scores.append(
            _score_sentence(
                wanted[number], found[number], parameters, status, words, length
            )
        )
    return scores


def _score_sentence(
    gold: list[Constituent],
    predicted: list[Constituent],
    parameters: Parameters,
    status: Status,
    words: int,
    length: int,
) -> SentenceScore:
    comparison = compare_brackets(gold, predicted, parameters)
    return SentenceScore(
        length=length,
        status=status,
        matched=len(comparison.matched),
        gold=len(gold),
        predicted=len(predicted),
        crossing=comparison.crossing,
        words=words,
        correct_tags=words,
        unlabelled=comparison.unlabelled,
        matched_labels=comparison.matched,
        gold_labels=tuple(node.label for node in gold),
        predicted_labels=tuple(node.label for node in predicted),
        gold_words=words,
        messages=("No tree was predicted",) if status == Status.ERROR else (),
    )


def _character_offsets(doc: Doc) -> list[int]:
    """How many characters of the folded text stand before each token and the end."""
    return list(accumulate((len(fold(token.text)) for token in doc), initial=0))


def _kept_positions(gold: Doc, parameters: Parameters) -> list[int]:
    """How many kept characters stand before each character, and before the end.

    Characters of deleted words are not kept; white space is not counted at all.
    """
    positions = [0]
    for token in gold:
        kept = (token.tag_ or MISSING_TAG) not in parameters.delete
        for _ in fold(token.text):
            positions.append(positions[-1] + kept)
    return positions


def _brackets(
    doc: Doc, position: list[int], spans_key: str, parameters: Parameters
) -> list[Constituent]:
    """The brackets of a Doc that count, as extents of kept characters of gold."""
    # The text may differ from gold's by more than white space only if somebody
    # changed it; its end is as good as gold's then.
    last = len(position) - 1
    at = [position[min(offset, last)] for offset in _character_offsets(doc)]
    extents = (
        # As it would be printed between brackets, which is what EVALB reads.
        (escape_name(span.label_), at[span.start], at[span.end])
        for span in doc.spans[spans_key]
    )
    return counted_brackets(extents, parameters)


def _by_sentence(
    brackets: Iterable[Constituent], ends: list[int]
) -> list[list[Constituent]]:
    """The brackets by the sentence in which they begin, order kept.

    ends: The position after each sentence.
    """
    owner = [
        number
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False))
        for _ in range(end - start)
    ]
    groups: list[list[Constituent]] = [[] for _ in ends]
    for bracket in brackets:
        groups[owner[bracket.start]].append(bracket)
    return groups


def prediction_flags(
    docs: Iterable[Doc], spans_key: str = SPANS_KEY
) -> list[str] | None:
    """What the parser says of its trees.

    Returns:
        "ok", "repaired" or "flat" for each tree; None if nothing is said of any.
    """
    found = [
        doc.spans[spans_key].attrs["flags"]
        for doc in docs
        if spans_key in doc.spans and "flags" in doc.spans[spans_key].attrs
    ]
    return [flag for flags in found for flag in flags] if found else None
