"""Trees on a Doc: one span group, one span a constituent, in pre-order.

A tree of words alone is one span without a label over its words; a sentence without a
span has no tree, as after `Doc.from_docs` of a parsed and an unparsed Doc.

A constituent's span has its function tags, if it has any, as the `kb_id`: "SBJ", or
"LOC-PRD".

A span group survives DocBin, to_bytes, copy and worker processes. White-space tokens
are no words: no tree has them, though a span may run over some. Docs that have trees
and no dependencies find their noun chunks in the trees.
"""

from collections.abc import Sequence
from itertools import count
from operator import attrgetter
from typing import Any

from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

from spacy_gfl.annotation.sentence_words import (
    require_doc,
    sentence_words,
    word_indices,
)
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree, TreeError

SPANS_KEY = "constituents"
FORMAT_VERSION = 2
#: The label of the span of a tree without constituents, which no constituent has.
BARE = ""
_UNORDERED = (
    "The constituents are not in the order of the sentences, from left to right "
    "and outer ones first. Write trees with spacy_gfl.set_trees."
)
_text = attrgetter("text")


def put_constituents(
    doc: Doc,
    sents: Sequence[tuple[Sequence[int], Sequence[Constituent]]],
    *,
    key: str = SPANS_KEY,
    attrs: dict[str, Any] | None = None,
) -> None:
    """Write constituents without the checks of `set_trees`.

    `sents` has for each sentence the indices of its words, and its constituents.
    """
    # Given as strings, the label and what else may name a span are hashed every time.
    ids: dict[str, int] = {}
    spans: list[Span] = []
    for words, nodes in sents:
        if words and not nodes:
            nodes = [Constituent(BARE, 0, len(words))]
        for label, start, end in nodes:
            if label not in ids:
                ids[label] = doc.vocab.strings.add(label)
            first, last = words[start], words[end - 1]
            spans.append(Span(doc, first, last + 1, ids[label], kb_id=0, span_id=0))
    attrs = {**(attrs or {}), "version": FORMAT_VERSION}
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)


def get_trees(doc: Doc, *, key: str = SPANS_KEY, functions: bool = False) -> list[Tree]:
    """Read one tree per sentence from `doc.spans[key]`.

    Args:
        doc: A Doc with trees.
        key: The name of the span group.
        functions: Whether labels get the function tags that the component
            `constituent_functions` has found: NP-SBJ.

    Returns:
        The trees in the order of the sentences. Tags are `token.tag_`, or XX where
        a token has none.

    Raises:
        ValueError: The Doc has no such group or no sentences.
        TreeError: The group's spans are not trees over its sentences.
        TypeError: What is given is no Doc.
    """
    require_doc(doc, "get_trees")
    return [tree for _, tree in sentence_trees(doc, key, functions)]


def sentence_trees(
    doc: Doc, key: str = SPANS_KEY, functions: bool = False
) -> list[tuple[list[int], Tree]]:
    """For each sentence the indices in the Doc of its words, and the tree over them.

    Raises:
        ValueError: The Doc has no such group or no sentences.
        TreeError: The group's spans are not trees over its sentences.
    """
    spans = group_constituents(doc, key, functions)
    following = 0
    trees = []
    for words in sentence_words(doc):
        first = following
        while words and following < len(spans) and spans[following].start <= words[-1]:
            following += 1
        try:
            tree = tree_of_words(doc, words, spans[first:following])
            trees.append((words, tree))
        except TreeError:
            if spans != sorted(spans, key=lambda span: (span.start, -span.end)):
                raise TreeError(_UNORDERED) from None
            raise
    if following < len(spans):
        raise TreeError(_UNORDERED)
    return trees


