"""The base class of networks: what each gives the tasks that run it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from torch import Tensor

from spacy_gfl.decoding.beam import Path, beam_search
from spacy_gfl.decoding.decoder import Decoder
from spacy_gfl.decoding.sampling import draw
from spacy_gfl.decoding.tasks import SearchTask, Target, Task
from spacy_gfl.layers.weight_cache import WeightCache

NOT_BY_WORDS = (
    "This parser does not add one word after the other. Use a parser with "
    "AttachJuxtapose.v1 that is not an ensemble: Seq2Seq.v1 writes brackets and "
    "labels, and the members of an ensemble choose together."
)


class Hypothesis(NamedTuple):
    """Something that a decoder wrote.

    Attributes:
        output: What its codec decodes.
        log_prob: The model's log-probability of it (nats).
        tags: The number of each word's most probable tag; None without a tagger.
        drawn: Whether it was drawn at random. Hypotheses that were not come first,
            the best one foremost.
        growth: How the beam has grown in which it was found (`left_to_right`), if the
            task asked for it and the network notes it.
    """

    output: Sequence[Any]
    log_prob: float
    tags: Sequence[int] | None = None
    drawn: bool = False
    growth: Any = None


EncodedT = TypeVar("EncodedT")


class Network(WeightCache, Generic[EncodedT]):
    """An encoder and a decoder, with the loss and the search inside.

    Attributes:
        common_settings: The settings that networks must share to choose together.
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

    #: Choices that add a word; None where words are not added one by one.
    choices_per_word: ClassVar[int | None] = None

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

    def with_words(self, encoded: EncodedT, words: Sequence[Any]) -> EncodedT:
        """Sentences with the numbers of their words, for a network that predicts them.

        Args:
            encoded: What `encode` gave.
            words: For each sentence what its codec's `word_ids` gives.
        """
        return encoded

    def action_log_probs(
        self, encoded: EncodedT, targets: Sequence[Target]
    ) -> list[Tensor]:
        """The log-probability of each word's action (nats), for each sentence.

        Raises:
            ValueError: If the decoder does not add one word after the other.
        """
        raise ValueError(NOT_BY_WORDS)

    def search(
        self, encoded: EncodedT, lengths: Sequence[int], task: SearchTask
    ) -> list[list[Hypothesis]]:
        """The hypotheses of every sentence, as `find` gives them, with their tags."""
        hypotheses = self.find(encoded, lengths, task)
        scores = self.tag_scores(encoded)
        if scores is None:
            return hypotheses
        tags = scores.argmax(2).tolist()
        for of_sentence, row, n in zip(hypotheses, tags, lengths, strict=True):
            of_sentence[:] = [one._replace(tags=row[:n]) for one in of_sentence]
        return hypotheses

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
        hypotheses: list[list[Hypothesis]] = [[] for _ in lengths]
        if task.n_best:
            best = beam_search(
                decoder, limits, beam_width=task.beam_width, n_best=task.n_best
            )
            for of_sentence, paths in zip(hypotheses, best, strict=True):
                of_sentence += map(self.hypothesis, paths)
        if task.n_samples:
            drawn = draw(
                decoder, limits, n_samples=task.n_samples, temperature=task.temperature
            )
            for of_sentence, paths in zip(hypotheses, drawn, strict=True):
                of_sentence += [
                    self.hypothesis(path)._replace(drawn=True) for path in paths
                ]
        return hypotheses

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
        return task.run(self, vectors, lengths)
