"""The settings of an attach-juxtapose network, and its fixed sizes."""

from dataclasses import dataclass

from spacy_gfl.layers.encoder import ENCODERS, check_layers

#: Depths above this one, counted from the bottom of the chain, share a vector.
DEPTHS = 32
#: Width of the vectors of labels, and of those of depths.
LABEL_WIDTH, DEPTH_WIDTH = 48, 16
#: Labels of the deepest chain nodes that the decoder reads, after them the new and
#: the parent label of the action before.
DEEPEST, LABELS_READ = 3, 5
#: Width of all that the decoder reads beside the word.
READ_WIDTH = LABELS_READ * LABEL_WIDTH + DEPTH_WIDTH
#: The most that max_depth may be: memory is kept for so many nodes.
DEEPEST_CHAIN = 10_000


@dataclass(frozen=True)
class AttachJuxtaposeConfig:
    """The settings of a network that the user chooses.

    The architecture `spacy_gfl.AttachJuxtapose.v1` explains them and has the defaults.

    Raises:
        ValueError: For a cell that does not exist, a size below 1, a max_depth above
            `DEEPEST_CHAIN`, or a look_ahead that is negative or of two directions.
    """

    width: int
    depth: int
    cell: str
    bidirectional: bool
    decoder_width: int
    hidden_width: int
    tag_loss: float
    max_depth: int
    #: Settings that pipelines saved by earlier versions do not have.
    look_ahead: int = 0

    def __post_init__(self) -> None:
        sizes = ("width", "depth", "decoder_width", "hidden_width", "max_depth")
        check_layers(
            self.cell, ENCODERS, **{name: getattr(self, name) for name in sizes}
        )
        if self.max_depth > DEEPEST_CHAIN:
            raise ValueError(
                f"max_depth must be at most {DEEPEST_CHAIN:,}, not {self.max_depth:,}."
            )
        if self.look_ahead < 0 or (self.look_ahead and self.bidirectional):
            raise ValueError(
                "look_ahead must be at least 0, and 0 with bidirectional = true, "
                f"not {self.look_ahead}."
            )
