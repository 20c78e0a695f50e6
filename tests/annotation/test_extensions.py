import pickle
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pkgutil import resolve_name

import nltk
import pytest
from helpers.docs import make_doc, token_doc
from helpers.growth import work
from helpers.strategies import docs
from hypothesis import given
from spacy.tokens import Doc, Span, Token
from spacy.tokens.underscore import Underscore
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl import (
    NonConstituentException,
    TreeError,
    get_trees,
    parse_tree,
    set_trees,
)
from spacy_gfl.annotation import extensions
from spacy_gfl.annotation.storage import SPANS_KEY

KEYS = "(S (NP (DT The) (NNS keys)) (VP (VBP are) (ADVP (RB here))) (. .))"
CHAIN = "(S (NP (NP (NN dog))) (VP (VBZ barks)))"
FOREST = "(TOP (NP (NN tea)) (CC or) (NP (NN coffee)))"
FLAT = "(TOP (UH oh) (UH no))"
COMMAND = "(FRAG (INTJ (UH Stop)))"
tree_of = nltk.Tree.fromstring


#: What methods take.
ARGUMENTS = {"phrases": ["NP"], "chunks": [4]}


def every(*attributes):
    names = [f"{owner.__name__}.{name}" for owner, name, _ in attributes]
    return pytest.mark.parametrize("attribute", attributes, ids=names)


def texts(spans):
    return [span.text for span in spans]


@pytest.fixture
def keys():
    return make_doc(KEYS)


#: Of a Doc: tokens, or one token, and the answers to what is asked of them; Spans as
#: texts.
ANSWERS = {
    KEYS: {
        (0, 5): {"labels": ("S",), "parse_string": KEYS, "parent": None}
        | {"children": ["The keys", "are here", "."]},
        (0, 2): {"labels": ("NP",), "parse_string": "(NP (DT The) (NNS keys))"}
        | {"parent": "The keys are here.", "is_constituent": True},
        (0, 1): {"labels": (), "parse_tree": nltk.Tree("DT", ["The"])},
        (2, 4): {"parse_tree": tree_of("(VP (VBP are) (ADVP (RB here)))")}
        | {"children": ["are", "here"], "constituents": ["are here", "are", "here"]},
        (3, 4): {"labels": ("ADVP",), "children": [], "parent": "are here"}
        | {"covering": "here"},
        (4, 5): {"is_constituent": True},
        (1, 3): {"is_constituent": False, "covering": "The keys are here."},
        0: {"parse_string": "(DT The)"},
        3: {"parse_string": "(ADVP (RB here))"},
    },
    # A chain of labels is one constituent.
    CHAIN: {
        0: {"parse_string": "(NP (NP (NN dog)))"},
        (0, 2): {"constituents": ["dog barks", "dog", "barks"]}
        | {"children": ["dog", "barks"]},
        (0, 1): {"children": []},
    },
    # The whole sentence is one token.
    COMMAND: {
        0: {"parse_string": COMMAND},
        (0, 1): {"children": [], "constituents": ["Stop"]},
    },
    # A forest is a constituent without labels.
    FOREST: {
        (0, 3): {"labels": (), "parse_string": FOREST, "parse_tree": tree_of(FOREST)}
        | {"children": ["tea", "or", "coffee"], "parent": None},
        **{i: {"parent": "tea or coffee"} for i in range(3)},
        (0, 2): {"is_constituent": False},
    },
}


@pytest.mark.parametrize("brackets", ANSWERS)
def test_attributes_give_the_answers_worked_out_by_hand(brackets):
    doc = make_doc(brackets)
    for place, answers in ANSWERS[brackets].items():
        asked = doc[place] if isinstance(place, int) else doc[slice(*place)]
        for name, expected in answers.items():
            found = getattr(asked._, name)
            if name in ("children", "constituents"):
                found = texts(found)
            elif isinstance(found, Span):
                found = found.text
            assert found == expected, (place, name)


def test_no_constituent_covers_tokens_of_two_sentences():
    doc = make_doc(FOREST, KEYS)
    assert doc[2:4]._.covering is None
    assert not doc[2:4]._.is_constituent


