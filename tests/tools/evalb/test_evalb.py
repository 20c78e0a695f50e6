"""EVALB's rules, each pinned by a pair whose answer is worked out by hand."""

import pytest
from helpers.growth import work

from spacy_gfl.evaluation import COLLINS, NEW, Parameters, Status
from spacy_gfl.tools.evalb import load_parameters, score_lines, score_pair
from spacy_gfl.tools.evalb.bracket_lines import copy_tags, map_root, read_pair
from spacy_gfl.tools.evalb.parameter_files import ParameterError, parse_parameters
from spacy_gfl.tools.evalb.report import evalb_messages, evalb_report

VALID, ERROR, SKIP = Status.VALID, Status.ERROR, Status.SKIP
LENGTHS = "Length unmatch"


def read_lines(path):
    return path.read_text(encoding="utf8").split("\n")[:-1]


#: Promises, each with its matched, gold, predicted and crossing brackets, and a pair.
VALID_PAIRS = r"""
TOP is deleted, its children stay: 1 1 1 0
(TOP (X (NN a)))
(X (TOP (NN a)))
ROOT counts: 1 2 2 0
(ROOT (X (NN a)))
(ROOT (Y (NN a)))
an empty label counts: 2 2 2 0
( (X (NN a)))
( (X (NN a)))
punctuation of any place in the tree: 3 3 3 0
(S (`` `) (NP (NN a)) (: ;) (VP (VB b)) ('' ') (. !))
(S (NP (`` `) (NN a)) (VP (: ;) (VB b) ('' ') (. !)))
brackets and hyphens stay: 1 2 2 0
(X (NP (-LRB- -LRB-) (NN a)) (HYPH -))
(X (-LRB- -LRB-) (NP (NN a)) (HYPH -))
tags are compared whole: ,-X is no comma: 1 2 2 0
(X (NP (NN a)) (,-X ,))
(X (NP (NN a) (,-X ,)))
labels are cut at - and =: 3 3 3 0
(S=1 (NP-SBJ-2 (NN a)) (VP (VB b)))
(S (NP=3-X (NN a)) (VP-PRD=4 (VB b)))
labels are not cut at |: 1 2 2 0
(X (NP|NX (NN a)))
(X (NP (NN a)))
traces and what they leave empty: 2 2 2 0
(S (NP (-NONE- *T*)) (VP (VB b)))
(S (VP (VB b)))
each predicted bracket is used once: 2 3 2 0
(NP (NP (NP (NN a))))
(NP (NP (NN a)))
each gold bracket is used once: 1 1 2 0
(NP (NN a))
(NP (NP (NN a)))
the order of a unary chain is of no account: 2 2 2 0
(S (VP (VB a)))
(VP (S (VB a)))
ADVP and PRT are equal: 3 3 3 0
(VP (VB a) (PRT (RP b)) (ADVP (RB c)))
(VP (VB a) (ADVP (RP b)) (PRT (RB c)))
crossing counts predicted brackets, once each: 1 4 3 2
(S (X (X (A a) (A b))) (Y (A c) (A d)))
(S (A a) (Z (Z (A b) (A c))) (A d))
deleted brackets cross nothing: 1 2 1 0
(S (X (A a) (A b)) (A c))
(S (A a) (TOP (A b) (A c)))
no brackets at all: 0 0 0 0
(NN a)
(NN a)
""".strip().split("\n")


@pytest.mark.parametrize(
    ("promise", "gold", "predicted"),
    [
        *zip(VALID_PAIRS[::3], VALID_PAIRS[1::3], VALID_PAIRS[2::3], strict=True),
        (
            "white space is of no account: 3 3 3 0",
            "(S(NP (NN a))(VP (VB b)))",
            "  (S\t(NP (NN  a) )\r (VP\f(VB b)  ) ) ",
        ),
        ("a no-break space is in a word: 1 1 1 0", *["(X (CD 1\u00a0000))"] * 2),
    ],
)
def test_brackets_of_valid_pairs_are_counted_as_evalb_does(promise, gold, predicted):
    score = score_pair(gold, predicted)
    assert score.status == VALID
    assert score.messages == ()
    numbers = (score.matched, score.gold, score.predicted, score.crossing)
    assert list(numbers) == [int(n) for n in promise.rpartition(": ")[2].split()]


