"""The spaCy scorer: EVALB's bracket scores on Docs, whatever their tokens are."""

import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.alignment import character_offsets, fold
from spacy_gfl.annotation.sentence_words import is_word, sentences
from spacy_gfl.annotation.storage import (
    BARE,
    SPANS_KEY,
    group_constituents,
    treeless_sentences,
)
from spacy_gfl.evaluation.evalb import SentenceScore, Status, compare_brackets
from spacy_gfl.evaluation.parameters import COLLINS, Parameters
from spacy_gfl.evaluation.summary import evaluate
from spacy_gfl.trees.escaping import escape_name
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, TreeError

#: The key that `spacy evaluate` takes if it is given none.
EVALUATED_KEY = "sc"
#: The scores of `score_brackets`, apart from those named after the spans key.
SCORES = (
    *("con_p", "con_r", "con_f", "con_exact", "con_error", "con_skip"),
    *("con_unlabelled_p", "con_unlabelled_r", "con_unlabelled_f"),
    *("con_repaired", "con_flat", "con_per_label"),
)


_NO_GOLD = (
    "None of these Docs has gold trees, so trees have no scores. spaCy loses the "
    "trees when it cuts Docs into sentences: in `spacy evaluate -G` "
    "(--gold-preproc), and in spacy.Corpus.v1 with gold_preproc or max_length. "
    "Leave these out, or read the file with spacy_gfl.TreebankCorpus.v1."
)


def make_bracket_scorer() -> Callable[..., dict[str, Any]]:
    """EVALB's bracket scores of trees, and the accuracy of predicted tags."""
    return score_brackets


