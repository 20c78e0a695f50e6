"""Sentences out of relative clauses: what they describe goes where it is missing."""

from functools import lru_cache

from spacy_gfl.tools.syntax.clause_words import (
    ADDED,
    FINITE,
    FROM_TREE,
    GUESSED,
    LEXICON,
    VERB_TAGS,
    ClauseWords,
    Said,
)

_OBJECTIVE = {"he": "him", "she": "her", "we": "us", "they": "them", "i": "me"}
#: What stands for what is not told: *what she said*.
_SOMETHING = dict.fromkeys(["what", "whatever"], "something")
_SOMETHING |= dict.fromkeys(["who", "whoever", "whom"], "someone")
_ADJUNCTS = LEXICON["manner"] | LEXICON["day"] | LEXICON["moment"]


def relative_sentence(parts: ClauseWords, head: int) -> Said | None:
    """A relative clause, with what it is relative to in its place."""
    opener, subject = parts.opener(head), parts.subject(head)
    words = range(0) if opener is None else parts.words(opener)
    wh, *more = [parts.lower[at] for at in words] or [""]
    antecedent = parts.antecedent(parts.firsts[head] or head)
    sure = FROM_TREE
    if antecedent is not None and wh not in ("what", "whatever", "whoever"):
        given = range(*antecedent)
        if parts.is_quantified(given):
            return None
        noun = parts.pieces(given)
    elif wh in _SOMETHING and not more and parts.firsts[head] is None:
        noun, sure = [(_SOMETHING[wh], words[0])], GUESSED
    else:
        return None
    body = parts.pieces(parts.trim(parts.without_coordinates(head, head)))
    label = "" if opener is None else parts.labels[opener]
    if "whose" in (wh, *more[:1]):
        at = words[(wh, *more).index("whose")]
        genitive = "'" if noun[-1][0].endswith("s") else "'s"
        noun = [*noun, (genitive, at), *parts.pieces(range(at + 1, words[-1] + 1))]
    elif (label == "WHNP" and more) or (
        label == "WHPP" and more not in (["which"], ["whom"])
    ):
        return None
    if label in ("WHPP", "WHADVP") and subject is None:
        return None
    if label == "WHPP":
        return [*body, (wh, words[0]), *noun], sure
    if label == "WHADVP":
        if antecedent is None or wh not in ("where", "when") or more:
            return None
        texts = {text.lower() for text, _ in noun}
        preposition = "in"
        if wh == "when" and texts & (LEXICON["day"] | LEXICON["moment"]):
            preposition = "on" if texts & LEXICON["day"] else "at"
        return [*body, (preposition, words[0]), *noun], ADDED
    verbs = parts.verbs[head]
    is_empty = sure == GUESSED and parts.base_form(verbs[-1]) == "be"
    if subject is not None and subject == opener:
        # "Something is now Turkey" says nothing.
        return None if is_empty and len(verbs) == 1 else ([*noun, *body], sure)
    place = None if subject is None else _gap(parts, head)
    if place is None or is_empty:
        return None
    before, is_subject = place
    is_bare = opener is None or wh == "that"
    if is_bare and before == verbs[-1] + 1 and noun[-1][0].lower() in _ADJUNCTS:
        # "The way he talks".
        return None
    if len(noun) == 1 and not is_subject:
        noun = [(_OBJECTIVE.get(text.lower(), text), at) for text, at in noun]
    n_before = sum(at is not None and at < before for _, at in body)
    return [*body[:n_before], *noun, *body[n_before:]], sure


@lru_cache(maxsize=8)
def lacking_clauses(parts: ClauseWords) -> set[int]:
    """The clauses inside relative clauses and questions that lack what these are of.

    In *the house that I hope to buy*, it is *to buy*; in *what did she say she saw*,
    it is *she saw*.
    """
    lacking = set[int]()
    for head in parts.heads:
        opener, subject = parts.opener(head), parts.subject(head)
        is_relative = head in parts.found["head"] and parts.kind(head) == "relative"
        is_open = opener is not None and parts.labels[opener] == "WHNP"
        if (is_open or (is_relative and opener is None)) and subject != opener:
            place = _gap(parts, head)
            inside = parts.owners[place[0] - 1] if place is not None else None
            while inside is not None and inside > head:
                lacking.add(inside)
                inside = parts.above[inside]
    return lacking


def _gap(parts: ClauseWords, at: int) -> tuple[int, bool] | None:
    """The word before which what is relative belongs, and whether as a subject."""
    while (phrase := parts.child(at, "VP")) is not None:
        if parts.child(phrase, "VP") is not None:
            at = phrase
            continue
        clause = parts.child(phrase, "S", "SBAR")
        if parts.child(clause, "WHNP", "WHADVP", "WHPP") is not None:
            clause = None
        if clause is not None and parts.labels[clause] == "SBAR":
            clause = parts.child(clause, "S")
        inside = parts.child(clause, "VP")
        if clause is None or inside is None:
            return _object_place(parts, phrase)
        verb = parts.first_verb(inside)
        is_finite = verb is not None and parts.tree.tags[verb] in FINITE
        if is_finite and parts.child(clause, "NP") is None:
            return parts.extents[inside][0], True
        at = clause
    return None


def _object_place(parts: ClauseWords, phrase: int) -> tuple[int, bool] | None:
    children = parts.children[phrase]
    for child in children:
        start, end = parts.extents[child]
        is_alone = end - start == 1 and parts.tree.tags[start] in ("IN", "TO")
        if is_alone and parts.labels[child] in ("PP", "IN", "TO", "ADVP"):
            return end, False
    verb = parts.first_verb(phrase)
    nouns = [parts.extents[i][1] for i in children if parts.labels[i] == "NP"]
    if verb is None or parts.tree.tags[verb] == "MD":
        return None
    if nouns:
        takes_two = len(nouns) == 1 and parts.base_form(verb) in LEXICON["giving"]
        return (nouns[0], False) if takes_two else None
    if {parts.labels[i] for i in children} <= VERB_TAGS | {"CC"}:
        # "Whom I trust and admire".
        return parts.extents[phrase][1], False
    particle = parts.child(phrase, "PRT")
    is_next = particle is not None and parts.extents[particle][0] == verb + 1
    return (parts.extents[particle or 0][1] if is_next else verb + 1), False
