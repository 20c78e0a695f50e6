"""The settings of the search for trees."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spacy_gfl.layers.precision import Precision

#: The widest beam, and so the most trees that are searched of a sentence.
MOST_HYPOTHESES = 1000


class SearchSettings(BaseModel):
    """How to search for trees. You may change them between two parses.

    Attributes:
        beam_width: Hypotheses per sentence. 1 is greedy search, but a beam of 10 for
            sentences with forbidden spans or required labels.
        constrained: If false, Seq2Seq.v1 uses the paper's free search and its repair.
            AttachJuxtapose.v1 always writes trees.
        batch_words: Padded words per batch, 16 times as many on a GPU.
        max_words: Longer sentences get a flat tree, and the flag "flat".
        precision: The number format of linear maps and LSTMs: "auto", "fp32", "bf16" or
            "int8"; fp32 if the processor has no instructions for it. "auto" is bf16 on
            a GPU and on processors that multiply it fast (AMD since Zen 4, Intel with
            AMX), else fp32; for `per_word`, `steps` and training on a GPU it is fp32.
            bf16 changes one tree in 200, int8 one in 30 (one in 14 with a transformer),
            and F1 stays the same. Training takes int8 as "auto".
        objective: "max_probability" searches for the most probable tree. "max_f1" takes
            the constituents that more than half of the drawn trees have, with the most
            frequent label.
        probabilities: Compute `Span._.probability`. "max_f1" always does.
        per_word: Compute `Doc._.word_syntax`: the probability of the tree's action at
            each word and, if the model predicts words, surprisal.
        n_samples: Trees to draw per sentence for probabilities or "max_f1".
        temperature: Above 1, drawn trees are more varied, and constituents less
            probable.
        dependencies: Search for trees that agree with the dependencies of an earlier
            component (`spans_from_dependencies`), as far as other constraints allow.
        entities: Make each entity (`doc.ents`) of an earlier component a constituent,
            as far as other constraints allow.

    Raises:
        ValueError: For a setting that does not exist, or a value that it cannot
            have, whenever it is set.
    """

    model_config = ConfigDict(extra="forbid", strict=True, validate_assignment=True)

    # Settings that multiply the memory needed are bounded.
    beam_width: int = Field(1, ge=1, le=MOST_HYPOTHESES)
    constrained: bool = True
    batch_words: int = Field(4096, ge=1, le=10_000_000)
    max_words: int = Field(5000, ge=1, le=100_000)
    precision: Precision = "auto"
    objective: Literal["max_probability", "max_f1"] = "max_probability"
    probabilities: bool = False
    per_word: bool = False
    n_samples: int = Field(20, ge=1, le=10_000)
    temperature: float = Field(1.0, ge=0.01, le=100.0)
    dependencies: bool = False
    entities: bool = False

    def __init__(self, **settings: Any) -> None:
        with _errors_in_one_line():
            super().__init__(**settings)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting that exists to a value that it can have."""
        with _errors_in_one_line():
            super().__setattr__(name, value)

    @property
    def exact_precision(self) -> Precision:
        """The precision of numbers for statistics: fp32 unless another is set."""
        return "fp32" if self.precision == "auto" else self.precision

    @property
    def n_drawn(self) -> int:
        """How many trees have to be drawn of each sentence."""
        is_needed = self.probabilities or self.objective == "max_f1"
        return self.n_samples if is_needed else 0


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Let an error be about the first setting that is wrong."""
    try:
        yield
    except ValidationError as error:
        [first, *_] = error.errors()
        name = ".".join(map(str, ("search", *first["loc"])))
        raise ValueError(f"{name} = {first['input']!r}: {first['msg']}.") from None


def check_number(k: int, asker: str) -> None:
    """Raise ValueError if k is no number of hypotheses that can be asked for."""
    is_number = isinstance(k, int) and not isinstance(k, bool)
    if not (is_number and 1 <= k <= MOST_HYPOTHESES):
        numbers = f"a whole number from 1 to {MOST_HYPOTHESES}"
        raise ValueError(f"{asker} needs {numbers}, not {k!r:.50}.")
