"""`TreeMatcher`: TGrep2 patterns found in the trees of a Doc."""

import warnings
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Optional,
    Tuple,
    Union,
    overload,
)

from spacy.errors import Warnings
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.extensions import span_tree
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, sentences, word_indices
from spacy_gfl.query.nodes import tree_nodes
from spacy_gfl.query.patterns import PatternError, TreePattern
from spacy_gfl.trees.tree import Tree

__all__ = ["PatternError", "TreeMatcher"]

#: The hash of a rule's key, the first token and the one after the last.
Match = Tuple[int, int, int]
#: Called with the matcher, the Doc, the index of a match, and all matches.
OnMatch = Callable[["TreeMatcher", Doc, int, List[Match]], Any]


class _Rule(NamedTuple):
    on_match: Optional[OnMatch]
    patterns: List[TreePattern]


class UnknownRuleError(KeyError, ValueError):
    """Raised when a rule that is not there is removed.

    spaCy's Matcher promises a KeyError and raises a ValueError: this is both.
    """

    def __str__(self) -> str:
        return str(self.args[0])


class TreeMatcher:
    """Finds constituents and words by TGrep2 patterns, as spaCy's Matcher does tokens.

    A pattern's first node, its head, is what matches: `NP < PP` finds the NPs
    that have a PP for a child. A match is the extent of that node; nodes of one
    extent (a unary chain, a tag and its word) are one match of a rule.
    Unlike `Matcher.add`, `add` has no `greedy`: the matches of a tree are nested
    or apart, and patterns such as `NP !>> NP` say which of the nested are meant.

    vocab: The vocabulary of the Docs.
    key: The span group that the trees are in.
    """

    def __init__(self, vocab: Vocab, *, key: str = SPANS_KEY) -> None:
        self.vocab = vocab
        self.key = key
        self._rules: Dict[int, _Rule] = {}

    def __reduce__(self) -> Tuple[Any, ...]:
        rules = {key: self.get(key) for key in self._rules}
        return _unpickle, (self.vocab, self.key, rules)

    def __len__(self) -> int:
        """The number of rules: of keys, not of patterns."""
        return len(self._rules)

    def __contains__(self, key: Union[str, int]) -> bool:
        return self._hash(key) in self._rules

    def add(
        self,
        key: Union[str, int],
        patterns: List[str],
        *,
        on_match: Optional[OnMatch] = None,
    ) -> None:
        """Add a rule, or patterns to a rule, whose callback is then replaced.

        key: The rule's name: the label of its matches.
        patterns: TGrep2 patterns, of which any may match.
        on_match: Called as `on_match(matcher, doc, i, matches)` for each match.
        Raises PatternError, a ValueError that shows the place, for what is no
            pattern, and ValueError for arguments of other kinds. The rule is then
            as it was.
        """
        if on_match is not None and not callable(on_match):
            raise ValueError(f"on_match must be callable, not {on_match!r}.")
        if not isinstance(patterns, list) or not patterns:
            raise ValueError(
                f"The patterns must be a list of one or more strings, not {patterns!r}."
            )
        for pattern in patterns:
            if not isinstance(pattern, str):
                raise ValueError(f"A pattern must be a string, not {pattern!r}.")
        compiled = [TreePattern(pattern) for pattern in patterns]
        key = self._hash(key, add=True)
        known = self._rules[key].patterns if key in self._rules else []
        self._rules[key] = _Rule(on_match, known + compiled)

    def remove(self, key: Union[str, int]) -> None:
        """Remove a rule. Raises KeyError (also a ValueError) if there is none."""
        if key not in self:
            raise UnknownRuleError(f"There is no rule {key!r} to remove.")
        del self._rules[self._hash(key)]

    def get(
        self, key: Union[str, int], default: Any = None
    ) -> Union[Tuple[Optional[OnMatch], List[str]], Any]:
        """A rule as (on_match, patterns), or the default if there is none."""
        rule = self._rules.get(self._hash(key))
        if rule is None:
            return default
        return rule.on_match, [pattern.text for pattern in rule.patterns]

    @overload
    def __call__(
        self, doclike: Union[Doc, Span], *, as_spans: Literal[False] = ...
    ) -> List[Match]: ...
    @overload
    def __call__(
        self, doclike: Union[Doc, Span], *, as_spans: Literal[True]
    ) -> List[Span]: ...
    @overload
    def __call__(
        self, doclike: Union[Doc, Span], *, as_spans: bool
    ) -> Union[List[Match], List[Span]]: ...
    def __call__(
        self, doclike: Union[Doc, Span], *, as_spans: bool = False
    ) -> Union[List[Match], List[Span]]:
        """Find the matches in a Doc, or those inside a Span.

        What is around a Span counts: in the Span of an NP, `NP > S` can match.

        as_spans: Return Spans of the Doc, labelled with their rule.
        Returns (key, start, end) of each match by start, longer ones first; the
            key is a hash, start and end count tokens from where the Doc or, as
            with spaCy's Matcher, the Span begins.
        Raises ValueError for a Doc without trees or sentences, and for other
            objects; as `TreePattern.search` does.
        """
        if not isinstance(doclike, (Doc, Span)):
            raise ValueError(
                f"TreeMatcher can be called on a Doc or Span, not {doclike!r}."
            )
        if not self._rules:
            warnings.warn(Warnings.W036.format(name="TreeMatcher"), stacklevel=2)
        doc = doclike if isinstance(doclike, Doc) else doclike.doc
        first, last = _bounds(doclike)
        found = [
            (key, start - first, end - first)
            for key, start, end in self._find(doclike)
            if first <= start and end <= last
        ]
        found.sort(key=lambda match: (match[1], -match[2]))
        for i, (key, _, _) in enumerate(found):
            rule = self._rules.get(key)
            if rule is not None and rule.on_match is not None:
                rule.on_match(self, doc, i, found)
        if not as_spans:
            return found
        return [
            Span(doc, first + start, first + end, label=key)
            for key, start, end in found
        ]

    def _find(self, doclike: Union[Doc, Span]) -> Iterator[Match]:
        """The matches in all sentences that the Doc or Span has tokens of."""
        for words, tree in _trees(doclike, self.key):
            nodes = tree_nodes(tree)
            for key, rule in self._rules.items():
                # As keys of a dictionary, extents are unique and in order.
                extents = {
                    (hit.start, hit.end): None
                    for pattern in rule.patterns
                    for hit in pattern.search_nodes(nodes)
                }
                for start, end in extents:
                    yield key, words[start], words[end - 1] + 1

    def _hash(self, key: Union[str, int], add: bool = False) -> int:
        if isinstance(key, str):
            strings = self.vocab.strings
            return int(strings.add(key) if add else strings[key])
        if isinstance(key, int) and not isinstance(key, bool):
            return key
        raise ValueError(f"The key of a rule must be a string or its hash, not {key!r}")


