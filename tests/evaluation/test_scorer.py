import pytest
from helpers import strategies
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import get_trees, set_trees
from spacy_gfl.evaluation.evalb import score_lines
from spacy_gfl.evaluation.report import evalb_report
from spacy_gfl.evaluation.scorer import score_brackets, score_doc
from spacy_gfl.trees.tree import Tree, TreeError

KEY = "constituents"


def make_doc(sents, trees=None, *, spaces=None, flags=None):
    """A Doc of sentences, each a list of "word" or "word/TAG"; trees of tuples."""
    tokens = [token.rsplit("/", 1) for sent in sents for token in sent]
    doc = Doc(
        Vocab(),
        words=[token[0] for token in tokens],
        tags=[token[1] if len(token) > 1 else "" for token in tokens],
        sent_starts=[i == 0 for sent in sents for i in range(len(sent))],
        spaces=spaces,
    )
    if trees is not None:
        set_trees(doc, trees, attrs=flags and {"flags": flags})
    return doc


def score(gold, predicted, **kwargs):
    return score_brackets([Example(predicted, gold)], **kwargs)


def rows(scores):
    return [
        (s.status, s.length, s.matched, s.gold, s.predicted, s.crossing, s.words)
        for s in scores
    ]


SENT = ["The/DT", "keys/NNS", ",/,", "she/PRP", "left/VBD", "./."]
TREE = [("S", 0, 6), ("NP", 0, 2), ("NP", 3, 4), ("VP", 4, 5)]


