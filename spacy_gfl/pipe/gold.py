"""Gold trees of Examples as targets of learning, and messages about the others."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, SpanGroup
from spacy.training import Example
from spacy.util import logger

from spacy_gfl.annotation.alignment import gold_sentences, is_same
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


#: By gold Doc, what was encoded ahead, with its codec and the group of its trees.
_ahead: WeakKeyDictionary[Doc, tuple[TreeCodec, SpanGroup | None, Gold]]
_ahead = WeakKeyDictionary()


def encode_ahead(example: Example, codec: TreeCodec) -> None:
    """Encode an Example before the updates that learn it, as a GPU would wait for it.

    It is kept as long as its gold Doc; spaCy copies Examples for each update.
    """
    doc = example.reference
    if is_same(doc, example.predicted):
        _ahead[doc] = codec, doc.spans.get(SPANS_KEY), gold_of(example, codec)


def gold_of(example: Example, codec: TreeCodec) -> Gold:
    """The sentences of an Example that can be learnt."""
    doc = example.reference
    own = codec, doc.spans.get(SPANS_KEY)
    known = _ahead.get(doc)
    if known and known[:2] == own and is_same(doc, example.predicted):
        return known[2]
    gold = list(gold_sentences(example))
    short = [one for one in gold if len(one.words) <= MOST_LEARNT]
    labels = {node.label for _, tree in short for node in tree.constituents}
    return Gold(
        [words for words, _ in short],
        [codec.encode(tree) for _, tree in short],
        frozenset(labels.difference(codec.labels)),
        len(gold) - len(short),
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
                "%s does not know the labels %s, and leaves out the constituents "
                "of the training trees that have them. A parser gets its labels "
                "when it is initialised.",
                name,
                ", ".join(sorted(new)),
            )
        if any(gold.n_long for gold in golds) and not self._long:
            self._long = True
            logger.warning(
                "%s leaves out sentences of more than %d words in training, "
                "because memory grows with the square of the length.",
                name,
                MOST_LEARNT,
            )


def lost_message(
    name: str, loss: float, n_steps: int, examples: Sequence[Example]
) -> str:
    """The message about a loss that is not finite."""
    begins = next((eg.reference.text[:60] for eg in examples if eg.reference.text), "")
    return (
        f"{name}: the loss of step {n_steps} is {loss}, for the batch of "
        f"{len(examples)} Docs that begins {begins!r}. Training stops, because "
        "every weight would become NaN. model-best stays as it was. Look for odd "
        "numbers in the pipeline's vectors, or train with a lower learn_rate."
    )