def test_attributes_of_spans_that_are_no_constituents_raise_at_once(keys):
    names = "labels parse_string parse_tree parent height depth constituents children"
    for span in (keys[1:3], keys[0:4], keys[3:5], keys[2:2], keys[5:5]):
        for name in names.split():
            with pytest.raises(NonConstituentException):
                getattr(span._, name)
    with pytest.raises(ValueError, match=r'"keys are" \(tokens 1-3\)'):
        _ = keys[1:3]._.labels


@every(*extensions.ATTRIBUTES)
def test_every_attribute_has_a_function(attribute):
    [function] = attribute[2].values()
    assert callable(resolve_name(function.path))


@every(*extensions.ATTRIBUTES)
def test_unparsed_doc_names_the_component(attribute):
    owner, name, _ = attribute
    doc = token_doc("a|b")
    places = {Doc: [doc, Doc(Vocab())], Span: [doc[:2], doc[:0]], Token: doc}[owner]
    for place in places:
        with pytest.raises(ValueError, match=r"no constituency trees.*constituency_p"):
            getattr(place._, name)(*ARGUMENTS.get(name, ()))


def test_a_sentence_of_white_space_has_an_empty_tree():
    doc = token_doc("\n|\n", "Go", trees=[[], [("VP", 0, 1)]])
    sent = next(doc.sents)._
    assert (sent.parse_string, sent.labels, sent.parent) == ("", (), None)
    assert sent.parse_tree == nltk.Tree("TOP", [])
    assert list(sent.constituents) == []
    assert doc._.parse_strings == ["", "(VP (XX Go))"]
    # White space at the end of one sentence, a word at the start of the next.
    assert doc[1:3]._.labels == ("VP",)


def check_all(doc, sentences):
    assert doc._.parse_strings == sentences
    assert [sent._.parse_string for sent in doc.sents] == sentences
    for sent in doc.sents:
        for span in sent._.constituents:
            assert span._.parent is not None or len(span) == len(sent)
            assert all(child._.parent == span for child in span._.children)


def test_getters_and_methods_of_attributes_can_be_pickled():
    for owner, names in (
        (Doc, Underscore.doc_extensions),
        (Span, Underscore.span_extensions),
        (Token, Underscore.token_extensions),
    ):
        for name in names:
            _, method, getter, _ = owner.get_extension(name)
            function = method or getter
            assert pickle.loads(pickle.dumps(function)) == function


def test_attributes_read_in_several_threads_are_right():
    sentences = [KEYS, FLAT, CHAIN, FOREST] * 5
    doc = make_doc(*sentences)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: doc._.parse_strings, range(8)))
        roots = list(pool.map(lambda s: s._.parse_string, list(doc.sents) * 4))
        assert all(pool.map(lambda t: t._.parent is not None, list(doc) * 4))
    assert found == [sentences] * 8
    assert roots == sentences * 4


def test_spans_carry_their_outermost_label_as_phrases_do(keys):
    assert [span.label_ for span in keys[:]._.children] == ["NP", "VP", ""]
    found = [span.label_ for span in keys[:]._.constituents]
    assert found == ["S", "NP", "", "", "VP", "", "ADVP", ""]
    assert keys._.phrases("VP")[0] in keys[:]._.children
    assert keys[2:4] not in keys[:]._.children
    assert keys[3]._.parent == keys[2:4]._.covering == keys._.phrases("VP")[0]
    assert nodes_of(make_doc(COMMAND)[0:1]._.covering) == ("FRAG", 0, 1)


def nodes_of(span):
    return span.label_, span.start, span.end


def test_changed_tags_and_a_replaced_group_are_seen(keys):
    check_all(keys, [KEYS])
    keys[0].tag_ = "XYZ"
    check_all(keys, [KEYS.replace("(DT", "(XYZ")])
    keys.spans[SPANS_KEY] = [Span(keys, 0, 5, "X"), Span(keys, 1, 3, "Y")]
    assert keys[1:3]._.labels == ("Y",)
    assert nodes_of(keys[1]._.parent) == ("Y", 1, 3)
    with pytest.raises(NonConstituentException):
        _ = keys[0:2]._.labels
    set_trees(keys, [parse_tree(KEYS).constituents])
    keys[0].tag_ = "DT"
    check_all(keys, [KEYS])


