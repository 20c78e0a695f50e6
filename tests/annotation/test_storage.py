import gzip
import pickle
import tempfile
import zlib
from functools import partial

import pytest
import spacy
from helpers.docs import token_doc
from helpers.strategies import deep_tree, token_words, trees
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl import (
    Tree,
    TreeError,
    get_trees,
    parse_tree,
    set_trees,
    trees_to_docs,
)
from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.sentence_words import sentences, word_indices
from spacy_gfl.annotation.storage import FORMAT_VERSION, SPANS_KEY
from spacy_gfl.evaluation.evalb import Status
from spacy_gfl.evaluation.scorer import score_doc
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.tools.treebanks.formats.json_lines import doc_from_json, doc_to_json

NLP = spacy.blank("xx")
DOG = Tree(
    ("The", "dog", "barks"),
    ("DT", "NN", "VBZ"),
    (("S", 0, 3), ("NP", 0, 2), ("VP", 2, 3)),
)
GO = Tree(("Go", "!"), ("VB", "."), (("S", 0, 2), ("VP", 0, 1), ("VP", 0, 1)))


def make_doc(forest, gaps=()):
    """A Doc of these sentences, white space after the tokens numbered in `gaps`."""
    tokens = []
    for tree in forest:
        for i, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
            tokens.append((word, tag, i == 0))
            if len(tokens) - 1 in gaps:
                tokens.append(("\n ", "_SP", False))
    words, tags, starts = zip(*tokens, strict=True)
    doc = Doc(NLP.vocab, words=words, tags=tags, sent_starts=starts)
    set_trees(doc, [tree.constituents for tree in forest])
    return doc


def through_doc_bin(doc, **settings):
    doc.user_data["note"] = "of the user"
    data = DocBin(docs=[doc], **settings).to_bytes()
    return next(iter(DocBin().from_bytes(data).get_docs(Vocab())))


def empty():
    return Doc(Vocab())


def through_disk(doc):
    with tempfile.TemporaryDirectory() as folder:
        doc.to_disk(f"{folder}/doc")
        return empty().from_disk(f"{folder}/doc")


CARRIERS = {
    "Doc": lambda doc: doc,
    "DocBin": through_doc_bin,
    "DocBin-user_data": partial(through_doc_bin, store_user_data=True),
    "to_bytes": lambda doc: empty().from_bytes(doc.to_bytes()),
    "to_disk": through_disk,
    "pickle": lambda doc: pickle.loads(pickle.dumps(doc)),
    "copy": lambda doc: doc.copy(),
}
forests = st.lists(trees(words=token_words()), min_size=1, max_size=3)
gap_sets = st.sets(st.integers(0, 10), max_size=4)


@pytest.mark.parametrize("carry", CARRIERS.values(), ids=CARRIERS)
@given(forests, gap_sets)
@example([DOG, deep_tree(1000)], set())
def test_every_tree_survives_a_doc(carry, forest, gaps):
    assert get_trees(carry(make_doc(forest, gaps))) == forest


@given(forests)
def test_every_tree_survives_json(forest):
    """Trees of words without white space after a space: spaCy reads no such Doc."""
    doc = make_doc(forest)
    assert get_trees(empty().from_json(doc.to_json())) == forest


@given(st.lists(forests, min_size=1, max_size=3))
def test_trees_survive_joining_docs(several):
    doc = Doc.from_docs([make_doc(forest) for forest in several])
    # Joining may put white space, which is no word, between two Docs.
    assert get_trees(doc) == [tree for forest in several for tree in forest]


@given(forests, gap_sets, st.data())
def test_a_retokenized_doc_has_no_wrong_tree(forest, gaps, data):
    """Either an error, or constituents of the same characters as before."""
    doc = make_doc(forest, gaps)
    before = characters(doc)
    places = st.integers(0, len(doc) - 1)
    i, j = sorted([data.draw(places), data.draw(places)])
    long = [token for token in doc if len(token) > 1 and not i <= token.i <= j]
    with doc.retokenize() as retokenizer:
        if i < j:
            retokenizer.merge(doc[i : j + 1])
        if long:
            token = data.draw(st.sampled_from(long))
            halves = [token.text[:1], token.text[1:]]
            retokenizer.split(token, halves, heads=[(token, 0), (token, 1)])
    try:
        assert characters(doc) == before
    except ValueError as error:
        assert "tokens" in str(error) or "sentence" in str(error)  # noqa: PT017


