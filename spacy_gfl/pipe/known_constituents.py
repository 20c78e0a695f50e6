"""Constraints that Docs carry before they are parsed.

`doc.spans["constituency_required"]` holds spans that must be constituents, with
their label or, without one, with any; `doc.spans["constituency_forbidden"]` holds
spans of words that no constituent may cover exactly. White space in them does not
count. A single word is a constituent as it is: without a label, nothing is required
of it; to forbid it forbids a constituent over this word alone. What is forbidden stays
so with more or less punctuation at its edges, but for the whole sentence.

Constraints that cannot be met are left out with a warning: first each constraint that
no tree meets; then, one by one, the constraint with most conflicts (of several, the
longest, then the last); then, from left to right, the longest around a word where the
search has no room for all. The constraints of dependencies (`search.dependencies`) and
entities (`search.entities`) are left out before all others, and without a warning.
"""

import warnings
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, chain, combinations
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.dependencies import REQUIRED_KEY, dependency_extents
from spacy_gfl.annotation.storage import spans_in_place
from spacy_gfl.decoding.codec import ConstrainableCodec, TreeCodec
from spacy_gfl.decoding.network import Network
from spacy_gfl.decoding.tasks import Constraints
from spacy_gfl.pipe.search_settings import SearchSettings

FORBIDDEN_KEY = "constituency_forbidden"
#: How many spans a warning names, and with how many characters of their text.
NAMED, NAMED_CHARACTERS = 5, 60
#: More constraints of a sentence are left out: time grows with their square.
MOST_CONSTRAINTS = 5000
#: So much punctuation on either side of a forbidden extent belongs to it.
_PUNCTUATION_AROUND = 4
NOT_TAKEN = (
    "The decoder of this model takes no constraints on trees: those of the Docs are "
    "left out. Models of spacy_gfl.AttachJuxtapose.v1 obey them."
)
#: Start and end, in words of a sentence.
Extent = tuple[int, int]


class _Claim(NamedTuple):
    """A constraint of one span on the tree of its sentence.

    Attributes:
        extent: What must be a constituent, or must not.
        label: "" for any, and where nothing is required.
        required: Whether the extent must be a constituent, or must not.
        span: What a warning names; None for what dependencies and entities ask for.
    """

    extent: Extent
    label: str
    required: bool
    span: Span | None

    def __str__(self) -> str:
        if self.span is None:
            return "what dependencies or entities ask for"
        text = " ".join(self.span.text.split())
        if len(text) > NAMED_CHARACTERS:
            text = f"{text[:NAMED_CHARACTERS]}..."
        kind = f"{self.label} " if self.label else "" if self.required else "forbidden "
        return f'{kind}"{text}" (tokens {self.span.start}-{self.span.end})'

    @property
    def length(self) -> int:
        """How many words the extent has."""
        return self.extent[1] - self.extent[0]


