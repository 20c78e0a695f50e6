import pytest
import spacy
from helpers.docs import token_doc
from helpers.growth import slowdown
from helpers.strategies import deep_tree, token_words, trees
from hypothesis import given

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.heads import span_head
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.head_rules import RULES, HeadRules, Step
from spacy_gfl.trees.heads import find_head, find_heads
from spacy_gfl.trees.tree import Tree, TreeError

NLP = spacy.blank("en")

# Constructions with their heads by Collins' rules and by the semantic ones,
# worked out by hand from the tables.
CONSTRUCTIONS = [
    ("(NP (DT the) (JJ old) (NN dog))", "dog", "dog"),
    ("(NP (NP (DT the) (NN roof)) (PP (IN of) (NP (NNS slates))))", "roof", "roof"),
    ("(NP (NNP John) (POS 's))", "'s", "John"),
    ("(NP (NP (NNP John) (POS 's)) (NN car))", "car", "car"),
    ("(NP (DT the) (JJ poor))", "poor", "poor"),
    ("(NP ($ $) (CD 8))", "$", "$"),
    ("(NP (PRP them))", "them", "them"),
    ("(NP (NN bread) (CC and) (NN butter))", "bread", "bread"),
    ("(NP (NNS a) (, ,) (NNS b) (CC and) (NNS c))", "b", "a"),
    ("(NP (JJ big) (, ,) (NN cat) (CC and) (NN dog))", "cat", "cat"),
    ("(NP (NP (NN tea)) (, ,) (NP (NN milk)) (CC and) (NP (NN rum)))", "tea", "tea"),
    ("(NP (JJ big) (CC and) (JJ bad) (NNS dogs))", "dogs", "dogs"),
    ("(NP (NML (NN cell) (NN cycle)) (NN arrest))", "arrest", "arrest"),
    ("(NP (NN rain) (, ,) (`` ``))", "rain", "rain"),
    ("(PP (IN in) (NP (DT the) (NN box)))", "in", "in"),
    ("(PP (IN because) (IN of) (NP (NN rain)))", "of", "of"),
    (
        "(PP (PP (IN by) (NP (NN day))) (CC or) (PP (IN at) (NP (NN night))))",
        "by",
        "by",
    ),
    ("(VP (MD will) (RB not) (VP (VB go)))", "will", "go"),
    ("(VP (VBZ has) (VP (VBN been) (VP (VBN seen))))", "has", "seen"),
    ("(VP (VBZ has) (NP (NN time)))", "has", "has"),
    ("(VP (TO to) (VP (VB go)))", "to", "go"),
    ("(VP (VBD did) (RB n't))", "did", "did"),
    ("(VP (VBZ is) (ADJP (RB very) (JJ old)))", "is", "old"),
    (
        "(VP (VBD was) (NP (DT a) (NN cook)) (PP (IN in) (NP (NNP Rome))))",
        "was",
        "cook",
    ),
    ("(VP (VBZ is) (PP (IN in) (NP (NNP Rome))))", "is", "is"),
    ("(VP (VBD was) (NP-TMP (NN yesterday)))", "was", "was"),
    ("(VP (VP (VBD came)) (CC and) (VP (VBD went)))", "came", "came"),
    ("(VP (MD can) (VP (VP (VB sing)) (CC or) (VP (VB dance))))", "can", "sing"),
    ("(VP (VBD got) (VP (VBN fired)))", "got", "fired"),
    ("(S (NP (PRP She)) (VP (VBD slept)) (. .))", "slept", "slept"),
    ("(S (VP (TO to) (VP (VB win))))", "to", "win"),
    ("(S (NP (PRP him)) (NP (DT a) (NN fool)))", "him", "fool"),
    ("(S (NP (EX There)) (VP (VBZ is) (NP (NN hope))))", "is", "is"),
    ("(S (NP (EX there)) (VP (MD will) (VP (VB be) (NP (NN rain)))))", *("will", "be")),
    (
        "(S (S (NP (PRP I)) (VP (VBD ran))) (CC and) (S (NP (PRP he)) (VP (VBD hid))))",
        *("ran", "ran"),
    ),
    ("(SBAR (IN that) (S (NP (PRP she)) (VP (VBD left))))", "that", "left"),
    ("(SBAR (WHNP (WP who)) (S (VP (VBD left))))", "who", "left"),
    ("(SBAR (WHADVP (WRB why)))", "why", "why"),
    (
        "(SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (DT the) (NN king))) (. ?))",
        *("is", "is"),
    ),
    (
        "(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP she)) (VP (VB see))) (. ?))",
        *("did", "see"),
    ),
    ("(SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ tall)) (. ?))", "Is", "tall"),
    ("(SQ (VBZ Is) (NP (PRP he)) (NP (DT a) (NN cook)) (. ?))", "Is", "cook"),
    ("(SQ (VBZ Is) (NP (EX there)) (NP (NN tea)) (. ?))", "Is", "Is"),
    (
        "(SINV (`` ``) (S (NP (NN rain)) (VP (VBD fell))) (, ,) ('' '') "
        "(VP (VBD said)) (NP (NNP Ann)) (. .))",
        *("said", "said"),
    ),
    ("(SINV (MD May) (NP (PRP he)) (VP (VB rest)))", "May", "rest"),
    ("(ADJP (RB too) (JJ salty))", "salty", "salty"),
    ("(ADJP (ADVP (RB very)) (JJ old))", "very", "old"),
    ("(ADJP (NP (CD six) (NNS years)) (JJ old))", "old", "old"),
    ("(ADJP (JJ good) (CC and) (JJ cheap))", "good", "good"),
    ("(ADVP (RB very) (RB well))", "well", "well"),
    ("(ADVP (RB much) (RBR faster))", "much", "faster"),
    ("(QP (RB nearly) (CD 200))", "nearly", "200"),
    ("(QP (JJR more) (IN than) (CD 20))", "than", "20"),
    ("(QP (CD three) (CD billion))", "three", "billion"),
    ("(WHNP (WDT which) (NN game))", "which", "game"),
    ("(WHNP (WP$ whose) (NN hat))", "whose", "hat"),
    ("(WHNP (WHADJP (WRB how) (JJ many)) (NNS cars))", "how", "cars"),
    ("(WHPP (IN to) (WHNP (WP whom)))", "to", "to"),
    ("(PRT (RP up))", "up", "up"),
    ("(INTJ (UH oh) (UH yes))", "oh", "oh"),
    ("(FRAG (NP (NN tea)) (PP (IN for) (NP (CD two))) (. .))", "for", "tea"),
    ("(UCP (ADJP (JJ old)) (CC and) (PP (IN in) (NP (NN pain))))", "old", "old"),
    ("(CAPTION (`` ``) (NP (NN map)))", "map", "map"),
]
# Of these the heads are the same with every tag missing.
WITHOUT_TAGS = [
    ("(NP (XX the) (XX old) (XX dog))", "dog", "dog"),
    ("(NP (XX bread) (XX and) (XX butter))", "bread", "bread"),
    ("(NP (NP (XX the) (XX roof)) (PP (XX of) (NP (XX slates))))", "roof", "roof"),
    ("(PP (XX in) (NP (XX Rome)))", "in", "in"),
    ("(VP (XX will) (XX not) (VP (XX go)))", "will", "go"),
    ("(VP (XX saw) (NP (XX him)))", "saw", "saw"),
    ("(VP (XX is) (ADJP (XX very) (XX old)))", "is", "old"),
    ("(S (NP (XX She)) (VP (XX slept)) (XX .))", "slept", "slept"),
    ("(S (XX And) (NP (XX she)) (VP (XX slept)))", "slept", "slept"),
    ("(S (NP (XX There)) (VP (XX is) (NP (XX hope))))", "is", "is"),
    ("(SBAR (XX that) (S (NP (XX she)) (VP (XX left))))", "that", "left"),
    ("(SQ (XX Did) (NP (XX she)) (VP (XX see)) (XX ?))", "Did", "see"),
    ("(WHNP (XX which) (XX game))", "which", "game"),
    ("(ADVP (XX very) (XX well))", "well", "well"),
]


