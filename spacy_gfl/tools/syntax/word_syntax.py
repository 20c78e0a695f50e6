"""What a tree tells about each word, for reading times, brain recordings, speech.

Counts of how a tree is built while its words are read: from the top down, from the
bottom up, or by its left corners (Abney and Johnson 1991). They are read from finished
trees, whoever made them.
"""

from typing import Any

import numpy
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.nodes import kept_trees, sentence_nodes
from spacy_gfl.annotation.storage import numbers_beside
from spacy_gfl.languages.heads import all_heads
from spacy_gfl.trees.tree import Tree

#: The columns: name and type. Labels are as long as the longest.
COUNTS = (
    *("opened", "closed", "left_corner", "open_nodes", "depth", "yngve"),
    "break_after",
)
#: Columns of numbers that are known where the parser noted them (`search.per_word`).
NOTED = (
    *("action_probability", "surprisal", "entropy", "entropy_reduction"),
    *("expected_opened", "expected_closed", "expected_open_nodes", "known"),
)
NO_SURPRISAL = (
    "This Doc has no surprisal. Parse it with a parser that predicts words "
    "(spacy_gfl.GenerativeAttachJuxtapose.v1), such as that of en_gfl_inc, and "
    "with search.per_word on."
)


def word_syntax(doclike: Doc | Span) -> numpy.ndarray[Any, Any]:
    """`Doc._.word_syntax`, `Span._.word_syntax`: columns per word.

    Nodes are labelled constituents: neither tags nor the bracket around a sentence
    count. Punctuation counts as words do.

    Args:
        doclike: A Doc or a Span, whose sentences have trees.

    Returns:
        A structured array, one row per token, with which `pandas.DataFrame` can be
        made. White space has zeros, no label and the head -1. Its columns are

        - opened: nodes that begin with the word (top-down: they are predicted before
          it);
        - closed: nodes that end with it (bottom-up: they are complete after it);
        - left_corner: nodes whose first child ends with it (they are predicted then);
        - open_nodes: nodes that have begun and not ended after the word;
        - depth: nodes that the word is in;
        - yngve: branches to the right of the way from the top to the word (Yngve 1960);
        - break_after: nodes that end with the word and that begin with the next one of
          the sentence, as strong as the break between them;
        - label: the label of the smallest node that the word is in, "" for none;
        - head: the token that is this node's head, by Collins' rules.

        Columns of numbers that only the parser knows, and notes on the trees if it is
        asked to (`search.per_word`), NaN where it has not:

        - action_probability: of the tree's action at the word, given what was before;
        - and of a parser that predicts words, by its beam (`search.beam_width`):
          surprisal (bits); entropy of the trees so far, after the word, and
          entropy_reduction, what it was before minus that (bits);
          expected_opened, expected_closed and expected_open_nodes: nodes that the word
          opens, that it shows to be complete, and that are open after it, in the mean
          of the trees so far; known: 1, or 0 for a word that is predicted by its class
          and its spelling.

    Raises:
        ValueError: The Doc has no trees or no sentences.
    """
    span = doclike[:]
    labels = [""] * len(span)
    counts = numpy.zeros((len(span), len(COUNTS)), dtype="int32")
    heads = numpy.full(len(span), -1, dtype="int32")
    for node in sentence_nodes(span):
        tree, words = node.sentence.tree, node.sentence.words
        of_nodes = all_heads(tree, "collins", span.doc.lang_)
        for token, numbers, at in zip(words, *_columns(tree), strict=True):
            if span.start <= token < span.end:
                here = token - span.start
                counts[here] = numbers
                labels[here] = tree.constituents[at].label if at >= 0 else ""
                heads[here] = words[of_nodes[at]]
    width = max(map(len, labels), default=0)
    types = [(name, "int32") for name in COUNTS]
    types += [("label", f"U{max(width, 1)}"), ("head", "int32")]
    types += [(name, "float64") for name in NOTED]
    table = numpy.zeros(len(span), dtype=types)
    for name, column in zip(COUNTS, counts.T, strict=True):
        table[name] = column
    table["label"], table["head"] = labels, heads
    for name in NOTED:
        table[name] = _noted(span, name)
    return table


def surprisal(doclike: Doc | Span) -> numpy.ndarray[Any, Any]:
    """`Doc._.surprisal`, `Span._.surprisal`: how surprising each token is (bits).

    The negative logarithm of its probability, given the words and trees before it. A
    word that the parser does not know has the probability of its class times that of
    its spelling; of its class alone, if the parser has not learnt to spell
    (`spelling_width = 0`). NaN for white space, and in sentences that were too long.

    Raises:
        ValueError: The Doc has no trees, or of a parser that does not predict words or
            was not asked to (`search.per_word`).
    """
    span = doclike[:]
    if "surprisal" not in kept_trees(span.doc).group.attrs:
        raise ValueError(NO_SURPRISAL)
    return _noted(span, "surprisal")


def _noted(span: Span, name: str) -> numpy.ndarray[Any, Any]:
    """A column of `NOTED` for a span's tokens, NaN where nothing is known."""
    group, part = kept_trees(span.doc).group, slice(span.start, span.end)
    known = numbers_beside(group, name, len(span.doc), part)
    return numpy.array([numpy.nan] * len(span) if known is None else known)


def _columns(tree: Tree) -> tuple[list[tuple[int, ...]], list[int]]:
    """`COUNTS` of each word, and the index of its smallest constituent, -1 for none."""
    nodes, children = tree.constituents, tree.children()
    opened, closed, corners = ([0] * len(tree) for _ in range(3))
    for (_, start, end), (first, *_) in zip(nodes, children[:-1], strict=True):
        opened[start] += 1
        closed[end - 1] += 1
        corners[first.at if first.is_word else nodes[first.at].end - 1] += 1
    # Of nodes and words: branches to the right of the way from the top.
    right, yngve, smallest = [0] * (len(nodes) + 1), [0] * len(tree), [-1] * len(tree)
    for at in (-1, *range(len(nodes))):  # parents before their children
        for n_after, child in enumerate(reversed(children[at])):
            if child.is_word:
                yngve[child.at], smallest[child.at] = right[at] + n_after, at
            else:
                right[child.at] = right[at] + n_after
    rows: list[tuple[int, ...]] = []
    before = 0
    for word, (begun, ended) in enumerate(zip(opened, closed, strict=True)):
        depth = before + begun
        before = depth - ended
        after = ended + (opened[word + 1] if word + 1 < len(tree) else 0)
        counts = begun, ended, corners[word], before, depth, yngve[word], after
        rows.append(counts)
    return rows, smallest
