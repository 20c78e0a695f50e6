"""A transformer that learns with the rounded weights that will be saved."""

from collections.abc import Callable

from spacy.language import Language


def create_rounding(
    bits: int = 5, piece_bits: int | None = None
) -> Callable[[Language], Language]:
    """A callback for `[initialize.after_init]`: the transformer learns rounded.

    Few bits per weight make a package small, and cost accuracy where a network has
    never met them. So its matrices are rounded in every update, as they are when it is
    saved in these bits. An update takes a third longer.

    Args:
        bits: Bits per weight, 2 to 8.
        piece_bits: Bits per weight for the vectors of word pieces, up to half of the
            weights, which lose least by rounding. By default `bits`.

    Raises:
        ImportError: If the extra [transformers] is not installed.
        ValueError: If the parser of the pipeline has no `spacy_gfl.Transformer.v1`, or
            for another number of bits.
    """
    # spaCy loads every entry point when it lists a registry, this one too.
    from spacy_gfl.model.shim import NetworkShim
    from spacy_gfl.pipe.component import ConstituencyParser
    from spacy_gfl.tools.training.few_bits import save_in_bits
    from spacy_gfl.transformer.layer import import_encoders

    import_encoders()
    from spacy_gfl.transformer.pretrained_encoder import PIECES, TransformerEncoder

    piece_bits = bits if piece_bits is None else piece_bits
    for number in (bits, piece_bits):
        if not 2 <= number <= 8:
            raise ValueError(
                f"A transformer learns in 2 to 8 bits per weight, not {number}."
            )

    def learn_rounded(nlp: Language) -> Language:
        # spaCy disables components that come from another pipeline at this moment.
        pipes = [p for _, p in nlp.components if isinstance(p, ConstituencyParser)]
        nodes = [node for parser in pipes for node in parser.model.walk()]
        shims = [shim for node in nodes for shim in node.shims]
        networks = [s.network for s in shims if isinstance(s, NetworkShim)]
        encoders = [
            network for network in networks if isinstance(network, TransformerEncoder)
        ]
        if not encoders:
            raise ValueError("This parser has no transformer of its own to round.")
        for encoder in encoders:
            save_in_bits(encoder, bits, {PIECES: piece_bits})
            encoder.learns_rounded = True
        return nlp

    return learn_rounded
