"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import locate
from spacy_gfl.trees.head_rules import rules_for
from spacy_gfl.trees.heads import all_heads


def span_head(span: Span, rules: str) -> Token | None:
    """Find the head word of a constituent on a Doc.

    The heads of a sentence are found all at once and kept as long as its tree and
    its tags are the same.

    Args:
        span: A constituent.
        rules: "collins" or "semantic", each as the Doc's language has it; English
            where the Doc tells none.

    Returns:
        The head word; None for white space.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: Its Doc has no trees.
    """
    # Collins' rules look at what is inside; others may look at what is around.
    node = locate(span, "itself" if rules == "collins" else "sentence")
    if node is None:
        return None
    if node.end - node.start == 1:
        return span.doc[node.sentence.words[node.start]]
    heads = node.sentence.heads.get(rules)
    if heads is None:
        # "xx" is spaCy's code for several languages.
        lang = "en" if span.doc.lang_ in ("", "xx") else span.doc.lang_
        heads = all_heads(node.sentence.tree, rules_for(rules, lang))
        node.sentence.heads[rules] = heads
    # A sentence without one outermost constituent has the head of the root.
    word = heads[node.first if node.labels() else -1]
    return span.doc[node.sentence.words[word]]
