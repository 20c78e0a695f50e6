"""Function tags on a Doc: `span._.function`. They are the `kb_id_` of trees' spans."""

import re
from collections.abc import Mapping

from spacy.tokens import Doc, Span

from spacy_gfl.annotation.nodes import locate
from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    spans_in_place,
    with_functions,
)
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Tree


def functions(span: Span) -> tuple[str, ...]:
    """`Span._.functions`: the function tags of a constituent, outermost first.

    Tags are those that `constituent_functions` has found, or those in the labels of a
    treebank that was read with them (NP-SBJ). A unary chain has the tags of all its
    constituents. Words that are no constituent, and white space, have none.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: The span's Doc has no trees.
    """
    node = locate(span)
    if node is None:
        return ()
    labels = node.labels()
    tags_of_labels = node.sentence.functions(span.doc)[
        node.first : node.first + len(labels)
    ]
    tags = [
        tag
        for label, own in zip(labels, tags_of_labels, strict=True)
        for tag in (own.split("-") if own else tags_of(label))
    ]
    return tuple(dict.fromkeys(tags))


def tags_of(label: str) -> list[str]:
    """The function tags in a label, without indices: LOC and PRD of PP-LOC-PRD-1."""
    tags = re.split("[-=]", split_label(label)[1])
    return [tag for tag in tags if tag and not tag.isdigit()]


def function(span: Span) -> str:
    """`Span._.function`: the first of a constituent's function tags, or "".

    Raises what `functions` raises.
    """
    return next(iter(functions(span)), "")


def set_functions(
    doc: Doc, functions: Mapping[int, str], *, key: str = SPANS_KEY
) -> None:
    """Write function tags into the spans of a Doc's trees, in the place of others.

    `functions` has them, joined by hyphens, by the index of the span in
    `doc.spans[key]`. Spans whose tokens have changed stay as they are.
    """
    for place, span in enumerate(spans_in_place(doc, key) or ()):
        tags = functions.get(place, "")
        if span.kb_id_ != tags:
            new = Span(doc, span.start, span.end, span.label, kb_id=tags)
            doc.spans[key][place] = new


def tagged_tree(span: Span) -> Tree:
    """The tree over a constituent's words, with function tags in labels: NP-SBJ."""
    node = locate(span)
    if node is None:
        return Tree.flat((), ())
    tree = node.tree()
    all_tags = node.sentence.functions(span.doc)[node.first : node.stop]
    nodes = [
        one._replace(label=with_functions(one.label, tags))
        for one, tags in zip(tree.constituents, all_tags, strict=True)
    ]
    return Tree(tree.words, tree.tags, tuple(nodes))
