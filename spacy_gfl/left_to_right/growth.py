"""How the trees of a sentence grow: the beam before the first word and after each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch

from spacy_gfl.decoding.network import NOT_BY_WORDS, Hypothesis, Network
from spacy_gfl.decoding.tasks import ReadingTask, WritingTask
from spacy_gfl.left_to_right.prefixes import Grown, prefixes


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
        grown = []
        for beam in self.beams[n_words:0:-1]:
            grown.append(beam[place])
            place = beam[place].origin
        return grown[::-1]

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


def grow(
    network: Network[Any], encoded: Any, lengths: Sequence[int], width: int
) -> list[Growth]:
    """The partial trees of sentences before and after each of their words.

    Args:
        network: A network whose decoder adds one word after the other.
        encoded: What its `encode` gave of the sentences.
        lengths: Words of each sentence, the longest first.
        width: Hypotheses kept; 1 is greedy search.

    Raises:
        ValueError: If the decoder does not add one word after the other.
    """
    every = network.choices_per_word
    if every is None:
        raise ValueError(NOT_BY_WORDS)
    scores = network.tag_scores(encoded)
    tags = [None] * len(lengths) if scores is None else scores.argmax(2).tolist()
    decoder = network.decoder_of(encoded)

    def action_of(choices: list[int]) -> Any:
        return network.hypothesis((choices, 0.0)).output[-1]

    with torch.no_grad():
        beams_of_all = prefixes(decoder, lengths, every, width, action_of)
    return [
        Growth(beams, of_words and of_words[:n_words])
        for beams, of_words, n_words in zip(beams_of_all, tags, lengths, strict=True)
    ]


@dataclass(frozen=True)
class GrowthTask(ReadingTask):
    """Write trees, and say how they grow word by word.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy search.
    """

    beam_width: int = 1
    reads_words: ClassVar[bool] = True

    @property
    def n_rows(self) -> int:
        """Hypotheses of a sentence."""
        return self.beam_width

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """How the trees of the batch's sentences grow."""
        return grow(network, encoded, lengths, self.beam_width)


class ActionsTask(WritingTask):
    """Say how probable each word's action is."""

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """The log-probabilities of each sentence's actions (nats), `(words,)`."""
        return network.action_log_probs(encoded, [self.targets[i] for i in batch])
