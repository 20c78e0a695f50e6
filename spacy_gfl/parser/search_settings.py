"""What the component is told about searching trees."""

import math
from typing import Any

from spacy_gfl.decoding.parser import PRECISIONS

DEFAULTS: dict[str, Any] = {
    "beam_width": 1,
    "constrained": True,
    "batch_words": 4096,
    "max_words": 5000,
    "precision": "fp32",
    "objective": "max_probability",
    "scores": False,
    "n_samples": 20,
    "temperature": 1.0,
}
#: What takes memory with every hypothesis has an end.
MOST = {"beam_width": 1000, "n_samples": 10_000}
#: What a tree is chosen for.
OBJECTIVES = ("max_probability", "max_f1")


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
        objective: "max_probability" searches the most probable tree. "max_f1" takes
            the constituents that more than half of the drawn trees have.
        scores: Say of each constituent how probable it is (`Span._.probability`). With
            "max_f1" this is said in any case.
        n_samples: Trees that are drawn of a sentence for either.
        temperature: Of drawing: above 1 trees are more varied, and scores lower.

    Raises:
        ValueError: For a setting that does not exist, or a value that it cannot
            have, whenever it is set.
    """

    beam_width: int
    constrained: bool
    batch_words: int
    max_words: int
    precision: str
    objective: str
    scores: bool
    n_samples: int
    temperature: float

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
        if name in ("constrained", "scores"):
            if not isinstance(value, bool):
                raise ValueError(f"search.{name} must be true or false, not {value!r}.")
        elif name in ("precision", "objective"):
            names = PRECISIONS if name == "precision" else OBJECTIVES
            if value not in names:
                raise ValueError(
                    f"search.{name} must be {' or '.join(names)}, not {value!r}."
                )
        elif name == "temperature":
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0 < value < math.inf
            ):
                raise ValueError(
                    f"search.temperature must be a number above 0, not {value!r}."
                )
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(
                f"search.{name} must be a whole number from 1, not {value!r}."
            )
        elif value > MOST.get(name, value):
            raise ValueError(
                f"search.{name} must be at most {MOST[name]:,}, not {value:,}."
            )
        self.data[name] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SearchSettings) and self.data == other.data

    def __repr__(self) -> str:
        return f"SearchSettings({', '.join(f'{k}={v}' for k, v in self.data.items())})"

    @property
    def n_drawn(self) -> int:
        """How many trees have to be drawn of each sentence."""
        return self.n_samples if self.scores or self.objective == "max_f1" else 0
