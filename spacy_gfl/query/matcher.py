"""`TreeMatcher`: TGrep2 patterns found in the trees of a Doc."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, overload

from spacy.errors import Warnings
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import SPANS_KEY, sentence_trees
from spacy_gfl.query.nodes import tree_nodes
from spacy_gfl.query.patterns import TreePattern

#: The hash of a rule's key, the first token and the one after the last.
Match: TypeAlias = tuple[int, int, int]
#: Called with the matcher, the Doc, the index of a match, and all matches.
OnMatch: TypeAlias = Callable[["TreeMatcher", Doc, int, list[Match]], Any]


class TreeMatcher:
    """Finds constituents and words by TGrep2 patterns, as spaCy's Matcher does tokens.

    A pattern's first node, its head, is what matches: `NP < PP` finds the NPs
    that have a PP for a child. A match is the extent of that node; nodes of one
    extent (a unary chain, a tag and its word) are one match of a rule.

    Args:
        vocab: The vocabulary of the Docs.
        key: The span group that the trees are in.
        max_seconds: How long the search of a Doc or Span may take; `math.inf` for any
            time. Patterns that strangers write can be made to take years.
    """

    def __init__(
        self, vocab: Vocab, *, key: str = SPANS_KEY, max_seconds: float = 60.0
    ) -> None:
        self.vocab = vocab
        self.key = key
        self.max_seconds = max_seconds
        self._rules: dict[int, tuple[OnMatch | None, list[TreePattern]]] = {}

    def __len__(self) -> int:
        """The number of rules: of keys, not of patterns."""
        return len(self._rules)

    def __contains__(self, key: str | int) -> bool:
        return self._hash(key) in self._rules

    def add(
        self, key: str | int, patterns: list[str], *, on_match: OnMatch | None = None
    ) -> None:
        """Add a rule, or patterns to a rule, whose callback is then replaced.

        Args:
            key: The rule's name: the label of its matches.
            patterns: TGrep2 patterns, of which any may match.
            on_match: Called as `on_match(matcher, doc, i, matches)` for each match.

        Raises:
            PatternError: One is no pattern; a ValueError that shows the place.
            ValueError: An argument is of another kind. The rule is then as it was.
        """
        if on_match is not None and not callable(on_match):
            raise ValueError(f"on_match must be callable, not {on_match!r}.")
        is_list = isinstance(patterns, list) and len(patterns) > 0
        if not is_list or not all(isinstance(pattern, str) for pattern in patterns):
            raise ValueError(
                f"The patterns must be a list of one or more strings, not {patterns!r}."
            )
        compiled = [TreePattern(pattern) for pattern in patterns]
        _, known = self._rules.get(self._hash(key), (None, []))
        if isinstance(key, str):
            self.vocab.strings.add(key)
        self._rules[self._hash(key)] = (on_match, known + compiled)

    def remove(self, key: str | int) -> None:
        """Remove a rule; a ValueError, as spaCy's Matcher has it, if there is none."""
        if key not in self:
            raise ValueError(f"There is no rule {key!r} to remove.")
        del self._rules[self._hash(key)]

    def get(
        self, key: str | int, default: Any = None
    ) -> tuple[OnMatch | None, list[str]] | Any:
        """A rule as (on_match, patterns), or the default if there is none."""
        if key not in self:
            return default
        on_match, patterns = self._rules[self._hash(key)]
        return on_match, [pattern.text for pattern in patterns]

    @overload
    def __call__(
        self, doclike: Doc | Span, *, as_spans: Literal[False] = ...
    ) -> list[Match]: ...
    @overload
    def __call__(
        self, doclike: Doc | Span, *, as_spans: Literal[True]
    ) -> list[Span]: ...
    def __call__(
        self, doclike: Doc | Span, *, as_spans: bool = False
    ) -> list[Match] | list[Span]:
        """Find the matches in a Doc, or those inside a Span.

        What is around a Span counts: in the Span of an NP, `NP > S` can match.

        Args:
            doclike: The Doc or Span.
            as_spans: Return Spans of the Doc, labelled with their rule.

        Returns:
            (key, start, end) of each match by start, longer ones first; the key is
            a hash, start and end count tokens from where the Doc or, as with
            spaCy's Matcher, the Span begins.

        Raises:
            ValueError: It is no Doc or Span, the Doc has no trees or sentences, or a
                match comes to a label (`=name`) that it has not bound.
            TimeoutError: The patterns take more than `max_seconds`.
        """
        if not isinstance(doclike, (Doc, Span)):
            raise ValueError(
                f"TreeMatcher can be called on a Doc or Span, not {doclike!r}."
            )
        if not self._rules:
            warnings.warn(Warnings.W036.format(name="TreeMatcher"), stacklevel=2)
        span = doclike[:]
        found = [
            (key, start - span.start, end - span.start)
            for key, start, end in self._find(span)
            if span.start <= start and end <= span.end
        ]
        found.sort(key=lambda match: (match[1], -match[2]))
        for i, (key, _, _) in enumerate(found):
            on_match, _ = self._rules.get(key, (None, []))
            if on_match is not None:
                on_match(self, span.doc, i, found)
        if not as_spans:
            return found
        return [
            Span(span.doc, span.start + start, span.start + end, label=key)
            for key, start, end in found
        ]

    def _find(self, span: Span) -> Iterator[Match]:
        """The matches in all sentences whose words a Span reaches."""
        trees = sentence_trees(span.doc, self.key)
        deadline = time.monotonic() + self.max_seconds
        for words, tree in trees:
            if not words or words[-1] < span.start or span.end <= words[0]:
                continue
            nodes = tree_nodes(tree)
            for key, (_, patterns) in self._rules.items():
                heads = (i for one in patterns for i in one.heads(nodes, deadline))
                for start, end in {(nodes[i].start, nodes[i].end) for i in heads}:
                    yield key, words[start], words[end - 1] + 1

    def _hash(self, key: str | int) -> int:
        if isinstance(key, str):
            return int(self.vocab.strings[key])
        if isinstance(key, int) and not isinstance(key, bool):
            return key
        raise ValueError(f"The key of a rule must be a string or its hash, not {key!r}")
