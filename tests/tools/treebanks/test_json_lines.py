import json
import math
from functools import reduce
from operator import getitem

import pytest
import spacy
from helpers.strategies import deep_tree, token_words, trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gfl import Tree, TreeError, get_trees, set_trees, trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.tools.treebanks.formats import json_lines
from spacy_gfl.tools.treebanks.formats.json_lines import (
    doc_from_json,
    doc_to_json,
    json_line,
    sentences_to_json,
    tree_to_json,
    trees_from_json,
)
from spacy_gfl.tools.treebanks.formats.names import document_name, name_document
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.tools.treebanks.inputs import docs_from_lines

NLP = spacy.blank("xx")
OH = Tree(("Oh", "!"), ("UH", "."), (("INTJ", 0, 2),))
forests = st.lists(trees(words=token_words()), min_size=1, max_size=3)


@pytest.fixture
def doc():
    """Two sentences, white space inside the first and after it."""
    words = ["Rain", "\n", "fell", ".", " ", "Oh", "!"]
    spaces = [False, False, False, True, False, False, False]
    tags = ["NN", "_SP", "VBD", ".", "_SP", "", "."]
    starts = [True, False, False, False, False, True, False]
    doc = Doc(NLP.vocab, words=words, spaces=spaces, tags=tags, sent_starts=starts)
    nodes = [[("S", 0, 3), ("NP", 0, 1), ("VP", 1, 2)], [("INTJ", 0, 2)]]
    attrs = {"log_probs": [-0.5, -1.0], "flags": ["", "flat"], "model": "m"}
    set_trees(doc, nodes, attrs=attrs)
    return doc


def state(doc):
    """All that a line of JSON keeps of a Doc."""
    tokens = [(t.text_with_ws, t.tag_, t.is_sent_start) for t in doc]
    return doc.text, tokens, get_trees(doc), dict(doc.spans[SPANS_KEY].attrs)


def test_a_record_has_text_tokens_sentences_and_offsets(doc):
    record = doc_to_json(doc)
    assert record["text"] == "Rain\nfell.  Oh!"
    assert record["offset"] == 0
    assert record["tokens"][2] == {"text": "fell", "tag": "VBD", "start": 5, "end": 9}
    first, second = record["sentences"]
    assert (second["start"], second["end"]) == (12, 15)
    assert (second["start_token"], second["end_token"]) == (5, 7)
    assert first["constituents"] == [
        {"label": "S", "start": 0, "end": 10, "start_token": 0, "end_token": 4},
        {"label": "NP", "start": 0, "end": 4, "start_token": 0, "end_token": 1},
        {"label": "VP", "start": 5, "end": 9, "start_token": 2, "end_token": 3},
    ]
    assert record["attrs"]["log_probs"] == [-0.5, -1.0]


def test_each_sentence_can_be_a_line(doc):
    first, second = sentences_to_json(doc)
    assert (first["offset"], second["offset"]) == (0, 12)
    assert second["text"] == "Oh!"
    extent = {"start": 0, "end": 3, "start_token": 0, "end_token": 2}
    node = {"label": "INTJ", **extent}
    assert second["sentences"] == [{**extent, "constituents": [node]}]
    assert second["attrs"] == {"log_probs": [-1.0], "flags": ["flat"]}


@given(forests)
def test_every_doc_comes_back(forest):
    doc = next(trees_to_docs(forest, NLP.vocab, n_sents=0))
    line = json_line(doc_to_json(doc))
    assert len(line.splitlines()) == 1
    assert state(doc_from_json(json.loads(line), NLP.vocab)) == state(doc)
    records = [json.loads(json_line(record)) for record in sentences_to_json(doc)]
    assert [tree for record in records for tree in trees_from_json(record)] == forest
    for record, sent in zip(records, doc.sents, strict=True):
        assert doc.text[record["offset"] :].startswith(sent.text)
        for token in record["tokens"]:
            assert record["text"][token["start"] : token["end"]] == token["text"]


