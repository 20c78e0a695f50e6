import logging
from collections import Counter
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_gfl import Constituent, Tree, TreeError, get_trees, parse_tree, trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.data.corpus import TreebankCorpus, keep_sentences
from spacy_gfl.tools.treebanks.formats import WRITERS

BRACKETS = [
    "(S (NP (PRP She)) (VP (VBZ does) (RB n't) (VP (VB know))) (. .))",
    "(INTJ (UH Yes))",
    "(TOP (NP (NN rain)) (, ,) (NP (NN wind)))",
    "(S (VP (VB Go)) (. !))",
    "(UH Oh)",
]
TREES = [parse_tree(text) for text in BRACKETS]


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture
def docbin(tmp_path):
    path = tmp_path / "corpus.spacy"
    DocBin(docs=trees_to_docs(TREES, Vocab(), n_sents=2)).to_disk(path)
    return path


def trees_of(examples):
    return [tree for eg in examples for tree in get_trees(eg.reference)]


def test_a_doc_holds_text_tags_sentence_starts_and_trees():
    (doc,) = trees_to_docs(TREES[:2], Vocab(), n_sents=0, key="gold")
    assert doc.text == "She doesn't know. Yes"
    assert [token.tag_ for token in doc] == ["PRP", "VBZ", "RB", "VB", ".", "UH"]
    assert [token.is_sent_start for token in doc] == [True, *[False] * 4, True]
    labels = [span.label_ for span in doc.spans["gold"]]
    assert labels == ["S", "NP", "VP", "VP", "INTJ"]
    assert not doc.has_unknown_spaces


def test_white_space_is_no_word():
    tree = Tree.flat(["a", "\u3000"], ["X", "X"])
    with pytest.raises(TreeError, match=r"word 1, .* white space"):
        list(trees_to_docs([tree], Vocab()))


def test_nothing_gives_no_doc():
    assert list(trees_to_docs([], Vocab())) == []
    assert list(trees_to_docs([Tree.flat([], [])], Vocab(), n_sents=0)) == []
    with pytest.raises(ValueError, match="n_sents"):
        list(trees_to_docs(TREES, Vocab(), n_sents=-1))


@pytest.mark.parametrize("suffix", [".spacy", ".jsonl", ".conll"])
def test_examples_have_trees_in_the_reference_alone(nlp, tmp_path, suffix):
    path = tmp_path / f"corpus{suffix}"
    WRITERS[suffix](path, trees_to_docs(TREES, Vocab(), n_sents=2))
    examples = list(TreebankCorpus(path)(nlp))
    assert trees_of(examples) == TREES
    assert [len(list(eg.reference.sents)) for eg in examples] == [2, 2, 1]
    for eg in examples:
        assert [t.text for t in eg.predicted] == [t.text for t in eg.reference]
        assert eg.predicted.text == eg.reference.text
        assert len(eg.predicted) == 1 or not eg.predicted.has_annotation("SENT_START")
        assert not eg.predicted.has_annotation("TAG")
        assert SPANS_KEY not in eg.predicted.spans
        assert eg.reference.vocab is eg.predicted.vocab is nlp.vocab


def test_the_reader_is_registered_and_checks_its_settings(docbin, nlp):
    config = {"@readers": "spacy_gfl.TreebankCorpus.v1", "path": str(docbin)}
    limited = registry.resolve({"corpus": {**config, "limit": 2}})["corpus"]
    assert trees_of(list(limited(nlp))) == TREES[:4]
    wrong = {**config, "limit": "many"}
    with pytest.raises(ValueError, match="limit"):
        registry.resolve({"corpus": wrong})


def test_long_sentences_are_left_out(nlp, docbin, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("spacy"), "propagate", True)
    reader = TreebankCorpus(docbin, max_length=2)
    with caplog.at_level(logging.WARNING, logger="spacy"):
        examples = list(reader(nlp))
        assert list(reader(nlp))
    assert [eg.reference.text for eg in examples] == ["Yes", "Go!", "Oh"]
    assert trees_of(examples) == [TREES[1], TREES[3], TREES[4]]
    assert [t.tag_ for eg in examples for t in eg.reference] == ["UH", "VB", ".", "UH"]
    assert all(t.is_sent_start is not None for eg in examples for t in eg.reference)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 1
    assert "max_length = 2 words: 2 sentences" in messages[0]


def test_a_file_of_sentences_that_are_all_too_long_is_refused(nlp, tmp_path):
    path = tmp_path / "long.ptb"
    path.write_text(BRACKETS[0])
    with pytest.raises(ValueError, match=r"long\.ptb has no sentences .* 1 sentence"):
        list(TreebankCorpus(path, max_length=3)(nlp))


def write_shards(folder, label, n_shards, n_docs):
    """A folder of .spacy files of one-word trees: label0, label1, ..."""
    folder.mkdir()
    for i in range(n_shards):
        numbers = range(i * n_docs, (i + 1) * n_docs)
        trees = [parse_tree(f"(X ({label} w{n}))") for n in numbers]
        DocBin(docs=trees_to_docs(trees, Vocab())).to_disk(folder / f"{i}.spacy")
    return folder


