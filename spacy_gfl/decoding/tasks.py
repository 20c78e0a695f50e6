"""The tasks that a network is given, each of which runs itself, on batches that fit."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from spacy_gfl.decoding.batches import length_batches, side_by_side, thread_batches
from spacy_gfl.layers.precision import Precision, multiplying_in

#: With more hypotheses per sentence, fewer sentences are worked on at a time.
ROWS_AT_ONCE = 3
#: The default number of padded words per batch.
BATCH_WORDS = 4096
#: A GPU works on as many times the words at a time: a step takes it no longer.
GPU_TIMES = 16
#: Hypotheses of a sentence whose constraints need a beam, where others have none.
CONSTRAINED_BEAM = 10
#: What a network's decoder is to write for a sentence; the network knows its form.
Target = Any
#: Start, end and labels of an extent that must be a constituent.
Required = tuple[int, int, Collection[int] | None]


class Constraints(NamedTuple):
    """What is known of a sentence's tree. Extents count its words from 0.

    Attributes:
        required: What must be constituents; each extent once, none crossing another.
            Labels are the numbers that the decoder's codec gives
            (`ConstrainableCodec.bearing`), of which the node must have one; None for
            any.
        forbidden: Start and end of extents that must not be constituents; no required
            extent is among them.
    """

    required: Sequence[Required] = ()
    forbidden: Sequence[tuple[int, int]] = ()

    @property
    def need_beam(self) -> bool:
        """Whether greedy search sees too late what they ask for.

        It has begun another constituent when a label is due, or a constituent would
        end where none may. Unlabelled extents it sees in time.
        """
        has_labels = any(labels is not None for _, _, labels in self.required)
        return bool(self.forbidden) or has_labels


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """Something that a network (`network.Network`) is to do.

    Attributes:
        batch_words: Padded words that are worked on at a time; None: as many as the
            parser's settings say (`ConstituencyParser.run`), or `BATCH_WORDS`.
        precision: What linear maps and LSTMs compute in (`layers.precision`); None: as
            the parser's settings say, or fp32.
    """

    batch_words: int | None = None
    precision: Precision | None = None

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
        words, losses = vectors.split(list(lengths)), []
        with multiplying_in(self.precision or "fp32", vectors.device):
            for batch in length_batches(lengths, self.batch_words or BATCH_WORDS):
                sizes = [lengths[i] for i in batch]
                encoded = network.encode([words[i] for i in batch], sizes, self.dropout)
                targets = [self.targets[i] for i in batch]
                losses.append(network.loss(encoded, targets, self.dropout))
        return torch.stack(losses).sum() if losses else vectors.sum() * 0.0


@dataclass(frozen=True, kw_only=True)
class ReadingTask(Task):
    """A task with one result per sentence, without gradients.

    Attributes:
        words: The numbers of each sentence's words, for a network that predicts words;
            without them it does not. `ConstituencyParser.run` gives them to tasks that
            read words.
    """

    words: Sequence[Any] | None = None
    #: Whether the task is about words too, where a network predicts them.
    reads_words: ClassVar[bool] = False

    @property
    def n_rows(self) -> int:
        """Hypotheses of a sentence."""
        return 1

    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> list[Any]:
        """One result per sentence, of batches side by side on a CPU."""
        device, parts = vectors.device, vectors.split(list(lengths))
        precision = self.precision or "fp32"

        def work(batch: list[int]) -> Sequence[Any]:
            sizes = [lengths[i] for i in batch]
            # Modes and precisions are a thread's own.
            with torch.inference_mode(), multiplying_in(precision, device):
                encoded = network.encode([parts[i] for i in batch], sizes, 0.0)
                if self.words is not None:
                    encoded = network.with_words(
                        encoded, [self.words[i] for i in batch]
                    )
                return self.results(network, encoded, batch, sizes)

        # Copying the states of all hypotheses takes long where they fill caches.
        budget = self.batch_words or BATCH_WORDS
        budget //= max(1, self.n_rows // ROWS_AT_ONCE)
        if device.type == "cpu":
            batches = thread_batches(lengths, budget)
            of_batches = side_by_side(work, batches)
        else:
            batches = list(length_batches(lengths, GPU_TIMES * budget))
            of_batches = map(work, batches)
        results: list[Any] = [None] * len(lengths)
        for batch, of_batch in zip(batches, of_batches, strict=True):
            for i, result in zip(batch, of_batch, strict=True):
                results[i] = result
        return results

    @abstractmethod
    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """One result for each sentence that the network has encoded.

        Args:
            network: The network.
            encoded: What its `encode` gave.
            batch: The sentences, by their places in what the task is run on.
            lengths: Their words.
        """


@dataclass(frozen=True)
class SearchTask(ReadingTask):
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
        notes_growth: Note how the beam grows, if the network predicts words, and
            neither constraints nor other trees are asked for.
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
    notes_growth: bool = False
    reads_words: ClassVar[bool] = True

    def run(self, network: Any, vectors: Tensor, lengths: Sequence[int]) -> list[Any]:
        """The hypotheses of each sentence; those of one width side by side."""
        may_widen = self.n_best >= self.beam_width < CONSTRAINED_BEAM
        known = enumerate((may_widen and self.constraints) or ())
        wide = [i for i, of_one in known if of_one and of_one.need_beam]
        if not wide:
            return super().run(network, vectors, lengths)
        rest = sorted(set(range(len(lengths))) - set(wide))
        results: list[Any] = [None] * len(lengths)
        words = vectors.split(list(lengths))
        for width, chosen in ((CONSTRAINED_BEAM, wide), (self.beam_width, rest)):
            if chosen:
                task = replace(self.part(chosen), beam_width=width)
                part = torch.cat([words[i] for i in chosen])
                hypotheses = task.run(network, part, [lengths[i] for i in chosen])
                for i, result in zip(chosen, hypotheses, strict=True):
                    results[i] = result
        return results

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """The hypotheses of each sentence."""
        return network.search(encoded, lengths, self.part(batch))

    @property
    def n_rows(self) -> int:
        """Hypotheses of a sentence, searched or drawn."""
        return max(self.beam_width if self.n_best else 1, self.n_samples)

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
class WritingTask(ReadingTask):
    """A task whose decoder writes what is given.

    Attributes:
        targets: What it writes for each sentence.
    """

    targets: Sequence[Target]


class AttentionTask(WritingTask):
    """Say how each step looked at the words."""

    def results(
        self, network: Any, encoded: Any, batch: Sequence[int], lengths: Sequence[int]
    ) -> Sequence[Any]:
        """The attention of each sentence, `(steps, words)`."""
        return network.attend(encoded, lengths, [self.targets[i] for i in batch])
