import pickle
import warnings
from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any, NamedTuple

import pytest
from helpers import strategies
from helpers.docs import make_doc, token_doc
from helpers.growth import work
from helpers.reading import read_tree_file
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import Constituent, Tree, TreeMatcher, parse_tree, trees_to_docs
from spacy_gfl.tools.query.notation import PatternError
from spacy_gfl.tools.query.pattern_nodes import tree_nodes
from spacy_gfl.tools.query.patterns import PatternSet, TreePattern

BITTEN = (
    "(S (NP (DT The) (NN dog)) (VP (VBD was) (VP (VBN bitten) "
    "(PP (IN by) (NP (NP (PRP$ my) (NNP Max)))))) (. .))"
)
RAIN = "(NP (NN rain))"


def texts(pattern: str, brackets: str = BITTEN) -> list[str]:
    doc = make_doc(brackets)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("X", [pattern])
    return [span.text for span in matcher(doc, as_spans=True)]


class Plain(NamedTuple):
    """A node by its place alone: children 0, 2 and 1 of the root are (0, 2, 1)."""

    path: tuple[int, ...]
    label: str
    start: int
    end: int
    n_children: int


@cache
def plain_nodes(tree: Tree) -> list[Plain]:
    """All nodes of a tree, as nltk lists them, words included."""
    top, found = tree.to_nltk(), []
    leaves = top.treepositions("leaves")
    for path in top.treepositions():
        node = top[path]
        label, n = (node, 0) if isinstance(node, str) else (node.label(), len(node))
        words = [i for i, leaf in enumerate(leaves) if leaf[: len(path)] == path]
        found.append(Plain(path, label, words[0], words[-1] + 1, n))
    return found


@given(strategies.trees())
def test_nodes_are_those_that_are_printed(tree: Tree) -> None:
    expected = [(node.label, node.start, node.end) for node in plain_nodes(tree)]
    assert [node[:3] for node in tree_nodes(tree)] == expected


def below(a: Plain, b: Plain) -> bool:
    return len(b.path) > len(a.path) and b.path[: len(a.path)] == a.path


def child(a: Plain, b: Plain) -> bool:
    return below(a, b) and len(b.path) == len(a.path) + 1


def only(a: Plain, b: Plain, nodes: list[Plain]) -> bool:
    """Whether every node from a down to above b has one child."""
    between = [n for n in nodes if n == a or (below(a, n) and below(n, b))]
    return below(a, b) and all(n.n_children == 1 for n in between)


def nth_child(a: Plain, b: Plain, n: int) -> bool:
    return child(a, b) and b.path[-1] == n


def step(a: Plain, b: Plain) -> int:
    """How far a sister is to the right; 0 of what is no sister."""
    have_parent = bool(a.path and b.path) and a.path[:-1] == b.path[:-1]
    return b.path[-1] - a.path[-1] if have_parent else 0


#: Names of each operator, names of its converse (A < B is B > A), and its meaning.
RELATIONS: list[tuple[str, str, Callable[[Plain, Plain, list[Plain]], bool]]] = [
    ("<", ">", lambda a, b, nodes: child(a, b)),
    ("<1 <,", ">1 >,", lambda a, b, nodes: nth_child(a, b, 0)),
    ("<2", ">2", lambda a, b, nodes: nth_child(a, b, 1)),
    ("<-1 <- <'", ">-1 >- >'", lambda a, b, nodes: nth_child(a, b, a.n_children - 1)),
    ("<-2", ">-2", lambda a, b, nodes: nth_child(a, b, a.n_children - 2)),
    ("<:", ">:", lambda a, b, nodes: child(a, b) and a.n_children == 1),
    ("<<", ">>", lambda a, b, nodes: below(a, b)),
    ("<<,", ">>,", lambda a, b, nodes: below(a, b) and a.start == b.start),
    ("<<' <<-", ">>' >>-", lambda a, b, nodes: below(a, b) and a.end == b.end),
    ("<<:", ">>:", only),
    (".", ",", lambda a, b, nodes: a.end == b.start),
    ("..", ",,", lambda a, b, nodes: a.end <= b.start),
    ("$ %", "$ %", lambda a, b, nodes: step(a, b) != 0),
    ("$. $+", "$, $-", lambda a, b, nodes: step(a, b) == 1),
    ("$.. $++", "$,, $--", lambda a, b, nodes: step(a, b) > 0),
]
OPERATORS = [
    (operator, converse, holds)
    for names, others, holds in RELATIONS
    for operator, converse in zip(names.split(), others.split(), strict=True)
]
LABELS = [("NP", "NN"), ("VP", "NP"), ("*", "NP"), ("NP", "*"), ("*", "the")]


