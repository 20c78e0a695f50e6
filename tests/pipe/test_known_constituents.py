"""What users know of trees, as span groups, dependencies and entities say it.

A warning where none is expected is an error in all tests.
"""

import warnings
from functools import lru_cache
from itertools import pairwise
from operator import eq
from unittest.mock import Mock

import pytest
from helpers.growth import work
from helpers.pipelines import (
    SEQ2SEQ,
    get_module,
    get_parser,
    initialized,
    trained,
    trees,
)
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_gfl import get_trees
from spacy_gfl.annotation.dependencies import spans_from_dependencies
from spacy_gfl.annotation.sentence_words import sentence_words
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.decoding.tasks import CONSTRAINED_BEAM
from spacy_gfl.pipe.known_constituents import (
    FORBIDDEN_KEY,
    NOT_TAKEN,
    REQUIRED_KEY,
    known_constraints,
)
from spacy_gfl.pipe.search_settings import SearchSettings

#: Two sentences, with white space between words and at their ends.
WORDS = ["She", "saw", "\n", "a", "man", "with", "a", "hat", ".", "\n"]
WORDS += ["The", "dog", "barks", ".", "\n\n"]
STARTS = [i in (0, 10) for i in range(len(WORDS))]
SAW = "(S (NP (XX She)) (VP (XX saw) (NP (NP (XX a) (XX man)) (PP (XX with) (NP"
PLAIN = [f"{SAW} (XX a) (XX hat))))) (XX .))"]
PLAIN += ["(S (NP (XX The) (XX dog)) (VP (XX barks)) (XX .))"]


@pytest.fixture(scope="module")
def nlp():
    nlp = trained()
    get_parser(nlp).predict_tags = False
    return nlp


def make_doc(nlp, required=(), forbidden=()):
    doc = Doc(nlp.vocab, WORDS, sent_starts=STARTS)
    for key, extents in ((REQUIRED_KEY, required), (FORBIDDEN_KEY, forbidden)):
        if extents:
            doc.spans[key] = [Span(doc, *extent) for extent in extents]
    return doc


def parsed(nlp, required=(), forbidden=()):
    return get_parser(nlp)(make_doc(nlp, required, forbidden))


def labels(doc, start, end):
    return doc[start:end]._.labels


def test_required_extents_are_constituents_and_forbidden_ones_are_not(nlp):
    assert parsed(nlp)._.parse_strings == PLAIN
    doc = parsed(nlp, [(1, 5), (6, 9, "VP"), (10, 13, "NP")], [(10, 12)])
    assert labels(doc, 1, 5)
    assert "VP" in labels(doc, 6, 9)
    assert doc._.parse_strings[1] != PLAIN[1]
    assert "NP" in labels(doc, 10, 13)
    with pytest.raises(ValueError, match="not a constituent"):
        labels(doc, 10, 12)


def test_what_is_forbidden_does_not_come_back_with_punctuation(nlp):
    words = ["She", "saw", ",", "``", "a", "man", "''", ",", "with", "."]
    doc = Doc(nlp.vocab, words, sent_starts=[True] + [False] * 9)
    doc.spans[FORBIDDEN_KEY] = [doc[4:6], doc[0:9]]
    [known] = known_by(nlp, doc, places=[(0, 0)])
    man = {(start, end) for start in (2, 3, 4) for end in (6, 7, 8)}
    # The whole sentence stays a constituent.
    assert set(known.forbidden) == man | {(0, 9)}
    doc.spans[FORBIDDEN_KEY] = [doc[3:7]]
    doc.spans[REQUIRED_KEY] = [doc[4:6]]
    [known] = known_by(nlp, doc, places=[(0, 0)])
    assert set(known.forbidden) == man - {(4, 6)}


def test_other_sentences_and_docs_stay_as_they_are(nlp):
    known = (), ([(1, 5, "NP")],), ((), [(10, 12)])
    one, two, three = get_parser(nlp).pipe([make_doc(nlp, *of) for of in known])
    same = [[*map(eq, doc._.parse_strings, PLAIN)] for doc in (one, two, three)]
    assert same == [[True, True], [False, True], [True, False]]
    log_probs = [doc.spans["constituents"].attrs["log_probs"] for doc in (one, two)]
    # The model's own, which fall as the tree is another.
    assert log_probs[0][1] == pytest.approx(log_probs[1][1])
    assert log_probs[0][0] > log_probs[1][0]


