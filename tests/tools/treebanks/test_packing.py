import pytest
import spacy
from spacy.tokens import DocBin, Span, SpanGroup
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl.data.packing import PackedDocs


@pytest.fixture
def docs():
    """Docs with groups of each kind: with attributes, shared, empty, none at all."""
    trees = ["(S (NP (DT The) (NN dog)) (VP (VBZ barks)))", "(INTJ (UH Yes))"]
    vocab = Vocab()
    found = [*spacy_gfl.trees_to_docs(map(spacy_gfl.parse_tree, trees), vocab)]
    [first, second] = found
    first.spans["same"] = first.spans["other"] = first.spans["constituents"]
    first.spans["constituents"].attrs["lists"] = [[1, 2], {"p": 0.5}]
    spans = [Span(first, 1, 3, label="X", kb_id="Q1", span_id="me")]
    first.spans["mine"] = SpanGroup(first, name="not mine", spans=spans)
    second.spans["empty"] = []
    first.user_data["._.", "seen", None, None] = (1, "a")
    return [*found, spacy.blank("en")("No trees."), spacy.blank("en")("")]


def packed(docs):
    made = PackedDocs()
    for doc in docs:
        made.add(doc)
    return made


def contents(doc):
    groups = {
        key: (
            (group.name, group.attrs),
            [(s.start, s.end, s.label_, s.kb_id_, s.id_, s.end_char) for s in group],
        )
        for key, group in doc.spans.items()
    }
    return doc.text, groups, doc.user_data


def test_docs_are_packed_as_by_spacy(docs):
    assert packed(docs).to_bytes() == DocBin(docs=docs, store_user_data=True).to_bytes()


def test_docs_are_unpacked_as_by_spacy(docs):
    data = DocBin(docs=docs, store_user_data=True).to_bytes()
    ours, theirs = (
        [contents(doc) for doc in kind().from_bytes(data).get_docs(Vocab())]
        for kind in (PackedDocs, DocBin)
    )
    assert ours == theirs
    assert [text for text, _, _ in ours] == [doc.text for doc in docs]


def test_spans_keep_their_extents_so_that_retokenizing_is_noticed(docs):
    [doc] = docs[:1]
    with doc.retokenize() as retokenizer:
        heads = [(doc[1], 1), doc[0]]
        retokenizer.split(doc[1], ["d", "og"], heads)
    with pytest.raises(spacy_gfl.TreeError, match="have changed"):
        spacy_gfl.get_trees(doc)
    [read] = packed([doc]).get_docs(Vocab())
    with pytest.raises(spacy_gfl.TreeError, match="have changed"):
        spacy_gfl.get_trees(read)


def test_docs_from_before_user_data_were_asked_for_have_none(docs):
    made = DocBin(docs=docs)
    made.store_user_data = True
    found = PackedDocs().from_bytes(made.to_bytes()).get_docs(Vocab())
    assert [doc.text for doc in found] == [doc.text for doc in docs]


def test_docs_without_their_strings_are_refused(docs):
    docs[0][1].lemma = 12345
    with pytest.raises(ValueError, match="lacks a string"):
        packed(docs)