def plainly(
    holds: Callable[[Plain, Plain, list[Plain]], bool], a: str, b: str, tree: Tree
) -> set[tuple[int, ...]]:
    nodes = plain_nodes(tree)
    return {
        n.path
        for n in nodes
        if a in ("*", n.label)
        and any(b in ("*", m.label) and holds(n, m, nodes) for m in nodes)
    }


compiled = cache(TreePattern)


def by_pattern(pattern: str, tree: Tree) -> set[tuple[int, ...]]:
    nodes = plain_nodes(tree)
    return {nodes[i].path for i in compiled(pattern).heads(tree_nodes(tree), inf)}


@pytest.fixture(scope="module")
def trees(data: Any) -> list[Tree]:
    found = [t for t in read_tree_file(data / "train.ptb") if len(t) <= 12][:8]
    # Equal subtrees are different nodes; a forest hangs under TOP.
    found.append(parse_tree("(S (NP (NN the)) (VP (NP (NN the)) (NP (NN the))))"))
    found.append(parse_tree("(TOP (NP (NP (NN the))) (VP (VB go) (NP (NN the))))"))
    return found


@pytest.mark.parametrize(("operator", "converse", "holds"), OPERATORS)
def test_operators_find_what_their_definitions_say_from_both_sides(
    operator: str, converse: str, holds: Any, trees: Any
) -> None:
    n_found = 0
    for a, b in LABELS:
        for tree in trees:
            expected = plainly(holds, a, b, tree)
            found = by_pattern(f"{a} {operator} {b}", tree)
            assert found == expected, (a, b, str(tree))
            others = {n.path for n in plain_nodes(tree) if a in ("*", n.label)}
            assert by_pattern(f"{a} !{operator} {b}", tree) == others - expected
            turned = plainly(lambda m, n, all_: holds(n, m, all_), a, b, tree)
            assert by_pattern(f"{a} {converse} {b}", tree) == turned
            nodes = plain_nodes(tree)
            named = compiled(f"{a}=x {operator} {b}=y").heads(tree_nodes(tree), inf)
            for at, captured in named.items():
                assert captured["x"] == at
                assert holds(nodes[at], nodes[captured["y"]], nodes)
            n_found += len(expected)
    assert n_found


def test_head_operators_follow_the_head_rules() -> None:
    """`<#` is Tregex's: a VP is headed by its first verb, an NP by its last noun."""
    keys = (
        "(S (NP (NP (DT the) (NNS keys)) (PP (IN to) (NP (NN home))))"
        " (VP (MD may) (VP (VB rust))) (. .))"
    )
    assert texts("* <# *", keys) == [
        *("the keys to home may rust.", "the keys to home", "the keys", "the", "keys"),
        *("to home", "to", "home", "may rust", "may", "rust", "."),
    ]
    assert texts("* ># S", keys) == ["may rust"]
    assert texts("* ># NP", keys) == ["the keys", "keys", "home"]
    assert texts("VP <# MD", keys) == ["may rust"]
    assert texts("S <<# MD", keys) == ["the keys to home may rust."]
    assert texts("S <<# VB", keys) == []
    assert texts("keys >># S ; may >># S", keys) == ["may"]
    assert texts("* <# *", "(TOP (NP (NN tea)) (. .))") == ["tea.", "tea", "."]
    for pattern in ("*", "* <# *"):
        assert TreePattern(pattern).search(Tree((), (), ())) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("nn", []),
        ("i@/^nN$/", ["dog"]),
        (r"/^(?!a)D{1,99999}T{1,8}$/", ["The"]),
        ("NN ; DT", ["The", "dog"]),
        ("NP < NN & < DT", ["The dog"]),
        ("NP [< NN | < NNP] !< DT", ["my Max"]),
        ("NP ![< NN | < NNP]", ["my Max"]),
        ("NP < __ !<< NN", ["my Max"]),
        ("'NP < NN", ["The dog"]),
        ("@ NOUN NN|NNP; NP < @NOUN", ["The dog", "my Max"]),
        ("* >2 (* >1 (* !> *))", ["dog"]),
        ("NN # whatever ( [", ["dog"]),
        ("VP" + " << VBN" * 1000, ["was bitten by my Max", "bitten by my Max"]),
    ],
)
def test_patterns_find_what_they_say(pattern: str, expected: list[str]) -> None:
    assert texts(pattern) == expected


