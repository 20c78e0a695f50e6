"""Trees as what a decoder writes, and back.

A model names the kind of its codec; `CODECS` has the codec of each kind.
"""

from spacy_gfl.parser.codecs.attach_juxtapose import AttachJuxtapose
from spacy_gfl.parser.codecs.base import LabelDataError, TreeCodec
from spacy_gfl.parser.codecs.symbols import Symbols

CODECS: dict[str, type[TreeCodec]] = {
    codec.kind: codec for codec in (Symbols, AttachJuxtapose)
}

__all__ = ["CODECS", "LabelDataError", "TreeCodec"]
