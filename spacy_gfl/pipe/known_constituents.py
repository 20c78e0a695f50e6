"""Constraints that Docs carry before they are parsed.

`doc.spans["constituency_required"]` holds spans that must be constituents, with
their label or, without one, with any; `doc.spans["constituency_forbidden"]` holds
spans of words that no constituent may cover exactly. White space in them does not
count. A single word is a constituent as it is: without a label, nothing is required
of it; to forbid it forbids a constituent over this word alone.

Constraints that cannot be met are left out with a warning: first each constraint that
no tree meets; then, one by one, the constraint with most conflicts (of several, the
longest, then the last); then the longest where the search has no room for all. The
constraints of dependencies (`search.dependencies`) and entities (`search.entities`) are
left out before all others, and without a warning.
"""

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Span

from spacy_gfl.annotation.dependencies import REQUIRED_KEY, dependency_extents
from spacy_gfl.annotation.storage import is_word, spans_in_place
from spacy_gfl.decoding.codec import ConstrainableCodec, TreeCodec
from spacy_gfl.decoding.constraints import Constraints, Required
from spacy_gfl.decoding.network import Network
from spacy_gfl.pipe.search_settings import SearchSettings

FORBIDDEN_KEY = "constituency_forbidden"
#: How many spans a warning names.
NAMED = 5
NOT_TAKEN = (
    "The decoder of this model takes no constraints on trees: those of the Docs are "
    "left out. Models of spacy_gfl.AttachJuxtapose.v1 obey them."
)


class _Claim(NamedTuple):
    """A constraint of one span on the tree of its sentence.

    Attributes:
        start, end: In words of the sentence.
        label: "" for any, and where nothing is required.
        required: Whether the extent must be a constituent, or must not.
        name: How a warning calls it; "" for what dependencies and entities ask for.
    """

    start: int
    end: int
    label: str
    required: bool
    name: str

    @property
    def extent(self) -> tuple[int, int]:
        return self.start, self.end


def known_constraints(
    docs: Sequence[Doc],
    sents: Sequence[Sequence[Sequence[int]]],
    places: Sequence[tuple[int, int]],
    codec: TreeCodec,
    network: Network,
    search: SearchSettings,
) -> list[Constraints | None] | None:
    """Read the constraints of Docs, and leave out those that cannot be met.

    Args:
        docs: The Docs.
        sents: For each its sentences, as the indices of their words.
        places: The sentences that are searched: number of the Doc, of the sentence.
        codec: The model's codec.
        network: The model's network, which limits how many constraints a search takes.
        search: Says whether dependencies and entities are constraints too.

    Returns:
        For each place the constraints of its sentence, None for a sentence without
        any. A single None if no sentence has any.

    Raises:
        ValueError: Trees are to agree with dependencies, and a Doc has none.
    """
    keys = (REQUIRED_KEY, FORBIDDEN_KEY)
    has_any = any(len(doc.spans.get(key, ())) for doc in docs for key in keys)
    if not (has_any or search.dependencies or search.entities):
        return None
    if not isinstance(codec, ConstrainableCodec):
        warnings.warn(NOT_TAKEN, stacklevel=3)
        return None
    found: dict[tuple[int, int], list[_Claim]] = {place: [] for place in places}
    dropped: list[str] = []
    for number, doc in enumerate(docs):
        searched = [n for n in range(len(sents[number])) if (number, n) in found]
        of_doc = _claims(doc, sents[number], searched, codec, search)
        for sentence, claim, reason in of_doc:
            if not reason and (number, sentence) not in found:
                reason = "its sentence is too long to be searched"
            if reason and claim.name:
                dropped.append(f"{claim.name}: {reason}")
            is_word_alone = claim.required and claim.end - claim.start == 1
            if not reason and (claim.label or not is_word_alone):
                found[number, sentence].append(claim)
    constraints: list[Constraints | None] = []
    for claims in found.values():
        dropped += _drop_conflicts(claims, codec)
        while crowd := network.crowded(_required(claims, codec)):
            crowding = [c for c in claims if c.required and c.extent in crowd]
            worst = max(reversed(crowding), key=_badness)
            claims.remove(worst)
            if worst.name:
                reason = "the search has no room for it and others"
                dropped.append(f"{worst.name}: {reason}")
        forbidden = {claim.extent for claim in claims if not claim.required}
        known = Constraints(_required(claims, codec), sorted(forbidden))
        constraints.append(known if claims else None)
    if dropped:
        more = [f"and {len(dropped) - NAMED} more"] if len(dropped) > NAMED else []
        named = "; ".join([*dropped[:NAMED], *more])
        warnings.warn(
            f"{len(dropped)} of the constraints on trees cannot be met and are left "
            f"out. {named}.",
            stacklevel=3,
        )
    return constraints if any(constraints) else None


