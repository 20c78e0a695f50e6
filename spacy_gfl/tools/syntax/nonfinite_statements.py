"""Sentences out of clauses without a finite verb: infinitives and participles."""

from spacy_gfl.tools.syntax.clause_parts import NOUNS
from spacy_gfl.tools.syntax.clause_words import (
    ADDED,
    FROM_TREE,
    GUESSED,
    LEXICON,
    ClauseWords,
    Said,
)

_AUXILIARIES = {"would": ("will", "would"), "could": ("can", "could")}


def infinitive_sentence(parts: ClauseWords, head: int) -> Said | None:
    """What the clause of an infinitive says; None where it may not happen."""
    above = parts.above[head]
    verb, controller = parts.governor(head)
    phrase = inner = parts.child(head, "VP")
    plain = parts.first_verb(phrase)
    if plain is not None and parts.tree.tags[plain] == "TO":
        inner = parts.child(phrase, "VP")
        plain = parts.first_verb(inner)
    if not verb or inner is None or plain is None or above is None:
        return None
    own = parts.child(head, *NOUNS)
    object_ = controller if own is None else own
    said = parts.said_subject(above) if object_ is None else parts.as_subject(object_)
    if said is None or parts.tree.tags[plain] != "VB" or parts.is_negated(above):
        return None
    subject, sure = said[0], min(said[1], FROM_TREE if own is not None else ADDED)
    is_person = parts.tree.tags[subject[0][1] or 0] in ("PRP", "NNP", "NNPS")
    is_required = controller is not None and verb in ("get", "require")
    if (is_required and not is_person) or parts.is_quantified(
        [at for _, at in subject if at is not None]
    ):
        return None
    tense = parts.tense(above)
    negated = parts.negations(range(parts.extents[head][0], plain))
    rest = [at for at in parts.trim(parts.words(inner)) if at != plain]
    before = parts.pieces(at for at in rest if at < plain)
    modes = ("happens", "would", "should", "could")
    mode = next((mode for mode in modes if verb in LEXICON[mode]), "")
    if mode == "happens":
        is_said = verb != "have" or object_ is not None
        if not is_said or _is_coordinated(parts, inner) or not _happens(parts, above):
            return None
        verbs = parts.finite_verb(plain, negated, tense, subject)
    elif mode == "would" or (mode and object_ is not None):
        # "They have promised": they will.
        is_now = parts.first_tag(parts.verbs[above]) in ("VBP", "VBZ")
        is_now = (is_now or tense == "present") and verb not in ("want", "wish")
        auxiliary = _AUXILIARIES.get(mode, ("should", "should"))[not is_now]
        verbs = [(auxiliary, None), *negated, (parts.tree.words[plain], plain)]
        sure = min(sure, ADDED)
    else:
        return None
    after = parts.pieces(at for at in rest if at > plain)
    return [*subject, *parts.joined(before, verbs), *after], sure


def _happens(parts: ClauseWords, head: int) -> bool:
    """Whether what a clause says happens: not "to let us go" in "he refused to"."""
    while head in parts.found["infinitival"]:
        verb, above = parts.governor(head)[0], parts.above[head]
        if verb not in LEXICON["happens"] or above is None or parts.is_negated(above):
            return False
        head = above
    return True


def _is_coordinated(parts: ClauseWords, phrase: int) -> bool:
    """Whether a verb phrase has several verbs, of which one would be inflected."""
    labels = [parts.labels[i] for i in parts.children[phrase]]
    return labels.count("VP") > 1 or "CC" in labels


