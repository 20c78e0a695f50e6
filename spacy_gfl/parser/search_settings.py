"""What the component is told about searching trees, and what it finds."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from spacy_gfl.neural.parser import PRECISIONS
from spacy_gfl.trees.tree import Constituent

#: What `doc.spans["constituents"].attrs["flags"]` says of each sentence.
OK, REPAIRED, FLAT = "ok", "repaired", "flat"

DEFAULTS: dict[str, Any] = {
    "beam_width": 1,
    "constrained": True,
    "batch_words": 4096,
    "max_words": 5000,
    "precision": "fp32",
}


class SearchSettings:
    """How trees are searched. They may be changed between two parses.

    A view of plain data that are saved with the component.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy.
        constrained: Only ever write trees. If false, the paper's free search with its
            repair. A model that cannot write anything else does not mind.
        batch_words: Padded words that are worked on at a time.
        max_words: Longer sentences get a flat tree, and the flag "flat".
        precision: "fp32", or "bf16", which is faster on processors that have it; a
            few trees come out differently.

    Raises:
        ValueError: For a number that is no whole number from 1, for `constrained`
            that is neither true nor false, and for a precision that does not exist,
            whenever they are set; for settings that do not exist.
    """

    beam_width: int
    constrained: bool
    batch_words: int
    max_words: int
    precision: str

    def __init__(self, data: dict[str, Any] | None = None, **settings: Any) -> None:
        object.__setattr__(self, "data", {} if data is None else data)
        for name, value in {**DEFAULTS, **self.data, **settings}.items():
            setattr(self, name, value)

    data: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        # Copies and pickles have no data at first.
        data = self.__dict__.get("data", {})
        if name not in data:
            raise AttributeError(name)
        return data[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting that exists to a value that it can have."""
        if name not in DEFAULTS:
            raise ValueError(
                f"search has no setting {name}; it has {', '.join(DEFAULTS)}."
            )
        if name == "constrained":
            if not isinstance(value, bool):
                raise ValueError(f"search.{name} must be true or false, not {value!r}.")
        elif name == "precision":
            if value not in PRECISIONS:
                names = " or ".join(PRECISIONS)
                raise ValueError(f"search.precision must be {names}, not {value!r}.")
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(
                f"search.{name} must be a whole number from 1, not {value!r}."
            )
        self.data[name] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SearchSettings) and self.data == other.data

    def __repr__(self) -> str:
        return f"SearchSettings({', '.join(f'{k}={v}' for k, v in self.data.items())})"


class Parse(NamedTuple):
    """What the component found for one sentence.

    Attributes:
        constituents: In pre-order over the sentence's words.
        log_prob: The model's log-probability (nats); NaN where nothing was searched.
        flag: "ok"; "repaired" where free search wrote no tree; "flat" where the
            sentence was too long, or the model's numbers were not finite.
        tags: A tag a word, if the model has a tagger.
    """

    constituents: list[Constituent]
    log_prob: float
    flag: str
    tags: Sequence[str] | None = None


def flat_parse(n_words: int) -> Parse:
    """The parse of a sentence that is not searched; certain if it has no words."""
    return Parse([], math.nan, FLAT) if n_words else Parse([], 0.0, OK)