def _claims(
    doc: Doc,
    sents: Sequence[Sequence[int]],
    searched: Sequence[int],
    codec: ConstrainableCodec,
    search: SearchSettings,
) -> Iterator[tuple[int, _Claim, str]]:
    """A Doc's claims, each with its sentence and what is wrong with it, or ""."""
    asked: list[tuple[Span, str, bool, str]] = []
    for key in (REQUIRED_KEY, FORBIDDEN_KEY):
        required = key == REQUIRED_KEY
        spans = spans_in_place(doc, key)
        if spans is None:
            group = _Claim(0, 0, "", required, f'doc.spans["{key}"]')
            yield 0, group, "the Doc's tokens have been changed since it was set"
        for span in spans or ():
            label = span.label_ if required else ""
            asked.append((span, label, required, _name(span, label, required)))
    if search.dependencies and searched and not doc.has_annotation("DEP"):
        raise ValueError(
            "search.dependencies is on, and this Doc has no dependencies: put a "
            "dependency parser before the constituency parser."
        )
    for words in [sents[n] for n in searched if search.dependencies]:
        for start, end in dependency_extents([doc[i] for i in words]):
            asked.append((doc[words[start] : words[end - 1] + 1], "", True, ""))
    if search.entities:
        asked += [(ent, "", True, "") for ent in doc.ents]
    at = {i: (n, k) for n, words in enumerate(sents) for k, i in enumerate(words)}
    for span, label, required, name in asked:
        places = [at[token.i] for token in span if is_word(token)]
        first, last = (places[0], places[-1]) if places else ((0, 0), (0, 0))
        reason = ""
        if not places:
            reason = "it has no words"
        elif first[0] != last[0]:
            reason = "it is in more than one sentence"
        elif required and not (codec.bearing([label]) if label else codec.labels):
            reason = "the model does not know its label"
        yield first[0], _Claim(first[1], last[1] + 1, label, required, name), reason


def _name(span: Span, label: str, required: bool) -> str:
    text = " ".join(span.text.split())
    kind = f"{label} " if label else "" if required else "forbidden "
    return f'{kind}"{text}" (tokens {span.start}-{span.end})'


def _drop_conflicts(claims: list[_Claim], codec: ConstrainableCodec) -> list[str]:
    """Drop claims until no two exclude each other; what is dropped, and why."""
    conflicts = {
        i: {j for j, other in enumerate(claims) if _exclude(claim, other, codec)}
        for i, claim in enumerate(claims)
    }
    dropped = []
    while pending := [i for i in conflicts if conflicts[i]]:
        worst = max(
            reversed(pending), key=lambda i: _badness(claims[i], len(conflicts[i]))
        )
        other = claims[min(conflicts[worst])]
        if claims[worst].name:
            dropped.append(f"{claims[worst].name}: it conflicts with {other.name}")
        for i in conflicts.pop(worst):
            conflicts[i].discard(worst)
    claims[:] = [claims[i] for i in conflicts]
    # Labels may go together two by two, but not all of them.
    for extent in {claim.extent for claim in claims if claim.label}:
        while not codec.bearing(_labels(claims, extent)):
            last = [c for c in claims if c.label and c.extent == extent][-1]
            claims.remove(last)
            dropped.append(f"{last.name}: no constituent has it with its other labels")
    return dropped


def _exclude(one: _Claim, other: _Claim, codec: ConstrainableCodec) -> bool:
    """Whether no tree meets both claims."""
    if one.required and other.required:
        if one.extent == other.extent:
            labels = _labels([one, other], one.extent)
            return bool(labels) and not codec.bearing(labels)
        first, second = sorted([one.extent, other.extent])
        return first[0] < second[0] < first[1] < second[1]
    return one.required != other.required and one.extent == other.extent


def _badness(claim: _Claim, n_conflicts: int = 0) -> tuple[bool, int, int]:
    """How early a claim is left out; of claims as bad, the last goes first."""
    return not claim.name, n_conflicts, claim.end - claim.start


def _required(claims: Collection[_Claim], codec: ConstrainableCodec) -> list[Required]:
    required: list[Required] = []
    for extent in dict.fromkeys(claim.extent for claim in claims if claim.required):
        labels = _labels(claims, extent)
        required.append((*extent, codec.bearing(labels) if labels else None))
    return required


def _labels(claims: Collection[_Claim], extent: tuple[int, int]) -> list[str]:
    return [claim.label for claim in claims if claim.label and claim.extent == extent]
