"""Sentences out of phrases that are no clauses: conjuncts, appositions, adjectives."""

from collections.abc import Iterator

from spacy_gfl.tools.syntax.clause_words import (
    ADDED,
    FROM_TREE,
    GUESSED,
    LEXICON,
    VERB_TAGS,
    ClauseWords,
    Draft,
)

_WITH_SUBJECT = (["NP", "ADJP"], ["NP", "PP"], ["NP", "ADVP"])


def drafts_beside_clauses(parts: ClauseWords) -> Iterator[Draft]:
    """Verb phrases that share an auxiliary, appositions, phrases like clauses."""
    for at, label in enumerate(parts.labels):
        if label == "VP":
            yield from _shared(parts, at)
        elif label == "NP":
            yield from _apposed(parts, at)
        elif label == "S" and at not in parts.found["head"]:
            yield from _verbless(parts, at)


def _shared(parts: ClauseWords, at: int) -> Iterator[Draft]:
    """The conjuncts of a verb phrase below auxiliaries: *has closed and opened*."""
    above, parent = parts.owners[parts.extents[at][0]], parts.nodes[at].parent
    labels = {parts.labels[i] for i in parts.children[at]}
    # "Was caught and eaten": verbs alone.
    kinds = VERB_TAGS if labels <= VERB_TAGS | {"CC", ","} else {"VP"}
    conjuncts = [i for i in parts.children[at] if parts.labels[i] in kinds]
    subject = None if above is None else parts.subject(above)
    if above is None or subject is None or parts.labels[max(parent, 0)] != "VP":
        return
    not_finite = parts.found["infinitival"] | parts.found["participial"]
    is_said = above not in not_finite and not parts.is_asked(above)
    is_said &= not parts.labels[subject].startswith("WH")
    is_joined = len(conjuncts) > 1 and bool(labels & {"CC", "CONJP"})
    if not (is_said and is_joined) or parts.found["head"] & {*conjuncts}:
        return
    given = parts.said_subject(above)
    skipped = {"either", "both", ","}
    auxiliaries = range(parts.extents[subject][1], parts.extents[at][0])
    joined = {parts.lower[parts.extents[i][0]] for i in parts.children[at]}
    if given is None or "neither" in joined:
        return
    # "Has not called or written" denies both; "and", one of them.
    is_negated = any(parts.lower[word] in LEXICON["negation"] for word in auxiliaries)
    is_alternative = is_negated != ("or" in joined)
    for conjunct in conjuncts:
        words = [word for word in auxiliaries if parts.owners[word] == above]
        words += parts.adverbs_before(conjunct)
        words += parts.trim(parts.words(conjunct))
        words = [word for word in words if parts.lower[word] not in skipped]
        pieces = given[0] + parts.pieces(words)
        yield Draft("coordinate", conjunct, above, pieces, FROM_TREE, is_alternative)


def _apposed(parts: ClauseWords, at: int) -> Iterator[Draft]:
    """*Ann, a doctor,*: a noun phrase beside another, and neither is a list's."""
    children = parts.children[at]
    labels = [parts.labels[i] for i in children]
    if labels not in (["NP", ",", "NP"], ["NP", ",", "NP", ","]):
        return
    words, said = parts.words(children[0]), parts.words(children[2])
    first, names = parts.tree.tags[said[0]], {"NNP", "NNPS"}
    is_described = first in ("DT", "PRP$") and not parts.is_quantified(said[:1])
    is_named = {parts.tree.tags[i] for i in said} <= names
    is_named &= parts.tree.tags[words[-1]] not in names
    is_named &= parts.tree.tags[words[0]] in ("DT", "PRP$")
    if (is_described or is_named) and not parts.is_quantified(words):
        subject = parts.nominative(parts.pieces(words))
        be = parts.inflected("be", "present", subject)
        pieces = [*subject, (be, None), *parts.inside(children[2])]
        yield Draft("apposition", children[2], None, pieces, ADDED)


def _verbless(parts: ClauseWords, at: int) -> Iterator[Draft]:
    """*Tired of waiting, ...*; *with his eyes closed*."""
    above, children = parts.owners[parts.extents[at][0]], parts.children[at]
    labels = [parts.labels[i] for i in children]
    parent = parts.labels[max(parts.nodes[at].parent, 0)]
    subject = None
    if above is None:
        return
    if labels == ["ADJP"] and parent == "S" and parts.tag_after(at) == ",":
        subject = parts.said_subject(above)
    elif labels in _WITH_SUBJECT and parent in ("PP", "S"):
        # "God willing" is a condition.
        is_if = parts.lower[parts.extents[children[-1]][0]] in LEXICON["condition"]
        is_so = parts.is_attending(at) and not is_if
        subject = parts.as_subject(children[0]) if is_so else None
    # "He was himself ill."
    if subject and not subject[0][-1][0].lower().endswith(("self", "selves")):
        be = parts.inflected("be", parts.tense(above), subject[0])
        pieces = [*subject[0], (be, None), *parts.inside(children[-1])]
        sure = GUESSED if labels == ["ADJP"] else ADDED
        yield Draft("participial", at, above, pieces, sure)
