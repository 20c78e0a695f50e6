"""Several trained networks of one kind that write every tree together."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from spacy_gfl.decoding.beam import Path
from spacy_gfl.decoding.decoder import Decoder
from spacy_gfl.decoding.network import Hypothesis, Network
from spacy_gfl.decoding.tasks import SearchTask, Target

NOT_TRAINED = (
    "An ensemble cannot be trained. Train each member by itself, and join them "
    "with `spacy-gfl ensemble`."
)


class EnsembleNetwork(Network[list[Any]]):
    """Networks that read sentences each for itself, and choose together.

    A choice's probability is the geometric mean of theirs, divided by the sum of all
    choices', so that what is written has an honest probability.

    Args:
        build: Makes a network of its settings.
        members: The settings of each.
        input_width: The sum of their widths, which is saved with the settings.
    """

    def __init__(
        self,
        build: Callable[..., nn.Module],
        *,
        members: Sequence[dict[str, Any]],
        input_width: int | None = None,
    ) -> None:
        super().__init__()
        self.members: Any = nn.ModuleList(build(**settings) for settings in members)
        self.widths = [settings["input_width"] for settings in members]
        self.settings = {"members": list(members), "input_width": sum(self.widths)}

    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> list[Any]:
        """Read sentences; their vectors are the members', side by side."""
        split = [sentence.split(self.widths, dim=1) for sentence in sentences]
        parts = zip(self.members, zip(*split, strict=True), strict=True)
        return [member.encode(words, lengths, dropout) for member, words in parts]

    def loss(
        self, encoded: list[Any], targets: Sequence[Target], dropout: float
    ) -> Tensor:
        """Refuse: an ensemble learns nothing that its members have not learnt."""
        raise ValueError(NOT_TRAINED)

    def decoder_of(self, encoded: list[Any]) -> Decoder[Any]:
        pairs = zip(self.members, encoded, strict=True)
        return _Joint([member.decoder_of(read) for member, read in pairs])

    def most_choices(self, n_words: int) -> int:
        return self.members[0].most_choices(n_words)

    @property
    def most_nested(self) -> int | None:
        return self.members[0].most_nested

    def constrain(
        self, decoder: Decoder[Any], lengths: Sequence[int], task: SearchTask
    ) -> Decoder[Any]:
        return self.members[0].constrain(decoder, lengths, task)

    def hypothesis(self, path: Path) -> Hypothesis:
        return self.members[0].hypothesis(path)

    def tag_scores(self, encoded: list[Any]) -> Tensor | None:
        """The summed log-probabilities that the members with a tagger give."""
        pairs = zip(self.members, encoded, strict=True)
        scores = (member.tag_scores(read) for member, read in pairs)
        log_probs = [each.float().log_softmax(2) for each in scores if each is not None]
        return torch.stack(log_probs).sum(dim=0) if log_probs else None

    def attend(
        self, encoded: list[Any], lengths: Sequence[int], targets: Sequence[Target]
    ) -> list[Tensor]:
        """The mean of the members' weights."""
        pairs = zip(self.members, encoded, strict=True)
        weights = [member.attend(read, lengths, targets) for member, read in pairs]
        return [torch.stack(w).mean(dim=0) for w in zip(*weights, strict=True)]


class _Joint:
    """Decoders that make every choice together: a `decoding.decoder.Decoder`.

    Its state is the list of theirs.
    """

    def __init__(self, decoders: Sequence[Decoder[Any]]) -> None:
        self.decoders = decoders
        self.end = decoders[0].end

    def start(self) -> list[Any]:
        return [decoder.start() for decoder in self.decoders]

    def score(self, state: list[Any]) -> tuple[Tensor, list[Any]]:
        pairs = zip(self.decoders, state, strict=True)
        scores, states = zip(*(one.score(its) for one, its in pairs), strict=True)
        mean = torch.stack(scores).mean(dim=0)
        return mean.log_softmax(dim=1), list(states)

    def extend(self, state: list[Any], choices: Tensor) -> list[Any]:
        pairs = zip(self.decoders, state, strict=True)
        return [one.extend(its, choices) for one, its in pairs]