def characters(doc):
    """The constituents of a Doc by the characters that they are of."""
    found = []
    for sent, tree in zip(doc.sents, get_trees(doc), strict=True):
        words = [doc[i] for i in word_indices(sent)]
        for label, start, end in tree.constituents:
            last = words[end - 1]
            found.append((label, words[start].idx, last.idx + len(last)))
    return found


def test_a_group_of_a_later_version_is_refused():
    doc = make_doc([DOG])
    doc.spans[SPANS_KEY].attrs["version"] = FORMAT_VERSION + 1
    with pytest.raises(TreeError, match=r"A later .* in version 3, .* Update"):
        get_trees(doc)


def test_trees_survive_an_example():
    doc = make_doc([DOG, GO])
    annotations = Example(NLP.make_doc("x"), doc).to_dict()
    # Without heads to go by, spaCy would lose the sentence starts.
    del annotations["token_annotation"]["HEAD"], annotations["token_annotation"]["DEP"]
    assert get_trees(Example.from_dict(doc.copy(), annotations).reference) == [DOG, GO]


def test_trees_are_stored_as_spans_in_preorder_with_a_version():
    doc = make_doc([DOG, GO], gaps=[1])
    group = doc.spans[SPANS_KEY]
    assert group.attrs == {"version": FORMAT_VERSION}
    assert [(s.label_, s.start, s.end) for s in group] == [
        *[("S", 0, 4), ("NP", 0, 2), ("VP", 3, 4)],
        *[("S", 4, 6), ("VP", 4, 5), ("VP", 4, 5)],
    ]


def test_trees_under_another_key_are_kept_apart_with_their_attributes():
    doc = make_doc([DOG])
    attrs = {"log_probs": [-0.5], "flags": ["flat"]}
    set_trees(doc, [[("X", 0, 1)]], key="other", attrs=attrs)
    doc = empty().from_bytes(doc.to_bytes())
    assert doc.spans["other"].attrs == {"version": FORMAT_VERSION, **attrs}
    assert get_trees(doc, key="other")[0].brackets() == (
        "(TOP (X (DT The)) (NN dog) (VBZ barks))"
    )
    assert get_trees(doc) == [DOG]


@given(forests, gap_sets)
def test_trees_and_brackets_are_accepted(forest, gaps):
    expected = make_doc(forest, gaps)
    strings = expected._.parse_strings
    nltk_trees = [sent._.parse_tree for sent in expected.sents]
    for given_trees in (forest, strings, nltk_trees, [forest[0], *strings[1:]]):
        doc = make_doc(forest, gaps)
        set_trees(doc, [[]] * len(forest))
        set_trees(doc, given_trees)
        assert get_trees(doc) == forest


def test_docs_are_made_of_trees_however_they_are_given():
    brackets = "(S (NP (NNP Ann)) (VP (VBD left)))"
    tree = parse_tree(brackets)
    docs = trees_to_docs([brackets, tree, tree.to_nltk(), " "], Vocab())
    assert [doc._.parse_strings for doc in docs] == [[brackets]] * 3
    for one in (brackets, tree, tree.to_nltk()):
        with pytest.raises(TreeError, match="trees_to_docs takes a list"):
            next(trees_to_docs(one, Vocab()))
    with pytest.raises(TreeError, match="not closed"):
        next(trees_to_docs(["(S"], Vocab()))
    for other in (3, None, [("S", 0, 1)]):
        with pytest.raises(TreeError, match="is neither a tree nor brackets"):
            next(trees_to_docs([other], Vocab()))


def test_values_that_are_no_docs_and_no_trees_are_refused():
    doc = make_doc([DOG])
    for no_doc in ("a text", None, doc[:]):
        with pytest.raises(TypeError, match="get_trees takes a Doc, not a "):
            get_trees(no_doc)
        with pytest.raises(TypeError, match="set_trees takes a Doc, not a "):
            set_trees(no_doc, [DOG])
    for tree in (DOG, DOG.brackets(), DOG.to_nltk()):
        with pytest.raises(TreeError, match=r"\[tree\]"):
            set_trees(doc, tree)
    for no_trees in (None, 5, iter([DOG])):
        with pytest.raises(TypeError, match="set_trees takes a list of trees"):
            set_trees(doc, no_trees)
    for no_tree in (None, 5, [5], [("NP", 0)], [("NP", "0", "1")]):
        with pytest.raises(TreeError, match=r"sentence 0 .* neither a tree nor a list"):
            set_trees(doc, [no_tree])
    assert get_trees(doc) == [DOG]


