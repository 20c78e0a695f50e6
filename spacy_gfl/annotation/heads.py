"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from typing import Optional, Union

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import locate
from spacy_gfl.trees.heads import HeadRules, all_heads


def span_head(span: Span, rules: Union[str, HeadRules] = "collins") -> Optional[Token]:
    """Find the head word of a constituent on a Doc, None for white space.

    rules: As in `find_heads`. `Span._.head` takes "collins", `Span._.semantic_head`
        "semantic".
    Its whole sentence is looked at: for the heads of many constituents take
    `find_heads(tree)` of each tree in `get_trees(doc)`.
    Raises as `Span._.labels` and `find_heads`.
    """
    node = locate(span)
    if node is None:
        return None
    if node.end - node.start == 1:
        return span.doc[node.start]
    # What a verb phrase stands in can decide which verb is its head.
    whole = locate(span.doc[node.sent[0] : node.sent[1]]) or node
    words, tree = whole.words(), whole.tree()
    heads = all_heads(tree, rules)
    extent = (words.index(node.start), words.index(node.end - 1) + 1)
    for constituent, head in zip(tree.constituents, heads, strict=False):
        if constituent[1:] == extent:
            return span.doc[words[head]]
    return span.doc[words[heads[-1]]]


def head(span: Span) -> Optional[Token]:
    """`Span._.head`: the head word by Collins' rules, None for white space.

    Of a sentence of several constituents, the first that is not punctuation has
    it. Raises as `Span._.labels`.
    """
    return span_head(span, "collins")


def semantic_head(span: Span) -> Optional[Token]:
    """`Span._.semantic_head`: the head word by the semantic rules; as `head`."""
    return span_head(span, "semantic")
