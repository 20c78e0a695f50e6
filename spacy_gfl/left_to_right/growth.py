"""How the trees of a sentence grow: the beam before the first word and after each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch

from spacy_gfl.decoding.network import NOT_BY_WORDS, Hypothesis, Network
from spacy_gfl.decoding.tasks import ReadingTask, WritingTask
from spacy_gfl.left_to_right.prefixes import prefixes


class Grown(NamedTuple):
    """A partial tree of a beam.

    Attributes:
        action: What added its last word, as the decoder's codec has it; None before.
        log_prob: Of what is written so far (nats), with that of the words where the
            network predicts them.
        gained: The log-probability (nats) of the action, given what was before.
        origin: The place in the beam before of what it extends.
        next_word: The log-probability of the next word, or of the end; NaN where the
            network does not predict words.
    """

    action: Any
    log_prob: float
    gained: float
    origin: int
    next_word: float


class Growth(NamedTuple):
    """How the trees of one sentence grow.

    Attributes:
        beams: The partial trees before the first word and after each, the best first.
        tags: The number of each word's tag, if the model has a tagger.
    """

    beams: list[list[Grown]]
    tags: Sequence[int] | None

    def path(self, n_words: int, place: int) -> list[Grown]:
        """How the partial tree at a place of the beam after so many words has grown."""
        found = []
        for beam in self.beams[n_words:0:-1]:
            found.append(beam[place])
            place = beam[place].origin
        return found[::-1]

    def hypothesis(self, n_words: int, place: int) -> Hypothesis:
        """What is written after so many words, at a place of the beam."""
        actions = [grown.action for grown in self.path(n_words, place)]
        log_prob = self.beams[n_words][place].log_prob
        return Hypothesis(actions, log_prob, self.tags and self.tags[:n_words])

    def best(self) -> Hypothesis:
        """What the whole sentence's tree is; of probability NaN if the numbers are."""
        if not all(self.beams):
            return Hypothesis([], math.nan)
        return self.hypothesis(len(self.beams) - 1, 0)._replace(growth=self)


def grow(network: Network[Any], encoded: Any, n_words: int, width: int) -> Growth:
    """The partial trees of one sentence before and after each of its words.

    Args:
        network: A network whose decoder adds one word after the other.
        encoded: What its `encode` gave of this one sentence.
        n_words: Words of the sentence.
        width: Hypotheses kept; 1 is greedy search.

    Raises:
        ValueError: If the decoder does not add one word after the other.
    """
    every = network.choices_per_word
    if every is None:
        raise ValueError(NOT_BY_WORDS)
    scores = network.tag_scores(encoded)
    tags = None if scores is None else scores.argmax(2).tolist()[0]
    with torch.no_grad():
        found = prefixes(network.decoder_of(encoded), n_words * every, every, width)
    start, *further = found
    beams = [[Grown(None, *prefix[1:]) for prefix in start]]
    for beam in further:
        actions = [network.hypothesis((p.choices, 0.0)).output[-1] for p in beam]
        pairs = zip(actions, beam, strict=True)
        beams.append([Grown(action, *prefix[1:]) for action, prefix in pairs])
    return Growth(beams, tags)


@dataclass(frozen=True)
class GrowthTask(ReadingTask):
    """Write trees, and say how they grow word by word, each sentence by itself.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy search.
    """

    batch_words: int | None = 1
    beam_width: int = 1
    reads_words: ClassVar[bool] = True

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """How the trees of the batch's one sentence grow."""
        return [grow(network, encoded, lengths[0], self.beam_width)]


class ActionsTask(WritingTask):
    """Say how probable each word's action is."""

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """The log-probabilities of each sentence's actions (nats), `(words,)`."""
        return network.action_log_probs(encoded, [self.targets[i] for i in batch])
