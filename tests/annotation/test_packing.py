import pytest
import spacy
from catalogue import REGISTRY
from spacy.tokens import DocBin
from srsly.msgpack import msgpack_decoders, msgpack_encoders

import spacy_gfl
from spacy_gfl.annotation.packing import ask_for_packers_once


@pytest.mark.parametrize("registry", [msgpack_encoders, msgpack_decoders])
def test_packages_are_asked_once_how_they_pack(registry, monkeypatch):
    asked = []

    def of_another_package(value, chain=None):
        return value if chain is None else chain(value)

    def get_entry_points():
        asked.append(registry)
        return {"numpy": None, "mine": of_another_package}

    vocab = spacy.blank("en").vocab
    [doc] = spacy_gfl.trees_to_docs([spacy_gfl.parse_tree("(S (NP (PRP I)))")], vocab)
    before = registry.get_all()
    monkeypatch.setattr(registry, "entry_points", True)
    monkeypatch.setattr(registry, "get_entry_points", get_entry_points)
    try:
        ask_for_packers_once()
        data = DocBin(docs=[doc, doc]).to_bytes()
        [first, _] = DocBin().from_bytes(data).get_docs(vocab)
        assert first._.parse_strings == doc._.parse_strings
        assert len(asked) == 1
        assert registry.get_all() == {**before, "mine": of_another_package}
    finally:
        REGISTRY.pop((*registry.namespace, "mine"), None)
