import pytest
from helpers import strategies
from helpers.docs import token_doc
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl import Tree, get_trees, set_trees, trees_to_docs
from spacy_gfl.evaluation.scorer import score_brackets, score_doc
from spacy_gfl.tools.evalb import score_lines
from spacy_gfl.tools.evalb.report import evalb_report

KEY = "constituents"


def score(gold, predicted, **kwargs):
    return score_brackets([Example(predicted, gold)], **kwargs)


SENT, SENT_TAGS = "The|keys|,|she|left|.", "DT|NNS|,|PRP|VBD|."
TREE = [("S", 0, 6), ("NP", 0, 2), ("NP", 3, 4), ("VP", 4, 5)]


def gold_doc():
    return token_doc(SENT, tags=SENT_TAGS, trees=[TREE])


def test_all_scores_have_their_names_and_values():
    gold = gold_doc()
    nodes = [("S", 0, 6), ("NP", 0, 2), ("VP", 3, 5), ("NP", 4, 5)]
    predicted = token_doc(SENT, trees=[nodes], attrs={"flags": ["repaired"]})
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
    doc = gold_doc()
    set_trees(doc, [TREE[:2]], key="mine", attrs={"flags": ["repaired"]})
    scores = score(doc, doc, spans_key="mine")
    assert (scores["spans_mine_p"], scores["spans_mine_r"]) == (1.0, 0.5)
    assert scores["con_repaired"] == 1
    assert score(doc, doc)["spans_constituents_f"] == 1.0
    assert score(doc, doc, spans_key="gone")["con_error"] == 1


def test_gold_docs_without_trees_are_passed_over():
    doc, bare = gold_doc(), token_doc(SENT)
    assert score_brackets([Example(doc, bare), Example(doc, doc)])["con_f"] == 1.0
    with pytest.warns(UserWarning, match="None of these Docs has gold trees"):
        scores = score(bare, doc)
    assert scores
    assert set(scores.values()) == {None}
    assert set(score_brackets([])) == set(scores)


def test_docs_without_trees_and_flat_trees_recall_nothing():
    gold = token_doc(SENT, ".", tags=f"{SENT_TAGS}|.", trees=[TREE, []])
    bare = token_doc(SENT, ".")
    scores = score(gold, bare)
    assert (scores["con_p"], scores["con_r"], scores["con_exact"]) == (0.0, 0.0, 0.0)
    # A sentence of punctuation alone has nothing to recall.
    assert (scores["con_error"], scores["con_skip"]) == (1, 1)
    scores = score_brackets([Example(bare, gold), Example(gold, gold)])
    assert (scores["con_p"], scores["con_r"], scores["con_exact"]) == (1.0, 0.5, 0.5)
    set_trees(bare, [[], []], attrs={"flags": ["flat"]})
    scores = score(gold, bare)
    assert (scores["con_r"], scores["con_error"], scores["con_flat"]) == (0.0, 0, 1)


CANNOT = token_doc(
    "can|not|go|.", tags="MD|RB|VB|.", trees=[[("S", 0, 4), ("X", 0, 2), ("VP", 2, 3)]]
)
#: Words, their tree, precision and recall.
OTHER_TOKENS = [
    # Extents are compared by characters.
    ("cannot|go.", [("S", 0, 2), ("X", 0, 1), ("VP", 1, 2)], 1, 1),
    # An end inside a gold token is wrong, and not dropped.
    (
        "can|no|t|go|.",
        [("S", 0, 5), ("X", 0, 2), ("Y", 2, 3), ("VP", 3, 4)],
        1 / 2,
        2 / 3,
    ),
    # Another text is wrong, and no reason to fail.
    ("much|longer|text", [("X", 0, 3)], 0, 0),
]


@pytest.mark.parametrize(("words", "tree", "precision", "recall"), OTHER_TOKENS)
def test_predictions_over_other_tokens_are_scored(words, tree, precision, recall):
    predicted = token_doc(words, trees=[tree])
    scores = score(CANNOT, predicted)
    assert scores["con_p"] == precision
    assert scores["con_r"] == pytest.approx(recall)
    assert score_doc(CANNOT, predicted)[0].predicted == len(tree)


def test_white_space_tokens_do_not_matter():
    nodes = [("S", 0, 4), ("X", 0, 2), ("VP", 2, 3)]
    spaced = token_doc("can|not|\n|go|.|\n\n", trees=[nodes])
    assert len(spaced.spans[KEY][0]) == 5
    assert score(CANNOT, spaced)["con_f"] == score(spaced, CANNOT)["con_f"] == 1.0
    # A bare vocabulary has no flags: token.is_space is False.
    [found] = score_doc(spaced, spaced)
    assert (found.length, found.words, found.gold_words) == (4, 4, 4)


SENTENCES = token_doc(
    "a|b", "c|d", trees=[[("S", 0, 2), ("X", 1, 2)], [("S", 0, 2), ("Y", 0, 1)]]
)


def test_a_bracket_belongs_to_the_sentence_where_it_begins():
    tree = [("S", 0, 4), ("X", 1, 2), ("S", 2, 4), ("Y", 2, 3), ("Z", 3, 4)]
    first, second = score_doc(SENTENCES, token_doc("a|b|c|d", trees=[tree]))
    assert (first.matched, first.gold, first.predicted) == (1, 2, 2)
    assert (second.matched, second.gold, second.predicted) == (2, 2, 3)
    # More sentences than gold has.
    trees = [[("S", 0, 1)], [("X", 0, 1)], [("S", 0, 2), ("Y", 0, 1)]]
    scores = score(SENTENCES, token_doc("a", "b", "c|d", trees=trees))
    found = [scores[name] for name in ("con_p", "con_r", "con_exact")]
    assert found == [0.75, 0.75, 0.5]


def test_predictions_need_no_sentences_but_gold_does():
    predicted = Doc(Vocab(), words=["a", "b", "c", "d"])
    predicted.spans[KEY] = [Span(predicted, 0, 2, label="S")]
    scores = score(SENTENCES, predicted)
    assert (scores["con_error"], scores["con_p"], scores["con_r"]) == (0, 1, 0.25)
    with pytest.raises(ValueError, match="sentence boundaries"):
        score(predicted, SENTENCES)


@pytest.mark.parametrize(
    ("sents", "tags", "n_skipped"),
    [([], None, 0), (["\n"], "_SP", 1), (["."], ".", 1), (["a"], "A", 0)],
)
def test_nothing_to_compare_scores_zero(sents, tags, n_skipped):
    doc = token_doc(*sents, tags=tags, trees=[[] for _ in sents])
    scores = score(doc, doc)
    assert (scores["con_f"], scores["con_skip"]) == (0.0, n_skipped)


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
    assert evalb_report(scores) == evalb_report(printed)