INVALID_PAIRS = [
    ("(X (A a) (A b))", "(X (A a))", ERROR, [f"{LENGTHS} (2|1)"]),
    ("(X (A a))", "(X (A b))", ERROR, ["Words unmatch (a|b)"]),
    ("(X (A a))", "(X (A A))", ERROR, ["Words unmatch (a|A)"]),
    # Each line by its own tags.
    ("(X (A a) (, ,))", "(X (A a) (A ,))", ERROR, [f"{LENGTHS} (1|2)"]),
    ("(X (. .))", "(X (. .))", SKIP, []),
    ("(X (A a))", "", SKIP, []),
    ("", "(X (A a))", ERROR, [f"{LENGTHS} (0|1)"]),
    ("", "", SKIP, []),
    ("(X (A a))", "(X (Y", SKIP, ["Bracketing is unbalanced (too many open bracket)"]),
]


@pytest.mark.parametrize(("gold", "predicted", "status", "messages"), INVALID_PAIRS)
def test_pairs_that_cannot_be_compared_count_nothing_and_say_why(
    gold, predicted, status, messages
):
    score = score_pair(gold, predicted)
    assert (score.status, [*score.messages]) == (status, messages)
    assert score.matched == score.gold == score.predicted == score.words == 0


@pytest.mark.parametrize(
    ("end", "message"),
    [(")", "(too many open"), (")))", "(too many close"), (")) c", "Reading sentence")],
)
def test_malformed_lines_are_errors_though_their_row_is_printed(end, message):
    line = "(TOP (X (A a) (Y (A b))"
    score = score_pair(f"{line}))", f"{line}{end}")
    assert (score.status, score.matched, score.gold) == (ERROR, 2, 2)
    [found] = score.messages
    assert message in found


def test_length_counts_punctuation_but_no_traces():
    line = "(S (NP (-NONE- *)) (VP (VB go)) (, ,) (. !))"
    score = score_pair(line, line)
    assert (score.length, score.words, score.gold_words) == (3, 1, 1)


def test_tags_are_compared_with_equal_labels_and_uncut():
    score = score_pair("(X (A a) (ADVP b) (N-1 c))", "(X (B a) (PRT b) (N c))")
    assert score.correct_tags == 1


QUOTED = "(S (NP (NN a)) (VP (VB b) (`` ') (NP (NN c)) ('' ')) (. .))"
OTHERWISE = QUOTED.replace("(`` ')", "(POS ')")


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        # S, NP, VP, NP; the last NP has moved right in gold too.
        (QUOTED, OTHERWISE, (4, 4, 3)),
        (OTHERWISE, QUOTED, (4, 4, 3)),
        # Both marks.
        (QUOTED, OTHERWISE.replace("('' ')", "(CD ')"), (4, 5, 3)),
        # A constituent of the mark alone comes back with it.
        ("(S (X (`` ')) (VP (VB b)))", "(S (X (NN ')) (VP (VB b)))", (3, 2, 1)),
    ],
)
def test_a_quotation_mark_deleted_on_one_side_alone_is_put_back(
    gold, predicted, counts
):
    score = score_pair(gold, predicted, NEW)
    assert score.status == VALID
    assert (score.matched, score.words, score.correct_tags) == counts
    assert score.matched == score.gold == score.predicted


def test_many_quotation_marks_take_time_in_proportion():
    def score(n):
        gold = "(S " + "(NP (NN a) (`` '))" * n + ")"
        found = score_pair(gold, gold.replace("``", "POS"), NEW)
        assert (found.matched, found.words, found.correct_tags) == (n + 1, 2 * n, n)

    steps = [work(score, n) for n in (100, 400)]
    assert steps[1] < 5 * steps[0]