def score_brackets(
    examples: Iterable[Example],
    *,
    spans_key: str = SPANS_KEY,
    predict_tags: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    """Score predicted trees against gold trees, by EVALB's rules with COLLINS.

    Args:
        examples: Examples; one whose gold Doc has no trees is passed over.
        spans_key: Where the predicted Docs have their trees, in `doc.spans`.
        predict_tags: Score the predicted tags too, as `tag_acc`, if there are any.
        kwargs: Whatever else the component's settings are; without effect.

    Returns:
        Shares from 0 to 1: `con_p`, `con_r`, `con_f` (labelled brackets),
        `con_unlabelled_p/r/f` (extents), `con_exact` (sentences without a mistake);
        numbers of sentences: `con_error` (without a predicted tree; they count as
        nothing recalled), `con_skip` (without a word that counts), `con_repaired`
        and `con_flat` (None where the predictions do not tell); `con_per_label`,
        label to p, r, f. The first three stand under `spans_<key>_p/r/f` too, and
        the last under `spans_<key>_per_type`, where `spacy evaluate --spans-key`
        looks for them; and where no Doc has spans under the key that it takes
        otherwise, under that one. All are None if no gold Doc has trees.
    """
    examples = list(examples)
    with_gold = [eg for eg in examples if SPANS_KEY in eg.reference.spans]
    all_scores: dict[str, Any] = dict.fromkeys(SCORES)
    if with_gold:
        sentence_scores = [
            score
            for eg in with_gold
            for score in score_doc(eg.reference, eg.predicted, spans_key=spans_key)
        ]
        flags = prediction_flags((eg.predicted for eg in with_gold), spans_key)
        evaluation = evaluate(sentence_scores, strict=True, flags=flags)
        labels = evaluation.by_label
        all_scores = evaluation.as_dict()
        all_scores["con_per_label"] = {
            label: labels[label].as_dict() for label in labels
        }
    elif any(eg.predicted.spans.get(spans_key) for eg in examples):
        warnings.warn(_NO_GOLD, UserWarning, stacklevel=2)
    scores = {name: all_scores[name] for name in SCORES}
    docs = (doc for eg in examples for doc in (eg.reference, eg.predicted))
    is_free = not any(EVALUATED_KEY in doc.spans for doc in docs)
    for key in (spans_key, EVALUATED_KEY) if is_free else (spans_key,):
        for name in ("p", "r", "f"):
            scores[f"spans_{key}_{name}"] = scores[f"con_{name}"]
        scores[f"spans_{key}_per_type"] = scores["con_per_label"]
    if predict_tags and any(eg.predicted.has_annotation("TAG") for eg in examples):
        scores.update(Scorer.score_token_attr(examples, "tag"))
    return scores


def score_doc(
    gold: Doc,
    predicted: Doc,
    *,
    spans_key: str = SPANS_KEY,
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
        parameters: Which words and brackets count.

    Raises:
        ValueError: The gold Doc has no sentence boundaries.
        TreeError: The tokens of a Doc have been changed since it got its trees.
    """
    sents = sentences(gold)
    kept = _kept_before(gold, parameters)
    offsets = character_offsets(gold)
    ends = [kept[offsets[sent.end]] for sent in sents]
    wanted = _by_sentence(gold, SPANS_KEY, kept, ends, parameters)
    predicted_brackets = _by_sentence(predicted, spans_key, kept, ends, parameters)
    without = _without_trees(predicted, spans_key, gold)
    scores = []
    for sent, brackets, others in zip(sents, wanted, predicted_brackets, strict=True):
        is_missing = not without.isdisjoint(
            range(offsets[sent.start], offsets[sent.end])
        )
        tags = [token.tag_ or MISSING_TAG for token in sent if is_word(token)]
        words = sum(tag not in parameters.delete for tag in tags)
        length = sum(tag not in parameters.delete_for_length for tag in tags)
        if not words:
            scores.append(SentenceScore(length, Status.SKIP))
            continue
        score = SentenceScore(
            length,
            status=Status.ERROR if is_missing else Status.VALID,
            gold_words=words,
            gold_labels=tuple(bracket.label for bracket in brackets),
            messages=("No tree was predicted",) if is_missing else (),
        )
        scores.append(compare_brackets(score, brackets, others, parameters))
    return scores


def _without_trees(predicted: Doc, key: str, gold: Doc) -> set[int]:
    """The folded characters of a text whose sentences have no predicted tree.

    Raises:
        TreeError: A gold sentence has no tree.
    """
    for sent in treeless_sentences(gold, SPANS_KEY):
        raise TreeError(f'The gold sentence "{sent.text:.50}" has no tree.')
    at = character_offsets(predicted)
    if key not in predicted.spans:
        return set(range(at[-1]))
    spans = treeless_sentences(predicted, key)
    return {place for span in spans for place in range(at[span.start], at[span.end])}


def _kept_before(gold: Doc, parameters: Parameters) -> list[int]:
    """How many kept characters stand before each character, and before the end.

    Characters of deleted words are not kept; white space is not counted at all.
    """
    is_kept = (
        (token.tag_ or MISSING_TAG) not in parameters.delete
        for token in gold
        for _ in fold(token.text)
    )
    return list(accumulate(is_kept, initial=0))


def _by_sentence(
    doc: Doc, key: str, kept: list[int], ends: list[int], parameters: Parameters
) -> list[list[Constituent]]:
    """The brackets of a Doc that count, by the gold sentence in which they begin.

    Extents, and the ends of gold's sentences, are in the numbers of `_kept_before`.
    """
    # The text may differ from gold's by more than white space only if somebody
    # changed it; its end is as good as gold's then.
    at = [kept[min(offset, len(kept) - 1)] for offset in character_offsets(doc)]
    nodes = group_constituents(doc, key) if key in doc.spans else []
    nodes = [node for node in nodes if node.label != BARE]
    # EVALB reads labels as they are printed between brackets.
    extents = ((escape_name(label), at[i], at[j]) for label, i, j in nodes)
    groups: list[list[Constituent]] = [[] for _ in ends]
    for bracket in parameters.counted(extents):
        groups[bisect_right(ends, bracket.start)].append(bracket)
    return groups


def prediction_flags(
    docs: Iterable[Doc], spans_key: str = SPANS_KEY
) -> list[str] | None:
    """The parser's flag of each tree, such as "ok"; None if no Doc has flags."""
    groups = [doc.spans[spans_key] for doc in docs if spans_key in doc.spans]
    flags = [flag for group in groups for flag in group.attrs.get("flags") or ()]
    return flags or None
