"""DocBins that pack and unpack all of their Docs with one packer.

Whenever srsly makes a packer, it looks through the entry points of all packages, which
takes 0.3 ms, and spaCy has one made for each span group and two more for each Doc.
"""

import struct
from collections.abc import ItemsView, Iterator
from typing import Any, cast

from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab
from srsly.msgpack import Packer, Unpacker

# A span as `SpanGroup.to_bytes` packs it.
_SPAN = struct.Struct(">QQQllll")


class PackedDocs(DocBin):
    """A DocBin, in spaCy's format to the byte, user data included."""

    def __init__(self) -> None:
        super().__init__()
        self.packer = Packer(use_bin_type=True)

    def add(self, doc: Doc, user_data: dict[Any, Any] | None = None) -> None:
        """Pack a Doc, with these user data instead of its own if they are given.

        Raises:
            ValueError: The Doc's vocabulary lacks one of its strings.
        """
        # spaCy shall not pack the user data.
        self.store_user_data = False
        try:
            super().add(cast(Doc, _WithPackedSpans(doc, self.packer)))
        except KeyError as error:
            raise ValueError(f"A Doc lacks a string: {error.args[0]}") from error
        self.store_user_data = True
        data = doc.user_data if user_data is None else user_data
        self.user_data.append(self.packer.pack(data))

    def get_docs(self, vocab: Vocab) -> Iterator[Doc]:
        """Unpack the Docs.

        Raises:
            ValueError: Or another error, if these are no Docs.
        """
        rest = DocBin()
        rest.__dict__ |= self.__dict__
        rest.span_groups, rest.user_data = [b""] * len(self), []
        lists = Unpacker(raw=False, max_buffer_size=0)
        tuples = Unpacker(raw=False, max_buffer_size=0, use_list=False)
        # spaCy leaves them out if they were first asked for when the Docs were in.
        user_data = self.user_data + [None] * (len(self) - len(self.user_data))
        packed = zip(rest.get_docs(vocab), self.span_groups, user_data, strict=True)
        for doc, groups, data in packed:
            _unpack_spans(doc, lists, groups)
            if data is not None:
                doc.user_data.update(_unpack(tuples, data))
            yield doc


class _WithPackedSpans:
    """A Doc, and in place of its span groups what `DocBin.add` asks of them."""

    def __init__(self, doc: Doc, packer: Packer) -> None:
        self.doc, self.packer, self.spans = doc, packer, self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.doc, name)

    def __iter__(self) -> Any:
        return iter(self.doc)

    def items(self) -> ItemsView[str, SpanGroup]:
        return self.doc.spans.items()

    def to_bytes(self) -> bytes:
        keys: dict[bytes, list[str]] = {}
        for key, group in self.items():
            spans = [
                _SPAN.pack(
                    *(span.id, span.kb_id, span.label, span.start, span.end),
                    *(span.start_char, span.end_char),
                )
                for span in group
            ]
            content = {"name": group.name, "attrs": group.attrs, "spans": spans}
            keys.setdefault(self.packer.pack(content), []).append(key)
        return self.packer.pack(keys or [])


def _unpack_spans(doc: Doc, unpacker: Unpacker, data: bytes) -> None:
    """Give a Doc its span groups, as `SpanGroups.from_bytes` does."""
    # Without groups spaCy writes an empty list.
    groups = dict(_unpack(unpacker, data)) if data else {}
    for group, keys in groups.items():
        content = _unpack(unpacker, group)
        spans = [_unpack_span(doc, span) for span in content["spans"]]
        name, attrs = content["name"], content["attrs"]
        for key in keys:
            doc.spans[key] = SpanGroup(doc, name=name, attrs=attrs, spans=spans)


def _unpack_span(doc: Doc, data: bytes) -> Span:
    span_id, kb_id, label, start, end, *extent = _SPAN.unpack(data)
    span = Span(doc, start, end, label=label, kb_id=kb_id, span_id=span_id)
    # A Doc that was retokenized after its trees were written keeps their old extents.
    if extent != [span.start_char, span.end_char]:
        span.start_char, span.end_char = extent
    return span


def _unpack(unpacker: Unpacker, data: bytes) -> Any:
    unpacker.feed(data)
    [unpacked] = unpacker
    return unpacked
