"""How sure a parser was of the trees on a Doc, as it noted on the span group.

The attributes of `doc.spans["constituents"]` have a log-probability a sentence, and,
if the parser was asked for them, a probability a constituent. Every answer is NaN for
trees that were not parsed, and where the attributes are lost (`Doc.from_docs`,
`doc.to_json`).
"""

import math

from spacy.tokens import Span

from spacy_gfl.annotation.nodes import kept_trees, locate, sentence_kept
from spacy_gfl.annotation.storage import SPANS_KEY, numbers_beside


def probabilities(span: Span) -> tuple[float, ...]:
    """`Span._.probabilities`: the probability of each of `Span._.labels`.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: Its Doc has no trees. All functions here raise both.
    """
    return tuple(value for _, value in _known_labels(span))


def probability(span: Span) -> float:
    """`Span._.probability`: how probable it is that this is a constituent so labelled.

    A span whose own label is one of its labels in the tree, as `phrases` gives it, has
    the probability of this label; any other span has its least probable label's.
    NaN for a bare word, and where nothing is known.
    """
    known = _known_labels(span)
    own = [value for label, value in known if label == span.label_]
    return min(own or [value for _, value in known], default=math.nan)


def inner_probabilities(span: Span) -> list[float]:
    """The probability of each constituent inside a span, in pre-order, itself first."""
    node = locate(span)
    if node is None:
        return []
    first, n_spans = node.sentence.first, node.stop - node.first
    part = slice(first + node.first, first + node.stop)
    group = span.doc.spans[SPANS_KEY]
    known = numbers_beside(group, "probabilities", len(group), part)
    return [math.nan] * n_spans if known is None else known


def log_prob(span: Span) -> float:
    """`Span._.log_prob`: the log-probability of its sentence's tree (nats).

    NaN where nothing is known. The longer a sentence, the less probable its tree.
    """
    node = locate(span)
    if node is None:
        sentence = sentence_kept(span.sent, kept_trees(span.doc))
    else:
        # The span may begin with white space of the sentence before.
        sentence = node.sentence
    kept, part = kept_trees(span.doc), slice(sentence.number, sentence.number + 1)
    known = numbers_beside(kept.group, "log_probs", len(kept.sentences), part)
    return math.nan if known is None else known[0]


def _known_labels(span: Span) -> list[tuple[str, float]]:
    """The labels at this extent, outermost first, and their probabilities."""
    node = locate(span)
    if node is None:
        return []
    return list(zip(node.labels(), inner_probabilities(span), strict=False))