def participle_sentence(parts: ClauseWords, head: int) -> Said | None:
    """What the clause of a participle says; None where it may not happen."""
    above = parts.above[head]
    phrase = head if parts.labels[head] == "VP" else parts.child(head, "VP")
    first = parts.first_verb(phrase)
    own = None if phrase == head else parts.child(head, *NOUNS)
    if phrase is None or first is None or parts.firsts[head] is not None:
        return None
    if parts.opens_condition(head):
        return None
    use = "meanwhile"
    if own is not None:
        is_owner = parts.tree.tags[parts.extents[own][1] - 1] in ("PRP$", "POS")
        is_so = parts.is_attending(head) and not is_owner
        found = parts.as_subject(own) if is_so else None
    else:
        if parts.antecedent(head) is None:
            use = _use(parts, head)
        found = parts.said_subject(head) if use else None
    start = parts.extents[head][0]
    is_compared = "than" in parts.lower[max(start - 1, 0) : (first or 0) + 1]
    # A capital is a title's.
    if found is None or is_compared or (first and parts.tree.words[first][0].isupper()):
        return None
    subject, sure = found[0], min(found[1], ADDED)
    last = subject[-1][0].lower()
    # "It" may stand for nothing.
    is_empty = sure == GUESSED and last in ("it", "there")
    outer = None if above is None else parts.subject(above)
    is_inside = outer is not None and parts.extents[outer][1] > parts.extents[head][0]
    is_denied = own is None and not is_inside and parts.is_negated(above)
    if is_empty or is_denied or last in LEXICON["hardship"]:
        return None
    tense = parts.tense(above)
    words = parts.trim(parts.words(phrase if own is not None else head))
    negated = parts.negations(at for at in words if at < first)
    known = {at for _, at in negated}
    before = parts.pieces(at for at in words if at < first and at not in known)
    after = parts.pieces(at for at in words if at > first)
    verb, participle = parts.base_form(first), (parts.tree.words[first], first)
    if parts.tree.tags[first] == "VBN":
        said = {parts.lower[at] for at in words}
        is_dated = any(text.isdigit() and len(text) == 4 for text in said)
        tense = "past" if is_dated or said & LEXICON["past"] else tense
        be = parts.inflected("be", tense, subject)
        verbs = [(be, None), *negated, *before, participle]
    elif verb == "have" and parts.child(phrase, "VP") and parts.child(phrase, "VBG"):
        verbs = [(parts.inflected(verb, tense, subject), first), *negated, *before]
    elif use == "happens" or negated or verb in LEXICON["stative"]:
        if _is_coordinated(parts, phrase):
            return None
        verbs = parts.joined(before, parts.finite_verb(first, negated, tense, subject))
    else:
        be = parts.inflected("be", tense, subject)
        verbs = [(be, None), *before, participle]
    return [*subject, *verbs, *after], sure


def _use(parts: ClauseWords, head: int) -> str:
    """What a participle without a subject is to its sentence.

    "meanwhile" for what goes on, "happens" for what happens; "" where it is not
    said to happen.
    """
    above, parent = parts.above[head], parts.nodes[head].parent
    verbs = [] if above is None else parts.verbs[above]
    start = parts.extents[head][0]
    opener = parts.lower[parts.extents[max(parent, 0)][0]]
    governor, _ = parts.governor(head)
    if above is None or not verbs or parts.first_tag(verbs) == "VB":
        return ""
    if parts.labels[parent] == "PP":
        # Who does it is not the subject of a passive; "help in finding" may find none.
        is_agent = opener == "by" and parts.tree.tags[verbs[-1]] == "VBN"
        is_nouns = parts.labels[parts.nodes[parent].parent] in NOUNS
        is_so = opener in LEXICON["real"] and not (is_agent or is_nouns)
        return "happens" if is_so else ""
    if parts.labels[parent] == "SBAR":
        return "meanwhile" if opener in ("while", "when", "as", "though") else ""
    is_apart = start > 0 and parts.tree.tags[start - 1] == ","
    if governor and not is_apart:
        if governor in LEXICON["doing"]:
            return "happens"
        return "meanwhile" if governor in LEXICON["posture"] else ""
    if start < verbs[0] and parts.tag_after(head) != ",":
        # "Swimming is fun": a subject.
        return ""
    is_posture = parts.base_form(verbs[-1]) in LEXICON["posture"]
    return "happens" if start > verbs[-1] and not is_posture else "meanwhile"