def test_constraints_that_greedy_search_sees_too_late_have_a_beam():
    """Each sentence is searched by the width that its own constraints need."""
    found = {}
    for width in (1, CONSTRAINED_BEAM):
        nlp = initialized()
        get_parser(nlp).search.beam_width = width
        known = [(1, 5, "NP")], [(1, 5)]
        docs = [parsed(nlp, required, [(10, 12)]) for required in known]
        found[width] = [doc._.parse_strings for doc in docs]
    greedy, beam = found.values()
    assert greedy[0] == beam[0]
    assert [doc[1] for doc in greedy] == [doc[1] for doc in beam]
    # Untrained, a greedy search seldom finds the tree that a beam finds.
    assert greedy[1][0] != beam[1][0]


@pytest.mark.parametrize("extent", [(1, 5), (1, 5, "NP"), (2, 5), (2, 6), (5, 10)])
def test_white_space_does_not_count(nlp, extent):
    doc = parsed(nlp, [extent])
    start, end, *label = extent
    assert labels(doc, start, end)
    assert not label or label[0] in labels(doc, start, end)
    assert all(not span.text[:1].isspace() for span in doc.spans["constituents"])


def test_a_single_word_is_a_constituent_as_it_is(nlp):
    assert parsed(nlp, [(1, 2), (12, 13)])._.parse_strings == PLAIN
    assert labels(parsed(nlp, [(1, 2, "NP")]), 1, 2) == ("NP",)
    assert labels(parsed(nlp), 12, 13) == ("VP",)
    assert labels(parsed(nlp, [(12, 13)], [(12, 13)]), 12, 13) == ()


def test_labels_of_one_extent_are_a_chain(nlp):
    doc = parsed(nlp, [(10, 12, "FRAG"), (10, 12, "INTJ"), (10, 12), (10, 12, "FRAG")])
    assert labels(doc, 10, 12) == ("FRAG", "INTJ")


def test_whole_sentences_may_be_required_or_forbidden(nlp):
    doc = parsed(nlp, [(0, 10, "VP")], [(10, 15)])
    assert "VP" in labels(doc, 0, 10)
    assert list(doc.sents)[1]._.labels == ()


@pytest.mark.parametrize(
    ("required", "forbidden", "messages"),
    [
        ([(0, 3, "PERSON")], [], ['PERSON "She saw"', "does not know its label"]),
        ([(8, 11)], [], ['". The" (tokens 8-11): it is in more than one sentence']),
        ([(2, 3)], [], ["it has no words"]),
        ([(3, 5), (15, 15)], [], ["it has no words"]),
        ([(0, 3), (1, 5)], [], ['"saw a man" (tokens 1-5): it conflicts']),
        ([(3, 5)], [(3, 5)], ['forbidden "a man" (tokens 3-5): it conflicts']),
        ([(2, 5)], [(3, 5)], ['forbidden "a man"', 'conflicts with "a man"']),
        # The second, not those that it conflicts with.
        (
            [(0, 3), (1, 5), (4, 7)],
            [],
            ['"saw a man" (tokens 1-5): it conflicts with "She saw"'],
        ),
        ([(3, 5, "NP"), (3, 5, "PP")], [], ['PP "a man"', "has both it and NP"]),
    ],
)
def test_what_cannot_be_met_is_left_out(nlp, required, forbidden, messages):
    with pytest.warns(UserWarning, match="cannot be met") as caught:
        doc = parsed(nlp, required, forbidden)
    [warning] = caught
    text = str(warning.message)
    assert text.startswith("1 of the constraints on trees")
    for message in messages:
        assert message in text
    # The other constraints hold.
    for start, end, *_ in required:
        if not any(f"(tokens {start}-{end}): " in part for part in text.split("; ")):
            assert labels(doc, start, end)


@pytest.mark.parametrize("extent", [(4, 8), (14, 15), (0, 5)])
def test_constraints_on_tokens_that_have_been_changed_are_warned_of(nlp, extent):
    doc = make_doc(nlp, [extent], [(0, 1)])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:4])
    with pytest.warns(UserWarning, match=f'{REQUIRED_KEY}"\\]: the tokens of the Doc'):
        doc = get_parser(nlp)(doc)
    assert labels(doc, 0, 1) == ()