@given(trees(words=token_words()))
def test_every_tree_comes_back(tree):
    record = json.loads(json_line(tree_to_json(tree)))
    assert trees_from_json(record) == [tree]
    assert record["text"] == " ".join(tree.words)


def test_deep_trees_are_written_and_odd_words_are_refused():
    assert trees_from_json(tree_to_json(deep_tree(1000))) == [deep_tree(1000)]
    assert trees_from_json(tree_to_json(Tree((), (), ()))) == []
    with pytest.raises(TreeError, match="only white space"):
        tree_to_json(Tree.flat([" "], ["X"]))
    for odd in (Tree.flat(["\ud83d"], ["X"]), Tree.flat(["x"], ["\ud83d"])):
        with pytest.raises(TreeError, match="lone surrogate"):
            tree_to_json(odd)


def test_an_empty_doc_is_written_and_read_again():
    doc = Doc(NLP.vocab)
    set_trees(doc, [])
    assert state(doc_from_json(doc_to_json(doc), NLP.vocab)) == state(doc)
    assert list(sentences_to_json(doc)) == []


def test_files_of_docs_or_sentences_are_written_and_read(doc, tmp_path):
    path = tmp_path / "trees.jsonl"
    json_lines.write(path, [doc, doc])
    assert [state(d) for d in json_lines.read(path, NLP.vocab)] == [state(doc)] * 2
    json_lines.write(path, [doc], unit="sentence")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\n\n")
    found = [get_trees(d) for d in json_lines.read(path, NLP.vocab)]
    assert found == [[tree] for tree in get_trees(doc)]
    with pytest.raises(ValueError, match='unit must be "doc" or "sentence"'):
        json_lines.write(path, [doc], unit="word")


def test_what_is_no_number_is_null(doc):
    log_probs = doc.spans[SPANS_KEY].attrs["log_probs"] = [math.nan, -1.0]
    record = json.loads(json_line(doc_to_json(doc)))
    assert record["attrs"]["log_probs"] == [None, -1.0]
    found = doc_from_json(record, NLP.vocab).spans[SPANS_KEY].attrs["log_probs"]
    assert found == pytest.approx(log_probs, nan_ok=True)


def test_trees_of_another_span_group_are_written_and_read(doc):
    set_trees(doc, [[], [("X", 0, 1)]], key="other")
    record = doc_to_json(doc, key="other")
    found = doc_from_json(record, NLP.vocab, key="mine")
    assert get_trees(found, key="mine") == get_trees(doc, key="other")


@pytest.mark.parametrize("line", [b"{", b"[]", b'"text"', b"\xff", b'{"text": 1}'])
def test_lines_that_are_no_record_are_named(line, tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_bytes(b"\n" + line)
    with pytest.raises(FormatError, match=r"trees\.jsonl:2: "):
        list(json_lines.read(path, NLP.vocab))


FIRST = ("sentences", 0, "constituents", 1)
OTHER = {"label": "X", "start": 12, "end": 14, "start_token": 5, "end_token": 6}
CROSSING = [
    {"label": "A", "start": 0, "end": 9, "start_token": 0, "end_token": 3},
    {"label": "B", "start": 5, "end": 10, "start_token": 2, "end_token": 4},
]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("text",), None, "text: Field required"),
        (("tokens",), {}, "tokens: Input should be a valid list"),
        (("tokens", 0, "tag"), 7, "tokens.0.tag: Input should be a valid string"),
        (("tokens", 0, "text"), "", "tokens.0.text: String should have at least 1"),
        (("tokens", 0, "text"), "Snow", "text is 'Rain.*', but the tokens .* 'Snow"),
        (("tokens", 0, "end"), 99, "tokens.0.end is 99, but the tokens require 4"),
        (("text",), "Rain\nfell.  Oh! More", "text is 'Rain.* but the tokens"),
        (("sentences", 0), None, "sentences do not follow each other"),
        ((*FIRST, "end_token"), 2, "NP of tokens 0-2 does not begin and end with"),
        ((*FIRST, "label"), "", "label of 0-1 is empty"),
        (FIRST, OTHER, "tokens 5-6 does not begin and end with words of one sentence"),
        (("sentences", 0, "constituents"), CROSSING, "crosses"),
        ((*FIRST, "probability"), "high", r"constituents\.1\.probability"),
        *(
            (("attrs", "odd"), value, "attrs cannot be saved with a Doc")
            for value in (2**64, "\ud83d", {"a": [-(2**70)]})
        ),
    ],
)
def test_fields_that_are_wrong_or_contradict_others_are_named(
    doc, path, value, message
):
    record = doc_to_json(doc)
    *steps, last = path
    place = reduce(getitem, steps, record)
    if value is None:
        del place[last]
    else:
        place[last] = value
    with pytest.raises(TreeError, match=message):
        doc_from_json(record, NLP.vocab)
    with pytest.raises(TreeError, match="the line is not a JSON object"):
        doc_from_json([record], NLP.vocab)


