"""The base class of parsers, the tasks they are given, and batches that fit."""

import copy
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from spacy_gfl.decoding.batching import length_batches
from spacy_gfl.decoding.beam import Path, beam_search
from spacy_gfl.decoding.constraints import Constraints
from spacy_gfl.decoding.decoder import Decoder
from spacy_gfl.decoding.sampling import draw
from spacy_gfl.decoding.threads import fair_share, side_by_side
from spacy_gfl.layers.weight_cache import WeightCache

#: With more hypotheses a sentence, fewer sentences are worked on at a time on a CPU.
ROWS_AT_ONCE = 3
#: What a parser's decoder is to write for a sentence; the parser knows its form.
Target = Any


@dataclass(frozen=True)
class LossTask:
    """Learn what to write.

    Attributes:
        targets: What the decoder is to write, for each sentence.
        dropout: Probability of dropping a value.
        batch_words: Padded words of one pass at most; the passes' losses are summed.
        precision: "bf16" multiplies in bfloat16; weights stay in single precision.
    """

    targets: Sequence[Target]
    dropout: float = 0.0
    batch_words: int = 4096
    precision: str = "fp32"


@dataclass(frozen=True)
class SearchTask:
    """Write trees.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy search.
        n_best: How many hypotheses of a sentence are searched; 0: none.
        constrained: Write nothing but trees.
        batch_words: Padded words that are worked on at a time; on a CPU by each
            thread, and fewer where there are many hypotheses, or not enough words
            for all threads.
        precision: "bf16" lets the network compute in bfloat16.
        constraints: What is known of each sentence's tree; None if nothing is of any.
        n_samples: How many more are drawn at random (`sampling.draw`).
        temperature: Above 1, what is drawn is more varied.
    """

    beam_width: int = 1
    n_best: int = 1
    constrained: bool = True
    batch_words: int = 4096
    precision: str = "fp32"
    constraints: Sequence[Constraints | None] | None = None
    n_samples: int = 0
    temperature: float = 1.0

    def part(self, sentences: Sequence[int]) -> "SearchTask":
        """The task for some of the sentences."""
        if self.constraints is None:
            return self
        known = [self.constraints[i] for i in sentences]
        return replace(self, constraints=known if any(known) else None)


@dataclass(frozen=True)
class AttentionTask:
    """Say how each step looked at the words, writing what is given.

    Attributes:
        targets: What the decoder writes, for each sentence.
        batch_words: Padded words that are worked on at a time.
    """

    targets: Sequence[Target]
    batch_words: int = 4096


Task = LossTask | SearchTask | AttentionTask


class Hypothesis(NamedTuple):
    """Something that a decoder wrote.

    Attributes:
        output: What its codec decodes.
        log_prob: The model's log-probability of it (nats).
        tags: The number of each word's most probable tag; None without a tagger.
        drawn: Whether it was drawn at random. Hypotheses that were not come first,
            the best one foremost.
    """

    output: Sequence[Any]
    log_prob: float
    tags: Sequence[int] | None = None
    drawn: bool = False


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


EncodedT = TypeVar("EncodedT")