def test_a_warning_of_many_constraints_names_only_some(nlp):
    with pytest.warns(UserWarning, match=r"^7 of the constraints .*; and 2 more\.$"):
        doc = parsed(nlp, [(i, i + 3, "PERSON") for i in range(7)])
    assert doc._.parse_strings == PLAIN


def known_by(nlp, doc, codec=None, network=None, places=((0, 0), (0, 1))):
    """What the network is told of a Doc's sentences."""
    codec, network = codec or get_parser(nlp).codec, network or get_module(nlp)
    sents, settings = [sentence_words(doc)], SearchSettings()
    return known_constraints([doc], sents, places, codec, network, settings)


def test_labels_are_required_together_if_some_constituent_has_them(nlp):
    brackets = [
        "(S (NP (VP (XX a) (XX b))))",
        "(S (NP (XX a)) (XX b))",
        "(VP (S (XX a) (XX b)))",
    ]
    codec = AttachJuxtapose.from_trees(trees(brackets))
    doc = make_doc(nlp, [(0, 5, "NP"), (0, 5, "S"), (0, 5, "VP"), (0, 5)])
    known, _ = known_by(nlp, doc, codec)
    assert known.required == [(0, 4, codec.bearing(["NP", "VP", "S"]))]
    two_by_two = AttachJuxtapose(["A", "B", "C"], ["AB", "BC", "AC"])
    doc = make_doc(nlp, [(0, 5, "A"), (0, 5, "B"), (0, 5, "C")])
    with pytest.warns(
        UserWarning,
        match='C "She saw a man" .*: no constituent has both it and A and B',
    ):
        known, _ = known_by(nlp, doc, two_by_two)
    assert known.required == [(0, 4, frozenset({1}))]


def nested(nlp, n_words, extents):
    """What the network of one sentence is told that has these required extents."""
    doc = Doc(
        nlp.vocab, ["dog"] * n_words, sent_starts=[True] + [False] * (n_words - 1)
    )
    doc.spans[REQUIRED_KEY] = [doc[start:end] for start, end in extents]
    return doc


def test_the_work_of_reading_many_constraints_is_linear(nlp):
    """Of spans that nest, cross, and are of one extent."""
    made = (
        lambda n: [(i, n) for i in range(n - 1)],
        lambda n: [(0, i) for i in range(2, n)],
        lambda n: [(i, i + n // 2) for i in range(n // 2)],
        lambda n: [(0, n)] * n,
    )

    def read(n, extents):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known_by(nlp, nested(nlp, n, extents(n)), places=[(0, 0)])

    for extents in made:
        steps = [work(lambda n, of=extents: read(n, of), n) for n in (100, 400)]
        assert steps[1] < 8 * steps[0]


def test_a_sentence_takes_so_many_constraints_and_no_more(nlp, monkeypatch):
    monkeypatch.setattr("spacy_gfl.pipe.known_constituents.MOST_CONSTRAINTS", 3)
    doc = nested(nlp, 30, [(i, 30) for i in range(5)])
    with pytest.warns(
        UserWarning, match=r"^2 of the constraints .* its sentence has more than 3;"
    ):
        [known] = known_by(nlp, doc, places=[(0, 0)])
    assert [extent[:2] for extent in known.required] == [(0, 30), (1, 30), (2, 30)]


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(2, 12)), max_size=30),
    st.integers(1, 4),
)
def test_of_nested_constraints_so_many_are_kept_as_chains_have_room_for(asked, most):
    nlp = trained_once(dependencies=False)
    extents = [(start, end) for start, end in asked if end - start > 1]
    doc = nested(nlp, 12, extents)
    network = Mock(most_nested=most)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        [known] = known_by(nlp, doc, places=[(0, 0)], network=network) or [None]
    kept = [] if known is None else known.required
    around = [{start for start, end, _ in kept if start <= i < end} for i in range(12)]
    assert max(map(len, around)) <= most
    assert bool(kept) == bool(extents)


def test_constraints_deeper_than_trees_may_be():
    nlp = initialized(max_depth=3)
    parsed(nlp, [(0, 9), (1, 8), (10, 13), (11, 13)])
    with pytest.warns(UserWarning, match="no room for it") as caught:
        doc = parsed(nlp, [(0, 8), (1, 8), (3, 8), (0, 5)])
    assert "(tokens 3-8)" in str(caught[0].message)
    assert labels(doc, 0, 8)
    assert labels(doc, 1, 8)


