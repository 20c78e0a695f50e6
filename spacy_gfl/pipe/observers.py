"""Observers of parses: what else is written beside the trees of a Doc.

An observer is a function. `ConstituencyParser.observers` is a list of them, to which
anybody may append; the settings of the search switch on those that are named here. What
an observer returns for a Doc joins the `attrs` of its span group, so it must be plain
data that msgpack can write, and is saved with the Doc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, Protocol

from spacy.tokens import Doc

from spacy_gfl.decoding.codec import TreeCodec
from spacy_gfl.decoding.tasks import ReadingTask
from spacy_gfl.pipe.parses import Parse
from spacy_gfl.pipe.search_settings import SearchSettings


class Observed(Protocol):
    """What an observer may ask of the parser whose parses it looks at."""

    @property
    def search(self) -> SearchSettings:
        """The settings of the search."""

    @property
    def codec(self) -> TreeCodec:
        """What trees are written in."""

    def run(
        self,
        docs: Sequence[Doc],
        task: ReadingTask,
        sents: Sequence[tuple[int, Sequence[int]]] | None = None,
    ) -> list[Any]:
        """Give the network a task (`ConstituencyParser.run`)."""


class Observer(Protocol):
    """A function that looks at parses before they are written to their Docs."""

    def __call__(
        self,
        parser: Observed,
        docs: Sequence[Doc],
        parses: Sequence[Sequence[Parse]],
        /,
    ) -> Sequence[Mapping[str, Any]]:
        """Attributes for the span group of each Doc.

        Args:
            parser: The parser, which can be asked more (`ConstituencyParser.run`).
            docs: The Docs, without these parses.
            parses: For each Doc a Parse per sentence.
        """


#: The observers that settings switch on, by name so that only those in use are loaded.
_SWITCHED = {
    "n_drawn": "spacy_gfl.pipe.probability_observer:observe_probabilities",
    "per_word": "spacy_gfl.left_to_right.word_columns:observe_words",
}


def switched_on(settings: SearchSettings) -> list[Observer]:
    """The observers that the settings of a search ask for."""
    paths = [path for name, path in _SWITCHED.items() if getattr(settings, name)]
    return list(map(resolve_name, paths))
