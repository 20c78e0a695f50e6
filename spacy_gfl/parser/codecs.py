"""Trees as what a decoder writes, and back.

A model names the kind of its codec; `CODECS` has the codec of each kind.
"""

from spacy_gfl.attach_juxtapose.codec import AttachJuxtapose
from spacy_gfl.decoding.codec import LabelDataError, TreeCodec
from spacy_gfl.seq2seq.codec import Symbols

CODECS: dict[str, type[TreeCodec]] = {
    codec.kind: codec for codec in (Symbols, AttachJuxtapose)
}

__all__ = ["CODECS", "LabelDataError", "TreeCodec"]
