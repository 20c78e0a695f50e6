"""The settings of the search for trees."""

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from spacy_gfl.parser.precision import Precision


class SearchSettings(BaseModel):
    """How trees are searched. They may be changed between two parses.

    Attributes:
        beam_width: Hypotheses kept for a sentence; 1 is greedy.
        constrained: Only ever write trees. If false, the paper's free search with its
            repair. A model that cannot write anything else does not mind.
        batch_words: Padded words that are worked on at a time.
        max_words: Longer sentences get a flat tree, and the flag "flat".
        precision: "auto" multiplies in bfloat16 where the processor does so natively,
            and in float32 elsewhere, as "bf16" and "fp32" do on any. In bfloat16 a few
            trees come out differently. On a GPU "auto" is float32.
        objective: "max_probability" searches the most probable tree. "max_f1" takes
            the constituents that more than half of the drawn trees have.
        probabilities: Say of each constituent how probable it is
            (`Span._.probability`). With "max_f1" this is said in any case.
        n_samples: Trees that are drawn of a sentence for either.
        temperature: Of drawing: above 1 trees are more varied, and constituents less
            probable.

    Raises:
        ValueError: For a setting that does not exist, or a value that it cannot
            have, whenever it is set.
    """

    model_config = ConfigDict(extra="forbid", strict=True, validate_assignment=True)

    # Settings that multiply the memory needed are bounded.
    beam_width: int = Field(1, ge=1, le=1000)
    constrained: bool = True
    batch_words: int = Field(4096, ge=1)
    max_words: int = Field(5000, ge=1)
    precision: Precision = "auto"
    objective: Literal["max_probability", "max_f1"] = "max_probability"
    probabilities: bool = False
    n_samples: int = Field(20, ge=1, le=10_000)
    temperature: float = Field(1.0, gt=0, allow_inf_nan=False)

    #: Told the name and the value of what is set.
    _on_change: Callable[[str, Any], None] | None = PrivateAttr(None)

    def __init__(self, **settings: Any) -> None:
        # The name that en_gfl_sm up to 0.4.0 has for it.
        if "scores" in settings:
            asked = settings.pop("scores")
            settings["probabilities"] = asked or settings.get("probabilities", False)
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise ValueError(_in_one_line(error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting that exists to a value that it can have."""
        try:
            super().__setattr__(name, value)
        except ValidationError as error:
            raise ValueError(_in_one_line(error)) from None
        if self._on_change is not None and name in type(self).model_fields:
            self._on_change(name, value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SearchSettings)
            and self.model_dump() == other.model_dump()
        )

    @property
    def n_drawn(self) -> int:
        """How many trees have to be drawn of each sentence."""
        is_needed = self.probabilities or self.objective == "max_f1"
        return self.n_samples if is_needed else 0


def _in_one_line(error: ValidationError) -> str:
    """The message about the first setting that is wrong."""
    [first, *_] = error.errors()
    name = ".".join(map(str, ("search", *first["loc"])))
    return f"{name} = {first['input']!r}: {first['msg']}."
