"""Constraints that Docs carry before they are parsed.

`doc.spans["constituency_required"]` holds spans that must be constituents, with
their label or, without one, with any; `doc.spans["constituency_forbidden"]` holds
spans of words that no constituent may cover exactly. White space in them does not
count. A single word is a constituent as it is: without a label, nothing is required
of it; to forbid it forbids a constituent over this word alone. What is forbidden stays
so with more or less punctuation at its edges, but for the whole sentence.

Constraints count in this order: required, forbidden, those of dependencies
(`search.dependencies`) and of entities (`search.entities`), each in the order given.
One that cannot be met together with those before it is left out, with a warning if it
was set by hand.
"""

import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
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
    "The decoder of this model ignores the constraints on trees that the Docs "
    "have. Use a model with spacy_gfl.AttachJuxtapose.v1."
)
#: Start and end, in words of a sentence.
Extent = tuple[int, int]


class _Constraint(NamedTuple):
    """A constraint on a tree.

    Attributes:
        start: The first token in the Doc of what must be a constituent, or must not.
        end: The token after the last.
        label: "" for any, and where nothing is required.
        required: Whether the tokens must be a constituent, or must not.
        span: What a warning names; None for what dependencies and entities ask for.
    """

    start: int
    end: int
    label: str = ""
    required: bool = True
    span: Span | None = None

    def __str__(self) -> str:
        if self.span is None:
            return "the constraint from dependencies or entities"
        text = " ".join(self.span.text.split())
        if len(text) > NAMED_CHARACTERS:
            text = f"{text[:NAMED_CHARACTERS]}..."
        kind = f"{self.label} " if self.label else "" if self.required else "forbidden "
        return f'{kind}"{text}" (tokens {self.start}-{self.end})'