FOREST = "(TOP (NP (NN a)) (VP (VB go)))"
CHAIN = "(S (-LRB- -LRB-) (NP (NP (NP (NN x)))) (-RRB- -RRB-))"
TRACE = "(VP (VBD saw) (NP (-NONE- *T*-1)))"


@pytest.mark.parametrize(
    ("pattern", "brackets", "label", "first", "expected"),
    [
        ("TOP < NP", FOREST, "TOP", 0, FOREST),
        ("VP > TOP", FOREST, "VP", 1, "(VP (VB go))"),
        ("NP > NP", CHAIN, "NP", 2, "(NP (NP (NN x)))"),
        ("NP", CHAIN, "NP", 1, "(NP (NP (NP (NN x))))"),
        ('"("', CHAIN, "-LRB-", 1, "(-LRB- -LRB-)"),
        ("-LRB-", CHAIN, "-LRB-", 1, "(-LRB- -LRB-)"),
        (r'"\-LRB\-"', CHAIN, "-LRB-", 1, "(-LRB- -LRB-)"),
        ("rain !>>\u00a0TOP", RAIN, "NN", 1, "(NN rain)"),
        ("NP << *T*-1", TRACE, "NP", 1, "(NP (-NONE- *T*-1))"),
    ],
)
def test_a_hit_has_its_label_and_its_tree(
    pattern: str, brackets: str, label: str, first: int, expected: str
) -> None:
    tree = parse_tree(brackets)
    (hit,) = TreePattern(pattern).search(tree)
    assert (hit.label, hit.first) == (label, first)
    assert tree.subtree(hit.start, hit.end, hit.first) == parse_tree(expected)


@pytest.mark.parametrize(
    ("pattern", "offset", "words"),
    [
        ("", 0, "empty"),
        ("NP <", 4, "after < a node"),
        ("NP < (DT", 5, "( is not closed"),
        ('NP < "dog', 5, 'no closing "'),
        ("NP <0 DT", 3, "no operator <0"),
        ("~x", 0, 'quote a word: "~"'),
        ("_ROOT_ < S", 0, "the root is * !> *"),
        ("/^N(.)/#1%x < NN", 7, "write both labels"),
        ("NP <+(NP) NN", 3, "write the chain"),
        ("N(0,1)", 0, "write the path from the root"),
        ("NP == VP", 3, "there is no =="),
        ("NP <` NN", 3, "write ' for the last"),
        ("NP < !VP", 5, "write /^(?!NP$)/"),
        ("NP=x < (DT > =x)", 13, "a name only captures a node"),
        ("NP NN", 3, "a relation"),
        ("NP < PRP$ < NN", 10, 'a name that has $ in it: "PRP$"'),
        (
            "NP < @B",
            5,
            r"not defined before this; to find labels that begin so, write /^B\b/",
        ),
        ("@ A NN; @ A DT; @A", 8, "defined twice"),
        ("@ A NN", 6, "finds nothing"),
        ("i@dog", 0, 'i@"word"'),
        ("(" * 51 + "NP" + ")" * 51, 50, "more than 50"),
    ],
)
def test_bad_patterns_show_the_place(pattern: str, offset: int, words: str) -> None:
    with pytest.raises(PatternError) as caught:
        TreeMatcher(Vocab()).add("X", [pattern])
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.offset == offset
    assert words in str(error)
    _, shown, marker = str(error).split("\n")
    assert marker.endswith("^")
    column = len(marker) - 5
    assert pattern[:offset].rpartition("\n")[2] == shown[4 : 4 + column]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("macros", ["", "@ X NN", "@ X NN;", "@ X NN # a noun"])
def test_macros_may_end_anyhow_and_there_may_be_none(macros: str) -> None:
    patterns = {"np": f"NP < {'@X' if macros else 'NN'}"}
    nodes = tree_nodes(parse_tree(BITTEN))
    assert PatternSet(macros, patterns).heads(nodes) == {"np": [1]}