class Network(WeightCache, Generic[EncodedT]):
    """An encoder and a decoder, with the loss and the search inside.

    Attributes:
        common_settings: The settings that parsers must share to choose together.
        settings: The arguments that build the module anew, plain data.
    """

    common_settings: ClassVar[tuple[str, ...]] = ()
    settings: dict[str, Any]

    @abstractmethod
    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> EncodedT:
        """Read sentences.

        Args:
            sentences: The word vectors of each, `(words, input width)`, the longest
                sentence first.
            lengths: How many words each has, none 0.
            dropout: Probability of dropping a value, in training.
        """

    @abstractmethod
    def loss(
        self, encoded: EncodedT, targets: Sequence[Target], dropout: float
    ) -> Tensor:
        """The summed cross-entropy of the targets in nats, 0-d."""

    @abstractmethod
    def decoder_of(self, encoded: EncodedT) -> Decoder[Any]:
        """The decoder that writes the sentences' trees, choice by choice."""

    @abstractmethod
    def most_choices(self, n_words: int) -> int:
        """How many choices the decoder makes for a sentence at most."""

    @property
    def most_nested(self) -> int | None:
        """How many required extents of different starts nest at most; None: any."""
        return None

    def constrain(
        self, decoder: Decoder[Any], lengths: Sequence[int], task: SearchTask
    ) -> Decoder[Any]:
        """A decoder that makes only the choices that the task allows."""
        return decoder

    def hypothesis(self, path: Path) -> Hypothesis:
        """A decoder's choices in the form that the codec decodes."""
        return Hypothesis(*path)

    def tag_scores(self, encoded: EncodedT) -> Tensor | None:
        """Scores of all words' tags, `(batch, words, tags)`; None without a tagger."""
        return None

    @abstractmethod
    def attend(
        self, encoded: EncodedT, lengths: Sequence[int], targets: Sequence[Target]
    ) -> list[Tensor]:
        """For every sentence the weights `(steps, words)` of the decoder's attention.

        Raises:
            ValueError: If the model has no attention.
        """

    def search(
        self, encoded: EncodedT, lengths: Sequence[int], task: SearchTask
    ) -> list[list[Hypothesis]]:
        """The hypotheses of every sentence, as `find` gives them, with their tags."""
        found = self.find(encoded, lengths, task)
        scores = self.tag_scores(encoded)
        if scores is None:
            return found
        parts = zip(found, scores.argmax(2).tolist(), lengths, strict=True)
        return [[one._replace(tags=row[:n]) for one in some] for some, row, n in parts]

    def find(
        self, encoded: EncodedT, lengths: Sequence[int], task: SearchTask
    ) -> list[list[Hypothesis]]:
        """Search, and draw, what a task asks for.

        Args:
            encoded: What `encode` gave.
            lengths: How many words each sentence has.
            task: How many hypotheses to search, and how many to draw.

        Returns:
            For each sentence the best hypotheses, the best first, then those drawn.
        """
        decoder = self.constrain(self.decoder_of(encoded), lengths, task)
        limits = [self.most_choices(n) for n in lengths]
        found: list[list[Hypothesis]] = [[] for _ in lengths]
        if task.n_best:
            best = beam_search(
                decoder, limits, beam_width=task.beam_width, n_best=task.n_best
            )
            for of_sentence, paths in zip(found, best, strict=True):
                of_sentence += map(self.hypothesis, paths)
        if task.n_samples:
            drawn = draw(
                decoder, limits, n_samples=task.n_samples, temperature=task.temperature
            )
            for of_sentence, paths in zip(found, drawn, strict=True):
                of_sentence += [
                    self.hypothesis(path)._replace(drawn=True) for path in paths
                ]
        return found

    def forward(self, vectors: Tensor, lengths: Sequence[int], task: Task) -> Any:
        """Do a task on a batch of sentences.

        Args:
            vectors: Word vectors of all sentences, `(words, input width)`.
            lengths: Words of each sentence, none 0.
            task: What to do.

        Returns:
            A tensor (0-d, nats) for a `LossTask`; for others, one result a sentence:
            hypotheses, or attention weights.
        """
        if isinstance(task, LossTask):
            is_low = task.precision == "bf16"
            with torch.autocast(vectors.device.type, torch.bfloat16, enabled=is_low):
                losses = [
                    self.loss(
                        self.encode(group.vectors, group.lengths, task.dropout),
                        [task.targets[i] for i in group.sentences],
                        task.dropout,
                    )
                    for group in self._groups(vectors, lengths, task)
                ]
            return torch.stack(losses).sum() if losses else vectors.sum() * 0.0
        if isinstance(task, SearchTask) and task.precision == "bf16":
            low = torch.bfloat16
            if vectors.dtype != low:
                copied = self.cached(low, lambda: copy.deepcopy(self).to(low).eval())
                return copied(vectors.to(low), lengths, task)
        groups = list(self._groups(vectors, lengths, task))
        on_cpu = vectors.device.type == "cpu"
        results: list[Any] = [None] * len(lengths)
        work = partial(self._results, task)
        for group, found in zip(
            groups, (side_by_side if on_cpu else map)(work, groups), strict=True
        ):
            for i, result in zip(group.sentences, found, strict=True):
                results[i] = result
        return results

    def _results(self, task: SearchTask | AttentionTask, group: Group) -> Sequence[Any]:
        """One result for each sentence of a group."""
        # `inference_mode(False)` would turn gradients on.
        searching = isinstance(task, SearchTask)
        with torch.inference_mode() if searching else torch.no_grad():
            encoded = self.encode(group.vectors, group.lengths, 0.0)
            if isinstance(task, SearchTask):
                return self.search(encoded, group.lengths, task.part(group.sentences))
            targets = [task.targets[i] for i in group.sentences]
            return self.attend(encoded, group.lengths, targets)

    def _groups(
        self, vectors: Tensor, lengths: Sequence[int], task: Task
    ) -> Iterator[Group]:
        """Sentences of like length, as many as are worked on at a time."""
        parts = vectors.split(list(lengths))
        batch_words = task.batch_words
        if not isinstance(task, LossTask) and vectors.device.type == "cpu":
            if isinstance(task, SearchTask):
                # Copying the states of all hypotheses takes long where they fill
                # caches.
                n_rows = max(task.beam_width if task.n_best else 1, task.n_samples)
                batch_words //= max(1, n_rows // ROWS_AT_ONCE)
            batch_words = min(batch_words, fair_share(lengths))
        for group in length_batches(lengths, batch_words):
            yield Group(group, [parts[i] for i in group], [lengths[i] for i in group])