@pytest.mark.parametrize(
    ("gold", "predicted", "words"),
    [
        # The second is put back before the place that the first has moved to.
        ("(S (`` ') (`` ') (NN a))", "(S (POS ') (POS ') (NN a))", "''a"),
        # Marks go back into both lines, and those of one move the other's.
        (
            "(S (`` ') (NN a) (`` ') (NN b) (POS '))",
            "(S (POS ') (NN a) (POS ') (NN b) (`` '))",
            "'a'b'",
        ),
    ],
)
def test_several_quotation_marks_are_put_back(gold, predicted, words):
    for line in read_pair(gold, predicted, NEW):
        assert "".join(line.words) == words


def test_nothing_else_is_put_back():
    marked = [text.replace("'", "`") for text in (QUOTED, OTHERWISE)]
    tagged = [QUOTED.replace("(``", f"({tag}") for tag in ("JJ", "VB")]
    for gold, predicted in ((QUOTED, tagged[0]), (QUOTED, tagged[1]), marked):
        assert score_pair(gold, predicted, NEW).status == ERROR
    assert score_pair(QUOTED, OTHERWISE, COLLINS).status == ERROR


@pytest.mark.parametrize(
    ("parameters", "gold", "predicted", "matched"),
    [
        (COLLINS, "(S1 (X (A a) (? ?)))", "(S1 (X (A a)) (? ?))", 1),
        (NEW, "(S1 (X (A a) (? ?)))", "(S1 (X (A a)) (? ?))", 1),
        ("LABELED 0", "(X (Y (A a) (A b)))", "(P (Q (A a) (A b)))", 2),
        ("EQ_WORD  colour color", "(X (A colour))", "(X (A color))", 1),
        ("EQ_LABEL B A\nDELETE_LABEL B", "(X (A (A a)))", "(X (A a))", 1),
        # COLLINS with the punctuation of a treebank.
        (load_parameters("ICON"), "(X (A a) (Y (PUN ,)))", "(X (A a) (PUN ,))", 1),
        (load_parameters("GREYNIR"), "(X (A a) (Y (grm ,)))", "(X (A a))", 1),
        (load_parameters("COMMON"), "(X (A a) (Y (PUNCT ,)))", "(X (A a))", 1),
    ],
)
def test_parameters_say_what_is_compared_equal_and_deleted(
    parameters, gold, predicted, matched
):
    if isinstance(parameters, str):
        parameters = parse_parameters(parameters.splitlines())
    score = score_pair(gold, predicted, parameters)
    n_gold = matched + (parameters is COLLINS)
    assert (score.status, score.matched, score.gold) == (VALID, matched, n_gold)


def test_matched_labels_and_unlabelled_matches_are_reported():
    score = score_pair(
        "(S (A a) (PRT (A b)) (X (A c)))", "(S (Z (A a) (ADVP (A b))) (Y (Y (A c))))"
    )
    assert score.matched_labels == (("S", "S"), ("PRT", "ADVP"))
    assert (score.unlabelled, score.crossing) == (3, 0)


def test_deep_lines_need_no_recursion():
    line = "(X " * 5000 + "(A a)" + ")" * 5000
    assert score_pair(line, line).matched == 5000


@pytest.mark.parametrize(
    ("line", "mapped"),
    [
        ("( (S (A a)))", "(TOP (S (A a)))"),
        (" (S1(S (A a)))", " (TOP(S (A a)))"),
        *((f"({root} (S (A a)))", "(TOP (S (A a)))") for root in ("ROOT", "VROOT")),
        *(
            (line, line)
            for line in ("(ROOT a)", "(ROOTS (S (A a)))", "(S (ROOT (A a)))", "")
        ),
    ],
)
def test_roots_of_other_treebanks_are_renamed(line, mapped):
    assert map_root(line) == mapped


def test_copy_tags_passes_over_traces_and_leaves_other_words_alone():
    gold = "(S (NP (-NONE- *)) (VB go) (. .))"
    assert copy_tags(gold, "(S (XX go) (XX .))", COLLINS) == "(S (VB go) (. .))"
    assert copy_tags(gold, "(S (XX go))", COLLINS) == "(S (XX go))"


REPORT = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
============================================================================
   1    4    0  100.00 100.00     3      3    3      0      3     3   100.00
   2    3    0   33.33  33.33     1      3    3      1      3     2    66.67
   3    1    1    0.00   0.00     0      0    0      0      0     0     0.00
   4    1    2    0.00   0.00     0      0    0      0      0     0     0.00