@pytest.fixture
def paths(tmp_path):
    gold = write_shards(tmp_path / "gold", "G", 1, 20)
    silver = write_shards(tmp_path / "silver", "S", 4, 25)
    return {"gold": str(gold / "0.spacy"), "silver": str(silver)}


def words_of(examples):
    return [(eg.reference[0].tag_, eg.reference[0].text) for eg in examples]


@pytest.mark.parametrize(
    ("weights", "n_gold", "n_silver"),
    [
        ({}, 20, 100),
        ({"gold": 3}, 60, 100),
        ({"gold": 0, "silver": 1}, 0, 100),
        ({"gold": 2.5, "silver": 0.25}, range(41, 60), range(10, 45)),
    ],
)
def test_a_weight_is_how_often_a_path_comes_in_an_epoch(
    nlp, paths, weights, n_gold, n_silver
):
    reader = TreebankCorpus(paths=paths, weights=weights)
    first, second = list(reader(nlp)), list(reader(nlp))
    found = words_of(first)
    for tag, wanted, weight in (("G", n_gold, "gold"), ("S", n_silver, "silver")):
        n = sum(own == tag for own, _ in found)
        assert n in wanted if isinstance(wanted, range) else n == wanted
        # Nothing comes again before everything has come.
        most = weights.get(weight, 1)
        times = Counter(word for own, word in found if own == tag).values()
        assert all(int(most) <= n <= most + 1 for n in times)
    # What comes again is no second copy of it.
    assert len({id(eg) for eg in first}) == len(set(found))
    assert words_of(second) != found
    assert words_of(TreebankCorpus(paths=paths, weights=weights)(nlp)) == found
    assert words_of(TreebankCorpus(paths=paths, weights=weights, seed=1)(nlp)) != found


def test_several_paths_are_mixed_evenly(nlp, paths):
    found = words_of(TreebankCorpus(paths=paths, weights={"gold": 5})(nlp))
    for start in range(0, 200, 40):
        assert 15 <= sum(tag == "G" for tag, _ in found[start : start + 40]) <= 25


def test_a_limit_holds_for_each_of_several_paths(nlp, paths):
    reader = TreebankCorpus(paths=paths, weights={"gold": 2}, limit=30)
    found = words_of(reader(nlp))
    assert {int(word[1:]) for tag, word in found if tag == "S"} == set(range(30))
    tags = [tag for tag, _ in found]
    assert Counter(tags) == {"G": 40, "S": 30}
    # Spread over the epoch, though not all of its files are read.
    assert Counter(tags[:35])["S"] == pytest.approx(15, abs=8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": "a", "paths": {"b": "b"}}, "either path, or paths"),
        ({"paths": {"a": "a", "b": None}}, "E913"),
        ({"paths": {}}, "E913"),
        ({"path": None}, "E913"),
        *(
            ({"path": "a", name: -1}, name)
            for name in ("limit", "max_length", "n_sents")
        ),
        ({"paths": {"a": "a"}, "weights": {"b": 1}}, "weight for b, .* paths has a"),
        ({"path": "a", "weights": {"a": 2}}, "weight for a, .* paths has none"),
        ({"paths": {"a": "a"}, "weights": {"a": -1}}, "a must be 0 or more"),
    ],
)
def test_wrong_paths_weights_and_limits_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        TreebankCorpus(**settings)


@pytest.mark.parametrize("content", ["", "\n"])
def test_an_empty_path_is_refused_unless_its_weight_is_zero(nlp, paths, content):
    Path(paths["gold"]).with_suffix(".ptb").write_text(content)
    paths["gold"] = paths["gold"].replace(".spacy", ".ptb")
    with pytest.raises(ValueError, match=r"0\.ptb has no sentences"):
        list(TreebankCorpus(paths=paths)(nlp))
    assert len(list(TreebankCorpus(paths=paths, weights={"gold": 0})(nlp))) == 100


def test_keep_sentences_keeps_annotation(nlp):
    (doc,) = trees_to_docs(TREES[:4], nlp.vocab, n_sents=0)
    for token in doc:
        token.lemma_ = token.lower_
    doc.ents = [doc.char_span(18, 21, label="ANSWER")]
    kept = keep_sentences(doc, [False, True, False, True])
    assert kept.text == "Yes Go!"
    assert get_trees(kept) == [TREES[1], TREES[3]]
    assert [token.lemma_ for token in kept] == ["yes", "go", "!"]
    assert [(ent.text, ent.label_) for ent in kept.ents] == [("Yes", "ANSWER")]


def test_kept_sentences_of_a_dependency_parse_keep_their_trees(nlp):
    words = ["a", "b", "\n", "c", "d"]
    doc = Doc(nlp.vocab, words=words, heads=[1, 1, 1, 3, 3], deps=["x"] * 5)
    doc.spans[SPANS_KEY] = [Span(doc, 0, 2, "X"), Span(doc, 3, 5, "Y")]
    kept = keep_sentences(doc, [False, True])
    assert get_trees(kept)[0].words == ("c", "d")
    kept = keep_sentences(doc, [True, False])
    assert get_trees(kept)[0].constituents == (Constituent("X", 0, 2),)