@pytest.mark.parametrize(
    ("brackets", "collins", "semantic"), CONSTRUCTIONS + WITHOUT_TAGS
)
def test_each_construction_has_its_syntactic_and_semantic_head(
    brackets, collins, semantic
):
    tree = parse_tree(brackets)
    assert tree.words[find_heads(tree)[0]] == collins
    assert tree.words[find_heads(tree, "semantic")[0]] == semantic


def children(tree, index):
    """The indices of a constituent's children among the constituents."""
    return [i for i, parent in enumerate(tree.parents()) if parent == index]


@pytest.mark.parametrize("rules", sorted(RULES))
@given(trees())
def test_every_constituent_has_the_head_of_one_child(rules, tree):
    heads = find_heads(tree, rules)
    assert len(heads) == len(tree.constituents)
    for i, (_, start, end) in enumerate(tree.constituents):
        assert start <= heads[i] < end
        inside = children(tree, i)
        below = {heads[child] for child in inside}
        covered = {
            word for child in inside for word in range(*tree.constituents[child][1:])
        }
        assert heads[i] in below or heads[i] not in covered
    assert 0 <= find_head(tree, rules) < len(tree)


def test_heads_are_listed_constituent_by_constituent():
    tree = parse_tree(
        "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (DT the) (NN cabinet)))) "
        "(VP (VBP are) (PP (IN on) (NP (DT the) (NN table)))) (. .))"
    )
    found = [tree.words[head] for head in find_heads(tree)]
    assert found == [*("are", "keys", "keys", "to", "cabinet", "are", "on", "table")]
    assert tree.words[find_head(tree)] == "are"


