"""The settings of the paper's network."""

from dataclasses import dataclass

from spacy_gfl.layers.encoder import ENCODERS, check_layers
from spacy_gfl.layers.lstm import LAYERS

#: The usual LSTM, and the paper's, without the tanh of its memory.
CELLS = ("lstm", "paper")


@dataclass(frozen=True)
class Seq2SeqConfig:
    """The settings of a network that the user chooses.

    The architecture `spacy_gfl.Seq2Seq.v1` explains them and has the defaults.

    Raises:
        ValueError: For a cell that does not exist, or a size below 1.
    """

    width: int
    depth: int
    cell: str
    attention: bool
    input_feeding: bool
    reverse_input: bool
    #: The encoder's cell where it is not `cell`; saved pipelines may lack it.
    encoder: str = ""

    def __post_init__(self) -> None:
        check_layers(self.cell, CELLS, width=self.width, depth=self.depth)
        # Recurrent layers are those of `cell`.
        others = [name for name in ENCODERS if name not in LAYERS]
        if self.encoder not in ("", self.cell, *others):
            names = ", ".join(f'"{name}"' for name in others)
            raise ValueError(f'encoder must be "" or {names}, not {self.encoder!r}.')
