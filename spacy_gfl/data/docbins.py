"""Reading .spacy files (DocBin) of Docs with trees."""

import zlib
from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.data.packing import PackedDocs

#: The endings of a file of Docs, and of one that is packed with gzip.
DOCBIN, PACKED = ".spacy", ".gz"
#: How many times its size a .spacy file may have in memory. Files that we know have
#: 6 to 11 times; small ones may have more.
MOST_EXPANSION = 50
_SMALL = 16_000_000


def read_docbin(
    path: str | Path, vocab: Vocab, *, key: str = SPANS_KEY, need_trees: bool = True
) -> Iterator[Doc]:
    """Read the Docs of a .spacy file, one after the other.

    Args:
        path: The file.
        vocab: The vocabulary of the Docs.
        key: The name of the span group that holds the trees.
        need_trees: Refuse Docs without trees. Otherwise they are given as they are.

    Yields:
        Each Doc of the file.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is no .spacy file, or, if trees are needed, a Doc in it
            has none, or no sentence starts to tell them apart.
    """
    for number, doc in enumerate(_docs(path, vocab), start=1):
        if need_trees and key not in doc.spans:
            raise ValueError(
                f'Doc {number} of {path} has no trees in doc.spans["{key}"]. '
                "Another converter may have made the file. Make it from brackets "
                "with `spacy-gfl convert`."
            )
        if need_trees and not doc.has_annotation("SENT_START"):
            raise ValueError(
                f"Doc {number} of {path} has no sentence starts, so the "
                "sentences of its trees are unknown. Make the file with "
                "`spacy-gfl convert`."
            )
        yield doc


def _docs(path: str | Path, vocab: Vocab) -> Iterator[Doc]:
    data = Path(path).read_bytes()
    try:
        # Refuse what was compressed to fill the memory of those who read it.
        limit = max(_SMALL, MOST_EXPANSION * len(data))
        if Path(path).suffix.lower() == PACKED:
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, limit)
        if len(zlib.decompressobj().decompress(data, limit + 1)) > limit:
            raise ValueError(f"its {len(data):,} bytes expand to more than {limit:,}.")
        for doc in PackedDocs().from_bytes(data).get_docs(vocab):
            # A damaged file may lack the string of a tag, which no one has asked for.
            _ = [token.tag_ for token in doc]
            yield doc
    except MemoryError:
        raise
    except Exception as error:
        # zlib, msgpack and DocBin each have their own way to say so.
        reason = str(error) or type(error).__name__
        raise ValueError(f"{path} cannot be read as a .spacy file: {reason}") from error
