"""What the component finds for a sentence, made of what the search found."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from spacy_gfl.decoding.parser import Hypothesis
from spacy_gfl.parser.codecs import TreeCodec
from spacy_gfl.parser.posteriors import (
    DrawnTree,
    likely_tree,
    occurrences,
    posteriors,
)
from spacy_gfl.trees.tree import Constituent, Tree

#: What `doc.spans["constituents"].attrs["flags"]` says of each sentence.
OK, REPAIRED, FLAT = "ok", "repaired", "flat"


class Parse(NamedTuple):
    """What the component found for one sentence.

    Attributes:
        constituents: In pre-order over the sentence's words.
        log_prob: The model's log-probability (nats); NaN where nothing was searched,
            and of a tree put together of others.
        flag: "ok"; "repaired" where free search wrote no tree; "flat" where the
            sentence was too long, or the model's numbers were not finite.
        tags: A tag a word, if the model has a tagger.
        probabilities: The probability of each constituent; None if it is not known.
        words: The indices of the sentence's words in its Doc.
    """

    constituents: list[Constituent]
    log_prob: float
    flag: str
    tags: Sequence[str] | None = None
    probabilities: list[float] | None = None
    words: Sequence[int] = ()


class RankedTree(NamedTuple):
    """One of the best trees of a sentence.

    Attributes:
        tree: The tree.
        log_prob: The model's log-probability (nats); NaN if nothing was searched.
    """

    tree: Tree
    log_prob: float


def flat_parse(n_words: int) -> Parse:
    """The parse of a sentence that is not searched; certain if it has no words."""
    return Parse([], math.nan, FLAT) if n_words else Parse([], 0.0, OK)


def parse_of(hypothesis: Hypothesis, codec: TreeCodec, n_words: int) -> Parse:
    """The parse that a hypothesis is."""
    if not math.isfinite(hypothesis.log_prob):
        return flat_parse(n_words)
    tags = None
    if hypothesis.tags is not None:
        tags = [codec.tags[tag] for tag in hypothesis.tags]
    constituents, malformed = codec.decode(hypothesis.output, n_words)
    flag = REPAIRED if malformed else OK
    return Parse(constituents, hypothesis.log_prob, flag, tags)


def choose_parse(
    found: Sequence[Hypothesis], codec: TreeCodec, n_words: int, objective: str
) -> Parse:
    """The parse of a sentence.

    Args:
        found: The best hypothesis of the search, then those that were drawn, if any.
        codec: What their outputs are written in.
        n_words: Words of the sentence.
        objective: What the tree is chosen for; see `SearchSettings`.

    Returns:
        The parse; with probabilities if trees were drawn.
    """
    best = parse_of(found[0], codec, n_words)
    drawn = Counter(
        (tuple(hypothesis.output), hypothesis.log_prob)
        for hypothesis in found
        if hypothesis.drawn and math.isfinite(hypothesis.log_prob)
    )
    if not drawn:
        return best
    trees = {output: codec.decode(output, n_words).constituents for output, _ in drawn}
    known_trees = [
        DrawnTree(trees[output], times) for (output, _), times in drawn.items()
    ]
    if objective == "max_f1":
        tree = likely_tree(known_trees)
        log_probs = (log_prob for output, log_prob in drawn if trees[output] == tree)
        best = best._replace(
            constituents=tree, log_prob=next(log_probs, math.nan), flag=OK
        )
    known = posteriors(known_trees)
    probabilities = [known.get(node, 0.0) for node in occurrences(best.constituents)]
    return best._replace(probabilities=probabilities)