def tree_of_words(doc: Doc, words: Sequence[int], nodes: Sequence[Constituent]) -> Tree:
    """The tree over some words of a Doc, from their indices and constituents in tokens.

    Raises:
        TreeError: There are none, or one does not begin and end with the words.
    """
    if words and not nodes:
        raise TreeError(
            f"The sentence of tokens {words[0]}-{words[-1] + 1}, "
            f'"{doc[words[0]].text} ...", has no tree: it was not parsed, or its '
            "tree was lost."
        )
    if words and [*nodes] == [(BARE, words[0], words[-1] + 1)]:
        nodes = ()
    place = dict(zip(words, count(), strict=False))
    try:
        constituents = tuple(
            [
                Constituent(label, place[start], place[end - 1] + 1)
                for label, start, end in nodes
            ]
        )
    except KeyError:
        label, start, end = next(
            node for node in nodes if not {node.start, node.end - 1} <= place.keys()
        )
        sent = f" ({words[0]}-{words[-1] + 1})" if words else ""
        raise TreeError(
            f"The constituent {label} of tokens {start}-{end} does not begin "
            f"and end with words of one sentence{sent}."
        ) from None
    tokens, strings = list(map(doc.__getitem__, words)), doc.vocab.strings
    # One string per tag, as for labels.
    names = {
        tag: strings[tag] or MISSING_TAG for tag in {token.tag for token in tokens}
    }
    tags = tuple([names[token.tag] for token in tokens])
    return Tree(tuple(map(_text, tokens)), tags, constituents)


def group_constituents(
    doc: Doc, key: str, functions: bool = False
) -> list[Constituent]:
    """The constituents of a group in tokens, with function tags in labels if asked.

    Raises:
        ValueError: The Doc has no such group.
        TreeError: The group's spans are not of the Doc's tokens.
    """
    if key not in doc.spans:
        groups = doc.spans.items()
        written = next((name for name, g in groups if "version" in g.attrs), None)
        raise ValueError(
            f'This Doc has no constituency trees (doc.spans["{key}"]). '
            + (
                'Add the component "constituency_parser" to the pipeline that made it.'
                if written is None
                else f'`get_trees(doc, key="{written}")` reads those that it has.'
            )
        )
    version = doc.spans[key].attrs.get("version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise TreeError(
            f'A later spacy_gfl has written doc.spans["{key}"] in version '
            f"{version}, but this one reads versions up to {FORMAT_VERSION}. "
            "Update spacy_gfl."
        )
    spans = spans_in_place(doc, key)
    if spans is None:
        raise TreeError(
            f'The tokens of this Doc have changed since doc.spans["{key}"] was '
            "set. Merge and split tokens before you parse."
        )
    try:
        # One string per label, however long it is and however many spans have it.
        strings = doc.vocab.strings
        labels = {label: strings[label] for label in {span.label for span in spans}}
        if functions:
            return [
                Constituent(with_functions(labels[s.label], s.kb_id_), s.start, s.end)
                for s in spans
            ]
        return [Constituent(labels[span.label], span.start, span.end) for span in spans]
    except KeyError:
        raise TreeError(
            f'doc.spans["{key}"] has a label that the vocabulary of this Doc '
            "does not know. Read the Doc together with its strings "
            "(`doc.to_bytes()` has them)."
        ) from None


def with_functions(label: str, functions: str) -> str:
    """A label followed by function tags, if there are any: NP-SBJ."""
    return f"{label}-{functions}" if functions else label


def treeless_sentences(doc: Doc, key: str) -> list[Span]:
    """The sentences of a Doc, if it has any, that have words and no tree in a group."""
    if not doc.has_annotation("SENT_START"):
        return []
    starts = {span.start for span in doc.spans.get(key, ())}
    return [
        sent
        for sent in doc.sents
        if starts.isdisjoint(words := word_indices(sent)) and words
    ]


def spans_in_place(doc: Doc, key: str) -> list[Span] | None:
    """The spans of a group, if there is one; None if its tokens have been changed.

    Retokenizing leaves spans where they were, so that some lie beyond the Doc's
    end and others are not of the characters of their tokens.
    """
    if not doc.spans.get(key):
        return []
    starts, lengths = doc.to_array([IDX, LENGTH]).T.tolist()
    try:
        spans = list(doc.spans[key])
        for span in spans:
            first, last = span.start, span.end - 1
            if first <= last and (
                starts[first] != span.start_char
                or starts[last] + lengths[last] != span.end_char
            ):
                return None
    except IndexError:
        return None
    return spans


def numbers_beside(
    group: SpanGroup, name: str, n_values: int, part: slice = slice(None)
) -> list[float] | None:
    """Part of the numbers in a group's `attrs`, one a sentence or constituent.

    None if there are none, or an edit has left no list of `n_values` numbers.
    """
    values = group.attrs.get(name)
    if not isinstance(values, (list, tuple)) or len(values) != n_values:
        return None
    wanted = list(values[part])
    return wanted if all(isinstance(value, (int, float)) for value in wanted) else None