def probabilities(record):
    found = [sentence["constituents"] for sentence in record["sentences"]]
    return [node.get("probability") for nodes in found for node in nodes]


def test_probabilities_stand_beside_their_constituents(doc):
    attrs = doc.spans[SPANS_KEY].attrs
    attrs["probabilities"] = [1.0, 0.25, math.nan, 0.5]
    record = json.loads(json_line(doc_to_json(doc)))
    assert probabilities(record) == [1.0, 0.25, None, 0.5]
    assert "probabilities" not in record["attrs"]
    found = doc_from_json(record, doc.vocab).spans[SPANS_KEY].attrs["probabilities"]
    assert found == pytest.approx(attrs["probabilities"], nan_ok=True)
    lines = [json.loads(json_line(line)) for line in sentences_to_json(doc)]
    assert [*map(probabilities, lines)] == [[1.0, 0.25, None], [0.5]]
    attrs["probabilities"][0] = math.inf
    assert probabilities(json.loads(json_line(doc_to_json(doc))))[0] is None


def test_a_line_of_text_is_enough_to_parse():
    lines = ['{"text": "Rain fell. Oh!", "id": "a-7", "meta": {}}', '{"text": ""}']
    lines.append(json.dumps(doc_to_json(next(trees_to_docs([OH], NLP.vocab)))))
    without_tree = json.loads(lines[-1])
    without_tree["sentences"][0]["constituents"] = []
    lines.append(json.dumps(without_tree))
    docs = list(docs_from_lines(NLP, lines, "json"))
    assert [doc.text for doc in docs] == ["Rain fell. Oh!", "", "Oh!", "Oh!"]
    assert docs[0].user_data == {"document": {"id": "a-7"}}
    assert not any(SPANS_KEY in doc.spans for doc in docs)


def test_a_line_of_text_keeps_a_part_of_a_document_and_refuses_a_name_too_large():
    lines = [f'{{"text": "Oh!", "id": "a", "part": {part}}}' for part in ('"B"', 2)]
    docs = list(docs_from_lines(NLP, lines, "json"))
    assert [*map(document_name, docs)] == [("a", None), ("a", 2)]
    with pytest.raises(TreeError, match=":1: id and part cannot be saved"):
        list(docs_from_lines(NLP, [f'{{"text": "Oh!", "id": {2**70}}}'], "json"))


@pytest.mark.parametrize("name", ["a-7", 7, ["a", 1]])
def test_the_name_of_a_document_comes_back(doc, name):
    name_document(doc, name, 3)
    record = json.loads(json_line(doc_to_json(doc)))
    assert (record["id"], record["part"]) == (name, 3)
    assert document_name(doc_from_json(record, NLP.vocab)) == (name, 3)
    assert all(line["id"] == name for line in sentences_to_json(doc))