def _bounds(doclike: Union[Doc, Span]) -> Tuple[int, int]:
    if isinstance(doclike, Doc):
        return 0, len(doclike)
    return doclike.start, doclike.end


def _trees(doclike: Union[Doc, Span], key: str) -> Iterator[Tuple[List[int], Tree]]:
    """The words' tokens and the tree of each sentence that is touched."""
    if isinstance(doclike, Doc):
        for sent, tree in zip(
            sentences(doclike), get_trees(doclike, key=key), strict=True
        ):
            yield word_indices(sent), tree
        return
    doc = doclike.doc
    touched = [
        (i, sent)
        for i, sent in enumerate(sentences(doc))
        if sent.start < doclike.end and doclike.start < sent.end
    ]
    # Trees are read one by one where they can be: a loop over a Doc's sentences
    # would read all of them for each.
    trees = None if key == SPANS_KEY else get_trees(doc, key=key)
    for i, sent in touched:
        yield word_indices(sent), span_tree(sent) if trees is None else trees[i]


def _unpickle(
    vocab: Vocab, key: str, rules: Dict[int, Tuple[Optional[OnMatch], List[str]]]
) -> TreeMatcher:
    matcher = TreeMatcher(vocab, key=key)
    for rule, (on_match, patterns) in rules.items():
        matcher.add(rule, patterns, on_match=on_match)
    return matcher
