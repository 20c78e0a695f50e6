"""The settings of a parser that reads from left to right."""

from dataclasses import dataclass

from spacy_gfl.attach_juxtapose.config import AttachJuxtaposeConfig


@dataclass(frozen=True)
class GenerativeConfig(AttachJuxtaposeConfig):
    """The settings of `spacy_gfl.GenerativeAttachJuxtapose.v1`.

    Raises:
        ValueError: If the encoder reads words that the model is to predict, or
            word_loss is not above 0, or spelling_width below 0.
    """

    word_loss: float = 1.0
    #: Pipelines saved before it was added have no model of spelling.
    spelling_width: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bidirectional or self.look_ahead or not self.word_loss > 0:
            raise ValueError(
                "A model that predicts the next word needs an encoder of one "
                "direction, look_ahead = 0, and a word_loss above 0, not "
                f"{self.word_loss}."
            )
        if self.spelling_width < 0:
            raise ValueError(
                f"spelling_width must be 0 or more units, not {self.spelling_width}."
            )
