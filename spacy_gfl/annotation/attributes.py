"""Trees read off a Doc, its spans and its tokens: `span._.parse_string`.

Names and meanings are those of benepar 0.2, so that its users change one line; other
attributes are beyond benepar. `annotation.extensions` registers them.

Trees are read from `doc.spans["constituents"]` when one is first asked for, and again
when that is another group, or of another length, and when tokens or tags have changed.
An answer takes time linear in its sentence.

White-space tokens are no words. A span that begins or ends with some counts as
its words; a span of nothing else has no labels, constituents, children, parent or
phrases, and "" for its brackets. Spans that are returned begin and end with words, and
constituents carry their outermost label, bare words none. To spaCy, a span with another
label is another span.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.nodes import NonConstituentException, locate, locate_around
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.languages.heads import all_heads
from spacy_gfl.trees.tree import ROOT_LABEL, Tree

if TYPE_CHECKING:
    import nltk


def labels(span: Span) -> tuple[str, ...]:
    """`Span._.labels`: the labels at exactly this extent, outermost first.

    Empty for a bare word, for a sentence whose tree is a forest, and for white
    space.

    Raises:
        NonConstituentException: The span is no constituent. Every attribute that needs
            a constituent raises it.
        ValueError: The span's Doc has no trees. Every attribute in this file raises it.
    """
    node = locate(span)
    return () if node is None else node.labels()


def parse_string(span: Span) -> str:
    """`Span._.parse_string`: the constituent in brackets, unary labels included.

    Each word stands under its tag, or under XX where it has none. A sentence without
    one outermost constituent is written under TOP, and brackets and white space in
    words are escaped (`Tree.brackets`).
    """
    return span_tree(span).brackets()


def parse_tree(span: Span) -> nltk.Tree:
    """`Span._.parse_tree`: what `parse_string` writes, as an `nltk.Tree`.

    Its leaves are the words, unescaped. White space gives TOP without children.
    """
    tree = span_tree(span)
    if len(tree):
        return tree.to_nltk()
    import nltk

    return nltk.Tree(ROOT_LABEL, [])


def constituents(span: Span) -> Iterator[Span]:
    """`Span._.constituents`: all constituents in the span, in pre-order.

    The span itself is the first, and every single word is among them. A unary
    chain is one span.
    """
    node = locate(span)
    return iter([] if node is None else node.spans())


def children(span: Span) -> Iterator[Span]:
    """`Span._.children`: the immediate constituents, left to right.

    Single words are among them. A span of one word has no children.
    """
    outermost: list[Span] = []
    for inside in islice(constituents(span), 1, None):
        # In pre-order a child comes before whatever lies inside it.
        if not outermost or inside.start >= outermost[-1].end:
            outermost.append(inside)
    return iter(outermost)


def parent(span: Span) -> Span | None:
    """`Span._.parent`: the smallest larger constituent, None for a sentence."""
    node = locate(span)
    above = None if node is None else node.parent()
    return None if above is None else above.span(above.start, above.end)


def is_constituent(span: Span) -> bool:
    """`Span._.is_constituent`: whether the span has a place in its sentence's tree.

    Words and sentences have one, white space has none.
    """
    try:
        return locate(span) is not None
    except NonConstituentException:
        return False


def covering(span: Span) -> Span | None:
    """`Span._.covering`: the smallest constituent around a span.

    A constituent covers itself. None for white space, and for a span that reaches
    beyond a sentence.
    """
    node = locate_around(span)
    return None if node is None else node.span(node.start, node.end)


def height(span: Span) -> int:
    """`Span._.height`: the steps from its outermost label down to the deepest tag.

    0 for a bare word and for white space, 1 for `(NP (DT the) (NN dog))`. Every
    label of a unary chain is a step, and so is the TOP that `parse_string` writes.
    Two less than `span._.parse_tree.height()`, which counts nodes, words too.
    """
    tree = span_tree(span)
    return max(tree.levels(), default=0) + tree.needs_root()


def depth(span: Span) -> int:
    """`Span._.depth`: the number of labels over larger extents that hold it.

    0 for a sentence and for white space, 1 for the NP in `(S (NP (NN tea)) ...)`:
    the steps from the top of the sentence down to its outermost label.
    """
    node = locate(span)
    if node is None or node.is_sentence:
        return 0
    tree = node.sentence.tree
    before = tree.constituents[: node.first]
    return sum(end >= node.end for _, _, end in before) + tree.needs_root()


def head(span: Span) -> Token | None:
    """`Span._.head`: the head word by Collins' rules, None for white space.

    If a sentence has several outermost constituents, the first one that is not
    punctuation has the head.
    """
    return _head(span, "collins")


def semantic_head(span: Span) -> Token | None:
    """`Span._.semantic_head`: the head word by semantic rules, None for white space."""
    return _head(span, "semantic")


def _head(span: Span, rules: str) -> Token | None:
    """The head word by the Doc's language's rules of this name, kept with its tree."""
    node = locate(span, whole=True)
    if node is None:
        return None
    if node.end - node.start == 1:
        return span.doc[node.sentence.words[node.start]]
    heads = node.sentence.heads.get(rules)
    if heads is None:
        heads = all_heads(node.sentence.tree, rules, span.doc.lang_)
        node.sentence.heads[rules] = heads
    # A sentence without one outermost constituent has the head of the root.
    word = heads[node.first if node.labels() else -1]
    return span.doc[node.sentence.words[word]]


def parse_strings(doc: Doc) -> list[str]:
    """`Doc._.parse_strings`: each sentence's tree in brackets.

    "" stands for a sentence of white space.

    Raises:
        ValueError: The Doc has no trees or no sentences.
    """
    return [tree.brackets() for tree in get_trees(doc)]


def span_tree(span: Span) -> Tree:
    """The tree over a constituent's words, an empty one for white space."""
    node = locate(span)
    return Tree.flat((), ()) if node is None else node.tree()
