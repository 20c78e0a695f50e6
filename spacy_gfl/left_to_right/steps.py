"""The search for a sentence's tree, step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.sentence_words import sentence_words
from spacy_gfl.left_to_right.beam_columns import surprisal
from spacy_gfl.left_to_right.growth import Growth, GrowthTask
from spacy_gfl.pipe.parses import RankedTree, parse_of, rank_trees
from spacy_gfl.pipe.search_settings import check_number
from spacy_gfl.trees.tree import unary_chains

if TYPE_CHECKING:
    from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
    from spacy_gfl.pipe.component import ConstituencyParser


class Action(NamedTuple):
    """What adds a word to a partial tree (Yang and Deng 2020, section 3).

    Labels of a unary chain are joined by "+".

    Attributes:
        target: The label of the node of the rightmost chain to which the word goes, ""
            for the root.
        depth: That node's place in the chain, 0 for the root.
        new: The label of the node that takes the target's place, with the target as
            its first child and the word as its second; "" where the word becomes the
            target's last child.
        parent: The label of a node around the word, "" for none.
    """

    target: str
    depth: int
    new: str
    parent: str


class Step(NamedTuple):
    """The trees after a word.

    Attributes:
        word: The word that was added last.
        action: What added it to the best tree.
        probability: The probability of this action, given the tree before it.
        trees: The best partial trees, over the sentence's words so far, with their
            log-probabilities (nats); the best first. A parser that predicts words gives
            log-probabilities of trees and words.
        surprisal: How surprising the word is to such a parser (bits); NaN for others.
    """

    word: Token
    action: Action
    probability: float
    trees: list[RankedTree]
    surprisal: float


def steps(parser: ConstituencyParser, sent: Span | Doc, k: int = 1) -> list[Step]:
    """How the tree of a sentence grows, word by word, without changing its Doc.

    One action adds each word, and the beam keeps the best partial trees. A
    bidirectional encoder has read the whole sentence before, so its steps are those of
    the search, not of a reader. Constraints are ignored.

    Args:
        parser: A trained parser (`spacy_gfl.get_parser`).
        sent: A sentence, or a Doc of one sentence.
        k: How many partial trees the beam keeps; 1 is greedy search.

    Returns:
        A Step for each word; none for a sentence without words, one that is too
        long (`search.max_words`), or where the model's numbers are not finite.

    Raises:
        TypeError: If `sent` is neither, or `parser` is a pipeline.
        ValueError: If `sent` is no sentence of a Doc, k is no whole number from 1 to
            1,000, the model does not add one word after the other (`Seq2Seq.v1`,
            ensembles), or the component is not initialised (spaCy's E109).
    """
    check_number(k, "steps")
    if isinstance(parser, Language):
        raise TypeError("steps takes a pipeline's parser: get_parser(nlp).")
    if not isinstance(sent, (Span, Doc)):
        raise TypeError(f"steps takes a sentence, not a {type(sent).__name__}.")
    doc, sent = sent.doc, sent[:]
    extents = [(one.start, one.end) for one in doc.sents]
    if (sent.start, sent.end) not in extents:
        raise ValueError(f"steps needs a sentence, but {sent.text!r:.50} is not one.")
    words = sentence_words(doc)[extents.index((sent.start, sent.end))]
    if not 0 < len(words) <= parser.search.max_words:
        return []
    task = GrowthTask(beam_width=k, precision=parser.search.exact_precision)
    [growth] = parser.run([doc], task, [(0, words)])
    if not all(growth.beams):
        return []
    # This codec's networks alone add words one by one.
    codec: Any = parser.codec
    return [
        step_of(growth, codec, words[:n], doc, predict_tags=parser.predict_tags)
        for n in range(1, len(words) + 1)
    ]


def step_of(
    growth: Growth,
    codec: AttachJuxtapose,
    words: Sequence[int],
    doc: Doc,
    *,
    predict_tags: bool,
) -> Step:
    """The step after the last of some words.

    Args:
        growth: How the trees of the sentence grow.
        codec: What actions are written in.
        words: The indices of the words so far in the Doc.
        doc: The Doc.
        predict_tags: Whether words without a tag in the Doc take the model's.
    """
    n, beam = len(words), growth.beams[len(words)]
    hypotheses = [growth.hypothesis(n, place) for place in range(len(beam))]
    *before, (target, new, parent) = hypotheses[0].output
    nodes = codec.decode(before, n - 1).constituents
    # What ends with the last word is the rightmost chain, the outermost first.
    chains = unary_chains(nodes).items()
    chain = [joined for (_, end), joined in chains if end == n - 1]
    names = ["", *map("+".join, codec.chains)]
    action = Action(
        "+".join(chain[target - 1]) if target else "", target, names[new], names[parent]
    )
    parses = [parse_of(hypothesis, codec, words) for hypothesis in hypotheses]
    trees = rank_trees(parses, doc, predict_tags=predict_tags)
    word, gained = doc[words[-1]], math.exp(beam[0].gained)
    return Step(word, action, gained, trees, surprisal(growth.beams[n - 1]))