def test_added_and_deleted_spans_are_seen(keys):
    check_all(keys, [KEYS])
    keys.spans[SPANS_KEY].append(Span(keys, 4, 5, label="PUNCT"))
    assert keys[4]._.labels == ("PUNCT",)
    keys.spans[SPANS_KEY].extend([Span(keys, 4, 5, "A"), Span(keys, 4, 5, "B")])
    assert keys[4]._.labels == ("PUNCT", "A", "B")
    before = keys[:]._.parse_string
    assert before.endswith("(PUNCT (A (B (. .)))))")
    # Which span this deletes differs between versions of spaCy.
    del keys.spans[SPANS_KEY][1]
    check_all(keys, [tree.brackets() for tree in get_trees(keys)])
    assert keys[:]._.parse_string != before
    del keys.spans[SPANS_KEY]
    with pytest.raises(ValueError, match="constituency_parser"):
        _ = keys[4]._.labels


def test_split_and_joined_sentences_are_seen():
    doc = make_doc(KEYS, FOREST)
    check_all(doc, [KEYS, FOREST])
    doc[6].is_sent_start = True
    assert doc[5]._.parent is None
    assert texts(doc[6:8]._.children) == ["or", "coffee"]
    check_all(doc, [KEYS, "(NP (NN tea))", "(TOP (CC or) (NP (NN coffee)))"])
    doc[5].is_sent_start = False
    assert doc[0:5]._.parent == doc[5]._.parent == doc[0:6]
    check_all(doc, [f"(TOP {KEYS} (NP (NN tea)))", "(TOP (CC or) (NP (NN coffee)))"])
    doc[2].is_sent_start = True
    for place in (doc[0], doc[0:2], doc[2], doc[2:4], doc[0:5]):
        with pytest.raises(TreeError):
            _ = place._.parent


@pytest.mark.parametrize("split", [False, True])
def test_retokenized_doc_is_an_error(split):
    doc = make_doc(KEYS, FLAT)
    check_all(doc, [KEYS, FLAT])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        if split:
            retokenizer.split(doc[3], ["he", "re"], heads=[(doc[3], 0), (doc[3], 1)])
    assert (len(doc) == 7) == split
    for get in (lambda: doc[0:4]._.parse_string, lambda: doc._.parse_strings):
        with pytest.raises(TreeError):
            get()


@pytest.mark.parametrize("side", ["left", "right", "unary"])
def test_attributes_answer_for_trees_a_thousand_levels_deep(side):
    depth = 1000
    extents = {
        "left": [(0, depth - i) for i in range(depth)],
        "right": [(i, depth) for i in range(depth)],
        "unary": [(0, 1)] * depth,
    }[side]
    n_words = 1 if side == "unary" else depth
    nodes = [("X", *extent) for extent in extents]
    doc = token_doc("|".join(["w"] * n_words), trees=[nodes])
    tree = doc[:]._.parse_string
    assert tree.count("(X ") == depth
    assert len(list(doc[:]._.constituents)) == len(set(extents)) + n_words - 1
    leaf = 0 if side == "left" else n_words - 1
    assert len(doc[:]._.parse_tree.leaf_treeposition(leaf)) == depth + 1
    span, steps = doc[leaf : leaf + 1], 0
    while (span := span._.parent) is not None:
        steps += 1
    assert steps == (0 if side == "unary" else depth - 1)


def with_white_space(span):
    """The widest span of the same words."""
    doc, start, end = span.doc, span.start, span.end
    while start and doc[start - 1].text.isspace():
        start -= 1
    while end < len(doc) and doc[end].text.isspace():
        end += 1
    return doc[start:end]


