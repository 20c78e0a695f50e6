"""The study of perturbed sentences: its changes, its entropies, and a small run."""

import random
import re

import changes
import entropy
import perturbation
import pytest
import spacy
from helpers.installed_pipeline import PACKAGE, treebank

from spacy_gfl.tools.treebanks.bracket_reader import parse_tree
from spacy_gfl.trees.tree import Tree

TREE = parse_tree(
    "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (NN town)))) (, ,) (VP (VBP ought)"
    " (S (VP (TO to) (VP (VB go) (ADVP (RB now)))))) (. .))"
)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["DT"], "(S (NP (NP (NNS keys)) (PP (IN to) (NP (NN town)))) (, ,) (VP (VBP"
         " ought) (S (VP (TO to) (VP (VB go) (ADVP (RB now)))))) (. .))"),
        # What loses all its words goes, and what then says a label twice.
        (["NN", "IN", "TO"], "(S (NP (DT The) (NNS keys)) (, ,) (VP (VBP ought)"
         " (S (VP (VB go) (ADVP (RB now))))) (. .))"),
        (["NNS", "DT", "IN"], "(S (NP (PP (NP (NN town)))) (, ,) (VP (VBP ought)"
         " (S (VP (TO to) (VP (VB go) (ADVP (RB now)))))) (. .))"),
    ],
)  # fmt: skip
def test_dropped_words_are_pruned(tags, expected):
    case = changes.drop(TREE, random.Random(0), tags)
    nodes = changes.prune(TREE.constituents, case.kept)
    assert Tree(case.words, case.tags, tuple(nodes)).brackets() == expected
    # What said a label twice of itself stays.
    tree = parse_tree("(S (NP (NP (PRP it))) (VP (VBZ is)))")
    assert changes.prune(tree.constituents, [True] * 2) == [*tree.constituents]


@pytest.mark.parametrize("seed", range(5))
def test_shuffling_leaves_a_window(seed):
    words = [str(i) for i in range(30)]
    tree = Tree.flat(words, [f"T{word}" for word in words])
    case = changes.shuffle(tree, random.Random(seed), size=4, margin=2, least=30)
    near = slice(max(0, case.start - 2), case.end + 2)
    assert (case.place, case.end) == (case.start, case.start + 4)
    assert case.words[near] == tree.words[near]
    assert case.words != tree.words
    assert sorted(case.words) == sorted(tree.words)
    assert case.tags == tuple(f"T{word}" for word in case.words)
    case = changes.shuffle(tree, random.Random(seed), size=4, margin=2, least=31)
    assert case.words == tree.words


@pytest.mark.parametrize(
    ("how", "expected", "place", "n_kept"),
    [
        ("after", "The keys to town , ought to go now . Who left ?", 0, 10),
        ("without stop", "The keys to town , ought to go now Who left ?", 0, 9),
        ("before", "Who left ? The keys to town , ought to go now .", 3, 10),
    ],
)
def test_joined_sentences_keep_their_place(how, expected, place, n_kept):
    other = parse_tree("(SBARQ (WHNP (WP Who)) (SQ (VP (VBD left))) (. ?))")
    case = changes.join(TREE, random.Random(0), [other], how)
    assert " ".join(case.words) == expected
    assert (case.start, case.end, case.place) == (0, n_kept, place)
    kept = slice(place, place + n_kept)
    assert case.words[kept] == TREE.words[:n_kept]
    assert case.tags[kept] == TREE.tags[:n_kept]
    assert case.kept == [True] * n_kept + [False] * (10 - n_kept)
    assert changes.join(TREE, random.Random(0), [TREE], how).words == TREE.words


@pytest.fixture(scope="module")
def model(installed_pipeline):
    return installed_pipeline / PACKAGE / "model"


def test_the_parsers_own_trees_are_its_likeliest_choices(model, data):
    nlp = spacy.load(model)
    trees = [parse_tree(line) for line in treebank(data)]
    found = perturbation.parse(nlp, [tree.words[::-1] for tree in trees])
    trees = [
        Tree(tree.words[::-1], tree.tags[::-1], tuple(nodes))
        for tree, nodes in zip(trees, found, strict=True)
    ]
    codec = nlp.get_pipe(entropy.PIPE).codec
    for tree, choices in zip(trees, entropy.pointer(nlp, trees, 40), strict=True):
        assert [c.n for c in choices] == codec.encode(tree).chain_sizes.tolist()
        # Found with a beam of one, by the likeliest choice each time.
        assert all(choice.is_right for choice in choices)
        assert all(0 <= c.bits <= entropy.math.log2(c.n) + 1e-5 for c in choices)


def test_study_runs_small(model, data, tmp_path, run_small):
    (tmp_path / "dev.ptb").write_text("\n".join(treebank(data)), encoding="utf-8")
    arguments = ["--dev", tmp_path / "dev.ptb", "--model", model]
    printed = run_small("perturbation", *arguments)
    figures = {}
    for line in printed.splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        figures[name] = [float(re.sub(r"[^\d.]", "", cell) or "nan") for cell in cells]
    trees = [parse_tree(line) for line in treebank(data)]
    n_nodes = sum(len(tree.constituents) for tree in trees)
    # The parser knows these trees by heart.
    n_sents, n_gold, before, after, *_ = figures["nothing"]
    assert (n_sents, n_gold) == (len(trees), n_nodes), printed
    assert before == after > 95
    for name in ("shuffled but for 3", "dropped: all of these", "another before it"):
        _, _, before, after, _, survive, *_ = figures[name]
        assert 20 < after < before - 5, printed
        assert 20 < survive < 95
    with_to = [tree for tree in trees if "TO" in tree.tags]
    assert figures["dropped: to"][0] == len(with_to)
    # Every word has a choice but the first.
    words, _, bits, most, wrong = figures["anything"]
    assert words == sum(len(tree) - 1 for tree in trees)
    assert wrong < 10
    assert bits >= 0
    assert 0 <= most <= 100
