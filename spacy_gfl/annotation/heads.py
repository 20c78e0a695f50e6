"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from functools import lru_cache

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import locate
from spacy_gfl.trees.head_rules import RULES, HeadRules
from spacy_gfl.trees.heads import all_heads
from spacy_gfl.trees.tree import Tree


def span_head(span: Span, rules: str | HeadRules = "collins") -> Token | None:
    """Find the head word of a constituent on a Doc.

    The heads of a sentence are found all at once, and again when its tree or its
    tags have changed.

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
    if isinstance(rules, str):
        rules = RULES.get(rules, rules)
    whole = node.whole()
    # A sentence without one outermost constituent has the head of the root.
    index = node.first - whole.first if node.labels() else -1
    return span.doc[whole.words()[_heads(whole.tree(), rules)[index]]]


@lru_cache(maxsize=256)
def _heads(tree: Tree, rules: str | HeadRules) -> list[int]:
    """The heads of all constituents, and last that of the root."""
    return all_heads(tree, rules)
