"""Parses of sentences, made of the hypotheses that the search found."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from spacy.attrs import TAG
from spacy.tokens import Doc

from spacy_gfl.decoding.codec import TreeCodec
from spacy_gfl.decoding.network import Hypothesis
from spacy_gfl.pipe.posteriors import DrawnTree, likely_tree
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree

#: What `doc.spans["constituents"].attrs["flags"]` says of each sentence.
OK, REPAIRED, FLAT = "ok", "repaired", "flat"


class Parse(NamedTuple):
    """The tree that the component found for one sentence.

    Attributes:
        constituents: The constituents in pre-order, over the sentence's words.
        log_prob: The model's log-probability (nats); NaN where nothing was searched,
            and of a tree put together of others.
        flag: "ok"; "repaired" where free search wrote no tree; "flat" where the
            sentence was too long, or the model's numbers were not finite.
        words: The indices of the sentence's words in its Doc.
        tags: A tag a word, if the model has a tagger.
        drawn: The trees that were drawn of the sentence.
        growth: How the beam has grown in which the tree was found, if that was noted
            (`left_to_right.growth.Growth`).
    """

    constituents: list[Constituent]
    log_prob: float
    flag: str
    words: Sequence[int]
    tags: Sequence[str] | None = None
    drawn: Sequence[DrawnTree] = ()
    growth: Any = None


class RankedTree(NamedTuple):
    """One of the best trees of a sentence.

    Attributes:
        tree: The tree.
        log_prob: The model's log-probability (nats); NaN if nothing was searched.
    """

    tree: Tree
    log_prob: float


def flat_parse(words: Sequence[int]) -> Parse:
    """The parse of a sentence that is not searched; certain if it has no words."""
    return Parse([], math.nan, FLAT, words) if words else Parse([], 0.0, OK, words)


def parse_of(hypothesis: Hypothesis, codec: TreeCodec, words: Sequence[int]) -> Parse:
    """The parse that a hypothesis is."""
    if not math.isfinite(hypothesis.log_prob):
        return flat_parse(words)
    tags = None
    if hypothesis.tags is not None:
        tags = [codec.tags[tag] for tag in hypothesis.tags]
    constituents, malformed = codec.decode(hypothesis.output, len(words))
    flag = REPAIRED if malformed else OK
    parse = Parse(constituents, hypothesis.log_prob, flag, words, tags)
    return parse._replace(growth=hypothesis.growth)


def choose_parse(
    hypotheses: Sequence[Hypothesis],
    codec: TreeCodec,
    words: Sequence[int],
    objective: str,
) -> Parse:
    """The parse of a sentence, with the trees that were drawn of it.

    Args:
        hypotheses: The best one of the search, then those that were drawn, if any.
        codec: What their outputs are written in.
        words: The indices of the sentence's words in its Doc.
        objective: What the tree is chosen for; see `SearchSettings`.
    """
    best = parse_of(hypotheses[0], codec, words)
    drawn = Counter(
        (tuple(hypothesis.output), hypothesis.log_prob)
        for hypothesis in hypotheses
        if hypothesis.drawn and math.isfinite(hypothesis.log_prob)
    )
    if not drawn:
        return best
    trees = [
        DrawnTree(codec.decode(output, len(words)).constituents, times)
        for (output, _), times in drawn.items()
    ]
    if objective == "max_f1":
        likely = likely_tree(trees)
        log_probs = (
            log_prob
            for (_, log_prob), tree in zip(drawn, trees, strict=True)
            if tree.constituents == likely
        )
        best = best._replace(
            constituents=likely, log_prob=next(log_probs, math.nan), flag=OK
        )
    return best._replace(drawn=trees)


def rank_trees(
    parses: Sequence[Parse], doc: Doc, *, predict_tags: bool
) -> list[RankedTree]:
    """The different trees among the parses of a sentence, in their order.

    What free search wrote may be alike once it is repaired. With `predict_tags` a word
    without a tag in the Doc takes the parse's.
    """
    words = parses[0].words
    texts, own = tuple(doc[i].text for i in words), [doc[i].tag_ for i in words]
    different: dict[tuple[Constituent, ...], RankedTree] = {}
    for parse in parses:
        said = parse.tags if predict_tags and parse.tags is not None else own
        tags = [
            tag or other or MISSING_TAG for tag, other in zip(own, said, strict=True)
        ]
        tree = Tree(texts, tuple(tags), tuple(parse.constituents))
        different.setdefault(tree.constituents, RankedTree(tree, parse.log_prob))
    return list(different.values())


def group_attrs(parses: Sequence[Parse]) -> dict[str, Any]:
    """The `attrs` that every span group with a Doc's trees has."""
    return {
        "log_probs": [parse.log_prob for parse in parses],
        "flags": [parse.flag for parse in parses],
    }


def write_tags(doc: Doc, parses: Sequence[Parse]) -> None:
    """Write the tags of the words of a Doc, which is not empty, where it has none."""
    tags: Any = doc.to_array([TAG])
    for parse in parses:
        for i, tag in zip(parse.words, parse.tags or (), strict=False):
            tags[i] = tags[i] or doc.vocab.strings.add(tag)
    doc.from_array([TAG], tags)