def known_constraints(
    docs: Sequence[Doc],
    sents: Sequence[Sequence[Sequence[int]]],
    places: Sequence[tuple[int, int]],
    codec: TreeCodec,
    network: Network,
    search: SearchSettings,
) -> list[Constraints | None] | None:
    """Read the constraints of Docs, and leave out what cannot be met.

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
    left_out: list[str] = []
    for number, doc in enumerate(docs):
        for key in keys:
            if spans_in_place(doc, key) is None:
                changed = "the Doc's tokens have been changed since it was set"
                left_out.append(f'doc.spans["{key}"]: {changed}')
        searched = [
            words for n, words in enumerate(sents[number]) if (number, n) in found
        ]
        for sentence, claim in _claims(doc, sents[number], searched, search):
            claims = found.get((number, max(sentence, 0)))
            if reason := _wrong_with(claim, sentence, claims, codec):
                left_out += [f"{claim}: {reason}"] if claim.span is not None else []
            elif claims is not None and not _holds_anyway(claim):
                claims.append(claim)
    constraints: list[Constraints | None] = []
    for (number, sentence), claims in found.items():
        left_out += _drop_conflicts(claims, codec)
        left_out += _drop_crowd(claims, network.most_nested)
        words = [docs[number][i] for i in sents[number][sentence]]
        known = Constraints(_required(claims, codec), _forbidden(claims, words))
        constraints.append(known if claims else None)
    if left_out:
        more = [f"and {len(left_out) - NAMED} more"] if len(left_out) > NAMED else []
        named = "; ".join([*left_out[:NAMED], *more])
        warnings.warn(
            f"{len(left_out)} of the constraints on trees cannot be met and are left "
            f"out. {named}.",
            stacklevel=3,
        )
    return constraints if any(constraints) else None


def _claims(
    doc: Doc,
    sents: Sequence[Sequence[int]],
    searched: Sequence[Sequence[int]],
    search: SearchSettings,
) -> Iterator[tuple[int, _Claim]]:
    """A Doc's claims, each with its sentence: -1 if it has no words, -2 if in several.

    Dependencies are asked of the sentences that are searched.
    """
    asked: list[tuple[int, int, str, bool, Span | None]] = []
    for key in (REQUIRED_KEY, FORBIDDEN_KEY):
        required = key == REQUIRED_KEY
        for of_key in spans_in_place(doc, key) or ():
            label = of_key.label_ if required else ""
            asked.append((of_key.start, of_key.end, label, required, of_key))
    if search.dependencies and searched and not doc.has_annotation("DEP"):
        raise ValueError(
            "search.dependencies is on, and this Doc has no dependencies: put a "
            "dependency parser before the constituency parser."
        )
    for words in searched if search.dependencies else ():
        for start, end in dependency_extents([doc[i] for i in words]):
            asked.append((words[start], words[end - 1] + 1, "", True, None))
    if search.entities:
        asked += [(ent.start, ent.end, "", True, None) for ent in doc.ents]
    tokens = list(chain.from_iterable(sents))
    borders = list(accumulate(map(len, sents), initial=0))
    numbers = [n for n, words in enumerate(sents) for _ in words]
    for start, end, label, required, span in asked:
        first, after = bisect_left(tokens, start), bisect_left(tokens, end)
        if first >= after:
            yield -1, _Claim((0, 0), label, required, span)
        elif numbers[first] != numbers[after - 1]:
            yield -2, _Claim((0, 0), label, required, span)
        else:
            before = borders[numbers[first]]
            extent = (first - before, after - before)
            yield numbers[first], _Claim(extent, label, required, span)


def _wrong_with(
    claim: _Claim,
    sentence: int,
    others: Sequence[_Claim] | None,
    codec: ConstrainableCodec,
) -> str:
    """Why a claim cannot be met, whatever others ask for; "" if it can."""
    if sentence == -1:
        return "it has no words"
    if sentence == -2:
        return "it is in more than one sentence"
    needed = [claim.label] if claim.label else []
    if claim.required and not (codec.bearing(needed) if needed else codec.labels):
        return "the model does not know its label"
    if others is None:
        return "its sentence is too long to be searched"
    if len(others) >= MOST_CONSTRAINTS:
        return f"its sentence has more than {MOST_CONSTRAINTS:,}"
    return ""


def _holds_anyway(claim: _Claim) -> bool:
    return claim.required and claim.length == 1 and not claim.label


def _drop_conflicts(claims: list[_Claim], codec: ConstrainableCodec) -> list[str]:
    """Drop claims until no two exclude each other; what is dropped, and why."""
    if len(claims) < 2:
        return []
    excluded = _exclusions(claims, codec)
    conflicts = excluded.sum(axis=1, dtype="int64")
    lengths = numpy.array([claim.length for claim in claims])
    # Those of dependencies and entities first, then those with most conflicts.
    width = int(lengths.max()) + 1
    own = numpy.array([claim.span is None for claim in claims]) * width * len(claims)
    left_out, dropped = [], set()
    while conflicts.any():
        badness = numpy.where(conflicts, own + conflicts * width + lengths, -1)
        worst = len(claims) - 1 - int(badness[::-1].argmax())
        if claims[worst].span is not None:
            other = claims[int(excluded[worst].argmax())]
            left_out.append(f"{claims[worst]}: it conflicts with {other}")
        conflicts -= excluded[worst]
        conflicts[worst] = 0
        excluded[worst] = excluded[:, worst] = False
        dropped.add(worst)
    claims[:] = [claim for i, claim in enumerate(claims) if i not in dropped]
    # Labels may go together two by two, but not all of them.
    for labels in _labels(claims).values():
        while labels and not codec.bearing(list(labels)):
            for claim in labels.popitem()[1]:
                claims.remove(claim)
                reason = "no constituent has it with its other labels"
                left_out.append(f"{claim}: {reason}")
    return left_out


def _exclusions(claims: Sequence[_Claim], codec: ConstrainableCodec) -> "numpy.ndarray":
    """Whether no tree meets two claims, `(claims, claims)`."""
    starts, ends = numpy.array([claim.extent for claim in claims]).T
    required = numpy.array([claim.required for claim in claims])
    both = required[:, None] & required
    crosses = (
        (starts[:, None] < starts)
        & (starts < ends[:, None])
        & (ends[:, None] < ends)
        & both
    )
    excluded = crosses | crosses.T
    same = (starts[:, None] == starts) & (ends[:, None] == ends)
    excluded |= same & (required[:, None] != required)
    numbers = {id(claim): i for i, claim in enumerate(claims)}
    for labels in _labels(claims).values():
        for one, other in combinations(labels, 2):
            if not codec.bearing([one, other]):
                rows = [numbers[id(claim)] for claim in labels[one]]
                columns = [numbers[id(claim)] for claim in labels[other]]
                excluded[numpy.ix_(rows, columns)] = True
                excluded[numpy.ix_(columns, rows)] = True
    return excluded


def _drop_crowd(claims: list[_Claim], most: int | None) -> list[str]:
    """Drop claims until no more required extents than `most` nest; what, and why.

    Extents that begin at one word are one node of the chain and those above it.
    """
    starts = {claim.extent[0] for claim in claims if claim.required}
    if most is None or len(starts) <= most:
        return []
    left_out = []
    around: list[_Claim] = []
    by_start: dict[int, list[_Claim]] = defaultdict(list)
    for claim in claims:
        if claim.required:
            by_start[claim.extent[0]].append(claim)
    for start in sorted(starts):
        around = [claim for claim in around if claim.extent[1] > start]
        around += by_start[start]
        while len({claim.extent[0] for claim in around}) > most:
            worst = max(reversed(around), key=lambda c: (c.span is None, c.length))
            around.remove(worst)
            claims.remove(worst)
            if worst.span is not None:
                reason = "the search has no room for it and others"
                left_out.append(f"{worst}: {reason}")
    return left_out


def _required(
    claims: Sequence[_Claim], codec: ConstrainableCodec
) -> list[tuple[int, int, Collection[int] | None]]:
    """The required extents, each once, with the numbers of its labels."""
    labels = _labels(claims)
    extents = dict.fromkeys(claim.extent for claim in claims if claim.required)
    return [
        (*extent, codec.bearing(list(labels[extent])) if extent in labels else None)
        for extent in extents
    ]


def _forbidden(claims: Sequence[_Claim], words: Sequence[Token]) -> list[Extent]:
    """The forbidden extents of a sentence, with more and less punctuation around."""
    said = {claim.extent for claim in claims if not claim.required}
    found = set(said)
    is_mark = [word.is_punct or word.is_quote for word in words] if said else []
    for start, end in said:
        inner = [i for i in range(start, end) if not is_mark[i]] or [start, end - 1]
        firsts, ends = [inner[0]], [inner[-1] + 1]
        for _ in range(_PUNCTUATION_AROUND):
            if firsts[-1] > 0 and is_mark[firsts[-1] - 1]:
                firsts.append(firsts[-1] - 1)
            if ends[-1] < len(words) and is_mark[ends[-1]]:
                ends.append(ends[-1] + 1)
        found.update((first, end) for first in firsts for end in ends)
    if (0, len(words)) not in said:
        found.discard((0, len(words)))
    return sorted(found - {claim.extent for claim in claims if claim.required})


def _labels(claims: Sequence[_Claim]) -> dict[Extent, dict[str, list[_Claim]]]:
    """The claims that ask for a label, by extent and label."""
    found: dict[Extent, dict[str, list[_Claim]]] = {}
    for claim in claims:
        if claim.label:
            by_label = found.setdefault(claim.extent, {})
            by_label.setdefault(claim.label, []).append(claim)
    return found