def test_names_capture_nodes_match_by_match() -> None:
    doc = make_doc(BITTEN, RAIN)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("X", ["S < NP=subject < (VP << (/^VB/=verb . VBN)) !< SBAR=clause"])
    matcher.add("X", ["NNP=name >> NP=near >> (VP=far > VP)", "rain=word|NN=tag"])
    found = zip(matcher(doc, as_spans=True), matcher.captures(doc), strict=True)
    assert [
        (match.text, {n: (span.label_, span.text) for n, span in captured.items()})
        for match, captured in found
    ] == [
        (
            "The dog was bitten by my Max.",
            {"subject": ("NP", "The dog"), "verb": ("VBD", "was")},
        ),
        ("dog", {"tag": ("NN", "dog")}),
        (
            "Max",
            {
                "name": ("NNP", "Max"),
                "near": ("NP", "my Max"),
                "far": ("VP", "bitten by my Max"),
            },
        ),
        ("rain", {"tag": ("NN", "rain")}),
    ]
    assert [list(one) for one in matcher.captures(doc[:2])] == [["tag"]]


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [("np < NN", "NP"), ("S < NP-SBJ", "NP"), ("ROOT < S", r"\* !> \*")],
)
def test_labels_that_no_tree_has_are_asked_about(pattern: str, meant: str) -> None:
    with pytest.warns(UserWarning, match=f'Did you mean "{meant}"'):
        assert texts(pattern) == []