============================================================================
                 66.67  66.67      4     6     6      1      6     5    83.33
=== Summary ===

-- All --
Number of sentence        =      4
Number of Error sentence  =      1
Number of Skip  sentence  =      1
Number of Valid sentence  =      2
Bracketing Recall         =  66.67
Bracketing Precision      =  66.67
Bracketing FMeasure       =  66.67
Complete match            =  50.00
Average crossing          =   0.50
No crossing               =  50.00
2 or less crossing        = 100.00
Tagging accuracy          =  83.33

-- len<=3 --
Number of sentence        =      3
Number of Error sentence  =      1
Number of Skip  sentence  =      1
Number of Valid sentence  =      1
"""


def test_the_report_has_the_rows_totals_and_summaries_of_evalb():
    first = "(TOP (S (NP (DT a) (NN b)) (VP (VBZ c)) (. .)))"
    second = "(TOP (S (NP (DT a)) (VP (NN b) (VBZ c))))"
    wrong = "(TOP (S (NP (DT a) (NN b)) (VP (NNS c))))"
    gold = [first, second, "(TOP (X (A a)))", "(TOP (. .))"]
    predicted = [first, wrong, "(TOP (X (A z)))", "(TOP (. .))"]
    scores = score_lines(gold, predicted)
    assert "\n".join(evalb_report(scores, cutoff=3)).startswith(REPORT)
    assert evalb_messages(scores) == ["3 : Words unmatch (a|z)"]
    without_valid = evalb_report(scores[2:3])
    assert without_valid[5] == "      0     0     0.00"
    assert "Bracketing FMeasure       =   -nan" in without_valid


def test_parameters_are_read_from_a_file_or_known_by_name(tmp_path):
    path = tmp_path / "own.prm"
    text = (
        "# comment\n\nDEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 20  \nLABELED 1\n"
        "DELETE_LABEL TOP\nDELETE_LABEL_FOR_LENGTH -NONE-\n"
        "QUOTE_LABEL ``\nEQ_LABEL ADVP PRT\nEQ_WORD a b\n"
    )
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text(text, encoding)
        assert load_parameters(path) == Parameters(
            delete=frozenset({"TOP"}),
            delete_for_length=frozenset({"-NONE-"}),
            quotes=frozenset({"``"}),
            equal_labels=frozenset({("ADVP", "PRT"), ("PRT", "ADVP")}),
            equal_words=frozenset({("a", "b"), ("b", "a")}),
            cutoff=20,
        )
    assert load_parameters("COLLINS") is COLLINS
    assert load_parameters("new") is NEW
    with pytest.raises(ParameterError, match="COLLINS, new, COMMON, ICON, GREYNIR"):
        load_parameters("own")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"DELETE TOP", "line 2: the keyword DELETE is unknown"),
        (b"DELETE_LABEL", "line 2: DELETE_LABEL has no value"),
        (b"EQ_LABEL A", "line 2: EQ_LABEL needs two values"),
        (b"CUTOFF_LEN ten", "line 2: CUTOFF_LEN needs a number"),
        (b"\xff\xfe\x00", "not a UTF-8 text file"),
    ],
)
def test_bad_lines_of_a_parameter_file_are_named(tmp_path, text, message):
    path = tmp_path / "own.prm"
    path.write_bytes(b"# first\n" + text)
    with pytest.raises(ParameterError, match=message):
        load_parameters(path)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["sample", "bug", "edge", "gum-dev"])
@pytest.mark.parametrize("parameters", ["COLLINS", "new"])
def test_the_report_equals_that_of_evalb_line_by_line(shared, name, parameters):
    folder = shared / "evalb"
    known = load_parameters(parameters)
    assert known == load_parameters(folder / f"{parameters}.prm")
    gold, predicted = (read_lines(folder / f"{name}.{end}") for end in ("gld", "tst"))
    scores = score_lines(gold, predicted, known)
    assert evalb_report(scores) == read_lines(folder / f"{name}.{parameters}.rsl")
    errors = folder / f"{name}.{parameters}.err"
    assert evalb_messages(scores) == (read_lines(errors) if errors.exists() else [])
