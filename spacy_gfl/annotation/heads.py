"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import Sentence, locate
from spacy_gfl.trees.head_rules import RULES, HeadRules
from spacy_gfl.trees.heads import all_heads


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
    # Collins' rules look at what is inside; others may look at what is around.
    node = locate(span, "itself" if rules == "collins" else "sentence")
    if node is None:
        return None
    word = node.start
    if node.end - node.start > 1:
        # A sentence without one outermost constituent has the head of the root.
        word = _heads(node.sentence, rules)[node.first if node.labels() else -1]
    return span.doc[node.sentence.words[word]]


def _heads(sentence: Sentence, rules: str | HeadRules) -> list[int]:
    """The heads of all constituents, and last the head of the root."""
    if isinstance(rules, str):
        if rules not in RULES:
            return all_heads(sentence.tree, rules)  # Raises.
        rules = RULES[rules]
    if id(rules) not in sentence.heads:
        sentence.heads[id(rules)] = (rules, all_heads(sentence.tree, rules))
    return sentence.heads[id(rules)][1]
