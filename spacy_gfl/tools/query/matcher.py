"""`TreeMatcher`: TGrep2 patterns found in the trees of a Doc."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias, overload

from spacy.errors import Warnings
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.nodes import sentence_nodes
from spacy_gfl.tools.query.pattern_nodes import Node, shown, tree_nodes
from spacy_gfl.tools.query.patterns import TreePattern, likely_node

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
        max_seconds: How long the search of a Doc or Span may take; `math.inf` for any
            time. Untrusted patterns can be written to take years.
    """

    def __init__(self, vocab: Vocab, *, max_seconds: float = 60.0) -> None:
        self.vocab = vocab
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
        """Remove a rule. Without it, raise ValueError, as spaCy's Matcher does."""
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
            ValueError: It is no Doc or Span, or the Doc has no trees or sentences.
            TimeoutError: The patterns take more than `max_seconds`.
        """
        spans = [match for match, _ in self._find(doclike)]
        span = doclike[:]
        matches = [
            (one.label, one.start - span.start, one.end - span.start) for one in spans
        ]
        for i, (key, _, _) in enumerate(matches):
            on_match, _ = self._rules.get(key, (None, []))
            if on_match is not None:
                on_match(self, span.doc, i, matches)
        return spans if as_spans else matches

    def captures(self, doclike: Doc | Span) -> list[dict[str, Span]]:
        """Find the nodes that patterns name (`NP=subject`), for each match of a call.

        Args:
            doclike: The Doc or Span.

        Returns:
            In the order of the matches, a Span by each name, with its label or tag. Of
            several nodes that fit, it is the first, or the nearest one above.

        Raises:
            ValueError: It is no Doc or Span, or the Doc has no trees or sentences.
            TimeoutError: The patterns take more than `max_seconds`.
        """
        return [captured for _, captured in self._find(doclike)]

    def _find(self, doclike: Doc | Span) -> list[tuple[Span, dict[str, Span]]]:
        """The matches in order, and what each captures."""
        if not isinstance(doclike, (Doc, Span)):
            raise ValueError(
                f"TreeMatcher can be called on a Doc or Span, not {doclike!r}."
            )
        if not self._rules:
            warnings.warn(Warnings.W036.format(name="TreeMatcher"), stacklevel=3)
        span = doclike[:]
        deadline = time.monotonic() + self.max_seconds
        by_place: dict[Match, tuple[Span, dict[str, Span]]] = {}
        labels: set[str] = set()
        has_functions = False
        for sent in sentence_nodes(span):
            words, functions = sent.sentence.words, sent.sentence.functions(span.doc)
            nodes = tree_nodes(sent.sentence.tree, functions)
            labels.update(node.label for node in nodes)
            has_functions |= any(functions)

            def place(node: Node, label: int | str) -> Span:
                start, end = words[node.start], words[node.end - 1] + 1  # noqa: B023
                return Span(span.doc, start, end, label=label)

            for key, head, captured in self._heads(nodes, deadline):
                match = place(head, key)
                if span.start <= match.start and match.end <= span.end:
                    named = {name: place(n, n.label) for name, n in captured.items()}
                    by_place.setdefault((key, match.start, match.end), (match, named))
        if not by_place:
            self._warn(labels, span.doc.lang_, has_functions)
        return sorted(by_place.values(), key=lambda one: (one[0].start, -one[0].end))

    def _heads(
        self, nodes: Sequence[Node], deadline: float
    ) -> Iterator[tuple[int, Node, dict[str, Node]]]:
        """The key of each rule that finds a node, the node, and what is captured."""
        for key, (_, patterns) in self._rules.items():
            for pattern in patterns:
                for head, captured in pattern.heads(nodes, deadline).items():
                    named = {name: shown(nodes, at) for name, at in captured.items()}
                    yield key, nodes[head], named

    def _warn(self, labels: set[str], lang: str, has_functions: bool) -> None:
        """Warn of names in patterns that no tree has, if others may be meant."""
        for _, patterns in self._rules.values():
            for name in set().union(*(one.names for one in patterns)) - labels:
                if meant := likely_node(name, lang, has_functions):
                    message = f'No tree has "{name}". Did you mean "{meant}"?'
                    warnings.warn(message, stacklevel=4)

    def _hash(self, key: str | int) -> int:
        if isinstance(key, str):
            return int(self.vocab.strings[key])
        if isinstance(key, int) and not isinstance(key, bool):
            return key
        raise ValueError(f"The key of a rule must be a string or its hash, not {key!r}")
