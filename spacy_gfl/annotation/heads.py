"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import Node, Sentence, locate
from spacy_gfl.trees.head_rules import RULES, HeadRules
from spacy_gfl.trees.heads import all_heads
from spacy_gfl.trees.labels import split_label


def span_head(span: Span, rules: str | HeadRules = "collins") -> Token | None:
    """Find the head word of a constituent on a Doc.

    The heads of a sentence are found all at once and kept as long as its tree and
    its tags are the same.

    Args:
        span: A constituent.
        rules: "collins", "semantic", or rules of your own, as in `find_heads`.
            `Span._.head` takes "collins", `Span._.semantic_head` "semantic".

    Returns:
        The head word; None for white space.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: Its Doc has no trees, or there are no rules of this name.
    """
    node = locate(span)
    if node is None:
        return None
    if node.end - node.start == 1:
        return span.doc[node.start]
    if not _is_unchanged(node):
        node = locate(span, anew=True) or node
    # A sentence without one outermost constituent has the head of the root.
    index = node.first - node.kept.first if node.labels() else -1
    return span.doc[node.kept.words[_heads(node.kept, rules)[index]]]


def _heads(sentence: Sentence, rules: str | HeadRules) -> list[int]:
    """The heads of all constituents, and last that of the root."""
    if isinstance(rules, str):
        if rules not in RULES:
            return all_heads(sentence.tree, rules)  # Raises.
        rules = RULES[rules]
    if id(rules) not in sentence.heads:
        sentence.heads[id(rules)] = (rules, all_heads(sentence.tree, rules))
    return sentence.heads[id(rules)][1]


def _is_unchanged(node: Node) -> bool:
    """Whether all that decides on a constituent's head is as it was."""
    nodes = node.kept.tree.constituents
    first = node.first - node.kept.first
    if first not in range(len(nodes) or 1):
        return False
    # What a verb phrase stands in can decide which verb is its head.
    for above in reversed(range(first)):
        if split_label(nodes[first].label)[0] != "VP":
            break
        if nodes[above].end >= nodes[first].end:
            first = above
    return node.is_as_kept(first)
