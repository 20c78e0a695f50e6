"""Codecs, which turn trees into a decoder's output and back."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

from typing_extensions import Self

from spacy_gfl.trees.escaping import SURROGATE
from spacy_gfl.trees.tree import Constituent, Tree


class LabelDataError(ValueError):
    """Raised for what is no label data, or label data of another kind."""


class Decoded(NamedTuple):
    """A tree read from what a decoder wrote.

    Attributes:
        constituents: The constituents in pre-order, over exactly the sentence's words.
        malformed: Whether it had to be repaired to be a tree.
    """

    constituents: list[Constituent]
    malformed: bool = False


class TreeCodec(ABC):
    """The output vocabulary of a model, and how it writes trees with it.

    Attributes:
        kind: Names the codec in label data and saved pipelines.
        version: The version of the data of `to_json`; a later one is refused.
        labels: The constituent labels, the most frequent in training first.
        predicts_words: Whether a network may predict words.
        tags: What a tagger of the model may say.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    predicts_words: ClassVar[bool] = False
    labels: tuple[str, ...]
    tags: tuple[str, ...] = ()

    @classmethod
    @abstractmethod
    def from_trees(cls, trees: Iterable[Tree]) -> Self:
        """Collect the vocabulary of training trees, read once."""

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The inverse of `to_json`.

        Raises:
            LabelDataError: If the data are of another kind or a later version, or
                are no label data at all.
        """
        if not isinstance(data, dict) or not isinstance(
            data.get("labels"), (list, tuple)
        ):
            raise LabelDataError(
                'Label data must be a dictionary with a list of "labels", as '
                f"`spacy init labels` writes it, not {type(data).__name__}."
            )
        kind, version = data.get("kind"), data.get("version", 1)
        if kind != cls.kind:
            raise LabelDataError(
                f'These label data are of the kind "{kind}", but the model needs '
                f'"{cls.kind}". Make them again: run `spacy init labels` with '
                "the config that you train."
            )
        if not isinstance(version, int) or version > cls.version:
            raise LabelDataError(
                f'A later spacy_gfl has made these label data ("{kind}", version '
                f"{version}), but this one reads versions up to {cls.version}. "
                "Update spacy_gfl."
            )
        for label in data["labels"]:
            if not is_name(label):
                raise LabelDataError(
                    f"The label data have {label!r}, which is not a label."
                )
        counts: Counter[str] = Counter(data["labels"])
        if twice := [label for label, n in counts.items() if n > 1]:
            raise LabelDataError(
                f"The label data have labels twice: {', '.join(twice)}."
            )
        return cls._from_data(data)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` builds the same codec from."""
        named = {"kind": self.kind, "version": self.version}
        return {**named, "labels": list(self.labels), **self._to_data()}

    @classmethod
    @abstractmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        """Read what `_to_data` gives; kind, version and labels are checked."""

    @abstractmethod
    def _to_data(self) -> dict[str, Any]:
        """What the codec has besides labels, as plain data."""

    @abstractmethod
    def with_labels(self, labels: Iterable[str]) -> Self:
        """A codec with further labels, after this one's."""

    @abstractmethod
    def network_settings(self) -> dict[str, Any]:
        """The sizes of the vocabulary, as arguments of the network's module."""

    def word_ids(self, words: Sequence[str]) -> Any:
        """The numbers of a sentence's words, where the network predicts words."""
        return None

    @abstractmethod
    def encode(self, tree: Tree) -> Any:
        """Turn a tree into the decoder's output, as its module takes it.

        Constituents whose labels are not in the vocabulary are left out.
        """

    @abstractmethod
    def decode(self, output: Sequence[Any], n_words: int) -> Decoded:
        """Read what a decoder wrote as a tree over `n_words` words."""

    @abstractmethod
    def steps(self, tree: Tree) -> list[str]:
        """The text of each of the decoder's steps for a tree, for people to read."""

    def unknown(self, tree: Tree) -> list[str]:
        """The labels of the constituents that `encode` leaves out."""
        known = frozenset(self.labels)
        return [node.label for node in tree.constituents if node.label not in known]


class ConstrainableCodec(TreeCodec):
    """A codec whose decoder takes what is known of trees (`Constraints`)."""

    @abstractmethod
    def bearing(self, labels: Collection[str]) -> frozenset[int]:
        """How `Constraints` say that an extent must have all of these labels.

        Args:
            labels: At least one.

        Returns:
            Numbers; none if no extent has them all.
        """


def ranked(counts: Counter[Any]) -> list[Any]:
    """What was counted, the most frequent first; in order where as frequent."""
    return sorted(counts, key=lambda key: (-counts[key], key))


def is_name(name: Any) -> bool:
    """Whether something may be a label or tag: text that UTF-8 has, and not empty."""
    return isinstance(name, str) and bool(name) and not SURROGATE.search(name)
