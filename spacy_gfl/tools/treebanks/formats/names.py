"""The name of the document that a Doc is, or is a part of.

It stands in `doc.user_data["document"]`, as {"id": "bn/abc_0001", "part": 1}.
"""

import json
from typing import Any

from spacy.tokens import Doc

DOCUMENT = "document"


def name_document(doc: Doc, name: Any, part: int | None = None) -> None:
    """Say which document a Doc is, and which part of it."""
    doc.user_data[DOCUMENT] = {"id": name} | ({} if part is None else {"part": part})


def document_name(doc: Doc) -> tuple[Any, int | None]:
    """The name and the part of the document that a Doc is; None where none is known."""
    known = doc.user_data.get(DOCUMENT)
    if not isinstance(known, dict):
        return None, None
    return known.get("id"), known.get("part")


def document_label(doc: Doc, number: int) -> str:
    """What a Doc is called in a table: `bn/abc`, `bn/abc:1` for part 1, or a number."""
    name, part = document_name(doc)
    if name is None:
        return str(number)
    text = name if isinstance(name, str) else json.dumps(name, ensure_ascii=False)
    return f"{text}:{part}" if part else text
