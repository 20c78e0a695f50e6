"""Merging of many tokens of a Doc."""

from collections.abc import Sequence

from spacy.tokens import Doc

#: spaCy compares each span with all those before it.
_AT_ONCE = 1000


def merge_extents(doc: Doc, extents: Sequence[tuple[int, int]]) -> None:
    """Merge the tokens of each extent of characters, if they are some tokens."""
    for i in range(0, len(extents), _AT_ONCE):
        with doc.retokenize() as retokenizer:
            for start, end in extents[i : i + _AT_ONCE]:
                span = doc.char_span(start, end)
                if span is not None and len(span) > 1:
                    retokenizer.merge(span)
