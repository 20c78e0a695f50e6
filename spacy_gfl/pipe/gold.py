"""Gold trees of Examples as targets of learning, and messages about the others."""

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, SENT_START, TAG
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import logger

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.decoding.codec import TreeCodec

#: Words of the longest sentence that is learnt: memory grows with their square.
MOST_LEARNT = 1000


class Gold(NamedTuple):
    """The targets of learning in an Example.

    Attributes:
        words: For each sentence the indices of its words in the predicted Doc.
        targets: For each sentence what the decoder is to write.
        unknown: Labels that the codec does not know.
        n_long: Sentences of more than `MOST_LEARNT` words, which are left out.
    """

    words: list[list[int]]
    targets: list[Any]
    unknown: frozenset[str]
    n_long: int


class GoldCache:
    """The gold trees of Examples, encoded once as long as nobody changes them.

    spaCy shows a corpus epoch by epoch in new Examples of the same references.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Doc, tuple[TreeCodec, int, Gold]] = (
            WeakKeyDictionary()
        )

    def __reduce__(self) -> tuple[type["GoldCache"], tuple[()]]:
        return GoldCache, ()

    def __call__(self, example: Example, codec: TreeCodec) -> Gold:
        """The sentences of an Example that can be learnt."""
        reference, seen = example.reference, _content(example)
        known = self._known.get(reference)
        if known is None or known[0] is not codec or known[1] != seen:
            known = self._known[reference] = (codec, seen, _gold(example, codec))
        return known[2]


def _content(example: Example) -> int:
    """A number that is another where `_gold` would be another."""
    reference, predicted = example.reference, example.predicted
    trees = None
    if SPANS_KEY in reference.spans:
        # Fifteen times as fast as the group's bytes.
        group = reference.spans[SPANS_KEY]
        # Tokens that have been merged leave spans beyond the end: `_gold` says so.
        with contextlib.suppress(IndexError):
            trees = tuple((span.start, span.end, span.label) for span in group)
    words = reference.to_array([ORTH, TAG, SENT_START]).tobytes()
    return hash((trees, words, predicted.to_array([ORTH]).tobytes()))


def _gold(example: Example, codec: TreeCodec) -> Gold:
    found = list(gold_sentences(example))
    short = [one for one in found if len(one.words) <= MOST_LEARNT]
    labels = {node.label for _, tree in short for node in tree.constituents}
    return Gold(
        [words for words, _ in short],
        [codec.encode(tree) for _, tree in short],
        frozenset(labels.difference(codec.labels)),
        len(found) - len(short),
    )


class LeftOut:
    """Says once of each label, and of long sentences, that it is not learnt."""

    def __init__(self) -> None:
        #: The unknown labels that have been named.
        self.labels: set[str] = set()
        self._long = False

    def warn(self, name: str, golds: Sequence[Gold]) -> None:
        """Log what a component leaves out of a batch, but for what was said before."""
        new = set().union(*(gold.unknown for gold in golds)) - self.labels
        if new:
            self.labels |= new
            logger.warning(
                "%s has not learnt the labels %s: constituents of the training trees "
                "that have them are left out. Labels come from what a parser is "
                "initialised with.",
                name,
                ", ".join(sorted(new)),
            )
        if any(gold.n_long for gold in golds) and not self._long:
            self._long = True
            logger.warning(
                "%s leaves out sentences of more than %d words in training: memory "
                "grows with the square of a sentence's length.",
                name,
                MOST_LEARNT,
            )


def lost_message(
    name: str, loss: float, n_steps: int, examples: Sequence[Example]
) -> str:
    """The message about a loss that is not finite."""
    begins = next((eg.reference.text[:60] for eg in examples if eg.reference.text), "")
    return (
        f"{name}: the loss of step {n_steps} is {loss}, of the batch of "
        f"{len(examples)} Docs that begins {begins!r}. Training stops, since no weight "
        "would be a number after it; model-best stays as it was. Look for odd numbers "
        "in the pipeline's vectors, or train with a lower learn_rate."
    )
