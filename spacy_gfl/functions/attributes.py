"""Function tags read off spans: `span._.function`."""

from spacy.tokens import Span

from spacy_gfl.annotation.nodes import locate
from spacy_gfl.trees.labels import split_label


def functions(span: Span) -> tuple[str, ...]:
    """`Span._.functions`: the function tags of a constituent, outermost first.

    Tags are those that `constituent_functions` has found, or those in the labels of a
    treebank that was read with them (NP-SBJ). Of a unary chain, they are the tags of
    all its constituents. Empty for a word that is no constituent, and for white space.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: The span's Doc has no trees.
    """
    node = locate(span)
    if node is None:
        return ()
    labels = node.labels()
    found = node.sentence.functions(span.doc)[node.first : node.first + len(labels)]
    tags = (
        tag
        for label, own in zip(labels, found, strict=True)
        for tag in (own or split_label(label)[1][1:]).split("-")
        if tag and not tag.isdigit()
    )
    return tuple(dict.fromkeys(tags))


def function(span: Span) -> str:
    """`Span._.function`: the first of a constituent's function tags, or "".

    Raises what `functions` raises.
    """
    return next(iter(functions(span)), "")
