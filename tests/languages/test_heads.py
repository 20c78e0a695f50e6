import pytest
from helpers.docs import token_doc
from helpers.growth import work
from helpers.strategies import deep_tree, trees
from hypothesis import given

from spacy_gfl.languages.en import LANGUAGE
from spacy_gfl.languages.head_rules import HeadRules, Step
from spacy_gfl.languages.heads import all_heads, find_heads
from spacy_gfl.tools.treebanks.bracket_reader import parse_tree
from spacy_gfl.trees.tree import Tree

# The heads of constructions by Collins' rules and by the semantic ones, worked out by
# hand from the tables.
CONSTRUCTIONS = """
dog dog (NP (DT the) (JJ old) (NN dog))
roof roof (NP (NP (DT the) (NN roof)) (PP (IN of) (NP (NNS slates))))
's John (NP (NNP John) (POS 's))
car car (NP (NP (NNP John) (POS 's)) (NN car))
poor poor (NP (DT the) (JJ poor))
$ $ (NP ($ $) (CD 8))
them them (NP (PRP them))
bread bread (NP (NN bread) (CC and) (NN butter))
b a (NP (NNS a) (, ,) (NNS b) (CC and) (NNS c))
b a (NP (NNS a) (CC and) (NNS b) (CC and) (NNS c))
c a (NP (NN a) (, ,) (NN b) (CC and) (NN c) (CC and) (NN d))
cat cat (NP (JJ big) (, ,) (NN cat) (CC and) (NN dog))
tea tea (NP (NP (NN tea)) (, ,) (NP (NN milk)) (CC and) (NP (NN rum)))
dogs dogs (NP (JJ big) (CC and) (JJ bad) (NNS dogs))
arrest arrest (NP (NML (NN cell) (NN cycle)) (NN arrest))
rain rain (NP (NN rain) (, ,) (`` ``))
in in (PP (IN in) (NP (DT the) (NN box)))
of of (PP (IN because) (IN of) (NP (NN rain)))
by by (PP (PP (IN by) (NP (NN day))) (CC or) (PP (IN at) (NP (NN night))))
will go (VP (MD will) (RB not) (VP (VB go)))
has seen (VP (VBZ has) (VP (VBN been) (VP (VBN seen))))
has has (VP (VBZ has) (NP (NN time)))
to go (VP (TO to) (VP (VB go)))
did did (VP (VBD did) (RB n't))
is old (VP (VBZ is) (ADJP (RB very) (JJ old)))
was cook (VP (VBD was) (NP (DT a) (NN cook)) (PP (IN in) (NP (NNP Rome))))
is is (VP (VBZ is) (PP (IN in) (NP (NNP Rome))))
was was (VP (VBD was) (NP-TMP (NN yesterday)))
came came (VP (VP (VBD came)) (CC and) (VP (VBD went)))
can sing (VP (MD can) (VP (VP (VB sing)) (CC or) (VP (VB dance))))
got fired (VP (VBD got) (VP (VBN fired)))
slept slept (S (NP (PRP She)) (VP (VBD slept)) (. .))
to win (S (VP (TO to) (VP (VB win))))
him fool (S (NP (PRP him)) (NP (DT a) (NN fool)))
is is (S (NP (EX There)) (VP (VBZ is) (NP (NN hope))))
will be (S (NP (EX there)) (VP (MD will) (VP (VB be) (NP (NN rain)))))
ran ran (S (S (NP (PRP I)) (VP (VBD ran))) (CC and) (S (NP (PRP he)) (VP (VBD hid))))
that left (SBAR (IN that) (S (NP (PRP she)) (VP (VBD left))))
who left (SBAR (WHNP (WP who)) (S (VP (VBD left))))
why why (SBAR (WHADVP (WRB why)))
is is (SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (DT the) (NN king))) (. ?))
did see (SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP she)) (VP (VB see))) (. ?))
Is tall (SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ tall)) (. ?))
Is cook (SQ (VBZ Is) (NP (PRP he)) (NP (DT a) (NN cook)) (. ?))
Is Is (SQ (VBZ Is) (NP (EX there)) (NP (NN tea)) (. ?))
do know (SQ (S (NP (PRP I)) (VP (VBP know))) (, ,) (SQ (VBP do) (NP (PRP I))) (. ?))
were were (SBARQ (WHADVP (WRB Where)) (SQ (VBD were) (NP (PRP you)) (NP (NN today))))
where was (SBAR (WHADVP (WRB where)) (S (NP (PRP he)) (VP (VBD was) (NP (NN today)))))
when May (SBAR (WHADVP (WRB when)) (S (NP (PRP it)) (VP (VBD was) (NP (NNP May)))))
which week (SBAR (WHNP (WDT which)) (S (VP (VBD was) (NP (JJ last) (NN week)))))
said said (SINV (S (NP (PRP I)) (VP (VBP go))) (, ,) (VP (VBD said)) (NP (PRP he)))
was was (VP (VBD was) (PP (IN in) (NP (NNP Rome))) (NP (JJ last) (NN week)))
is May (VP (VBZ is) (ADVP (RB now)) (NP (NNP May)))
is Monday (VP (VBZ is) (NP (NNP Monday)))
May rest (SINV (MD May) (NP (PRP he)) (VP (VB rest)))
salty salty (ADJP (RB too) (JJ salty))
very old (ADJP (ADVP (RB very)) (JJ old))
old old (ADJP (NP (CD six) (NNS years)) (JJ old))
good good (ADJP (JJ good) (CC and) (JJ cheap))
well well (ADVP (RB very) (RB well))
much faster (ADVP (RB much) (RBR faster))
nearly 200 (QP (RB nearly) (CD 200))
than 20 (QP (JJR more) (IN than) (CD 20))
three billion (QP (CD three) (CD billion))
which game (WHNP (WDT which) (NN game))
whose hat (WHNP (WP$ whose) (NN hat))
how cars (WHNP (WHADJP (WRB how) (JJ many)) (NNS cars))
to to (WHPP (IN to) (WHNP (WP whom)))
up up (PRT (RP up))
oh oh (INTJ (UH oh) (UH yes))
for tea (FRAG (NP (NN tea)) (PP (IN for) (NP (CD two))) (. .))
old old (UCP (ADJP (JJ old)) (CC and) (PP (IN in) (NP (NN pain))))
map map (CAPTION (`` ``) (NP (NN map)))
""".strip().split("\n")
# Of these the heads are the same with every tag missing.
WITHOUT_TAGS = """
dog dog (NP (XX the) (XX old) (XX dog))
bread bread (NP (XX bread) (XX and) (XX butter))
roof roof (NP (NP (XX the) (XX roof)) (PP (XX of) (NP (XX slates))))
in in (PP (XX in) (NP (XX Rome)))
will go (VP (XX will) (XX not) (VP (XX go)))
saw saw (VP (XX saw) (NP (XX him)))
is old (VP (XX is) (ADJP (XX very) (XX old)))
slept slept (S (NP (XX She)) (VP (XX slept)) (XX .))
slept slept (S (XX And) (NP (XX she)) (VP (XX slept)))
is is (S (NP (XX There)) (VP (XX is) (NP (XX hope))))
that left (SBAR (XX that) (S (NP (XX she)) (VP (XX left))))
Did see (SQ (XX Did) (NP (XX she)) (VP (XX see)) (XX ?))
which game (WHNP (XX which) (XX game))
well well (ADVP (XX very) (XX well))
""".strip().split("\n")