class _Accepted:
    """The constraints of one sentence that can be met together."""

    def __init__(
        self, words: Sequence[Token], codec: ConstrainableCodec, most_nested: int | None
    ) -> None:
        self._words, self._codec, self._most_nested = words, codec, most_nested
        self._required: dict[Extent, _Constraint] = {}
        self._forbidden: dict[Extent, _Constraint] = {}
        self._labels: dict[Extent, list[str]] = {}
        # The keys of `_required`: a tree has no more over its words.
        self._extents = numpy.empty((2 * len(words), 2), dtype="int64")
        # By first word, where the longest ends; by word, how many are around it.
        self._reach: dict[int, int] = {}
        self._n_nested = numpy.zeros(len(words), dtype="int64")

    def add(self, constraint: _Constraint, extent: Extent) -> str:
        """Accept a constraint on words of the sentence, or say why it cannot be met."""
        if len(self._required) + len(self._forbidden) >= MOST_CONSTRAINTS:
            return f"its sentence has more than {MOST_CONSTRAINTS:,}"
        if not constraint.required:
            if other := self._required.get(extent):
                return f"it conflicts with {other}"
            self._forbidden[extent] = constraint
            return ""
        label, others = constraint.label, self._labels.get(extent, [])
        if not (self._codec.bearing([label]) if label else self._codec.labels):
            return "the model does not know its label"
        if label and not self._codec.bearing([*others, label]):
            return f"no constituent has both it and {' and '.join(others)}"
        start, end = extent
        if not label and end - start == 1:
            return ""  # A single word is a constituent as it is.
        if extent not in self._required:
            starts, ends = self._extents[: len(self._required)].T
            crosses = (starts < start) & (start < ends) & (ends < end)
            crosses |= (start < starts) & (starts < end) & (end < ends)
            other = self._forbidden.get(extent)
            if crosses.any():
                other = [*self._required.values()][crosses.argmax()]
            if other is not None:
                return f"it conflicts with {other}"
            # Extents that begin at one word are one node of the chain.
            reach = self._reach.get(start, start)
            nested = self._n_nested[reach:end]
            if self._most_nested is not None and (nested >= self._most_nested).any():
                return "the search has no room for it beside others"
            nested += 1
            self._reach[start] = max(reach, end)
            self._extents[len(self._required)] = extent
            self._required[extent] = constraint
        if label and label not in others:
            self._labels[extent] = [*others, label]
        return ""

    def constraints(self) -> Constraints | None:
        """The constraints for the search; None without any."""
        if not (self._required or self._forbidden):
            return None
        labels = {of: self._codec.bearing(has) for of, has in self._labels.items()}
        required = [(*extent, labels.get(extent)) for extent in self._required]
        return Constraints(required, self._forbidden_extents())

    def _forbidden_extents(self) -> list[Extent]:
        """The forbidden extents, with more and less punctuation around."""
        words, extents = self._words, set(self._forbidden)
        is_mark = [word.is_punct or word.is_quote for word in words] if extents else []
        for start, end in self._forbidden:
            inner = [i for i in range(start, end) if not is_mark[i]] or [start, end - 1]
            firsts, ends = [inner[0]], [inner[-1] + 1]
            for _ in range(_PUNCTUATION_AROUND):
                if firsts[-1] > 0 and is_mark[firsts[-1] - 1]:
                    firsts.append(firsts[-1] - 1)
                if ends[-1] < len(words) and is_mark[ends[-1]]:
                    ends.append(ends[-1] + 1)
            extents.update((first, end) for first in firsts for end in ends)
        if (0, len(words)) not in self._forbidden:
            extents.discard((0, len(words)))
        return sorted(extents - self._required.keys())


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
    accepted = {
        (n, sentence): _Accepted(
            [docs[n][i] for i in sents[n][sentence]], codec, network.most_nested
        )
        for n, sentence in places
    }
    left_out: list[str] = []
    for number, doc in enumerate(docs):
        for key in keys:
            if spans_in_place(doc, key) is None:
                changed = "the tokens of the Doc have changed since it was set"
                left_out.append(f'doc.spans["{key}"]: {changed}')
        tokens = list(chain.from_iterable(sents[number]))
        borders = list(accumulate(map(len, sents[number]), initial=0))
        searched = [
            words for n, words in enumerate(sents[number]) if (number, n) in accepted
        ]
        for constraint in _constraints_of(doc, searched, search):
            first, after = (
                bisect_left(tokens, at) for at in (constraint.start, constraint.end)
            )
            sentence = bisect_right(borders, first) - 1
            if first >= after:
                reason = "it has no words"
            elif after > borders[sentence + 1]:
                reason = "it is in more than one sentence"
            elif (number, sentence) not in accepted:
                reason = "its sentence is too long to be searched"
            else:
                before = borders[sentence]
                extent = (first - before, after - before)
                reason = accepted[number, sentence].add(constraint, extent)
            if reason and constraint.span is not None:
                left_out.append(f"{constraint}: {reason}")
    if left_out:
        more = [f"and {len(left_out) - NAMED} more"] if len(left_out) > NAMED else []
        named = "; ".join([*left_out[:NAMED], *more])
        warnings.warn(
            f"{len(left_out)} of the constraints on trees cannot be met, so the parser "
            f"leaves out: {named}.",
            stacklevel=3,
        )
    constraints = [sentence.constraints() for sentence in accepted.values()]
    return constraints if any(constraints) else None


def _constraints_of(
    doc: Doc, searched: Sequence[Sequence[int]], search: SearchSettings
) -> Iterator[_Constraint]:
    """What is asked of a Doc's trees; dependencies of the sentences searched alone."""
    for key in (REQUIRED_KEY, FORBIDDEN_KEY):
        is_required = key == REQUIRED_KEY
        for span in spans_in_place(doc, key) or ():
            label = span.label_ if is_required else ""
            yield _Constraint(span.start, span.end, label, is_required, span)
    if search.dependencies and searched and not doc.has_annotation("DEP"):
        raise ValueError(
            "search.dependencies is on, but this Doc has no dependencies. Put a "
            "dependency parser before the constituency parser."
        )
    for words in searched if search.dependencies else ():
        for start, end in dependency_extents([doc[i] for i in words]):
            yield _Constraint(words[start], words[end - 1] + 1)
    for ent in doc.ents if search.entities else ():
        yield _Constraint(ent.start, ent.end)