def test_white_space_between_and_inside_sentences_is_in_no_tree():
    doc = token_doc("\n|a|\t|b|\n\n", "\n|c| ")
    trees = [(("S", 0, 2), ("NP", 1, 2)), (("S", 0, 1),)]
    set_trees(doc, trees)
    assert [word_indices(sent) for sent in doc.sents] == [[1, 3], [6]]
    assert [tree.words for tree in get_trees(doc)] == [("a", "b"), ("c",)]
    assert [tree.constituents for tree in get_trees(doc)] == trees


@pytest.mark.parametrize("text", ["", "dog", " "])
def test_docs_of_one_token_or_none_need_no_sentence_starts(text):
    doc = NLP.make_doc(text)
    number = len(sentences(doc))
    assert number == (text != "")
    set_trees(doc, [[]] * number)
    assert [len(tree) for tree in get_trees(doc)] == [len(text.strip()) > 0] * number


def test_a_doc_without_trees_or_sentences_says_what_is_missing():
    doc = NLP.make_doc("The dog barks")
    with pytest.raises(ValueError, match="constituency_parser"):
        get_trees(doc)
    with pytest.raises(ValueError, match=r'doc\.spans\["other"\]'):
        get_trees(make_doc([DOG]), key="other")
    with pytest.raises(ValueError, match="sentencizer"):
        set_trees(doc, [[]])
    doc.spans[SPANS_KEY] = []
    with pytest.raises(ValueError, match="sentencizer"):
        get_trees(doc)


@pytest.mark.parametrize(
    ("forest", "message"),
    [
        ([[]], "1 trees for 2 sentences"),
        ([[], [], []], "3 trees for 2 sentences"),
        # The tests of `Tree` have all other constituents that form no tree.
        ([[], [("S", 2, 2)]], "sentence 1 .*does not lie within 2 words"),
        ([[("\ud83d", 0, 3)], []], "surrogates not allowed"),
        # Over other words.
        ([DOG, "(S (UH Go) (. .))"], r"1 .*word 1 is '\.' in the tree, but '!'"),
        ([DOG, Tree.flat(["Go"], ["VB"])], "the tree has 1 words, and the sentence 2"),
        ([DOG, Tree.flat(["Go", "!", "!"], [".", ".", "."])], "the tree has 3 words"),
        ([DOG, ""], "the tree has 0 words"),
        ([DOG, "(S (UH Go) (. !)"], "sentence 1 .*not closed"),
        ([DOG, "(S (UH Go)) (X (. !))"], "expected one tree"),
    ],
)
def test_wrong_trees_are_refused_and_the_old_ones_stay(forest, message):
    doc = make_doc([DOG, GO])
    with pytest.raises(TreeError, match=message):
        set_trees(doc, forest)
    assert get_trees(doc) == [DOG, GO]


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 2, "A"), (1, 3, "B")], "crosses"),
        ([(2, 5, "A")], "one sentence"),
        ([(3, 5, "A"), (0, 3, "B")], "not in the order"),
        ([(0, 1, "A"), (0, 3, "B")], "not in the order"),
        ([(0, 6, "A")], "one sentence"),
        ([(5, 7, "A")], "no tree"),
    ],
)
def test_spans_that_make_no_tree_are_refused(spans, message):
    # The second sentence is tokens 3 to 6, of which 5 is white space.
    doc = make_doc([DOG, Tree.flat(["Go", "!", "ok"], ["VB", ".", "UH"])], gaps=[4])
    doc.spans[SPANS_KEY] = [Span(doc, *span) for span in spans]
    with pytest.raises(TreeError, match=message):
        get_trees(doc)


@pytest.mark.parametrize("reorder", [reversed, lambda spans: [*spans[1:], spans[0]]])
def test_spans_out_of_order_are_not_said_to_be_lost(reorder):
    doc = make_doc([DOG, GO])
    doc.spans[SPANS_KEY] = list(reorder(list(doc.spans[SPANS_KEY])))
    with pytest.raises(TreeError, match="not in the order of the sentences"):
        get_trees(doc)


def test_a_label_that_the_vocabulary_does_not_know_is_refused():
    doc = make_doc([DOG])
    other = Doc(Vocab(), words=[token.text for token in doc], sent_starts=[1, -1, -1])
    saved = doc.spans[SPANS_KEY].to_bytes()
    other.spans[SPANS_KEY] = SpanGroup(other, name=SPANS_KEY).from_bytes(saved)
    with pytest.raises(TreeError, match=r"label that the vocabulary .* not know"):
        get_trees(other)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.spacy"


