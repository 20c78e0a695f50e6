"""How high a constituent is and how deep it lies: `span._.height`, `span._.depth`.

Both count steps between nodes of the tree as `parse_string` writes it. Every label
of a unary chain is a node, and so is the TOP over a sentence without one outermost
constituent; a word is not apart from its tag.
"""

from typing import List

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import Node, locate


def height(span: Span) -> int:
    """`Span._.height`: the steps from its outermost label down to the deepest tag.

    0 for a bare word and for white space, 1 for `(NP (DT the) (NN dog))`. Two less
    than `span._.parse_tree.height()`, which counts nodes, and the word as one.
    Raises as `Span._.labels` does.
    """
    node = locate(span)
    if node is None:
        return 0
    highest = 0
    ends: List[int] = []
    for _, start, end in node.spans():
        while ends and ends[-1] <= start:
            ends.pop()
        ends.append(end)
        highest = max(highest, len(ends))
    return highest + _has_implicit_root(node)


def depth(span: Span) -> int:
    """`Span._.depth`: the number of labels over larger extents that hold it.

    That is, the steps from the top of the sentence down to its outermost label: 0
    for a sentence and for white space, 1 for the NP in `(S (NP (NN tea)) ...)`.
    It is the number of its parents (`Span._.parent`) if none is a unary chain.
    Raises as `Span._.labels` does.
    """
    node = locate(span)
    if node is None or (node.start, node.end) == node.sent:
        return 0
    sentence = locate(span.doc[node.sent[0] : node.sent[1]])
    if sentence is None:
        return 0
    above = int(_has_implicit_root(sentence))
    for _, start, end in sentence.spans():
        if start > node.start:
            break
        above += end >= node.end and (start, end) != (node.start, node.end)
    return above


def token_height(token: Token) -> int:
    """`Token._.height`: the number of labels over this token alone."""
    return height(token.doc[token.i : token.i + 1])


def token_depth(token: Token) -> int:
    """`Token._.depth`: the number of labels over more than this token."""
    return depth(token.doc[token.i : token.i + 1])


def _has_implicit_root(node: Node) -> bool:
    """Whether it is a sentence that only TOP holds together."""
    return node.end - node.start > 1 and not node.labels()
