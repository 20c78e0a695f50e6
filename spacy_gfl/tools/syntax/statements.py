"""What clauses say, as sentences that stand alone: `clause.statement`, `_.statements`.

A clause that has no finite verb, or lacks what its sentence says elsewhere, gets its
subject, its verb form and what it lacks from the rest of the sentence. All of it is
done by rules for English trees in the Penn Treebank's style; where they do not tell, or
where the sentence would be a lie ("he refused to pay"), there is none.
"""

from dataclasses import dataclass

from spacy.tokens import Span, Token

from spacy_gfl.tools.syntax.clause_words import FROM_TREE, LEXICON, ClauseWords, Draft
from spacy_gfl.tools.syntax.nonfinite_statements import (
    infinitive_sentence,
    participle_sentence,
)
from spacy_gfl.tools.syntax.relative_statements import (
    lacking_clauses,
    relative_sentence,
)

#: Why what a clause says may not be so, and the subject of what reports it, a node.
Contexts = tuple[set[str], int | None]


@dataclass(frozen=True, eq=False)
class Statement:
    """What a clause, a verb phrase or an apposition says, as a sentence.

    Attributes:
        text: The sentence.
        words: Its words, each with the token that it comes from, None for what rules
            have added; a verb in another form comes from its token.
        kind: The kind of the clause; "coordinate" for a verb phrase that shares an
            auxiliary with another, "apposition" for a noun phrase beside another.
        span: What it is made of.
        contexts: Why it may not be true, in this order: "negated", "modal" (possible,
            wanted, or one of several), "conditional", "questioned", "commanded", and
            "reported" for what somebody says or thinks.
        source: Who says or thinks it, if it is reported.
        confidence: 1 if all of it is in the tree, 0.8 if rules have added a tense, a
            preposition or a noun, 0.6 if they have guessed its subject.
    """

    text: str
    words: tuple[tuple[str, Token | None], ...]
    kind: str
    span: Span
    contexts: tuple[str, ...]
    source: Span | None
    confidence: float

    @property
    def is_claim(self) -> bool:
        """Whether the sentence or its source says that it is so."""
        return not set(self.contexts) - {"reported"}

    def __repr__(self) -> str:
        return f"Statement({self.kind}, {self.text!r})"


def clause_draft(parts: ClauseWords, head: int) -> Draft | None:
    """The draft of a clause; None where rules do not tell its sentence."""
    if not parts.verbs[head] or head in lacking_clauses(parts):
        return None
    if head in parts.found["infinitival"]:
        said = infinitive_sentence(parts, head)
    elif head in parts.found["participial"]:
        said = participle_sentence(parts, head)
    elif kept := _kept(parts, head):
        said = parts.pieces(kept), FROM_TREE
    else:
        said = None if parts.is_asked(head) else relative_sentence(parts, head)
    if said is None:
        return None
    return Draft(parts.kind(head), parts.whole(head), head, *said)


def clause_contexts(parts: ClauseWords) -> dict[int, Contexts]:
    """The contexts of the clauses: their own, and those of the clauses around them."""
    contexts: dict[int, Contexts] = {}
    for head in parts.from_above():
        contexts_here, source = _own_contexts(parts, head)
        above = parts.above[head]
        # "(S) he said (S)" is main: its sentence is what he says, not around it.
        if above is not None and parts.kind(head) not in ("relative", "main"):
            outer, outer_source = contexts[above]
            contexts_here |= outer
            source = outer_source if source is None else source
        contexts[head] = contexts_here, source
    return contexts