@pytest.mark.parametrize("max_words", [5, 1])
def test_constraints_on_sentences_too_long_to_search_are_warned_of(
    nlp, monkeypatch, max_words
):
    monkeypatch.setattr(get_parser(nlp).search, "max_words", max_words)
    with pytest.warns(UserWarning, match="too long to be searched"):
        doc = parsed(nlp, [(1, 5), (10, 13)])
    assert doc[10:13]._.is_constituent == (max_words == 5)


def test_the_paper_s_decoder_says_that_it_takes_none():
    nlp = trained(SEQ2SEQ)
    with pytest.warns(UserWarning, match="ignores the constraints") as caught:
        docs = list(get_parser(nlp).pipe([make_doc(nlp, [(1, 5)], [(10, 12)])] * 2))
    assert [str(warning.message) for warning in caught] == [NOT_TAKEN]
    assert [doc._.parse_strings for doc in docs] == [PLAIN] * 2


@lru_cache
def trained_once(dependencies):
    nlp = trained()
    get_parser(nlp).search.dependencies = dependencies
    return nlp


@given(data=st.data())
def test_any_spans_are_obeyed_or_left_out_with_one_warning(data):
    nlp = trained_once(dependencies=False)
    extents = st.tuples(st.integers(0, 14), st.integers(1, 15)).filter(
        lambda extent: extent[0] < extent[1]
    )
    label = st.sampled_from(["", "", "NP", "VP", "S", "FRAG", "PERSON"])
    required = data.draw(st.lists(st.tuples(extents, label), max_size=12))
    forbidden = data.draw(st.lists(extents, max_size=12))
    doc = make_doc(nlp, [(*extent, label) for extent, label in required], forbidden)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        known = known_by(nlp, doc)
        get_parser(nlp)(doc)
    assert len({str(warning.message) for warning in caught}) <= 1
    for tree, of in zip(get_trees(doc), known or (None, None), strict=True):
        if of is None:
            continue
        found = {(node.start, node.end) for node in tree.constituents}
        assert found.isdisjoint(of.forbidden)
        assert found.issuperset((start, end) for start, end, _ in of.required)
        ordered = sorted((start, -end) for start, end, _ in of.required)
        assert len(set(ordered)) == len(ordered)
        for (a, b), (c, d) in pairwise(ordered):
            assert not a < c < -b < -d


def dependent_doc(nlp, heads):
    """The first sentence with the head of each word; dependents are modifiers."""
    deps = ["ROOT" if head == i else "nmod" for i, head in enumerate(heads)]
    return Doc(nlp.vocab, WORDS[:2] + WORDS[3:9], heads=heads, deps=deps)


# The heads of seven words after the root: each one's is nearer to the root.
@given(st.tuples(*(st.integers(0, i) for i in range(7))))
def test_trees_agree_with_dependencies_if_this_is_asked_for(heads):
    nlp = trained_once(dependencies=True)
    doc = get_parser(nlp)(dependent_doc(nlp, (0, *heads)))
    # Subtrees do not cross each other.
    assert all(span._.is_constituent for span in spans_from_dependencies(doc))
    assert REQUIRED_KEY not in doc.spans


def test_entities_are_constituents_if_this_is_asked_for(nlp, monkeypatch):
    parser = get_parser(nlp)
    doc = parser(make_doc(nlp))
    saw_a_man = Span(doc, 1, 5, label="ORG")
    doc.ents = [saw_a_man]
    assert not parser(doc)[1:5]._.is_constituent
    monkeypatch.setattr(parser.search, "entities", True)
    assert parser(doc)[1:5]._.is_constituent
    doc.spans[FORBIDDEN_KEY] = [saw_a_man]
    assert not parser(doc)[1:5]._.is_constituent


def test_what_the_user_says_goes_before_dependencies(nlp, monkeypatch):
    parser = get_parser(nlp)
    doc = dependent_doc(nlp, [1, 1, 3, 1, 3, 6, 4, 1])
    asked = spans_from_dependencies(doc)
    assert doc[2:7] in asked
    doc.spans[FORBIDDEN_KEY] = [doc[2:7]]
    monkeypatch.setattr(parser.search, "dependencies", True)
    parser(doc)
    assert not doc[2:7]._.is_constituent
    assert doc[4:7]._.is_constituent
    with pytest.raises(ValueError, match="Put a dependency parser before"):
        parser(make_doc(nlp))