def test_all_scores_have_their_names_and_values():
    gold = make_doc([SENT], [TREE])
    predicted = make_doc(
        [SENT],
        [[("S", 0, 6), ("NP", 0, 2), ("VP", 3, 5), ("NP", 4, 5)]],
        flags=["repaired"],
    )
    # Settings of the component are handed on.
    scores = score(gold, predicted, spans_key=KEY, beam_width=1, x=None)
    assert scores["con_p"] == scores["con_r"] == scores["con_f"] == 0.5
    assert scores["con_unlabelled_p"] == scores["con_unlabelled_f"] == 0.75
    assert scores["con_exact"] == 0.0
    assert (scores["con_error"], scores["con_skip"]) == (0, 0)
    assert (scores["con_repaired"], scores["con_flat"]) == (1, 0)
    assert scores["con_per_label"]["NP"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert scores["con_per_label"]["VP"] == {"p": 0.0, "r": 0.0, "f": 0.0}
    # `spacy evaluate` looks for them under a key that it has been given, or under sc.
    for key in (KEY, "sc"):
        assert {scores[f"spans_{key}_{name}"] for name in "prf"} == {0.5}
        assert scores[f"spans_{key}_per_type"] == scores["con_per_label"]
    # Another component's spans have scores of their own.
    gold.spans["sc"] = [gold[:1]]
    scores = score(gold, gold)
    assert "spans_sc_f" not in scores
    assert scores["con_repaired"] is None


def test_predictions_under_another_key_are_scored():
    doc = make_doc([SENT], [TREE])
    set_trees(doc, [TREE[:2]], key="mine", attrs={"flags": ["repaired"]})
    scores = score(doc, doc, spans_key="mine")
    assert (scores["spans_mine_p"], scores["spans_mine_r"]) == (1.0, 0.5)
    assert scores["con_repaired"] == 1
    assert score(doc, doc)["spans_constituents_f"] == 1.0
    assert score(doc, doc, spans_key="gone")["con_error"] == 1


def test_texts_that_differ_in_case_and_so_in_length():
    nodes = [("S", 0, 3), ("X", 1, 3), ("Y", 2, 3)]
    upper = make_doc([["İ/A", "a/A", "b/A"]], [nodes])
    lower = make_doc([["i̇/A", "a/A", "b/A"]], [nodes])
    assert score(upper, lower)["con_f"] == score(lower, upper)["con_f"] == 1.0


def test_gold_docs_without_trees_are_passed_over():
    doc, bare = make_doc([SENT], [TREE]), make_doc([SENT])
    assert score_brackets([Example(doc, bare), Example(doc, doc)])["con_f"] == 1.0
    scores = score(bare, doc)
    assert scores
    assert set(scores.values()) == {None}
    assert set(score_brackets([])) == set(scores)


def test_gold_tags_decide_what_is_deleted():
    gold = make_doc([SENT], [TREE])
    wrong = [token.rpartition("/")[0] + "/XX" for token in SENT]
    # The comma and the full stop are elsewhere, and tags are wrong or missing.
    nodes = [("S", 0, 6), ("NP", 0, 3), ("NP", 3, 4), ("VP", 4, 6)]
    assert score(gold, make_doc([wrong], [nodes]))["con_f"] == 1.0


def test_docs_without_trees_and_flat_trees_recall_nothing():
    gold = make_doc([SENT, ["./."]], [TREE, []])
    scores = score(gold, make_doc([SENT, ["./."]]))
    assert (scores["con_p"], scores["con_r"], scores["con_exact"]) == (0.0, 0.0, 0.0)
    # A sentence of punctuation alone has nothing to recall.
    assert (scores["con_error"], scores["con_skip"]) == (1, 1)
    both = [Example(make_doc([SENT, ["./."]]), gold), Example(gold, gold)]
    scores = score_brackets(both)
    assert (scores["con_p"], scores["con_r"], scores["con_exact"]) == (1.0, 0.5, 0.5)
    scores = score(gold, make_doc([SENT, ["./."]], [[], []], flags=["flat"]))
    assert (scores["con_r"], scores["con_error"], scores["con_flat"]) == (0.0, 0, 1)


CANNOT = make_doc(
    [["can/MD", "not/RB", "go/VB", "./."]],
    [[("S", 0, 4), ("X", 0, 2), ("VP", 2, 3)]],
    spaces=[0, 1, 0, 0],
)


@pytest.mark.parametrize(
    ("words", "spaces", "tree", "precision", "recall"),
    [
        # Extents are compared by characters.
        ("cannot|go.", [1, 0], [("S", 0, 2), ("X", 0, 1), ("VP", 1, 2)], 1, 1),
        # An end inside a gold token is wrong, and not dropped.
        (
            *("can|no|t|go|.", [0, 0, 1, 0, 0]),
            *([("S", 0, 5), ("X", 0, 2), ("Y", 2, 3), ("VP", 3, 4)], 1 / 2, 2 / 3),
        ),
        # Another text is wrong, and no reason to fail.
        ("x|y", None, [("S", 0, 2)], 0, 0),
        ("much|longer|text", None, [("X", 0, 3)], 0, 0),
    ],
)
def test_predictions_over_other_tokens_are_scored(
    words, spaces, tree, precision, recall
):
    predicted = make_doc([words.split("|")], [tree], spaces=spaces)
    scores = score(CANNOT, predicted)
    assert scores["con_p"] == precision
    assert scores["con_r"] == pytest.approx(recall)
    assert score_doc(CANNOT, predicted)[0].predicted == len(tree)


def test_white_space_tokens_do_not_matter():
    words, tree = ["can", "not", "\n", "go", ".", "\n\n"], [("S", 0, 4), ("X", 0, 2)]
    spaced = make_doc([words], [[*tree, ("VP", 2, 3)]], spaces=[0] * 6)
    assert len(spaced.spans[KEY][0]) == 5
    assert score(CANNOT, spaced)["con_f"] == score(spaced, CANNOT)["con_f"] == 1.0
    # A bare vocabulary has no flags: token.is_space is False.
    [found] = score_doc(spaced, spaced)
    assert (found.length, found.words, found.gold_words) == (4, 4, 4)


SENTENCES = make_doc(
    [["a/A", "b/B"], ["c/C", "d/D"]],
    [[("S", 0, 2), ("X", 1, 2)], [("S", 0, 2), ("Y", 0, 1)]],
)


def test_a_bracket_belongs_to_the_sentence_where_it_begins():
    tree = [("S", 0, 4), ("X", 1, 2), ("S", 2, 4), ("Y", 2, 3), ("Z", 3, 4)]
    first, second = score_doc(SENTENCES, make_doc([["a", "b", "c", "d"]], [tree]))
    assert (first.matched, first.gold, first.predicted) == (1, 2, 2)
    assert (second.matched, second.gold, second.predicted) == (2, 2, 3)
    # More sentences than gold has.
    trees = [[("S", 0, 1)], [("X", 0, 1)], [("S", 0, 2), ("Y", 0, 1)]]
    scores = score(SENTENCES, make_doc([["a"], ["b"], ["c", "d"]], trees))
    found = [scores[name] for name in ("con_p", "con_r", "con_exact")]
    assert found == [0.75, 0.75, 0.5]


def test_predictions_need_no_sentences_but_gold_does():
    predicted = Doc(Vocab(), words=["a", "b", "c", "d"])
    predicted.spans[KEY] = [Span(predicted, 0, 2, label="S")]
    scores = score(SENTENCES, predicted)
    assert (scores["con_error"], scores["con_p"], scores["con_r"]) == (0, 1, 0.25)
    with pytest.raises(ValueError, match="sentence boundaries"):
        score(predicted, SENTENCES)


@pytest.mark.parametrize("split", [False, True])
def test_tokens_changed_after_parsing_are_an_error(split):
    predicted = make_doc([SENT], [TREE])
    with predicted.retokenize() as retokenizer:
        if split:
            halves, heads = ["ke", "ys"], [(predicted[1], 0), (predicted[1], 1)]
            retokenizer.split(predicted[1], halves, heads=heads)
        else:
            retokenizer.merge(predicted[:2])
    with pytest.raises(TreeError, match="retokenize before parsing"):
        score(make_doc([SENT], [TREE]), predicted)


@pytest.mark.parametrize("sents", [[], [["\n/_SP"]], [["./."]], [["a/A"]]])
def test_nothing_to_compare_scores_zero(sents):
    doc = make_doc(sents, [[] for _ in sents])
    scores = score(doc, doc)
    assert scores["con_f"] == 0.0
    assert scores["con_skip"] == sum(sent != ["a/A"] for sent in sents)


LABELS = st.sampled_from(["S", "NP", "NP-SBJ", "VP", "ADVP", "PRT", "TOP", "A B"])
WORDS = st.sampled_from(["a", "bc", "(", "x/y", "é"])
TAGS = st.sampled_from(["A", "B", ",", ".", "-LRB-"])
TREES = strategies.trees(words=WORDS, tags=TAGS, labels=LABELS, max_words=12)


@given(st.lists(TREES, min_size=1, max_size=6), st.data())
def test_scores_equal_those_of_evalb_on_random_trees(golds, data):
    """Docs score as EVALB does the same trees printed under gold tags."""
    predictions, lines = [], []
    for gold in golds:
        extents = data.draw(strategies.extents(len(gold)))
        nodes = [(data.draw(LABELS), *extent) for extent in extents]
        tags = [data.draw(st.sampled_from(["A", ",", "XX"])) for _ in gold.tags]
        predictions.append(Tree(gold.words, tags, nodes))
        lines.append(Tree(gold.words, gold.tags, nodes).brackets("TOP"))
    docs = [
        next(trees_to_docs(trees, Vocab(), n_sents=0)) for trees in (golds, predictions)
    ]
    assert [get_trees(doc) for doc in docs] == [golds, predictions]
    scores = score_doc(*docs)
    printed = score_lines([gold.brackets("TOP") for gold in golds], lines)
    assert rows(scores) == rows(printed)
    assert evalb_report(scores) == evalb_report(printed)
