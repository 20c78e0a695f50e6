"""What the component is told about searching trees, and what it finds."""

from dataclasses import dataclass, fields
from typing import Any, Dict, List, NamedTuple

from spacy_gfl.trees.tree import Constituent

#: What `doc.spans["constituents"].attrs["flags"]` says of each sentence.
OK, REPAIRED, FLAT = "ok", "repaired", "flat"


@dataclass
class SearchSettings:
    """How trees are searched. They may be changed between two parses.

    beam_width: Hypotheses kept for a sentence; 1 is greedy.
    constrained: Only ever write trees. If false, the paper's free search with
        its repair.
    batch_words: Padded words that are worked on at a time.
    max_words: Longer sentences get a flat tree, and the flag "flat".

    Raises ValueError for a number that is no whole number from 1, and for
    `constrained` that is neither true nor false, whenever they are set.
    """

    beam_width: int = 1
    constrained: bool = True
    batch_words: int = 4096
    max_words: int = 1000

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting that exists to a value that it can have."""
        names = [entry.name for entry in fields(self)]
        if name not in names:
            raise ValueError(
                f"search has no setting {name}; it has {', '.join(names)}."
            )
        if name == "constrained":
            if not isinstance(value, bool):
                raise ValueError(f"search.{name} must be true or false, not {value!r}.")
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(
                f"search.{name} must be a whole number from 1, not {value!r}."
            )
        super().__setattr__(name, value)

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> "SearchSettings":
        """Read a config's [search] block. Raises ValueError for unknown settings."""
        settings = cls()
        for name, value in config.items():
            setattr(settings, name, value)
        return settings


class Parse(NamedTuple):
    """What the component found for one sentence.

    constituents: In pre-order over the sentence's words.
    log_prob: The model's log-probability (nats); 0 where nothing was searched.
    flag: "ok"; "repaired" where free search wrote no tree; "flat" where the
        sentence was too long, or the model's numbers were not finite.
    """

    constituents: List[Constituent]
    log_prob: float
    flag: str


def flat_parse(n_words: int) -> Parse:
    """The parse of a sentence that is not searched; fine if it has no words."""
    return Parse([], 0.0, FLAT if n_words else OK)
