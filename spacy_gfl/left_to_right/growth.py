"""How a tree grows, one word after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from spacy.tokens import Doc, Token

from spacy_gfl.decoding.network import Growth
from spacy_gfl.left_to_right.beam_columns import surprisal
from spacy_gfl.pipe.parses import RankedTree, parse_of, rank_trees
from spacy_gfl.trees.tree import unary_chains

if TYPE_CHECKING:
    from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose


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
    found = [growth.hypothesis(n, place) for place in range(len(beam))]
    *before, (target, new, parent) = found[0].output
    nodes = codec.decode(before, n - 1).constituents
    # What ends with the last word is the rightmost chain, the outermost first.
    chains = unary_chains(nodes).items()
    chain = [joined for (_, end), joined in chains if end == n - 1]
    names = ["", *map("+".join, codec.chains)]
    action = Action(
        "+".join(chain[target - 1]) if target else "", target, names[new], names[parent]
    )
    parses = [parse_of(hypothesis, codec, words) for hypothesis in found]
    trees = rank_trees(parses, doc, predict_tags=predict_tags)
    word, gained = doc[words[-1]], math.exp(beam[0].gained)
    return Step(word, action, gained, trees, surprisal(growth.beams[n - 1]))