@given(docs())
def test_attributes_agree_with_the_trees_whatever_the_white_space(doc):
    """White space is in no answer, and changes none."""
    assert doc._.parse_strings == [tree.brackets() for tree in get_trees(doc)]
    for sent, tree in zip(doc.sents, get_trees(doc), strict=True):
        assert sent._.parse_string == tree.brackets()
        position = [token.i for token in sent if not token.text.isspace()]
        n_words = len(position)
        nodes = {(start, end) for _, start, end in tree.constituents}
        nodes |= {(0, n_words)} | {(i, i + 1) for i in range(n_words)}
        found = [(s.start, s.end) for s in sent._.constituents]
        expected = sorted(nodes, key=lambda n: (n[0], -n[1]))
        assert found == [(position[a], position[b - 1] + 1) for a, b in expected]
        for a in range(n_words):
            for b in range(a + 1, n_words + 1):
                span = doc[position[a] : position[b - 1] + 1]
                if (a, b) not in nodes:
                    with pytest.raises(NonConstituentException):
                        _ = span._.labels
                    continue
                here = tuple(n.label for n in tree.constituents if n[1:] == (a, b))
                padded = with_white_space(span)
                for place in (span, padded, *(span if b == a + 1 else ())):
                    assert place._.labels == here
                    assert place._.parent == span._.parent
                    assert place._.parse_string == span._.parse_string
                assert list(padded._.constituents) == list(span._.constituents)
                above = [
                    (s, e) for s, e in nodes if s <= a and b <= e and e - s > b - a
                ]
                if not above:
                    assert span._.parent is None
                    continue
                s, e = min(above, key=lambda n: n[1] - n[0])
                extent = (position[s], position[e - 1] + 1)
                assert (span._.parent.start, span._.parent.end) == extent
                assert span._.covering in list(span._.parent._.children)


@every(*extensions.ATTRIBUTES, (Span, "noun_chunks", None))
def test_four_times_the_sentences_are_four_times_the_work(attribute):
    owner, name, _ = attribute
    docs = {n: make_doc(*[KEYS] * n) for n in (5, 20)}
    for doc in docs.values():
        doc.spans["constituents"].attrs["surprisal"] = [1.0] * len(doc)

    def ask(n_sentences):
        doc = docs[n_sentences]
        places = {Doc: [doc], Span: doc.sents, Token: doc}[owner]
        for place in places:
            found = getattr(place if name == "noun_chunks" else place._, name)
            if name in ARGUMENTS:
                found = found(*ARGUMENTS[name])
            _ = list(found if isinstance(found, Iterable) else ())

    def count(n_sentences):
        # What the first sentence of a Doc takes, and what any pattern takes once.
        ask(n_sentences)
        docs[n_sentences] = docs[n_sentences].copy()
        return work(ask, n_sentences)

    assert count(20) < 5 * count(5)


@pytest.fixture
def no_attributes(monkeypatch):
    """None is set, and afterwards all are again."""
    for kind in ("doc_extensions", "span_extensions", "token_extensions"):
        monkeypatch.setattr(Underscore, kind, getattr(Underscore, kind).copy())
    monkeypatch.setattr(extensions, "_warned", set())
    extensions.remove_extensions()


@pytest.mark.usefixtures("no_attributes")
def test_attributes_of_another_package_stay_unless_forced(keys):
    def theirs(span):
        return "theirs"

    theirs.__module__ = "other_parser.spacy"
    Span.set_extension("labels", getter=theirs)
    Span.set_extension("parent", getter=theirs)
    Token.set_extension("labels", method=theirs)
    Doc.set_extension("phrases", method=theirs)
    Span.set_extension("depth", default=None)
    with pytest.warns(UserWarning, match="leaves them as they are") as caught:
        spacy_gfl.set_extensions()
    message, other = (str(warning.message) for warning in caught)
    assert other.startswith("other code has already set Span._.depth")
    names = "Span._.labels, Span._.parent, Token._.labels, Doc._.phrases"
    assert f"other_parser.spacy has already set {names}, and" in message
    assert "parse_string" not in message
    assert (keys[:]._.labels, keys[:]._.depth) == ("theirs", None)
    assert Span.get_extension("labels")[2] is theirs
    assert keys[:]._.parse_string == KEYS
    spacy_gfl.set_extensions()  # A second warning would be an error.
    spacy_gfl.remove_extensions()
    assert Span.has_extension("labels")
    assert Doc.has_extension("phrases")
    assert not Span.has_extension("parse_string")
    assert not Doc.has_extension("parse_strings")
    spacy_gfl.set_extensions(force=True)
    assert keys[:]._.labels == ("S",)
    assert keys[:]._.parent is None
    assert texts(keys._.phrases("NP")) == ["The keys"]