def _own_contexts(parts: ClauseWords, head: int) -> Contexts:
    """The contexts of a clause by its form, and by the clause that it depends on."""
    contexts, source = set[str](), None
    kind, above, whole = parts.kind(head), parts.above[head], parts.whole(head)
    verbs, subject = parts.verbs[head], parts.subject(head)
    if parts.is_asked(head):
        contexts.add("questioned")
    if above is None and subject is None and parts.first_tag(verbs) == "VB":
        contexts.add("commanded")
    if kind == "relative":
        return contexts, None
    if parts.is_alternative(head):
        contexts.add("modal")
    if above is None and (teller := _teller(parts, head)) is not None:
        return contexts | {"reported"}, parts.subject(teller)
    start = parts.extents[whole][0]
    opening = parts.lower[start : parts.extents[head][0]]
    opener = parts.lower[start]
    if kind == "participial" and subject is not None:
        # "Weather permitting", but not "the law permitting it".
        opening += parts.lower[parts.extents[head][1] - 1 : parts.extents[head][1]]
    is_adjunct = kind in ("adverbial", "participial")
    if is_adjunct and not LEXICON["condition"].isdisjoint(opening):
        contexts.add("conditional")
    elif kind == "adverbial" and "not" in (*opening, *parts.lower[:start][-1:]):
        contexts.add("negated")
    if kind == "complement" and opener in ("if", "whether"):
        contexts.add("questioned")
    verb, _ = parts.governor(whole)
    # What somebody does not know is so.
    is_part = kind == "complement" or verb
    if above is not None and is_part and parts.opener(head) is None:
        around = parts.verbs[above]
        words = {verb, *map(parts.base_form, around[-1:])}
        if start and parts.tree.tags[start - 1][:2] in ("JJ", "NN"):
            # "I am sure that ...", "the claim that ...".
            words.add(parts.lower[start - 1].removesuffix("s"))
        parent = parts.extents[parts.nodes[whole].parent][0]
        is_nobodys = parent < start and parts.lower[parent] in LEXICON["negation"]
        is_negated = parts.is_negated(above) or is_nobodys
        # "He has not come since she left": she did.
        if kind != "adverbial" and (is_negated or words & LEXICON["denying"]):
            contexts.add("negated")
        is_possible = kind != "adverbial" and words & LEXICON["possible"]
        if is_possible or (kind == "participial" and words & LEXICON["imagined"]):
            contexts.add("modal")
        if parts.first_tag(around) == "MD" and not parts.lower[around[0]].startswith(
            ("wi", "wo", "'l", "’l")
        ):
            contexts.add("modal")
        if parts.opens_condition(above):
            contexts.add("conditional")
        elif kind == "complement" and words & LEXICON["saying"]:
            contexts.add("reported")
            source = _source(parts, above, start)
    if head in parts.found["infinitival"] and verb not in LEXICON["happens"]:
        contexts.add("modal")
    return contexts, source


def _teller(parts: ClauseWords, head: int) -> int | None:
    """The clause between two halves of a main clause that says whose words it is."""
    around = {head, *parts.ancestors(head)}
    for one in parts.heads:
        parenthesis, verbs = parts.nodes[parts.whole(one)].parent, parts.verbs[one]
        if parenthesis < 0 or parts.labels[parenthesis] != "PRN" or one == head:
            continue
        before = parts.extents[parenthesis][0] - 1
        is_inside = parts.nodes[parenthesis].parent in around
        is_inside |= before >= 0 and parts.owners[before] == head
        is_bare = parts.child(parts.child(one, "VP"), "S", "SBAR") is None
        last = parts.base_form(verbs[-1]) if verbs else ""
        if is_inside and is_bare and last in LEXICON["saying"]:
            return one
    return None


def _source(parts: ClauseWords, head: int, before: int) -> int | None:
    """The subject of who says what follows; None for *it is said*, *a claim that*."""
    verbs, subject = parts.verbs[head], parts.subject(head)
    if subject is None or parts.words(subject)[0] < before <= parts.words(subject)[-1]:
        return None
    is_passive = len(verbs) > 1 and parts.base_form(verbs[-2]) == "be"
    is_passive &= parts.tree.tags[verbs[-1]] == "VBN"
    return None if is_passive else subject


def _kept(parts: ClauseWords, head: int) -> list[int]:
    """The words of a finite clause that lacks nothing but a subject nearby."""
    kind, subject, opener = parts.kind(head), parts.subject(head), parts.opener(head)
    whole, before = head, list[int]()
    if head in parts.found["coordinate"]:
        if subject is not None:
            if parts.labels[subject] == "WHNP" and not parts.is_asked(head):
                return []
            # "And quickly left": the adverb is beside its verb phrase.
            before = [*parts.words(subject), *parts.adverbs_before(head)]
    elif opener is not None and not parts.is_asked(head):
        antecedent = parts.antecedent(head)
        if kind == "relative" and subject == opener and antecedent:
            before = [*range(*antecedent)]
            # "Which of them" is more than the antecedent.
            if len(parts.words(opener)) > 1 or parts.is_quantified(before):
                return []
        elif kind != "adverbial" or parts.labels[opener] != "WHADVP" or not subject:
            return []
    elif kind in ("complement", "adverbial"):
        is_whole = subject is not None and parts.labels[head] == "S"
        # "I suggest that she go".
        is_whole &= kind == "adverbial" or parts.first_tag(parts.verbs[head]) != "VB"
        opening = parts.children[parts.whole(head)]
        # After *than*, what is compared is missing.
        if not is_whole or any(parts.labels[i + 1].lower() == "than" for i in opening):
            return []
    elif parts.outer(head) in parts.found["relative"]:
        return []
    elif parts.is_asked(head):
        whole = parts.whole(head)
        if parts.lower[parts.extents[whole][0]] in ("nor", "neither"):
            return []
    return parts.trim([*before, *parts.without_coordinates(whole, head)])
