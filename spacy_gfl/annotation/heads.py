"""Head words of spans on a Doc: `span._.head`, `span._.semantic_head`."""

from spacy.tokens import Span, Token

from spacy_gfl.annotation.nodes import Sentence, locate
from spacy_gfl.trees.head_rules import HeadRules, rules_for
from spacy_gfl.trees.heads import all_heads

#: What a Doc says that tells no language: nothing, or spaCy's code for several.
_NO_LANGUAGE = ("", "xx")


def span_head(span: Span, rules: str | HeadRules = "collins") -> Token | None:
    """Find the head word of a constituent on a Doc.

    The heads of a sentence are found all at once and kept as long as its tree and
    its tags are the same.

    Args:
        span: A constituent.
        rules: "collins", "semantic", each as the Doc's language has it (English
            where the Doc tells none), or rules of your own. `Span._.head` takes
            "collins", `Span._.semantic_head` "semantic".

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
        if isinstance(rules, str):
            lang = span.doc.lang_
            rules = rules_for(rules, "en" if lang in _NO_LANGUAGE else lang)
        word = _heads(node.sentence, rules)[node.first if node.labels() else -1]
    return span.doc[node.sentence.words[word]]


def _heads(sentence: Sentence, rules: HeadRules) -> list[int]:
    """The heads of all constituents, and last that of the root."""
    if id(rules) not in sentence.heads:
        sentence.heads[id(rules)] = (rules, all_heads(sentence.tree, rules))
    return sentence.heads[id(rules)][1]