@pytest.mark.parametrize("pattern", ["NP > PP < NN", "SBAR", "dog < NN", "vp|DT"])
def test_labels_that_are_known_or_not_needed_are_not_asked_about(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts(pattern)


def test_rules_are_added_looked_up_and_removed() -> None:
    matcher = TreeMatcher(Vocab())
    assert len(matcher) == 0
    assert "A" not in matcher
    matcher.add("A", ["NP"])
    matcher.add("A", ["VP"], on_match=print)
    matcher.add("B", ["PP"])
    assert len(matcher) == 2
    assert "A" in matcher
    assert matcher.vocab.strings["A"] in matcher
    assert matcher.get("A") == (print, ["NP", "VP"])
    assert matcher.get("C") is None
    assert matcher.get("C", 1) == 1
    assert "C" not in matcher.vocab.strings
    matcher.remove("A")
    assert "A" not in matcher
    with pytest.raises(ValueError, match="no rule 'A'"):
        matcher.remove("A")


def test_wrong_arguments_are_refused_and_leave_the_rule() -> None:
    matcher = TreeMatcher(Vocab())
    matcher.add("A", ["NP"])
    for patterns in ([], "NP", None, [["NP"]], [""], ["NP", "<"]):
        with pytest.raises(ValueError, match="pattern"):
            matcher.add("A", patterns)
    with pytest.raises(ValueError, match="callable"):
        matcher.add("A", ["NP"], on_match="x")
    for key in (None, 1.5, True):
        with pytest.raises(ValueError, match="key of a rule"):
            matcher.add(key, ["NP"])
    assert matcher.get("A") == (None, ["NP"])
    with pytest.raises(ValueError, match="Doc or Span"):
        matcher("text")
    with pytest.raises(ValueError, match="no constituency trees"):
        matcher(Doc(Vocab(), words=["a"]))


def test_matches_are_ordered_and_once() -> None:
    doc = make_doc(BITTEN, RAIN)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("ALL", ["*", "NP"])
    matcher.add("NPS", ["NP", "NP < NN"])
    found = [(doc.vocab.strings[key], s, e) for key, s, e in matcher(doc)]
    assert found[:4] == [("ALL", 0, 8), ("ALL", 0, 2), ("NPS", 0, 2), ("ALL", 0, 1)]
    assert found[-2:] == [("ALL", 8, 9), ("NPS", 8, 9)]
    assert len(set(found)) == len(found)
    spans = matcher(doc, as_spans=True)
    assert [(s.label_, s.start, s.end) for s in spans] == found
    assert doc.text[spans[0].start_char : spans[0].end_char] == spans[0].text


def test_spans_count_from_their_start_and_see_around() -> None:
    doc = make_doc(BITTEN, RAIN)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("X", ["NP !>> S | > PP"])
    assert [m[1:] for m in matcher(doc[4:9])] == [(1, 3), (4, 5)]
    assert [s.text for s in matcher(doc[4:9], as_spans=True)] == ["my Max", "rain"]
    assert matcher(doc[0:6]) == []
    assert [m[1:] for m in matcher(list(doc.sents)[1])] == [(0, 1)]


def test_on_match_gets_every_match() -> None:
    doc = make_doc(BITTEN)
    calls: list[Any] = []
    matcher = TreeMatcher(doc.vocab)
    matcher.add("A", ["NP"], on_match=lambda *arguments: calls.append(arguments))
    matcher.add("B", ["DT"])
    matches = matcher(doc, as_spans=True)
    assert len(matches) == 3
    assert all(m is matcher and d is doc for m, d, _, _ in calls)
    assert [i for _, _, i, _ in calls] == [0, 2]
    assert all(len(found[i]) == 3 for _, _, i, found in calls)


def test_a_pickled_matcher_finds_the_same() -> None:
    doc = make_doc(BITTEN)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("A", ["NP < NN", "VP=v < VBD"], on_match=print)
    again = pickle.loads(pickle.dumps(matcher))
    assert again.get("A") == matcher.get("A")
    assert again(doc) == matcher(doc) != []


def test_white_space_is_passed_over() -> None:
    tree = [("VP", 0, 3), ("NP", 1, 2)]
    doc = token_doc(" |Go|\n|home|now", trees=[tree])
    matcher = TreeMatcher(doc.vocab)
    matcher.add("A", ["VP", "NP"])
    assert [m[1:] for m in matcher(doc)] == [(1, 5), (3, 4)]
    assert [m[1:] for m in matcher(doc[3:5])] == [(0, 1)]


#: The operators, each by one of its names.
MEANINGS = {name.split()[0] for *names, _ in RELATIONS for name in names}


@pytest.mark.parametrize("operator", sorted(MEANINGS))
def test_time_is_linear_in_deep_and_wide_trees(operator: str) -> None:
    """For many of them a search from node to node would take minutes."""
    nested = f"* {operator} (* {operator} (* {operator} nothing))"
    patterns = [TreePattern(nested), TreePattern(nested.replace("thing", "thing=n"))]

    def search(n: int) -> None:
        wide = Tree(("w",) * n, ("NN",) * n, [("NP", i, i + 1) for i in range(n)])
        for tree in (strategies.deep_tree(5 * n), wide):
            assert [pattern.search(tree) for pattern in patterns] == [[], []]
            TreePattern(f"* {operator} *").search(tree)

    assert work(search, 24) < 5 * work(search, 6)


MACROS = "@ m0 NP;" + "".join(f"@ m{i} (X < @m{i - 1});" for i in range(1, 300))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("NP < " * 20_000 + "NP", "characters"),
        (MACROS, "finds nothing"),
        (MACROS + "@m299", "nested"),
        ("/" + "(" * 3000 + ")" * 3000 + "/", "not allowed"),
        ("/a{99999999}/", "repeat"),
        ("/(?:(?:a{999}){999}){999}/", "repeat"),
        ("NP <" + "1" * 5000 + " NN", "10 digits"),
        ("/a{1," + "1" * 5000 + "}/", "not allowed"),
        ("/(?R)?a(?R)?b/", "call itself"),
        ("/(a)(?1)/", "call itself"),
        ("/(?P<x>a)(?&x)/", "call itself"),
    ],
)
def test_patterns_that_would_take_all_memory_or_time_are_refused(pattern, reason):
    with pytest.raises(PatternError, match=reason):
        TreePattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "/(a|aa)+$/",
        "* " + "<< * " * 1900,
        "* " + "<< *=n " * 100,
    ],
)
def test_a_search_ends_when_its_time_is_up(pattern):
    nodes = tuple(Constituent("NP", i, 300) for i in range(300))
    tree = Tree(("a" * 40 + "!",) * 300, ("NN",) * 300, nodes)
    (doc,) = trees_to_docs([tree], Vocab())
    matcher = TreeMatcher(doc.vocab, max_seconds=0.3)
    matcher.add("X", [pattern])
    with pytest.raises(TimeoutError, match=r"taken too long.* more max_seconds"):
        matcher(doc)
    matcher.max_seconds = inf
    matcher.remove("X")
    matcher.add("X", ["NP !> NP"])
    assert len(matcher(doc)) == 1
