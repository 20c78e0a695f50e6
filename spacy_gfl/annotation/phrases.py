"""All phrases of a kind: `doc._.phrases("NP")`, `span._.phrases("WH*")`."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from functools import cache
from typing import Any

from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from spacy_gfl.annotation.nodes import sentence_nodes
from spacy_gfl.languages import find_language
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Constituent

#: One label as one writes it: a name or glob pattern, or a compiled expression.
LabelPattern = str | re.Pattern[str]


def phrases(
    place: Doc | Span, label: LabelPattern | Iterable[LabelPattern], nested: str = "all"
) -> list[Span]:
    """`Doc._.phrases`, `Span._.phrases`: the phrases of a kind, in pre-order.

    Args:
        place: A Doc, or any span, a constituent or not, also over several sentences.
            A phrase of exactly its extent is in it. One that it cuts is left out, and
            those inside that one may then be outermost.
        label: A constituent's label such as "NP", or label and function tag where
            `constituent_functions` has found them ("NP-SBJ"); a pattern as for file
            names, upper and lower case told apart ("WH*", "[!N]*", `"*-SBJ"`); a
            compiled regular expression for the whole label; or a collection of these,
            of which one must match.
        nested: Which of the phrases found inside one another: "all" of them, the
            "outermost", which are in no other that was found, or the "innermost",
            which have no other inside.

    Returns:
        Spans that carry the label found, as spaCy's noun chunks do (so that they
        differ from unlabelled spans of the same tokens); of a unary chain one
        span with the outermost label found. None begins or ends with white space.

    Raises:
        ValueError: A label or the value of `nested` is none of these, or the Doc
            has no trees.
        TreeError: Its spans are no trees.
    """
    span = place[:]
    if nested not in ("all", "outermost", "innermost"):
        names = '"all", "outermost", "innermost"'
        raise ValueError(f"nested must be one of {names}, not {nested!r}.")
    matches = _matcher(label)
    matched: list[Constituent] = []
    has_functions = False
    for node, functions in _constituents(span):
        has_functions |= bool(functions)
        # A chain comes outermost first: its other labels add nothing.
        is_new = not matched or matched[-1][1:] != node[1:]
        if is_new and any(map(matches, names_of(node.label, functions))):
            matched.append(node)
    meant = None
    if isinstance(label, str):
        meant = likely_label(label, span.doc.lang_, has_functions)
    if meant and not matched:
        message = f'No tree has "{label}". Did you mean "{meant}"?'
        # Beyond the function that looks this one up.
        warnings.warn(message, stacklevel=3)
    if nested == "innermost":
        # In pre-order what is inside a phrase comes next.
        following = [*(node.start for node in matched[1:]), span.end]
        matched = [n for n, at in zip(matched, following, strict=False) if at >= n.end]
    spans = [Span(span.doc, start, end, label=name) for name, start, end in matched]
    return filter_spans(spans) if nested == "outermost" else spans


def likely_label(name: str, lang: str, has_functions: bool = False) -> str | None:
    """The label that may be meant by one that no tree has: NP for np, for NP-SBJ.

    Where constituents have function tags, what no tree has may well be NP-SBJ.
    """
    asked, tags = split_label(name)
    known = (one for one in find_language(lang).labels if one.upper() == asked.upper())
    label = next(known, name)
    if has_functions and label != name:
        label += tags.upper()
    return label if label != name else None


def names_of(label: str, functions: str) -> tuple[str, ...]:
    """What a constituent is found by: its label, and the label with function tags.

    >>> names_of("PP", "LOC-PRD")
    ('PP', 'PP-LOC-PRD', 'PP-LOC', 'PP-PRD')
    """
    if not functions:
        return (label,)
    tags = dict.fromkeys([functions, *functions.split("-")])
    return (label, *(f"{label}-{tag}" for tag in tags))


def _constituents(span: Span) -> Iterator[tuple[Constituent, str]]:
    """The labelled constituents inside a span, in pre-order, in tokens; functions."""
    for node in sentence_nodes(span):
        words, functions = node.sentence.words, node.sentence.functions(span.doc)
        nodes = node.sentence.tree.constituents
        for (label, start, end), tags in zip(nodes, functions, strict=True):
            constituent = Constituent(label, words[start], words[end - 1] + 1)
            if span.start <= constituent.start and constituent.end <= span.end:
                yield constituent, tags


def _matcher(label: Any) -> Callable[[str], bool]:
    """A test of labels. Raises the ValueError that `phrases` documents."""
    is_one = isinstance(label, (str, bytes, re.Pattern))
    patterns: list[re.Pattern[str]] = []
    for item in [label] if is_one or not isinstance(label, Iterable) else label:
        if isinstance(item, str) and item:
            # A label that has one of *?[ in it still matches itself.
            patterns += [re.compile(re.escape(item)), re.compile(translate(item))]
        elif isinstance(item, re.Pattern) and isinstance(item.pattern, str):
            patterns.append(item)
        else:
            raise ValueError(
                'A label must be a string such as "NP" or "WH*", a compiled regular '
                f"expression, or a collection of these, not {item!r}."
            )

    @cache
    def matches(name: str) -> bool:
        return any(pattern.fullmatch(name) for pattern in patterns)

    return matches
