import pytest
from catalogue import REGISTRY
from spacy.vocab import Vocab
from srsly.msgpack import msgpack_decoders, msgpack_encoders

import spacy_gfl
from spacy_gfl.formats import docbin


@pytest.mark.parametrize("registry", [msgpack_encoders, msgpack_decoders])
def test_packages_are_asked_once_how_to_pack(registry, tmp_path, monkeypatch):
    asked = []

    def of_another_package(value, chain=None):
        return value if chain is None else chain(value)

    def get_entry_points():
        asked.append(registry)
        return {"mine": of_another_package}

    registered = {name: registry.get(name) for name in registry.get_all()}
    monkeypatch.setattr(registry, "entry_points", True)
    monkeypatch.setattr(registry, "get_entry_points", get_entry_points)
    docbin._find_extensions_once.cache_clear()
    tree = spacy_gfl.parse_tree("(S (NP (PRP She)) (VP (VBZ reads)))")
    [doc] = spacy_gfl.trees_to_docs([tree], Vocab())
    try:
        docbin.write(tmp_path / "trees.spacy", [doc, doc])
        [first, _] = docbin.read(tmp_path / "trees.spacy", Vocab())
        assert first._.parse_strings == doc._.parse_strings
        assert len(asked) == 1
        assert registry.get_all() == {**registered, "mine": of_another_package}
    finally:
        REGISTRY.pop((*registry.namespace, "mine"), None)
        docbin._find_extensions_once.cache_clear()