def test_a_file_without_the_string_of_a_tag_is_refused(path):
    DocBin(docs=[make_doc([DOG])]).to_disk(path)
    content = zlib.decompress(path.read_bytes())
    assert content.count(b"VBZ") == 1
    path.write_bytes(zlib.compress(content.replace(b"VBZ", b"VBX")))
    with pytest.raises(ValueError, match=r"x\.spacy cannot be read .*E018"):
        list(docbin.read(path, Vocab()))


def test_files_of_docs_without_trees_or_sentence_starts_are_refused(path):
    tagged = Doc(NLP.vocab, words=["a", "b"], tags=["X", "X"])
    DocBin(docs=[make_doc([DOG]), tagged]).to_disk(path)
    docs = docbin.read(path, Vocab())
    assert len(next(docs)) == 3
    with pytest.raises(ValueError, match=r"Doc 2 of .*x\.spacy has no trees .*convert"):
        next(docs)
    assert len(list(docbin.read(path, Vocab(), need_trees=False))) == 2
    tagged.spans["other"] = [tagged[0:2]]
    DocBin(docs=[tagged]).to_disk(path)
    with pytest.raises(ValueError, match=r"x\.spacy has no sentence starts"):
        list(docbin.read(path, Vocab(), key="other"))
    assert "other" in next(docbin.read(path, Vocab(), need_trees=False)).spans


@pytest.mark.parametrize(
    "content", [b"", b"(NP (NN a))", zlib.compress(b"\x05"), zlib.compress(b"\x80")]
)
def test_a_file_of_something_else_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.spacy cannot be read as a \.spacy"):
        list(docbin.read(path, Vocab(), need_trees=False))
    with pytest.raises(FileNotFoundError):
        list(docbin.read(path.with_name("gone.spacy"), Vocab()))


def test_trees_in_another_group_are_named_where_there_are_none():
    doc = make_doc([DOG])
    with pytest.raises(ValueError, match=r'"binary"\].*key="constituents"\)` reads'):
        get_trees(doc, key="binary")
    del doc.spans["constituents"]
    doc.spans["ruler"] = [doc[:1]]
    with pytest.raises(ValueError, match=r'Add the component "constituency_parser"'):
        get_trees(doc)


def test_a_packed_file_is_unpacked(path):
    DocBin(docs=[make_doc([DOG])]).to_disk(path)
    path.with_suffix(".spacy.gz").write_bytes(gzip.compress(path.read_bytes()))
    [doc] = docbin.read(path.with_suffix(".spacy.gz"), Vocab())
    assert get_trees(doc) == [DOG]
    path.with_suffix(".gz").write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match=r"x\.gz cannot be read as a \.spacy"):
        list(docbin.read(path.with_suffix(".gz"), Vocab()))


def test_a_sentence_without_a_tree_is_an_error_and_one_of_words_alone_is_none():
    flat = Tree.flat(["Oh", "no"], ["UH", "UH"])
    parsed, bare = make_doc([DOG]), make_doc([flat])
    assert get_trees(Doc.from_docs([parsed, bare])) == [DOG, flat]
    words, tags = ["Oh", "no"], ["UH", "UH"]
    unparsed = Doc(NLP.vocab, words=words, tags=tags, sent_starts=[1, -1])
    for docs in ([parsed, unparsed], [unparsed, parsed]):
        doc = Doc.from_docs(docs)
        for read in (get_trees, doc_to_json, lambda doc: doc._.parse_strings):
            with pytest.raises(TreeError, match=r'"Oh \.\.\.", has no tree'):
                read(doc)
        gold = make_doc([DOG, flat] if docs[0] is parsed else [flat, DOG])
        statuses = [score.status for score in score_doc(gold, doc)]
        expected = [Status.VALID, Status.ERROR]
        assert statuses == (expected if docs[0] is parsed else expected[::-1])
        with pytest.raises(TreeError, match=r'gold sentence "Oh no ?" has no tree'):
            score_doc(doc, gold)
        with pytest.raises(TreeError, match="has no tree"):
            list(gold_sentences(Example(gold, doc)))
    record = doc_to_json(bare)
    [node] = record["sentences"][0]["constituents"]
    assert node["label"] == ""
    assert get_trees(doc_from_json(record, Vocab())) == [flat]
    record["sentences"][0]["constituents"] = []
    with pytest.raises(TreeError, match="has no tree"):
        doc_from_json(record, Vocab())