def test_function_tags_do_not_hide_a_label():
    tree = parse_tree("(S-CLF (NP-SBJ-1 (PRP It)) (VP=2 (VBZ works)))")
    assert [tree.words[head] for head in find_heads(tree)] == ["works", "It", "works"]


def test_a_forest_has_a_head():
    tree = parse_tree("(TOP (`` ``) (NP (NN rain)) (. .))")
    assert find_head(tree) == 1
    assert find_head(Tree.flat([".", "!"], [".", "."])) == 0
    with pytest.raises(TreeError, match="without words"):
        find_head(Tree((), (), ()))
    assert find_heads(Tree((), (), ())) == []


def wide(n_words):
    half = n_words // 2
    return Tree(("a", ",") * half, ("NN", ",") * half, (("NP", 0, 2 * half),))


def comb(n_words):
    """A tree as deep as it is long: every word begins a VP that ends with the last."""
    nodes = (("VP", start, n_words) for start in range(n_words))
    return Tree(("a",) * n_words, ("CC",) * n_words, tuple(nodes))


@pytest.mark.parametrize("rules", sorted(RULES))
@pytest.mark.parametrize("shape", [deep_tree, wide, comb])
def test_time_is_linear(shape, rules):
    trees = {size: shape(size) for size in (200, 4000)}
    assert len(find_heads(trees[4000], rules)) == len(trees[4000].constituents)
    assert slowdown(lambda size: find_heads(trees[size], rules), 200) < 8


def test_own_rules_are_used_and_unknown_names_are_refused():
    tree = parse_tree("(NP (DT the) (NN dog) (NN house))")
    leftmost_noun = HeadRules({"NP": (Step("left", ("NN",)),)})
    assert find_heads(tree, leftmost_noun) == [1]
    assert find_heads(parse_tree("(X (DT the) (NN dog))"), leftmost_noun) == [0]
    with pytest.raises(ValueError, match='are "collins" or "semantic", not'):
        find_heads(tree, "magerman")


# On a Doc


def test_white_space_has_no_head_and_wrong_spans_are_refused():
    tree = [("S", 0, 3), ("NP", 0, 2), ("VP", 2, 3)]
    doc = token_doc("The|\n|dog|barks|\n", tags="DT|_SP|NN|VBZ|_SP", trees=[tree])
    assert span_head(doc[:]) == doc[3]
    assert span_head(doc[0:3]) == doc[2]
    assert span_head(doc[4:5]) is None
    assert doc[4:5]._.head is doc[4:5]._.semantic_head is None
    with pytest.raises(ValueError, match="not a constituent"):
        span_head(doc[2:4])


@given(trees(words=token_words(), max_words=5))
def test_spans_have_the_heads_of_their_trees(tree):
    doc = next(trees_to_docs([tree], NLP.vocab))
    for rules in RULES:
        heads = find_heads(tree, rules)
        for (_, start, end), head in zip(tree.constituents, heads, strict=True):
            assert span_head(doc[start:end], rules).i == head
