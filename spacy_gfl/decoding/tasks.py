"""The tasks that a network is given, each of which runs itself, on batches that fit."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from spacy_gfl.decoding.batching import length_batches
from spacy_gfl.decoding.constraints import Constraints
from spacy_gfl.decoding.threads import fair_share, side_by_side
from spacy_gfl.layers.precision import Precision
from spacy_gfl.layers.products import multiplying_in

#: With more hypotheses per sentence, fewer sentences are worked on at a time on a CPU.
ROWS_AT_ONCE = 3
#: Hypotheses of a sentence whose constraints need a beam, where others have none.
CONSTRAINED_BEAM = 10
#: What a network's decoder is to write for a sentence; the network knows its form.
Target = Any


class Group(NamedTuple):
    """Sentences of like length, the longest first.

    Attributes:
        sentences: Their indices in the batch.
        vectors: The word vectors of each, `(words, input width)`.
        lengths: Their words.
    """

    sentences: list[int]
    vectors: list[Tensor]
    lengths: list[int]


def _groups(vectors: Tensor, lengths: Sequence[int], budget: int) -> Iterator[Group]:
    """Sentences of like length, of at most `budget` padded words together."""
    parts = vectors.split(list(lengths))
    for group in length_batches(lengths, budget):
        yield Group(group, [parts[i] for i in group], [lengths[i] for i in group])


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """Something that a network (`network.Network`) is to do.

    Attributes:
        batch_words: Padded words that are worked on at a time.
        precision: What linear maps and LSTMs compute in (`layers.products`).
    """

    batch_words: int = 4096
    precision: Precision = "fp32"

    @abstractmethod
    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> Any:
        """What `Network.forward` returns."""


@dataclass(frozen=True)
class LossTask(Task):
    """Learn what to write.

    Attributes:
        targets: What the decoder is to write, for each sentence.
        dropout: Probability of dropping a value.
        batch_words: Padded words of one pass at most; the passes' losses are summed.
    """

    targets: Sequence[Target]
    dropout: float = 0.0

    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> Tensor:
        """The summed cross-entropy, 0-d, in nats."""
        with multiplying_in(self.precision, vectors.device):
            losses = [
                network.loss(
                    network.encode(group.vectors, group.lengths, self.dropout),
                    [self.targets[i] for i in group.sentences],
                    self.dropout,
                )
                for group in _groups(vectors, lengths, self.batch_words)
            ]
        return torch.stack(losses).sum() if losses else vectors.sum() * 0.0


@dataclass(frozen=True, kw_only=True)
class _ReadingTask(Task):
    """A task with one result per sentence, without gradients.

    Attributes:
        words: The numbers of each sentence's words, for a network that predicts words;
            without them it does not.
    """

    words: Sequence[Any] | None = None

    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> list[Any]:
        """One result per sentence, of groups side by side on a CPU."""
        on_cpu = vectors.device.type == "cpu"
        budget = self.batch_words
        if on_cpu:
            budget = min(budget // self.rows_in_excess(), fair_share(lengths))
        groups = list(_groups(vectors, lengths, budget))
        results: list[Any] = [None] * len(lengths)
        work = partial(self._work, network, vectors.device)
        for group, found in zip(
            groups, (side_by_side if on_cpu else map)(work, groups), strict=True
        ):
            for i, result in zip(group.sentences, found, strict=True):
                results[i] = result
        return results

    def _work(self, network: Any, device: torch.device, group: Group) -> Sequence[Any]:
        # Modes and precisions are a thread's own.
        with torch.inference_mode(), multiplying_in(self.precision, device):
            encoded = network.encode(group.vectors, group.lengths, 0.0)
            if self.words is not None:
                words = [self.words[i] for i in group.sentences]
                encoded = network.told(encoded, words)
            return self.results(network, encoded, group)

    @abstractmethod
    def results(self, network: Any, encoded: Any, group: Group) -> Sequence[Any]:
        """One result for each sentence of a group that the network has encoded."""

    def rows_in_excess(self) -> int:
        """How many times fewer words are worked on at a time on a CPU."""
        return 1


@dataclass(frozen=True)
class SearchTask(_ReadingTask):
    """Write trees.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy search. A width no
            larger than `n_best` is `CONSTRAINED_BEAM` for a sentence whose constraints
            need a beam.
        n_best: How many hypotheses of a sentence are searched; 0: none.
        constrained: Write nothing but trees.
        constraints: What is known of each sentence's tree; None if nothing is of any.
        n_samples: How many more are drawn at random (`sampling.draw`).
        temperature: Above 1, what is drawn is more varied.
        batch_words: Padded words that are worked on at a time; on a CPU by each
            thread, and fewer where there are many hypotheses, or not enough words
            for all threads.
    """

    beam_width: int = 1
    n_best: int = 1
    constrained: bool = True
    constraints: Sequence[Constraints | None] | None = None
    n_samples: int = 0
    temperature: float = 1.0

    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> list[Any]:
        """The hypotheses of each sentence; those of one width side by side."""
        known = self.constraints or ()
        wide = [i for i, of_one in enumerate(known) if of_one and of_one.need_beam]
        if not wide or not self.n_best >= self.beam_width < CONSTRAINED_BEAM:
            return super().run(network, vectors, lengths)
        rest = sorted(set(range(len(lengths))) - set(wide))
        results: list[Any] = [None] * len(lengths)
        words = vectors.split(list(lengths))
        for width, chosen in ((CONSTRAINED_BEAM, wide), (self.beam_width, rest)):
            if chosen:
                task = replace(self.part(chosen), beam_width=width)
                part = torch.cat([words[i] for i in chosen])
                found = task.run(network, part, [lengths[i] for i in chosen])
                for i, result in zip(chosen, found, strict=True):
                    results[i] = result
        return results

    def results(self, network: Any, encoded: Any, group: Group) -> Sequence[Any]:
        """The hypotheses of each sentence."""
        return network.search(encoded, group.lengths, self.part(group.sentences))

    def rows_in_excess(self) -> int:
        """Copying the states of all hypotheses takes long where they fill caches."""
        n_rows = max(self.beam_width if self.n_best else 1, self.n_samples)
        return max(1, n_rows // ROWS_AT_ONCE)

    def part(self, sentences: Sequence[int]) -> "SearchTask":
        """The task for some of the sentences."""
        known, words = self.constraints, self.words
        if known is not None:
            known = [known[i] for i in sentences]
        if words is not None:
            words = [words[i] for i in sentences]
        return replace(
            self, constraints=known if any(known or ()) else None, words=words
        )


@dataclass(frozen=True)
class GrowthTask(_ReadingTask):
    """Write trees, and say how they grow word by word, each sentence by itself.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy search.
    """

    batch_words: int = 1

    beam_width: int = 1

    def results(self, network: Any, encoded: Any, group: Group) -> Sequence[Any]:
        """Of the group's one sentence the beam before its words and after each."""
        return [network.grow(encoded, group.lengths[0], self.beam_width)]


@dataclass(frozen=True)
class ActionsTask(_ReadingTask):
    """Say how probable each word's action is, writing what is given.

    Attributes:
        targets: What the decoder writes, for each sentence.
    """

    targets: Sequence[Target]

    def results(self, network: Any, encoded: Any, group: Group) -> Sequence[Any]:
        """The log-probabilities of each sentence's actions (nats), `(words,)`."""
        targets = [self.targets[i] for i in group.sentences]
        return network.action_log_probs(encoded, targets)


@dataclass(frozen=True)
class AttentionTask(_ReadingTask):
    """Say how each step looked at the words, writing what is given.

    Attributes:
        targets: What the decoder writes, for each sentence.
    """

    targets: Sequence[Target]

    def results(self, network: Any, encoded: Any, group: Group) -> Sequence[Any]:
        """The attention of each sentence, `(steps, words)`."""
        targets = [self.targets[i] for i in group.sentences]
        return network.attend(encoded, group.lengths, targets)