@pytest.mark.parametrize("construction", CONSTRUCTIONS + WITHOUT_TAGS)
def test_each_construction_has_its_syntactic_and_semantic_head(construction):
    collins, semantic, brackets = construction.split(" ", 2)
    tree = parse_tree(brackets)
    assert tree.words[find_heads(tree)[0]] == collins
    assert tree.words[find_heads(tree, "semantic")[0]] == semantic


@pytest.mark.parametrize("rules", sorted(LANGUAGE.heads))
@given(trees())
def test_every_constituent_has_the_head_of_one_child(rules, tree):
    heads = all_heads(tree, rules, "en")
    assert heads[:-1] == find_heads(tree, rules)
    for head, children in zip(heads, tree.children(), strict=True):
        assert head in {at if is_word else heads[at] for is_word, at in children}


def test_be_is_the_head_of_what_there_has_to_be():
    tree = parse_tree(
        "(S (NP (EX There)) (VP (VBZ has) (S (VP (TO to) (VP (VB be) (NP (NN tea)))))))"
    )
    found = [tree.words[head] for head in find_heads(tree, "semantic")]
    assert found == ["has", "There", "has", "be", "be", "be", "tea"]


def test_a_forest_has_a_head():
    tree = parse_tree("(TOP (`` ``) (NP (NN rain)) (. .))")
    assert all_heads(tree, "collins", "en")[-1] == 1
    assert all_heads(Tree.flat([".", "!"], [".", "."]), "collins", "en") == [0]
    assert all_heads(Tree((), (), ()), "collins", "en") == [-1]


def wide(n_words):
    half = n_words // 2
    return Tree(("a", ",") * half, ("NN", ",") * half, (("NP", 0, 2 * half),))


def comb(n_words):
    """A tree as deep as it is long: every word begins a VP that ends with the last."""
    nodes = (("VP", start, n_words) for start in range(n_words))
    return Tree(("a",) * n_words, ("CC",) * n_words, tuple(nodes))


@pytest.mark.parametrize("rules", sorted(LANGUAGE.heads))
@pytest.mark.parametrize("shape", [deep_tree, wide, comb])
def test_time_is_linear(shape, rules):
    trees = {size: shape(size) for size in (100, 400)}
    steps = [work(lambda size: find_heads(trees[size], rules), n) for n in trees]
    assert steps[1] < 5 * steps[0]


def test_own_rules_are_used_and_unknown_names_are_refused():
    tree = parse_tree("(NP (DT the) (NN dog) (NN house))")
    leftmost_noun = HeadRules({"NP": (Step("left", ("NN",)),)})
    assert find_heads(tree, leftmost_noun) == [1]
    assert find_heads(parse_tree("(X (DT the) (NN dog))"), leftmost_noun) == [0]
    for steps in ((), (Step("Left", ("NN",)),)):
        with pytest.raises(ValueError, match='NP needs steps "left" or "right", not '):
            HeadRules({"NP": steps})
    with pytest.raises(ValueError, match='are "collins" or "semantic", not'):
        find_heads(tree, "magerman")


def test_white_space_has_no_head_and_wrong_spans_are_refused():
    tree = [("S", 0, 3), ("NP", 0, 2), ("VP", 2, 3)]
    doc = token_doc("The|\n|dog|barks|\n", tags="DT|_SP|NN|VBZ|_SP", trees=[tree])
    assert doc[:]._.head == doc[3]
    assert doc[0:3]._.head == doc[2]
    assert doc[4:5]._.head is doc[4:5]._.semantic_head is None
    with pytest.raises(ValueError, match="not a constituent"):
        _ = doc[2:4]._.head
