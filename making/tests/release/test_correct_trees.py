import re
import runpy
from collections import Counter

import pytest
from helpers.docs import token_doc
from helpers.reading import ROOT

from spacy_gfl.tools.treebanks.bracket_reader import parse_tree
from spacy_gfl.tools.treebanks.formats import docbin

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "correct_trees.py"))


def corrected(text):
    counts = Counter()
    tree = SCRIPT["correct_tree"](parse_tree(text), counts)
    assert set(counts) <= set(SCRIPT["RULES"])
    return tree.brackets(), dict(+counts)


#: Rules, each above trees before and after it.
CASES = """
tags
(S (NP (CC-1 both) (PRO$ its) (NNS cats)) (VP (VBP go)))
(S (NP (CC both) (PRP$ its) (NNS cats)) (VP (VBP go)))
(S (-LSB- [) (NP (NP (NN a)) (SBAR (WHNP (WP that)) (S (VP (BES 's))))) (-RSB- ]))
(S (-LRB- [) (NP (NP (NN a)) (SBAR (WHNP (WDT that)) (S (VP (VBZ 's))))) (-RRB- ]))
(S (VP (TO to) (VP (VB go) (PP (TO to) (NP (NN town))))))
(S (VP (TO to) (VP (VB go) (PP (IN to) (NP (NN town))))))
quotes
(S (" ") (NP (PRP It)) (VP (VBZ is)) (, ,) (" ") (NP (PRP he)) (VP (VBD said)) (. .))
(S (`` ") (NP (PRP It)) (VP (VBZ is)) (, ,) ('' ") (NP (PRP he)) (VP (VBD said)) (. .))
(S (NP (PRP It)) (VP (VBZ is)) (. .) (" "))
(S (NP (PRP It)) (VP (VBZ is)) (. .) ('' "))
marks
(FRAG (NP (NN cats)) (, --) (NP (NNS dogs)) (. ...))
(FRAG (NP (NN cats)) (: --) (NP (NNS dogs)) (: ...))
references
(NP (NP (NN a)) (PP (IN on) (REF (NP (NN page) (CD 4)))))
(NP (NP (NN a)) (PP (IN on) (NP (NN page) (CD 4))))
parts
(CAPTION (S (NP (NN Table) (CD 1)) (VP (VBZ shows) (NP (PRP it)))))
(S (NP (NN Table) (CD 1)) (VP (VBZ shows) (NP (PRP it))))
(HEADING (NP (NNS Results)))
(NP (NNS Results))
(HEADING (CD 1) (NP (NNS Mice)))
(FRAG (CD 1) (NP (NNS Mice)))
(CIT (NNP Nature) (CD 4))
(NP (NNP Nature) (CD 4))
brackets
(NP (NP (NN a) (PP (IN in) (-LRB- [) (CD 4))) (-RRB- ]) (PP (IN of) (NP (NN c))))
(NP (NP (NN a) (PP (IN in) (-LRB- [) (CD 4) (-RRB- ]))) (PP (IN of) (NP (NN c))))
parentheses
(NP (NP (NN a)) (-LRB- -LRB-) (NP (NN b)) (-RRB- -RRB-))
(NP (NP (NN a)) (PRN (-LRB- -LRB-) (NP (NN b)) (-RRB- -RRB-)))
(NP (NP (NN a)) (NP (-LRB- [) (JJ old) (NNS data) (-RRB- ])))
(NP (NP (NN a)) (PRN (-LRB- [) (NP (JJ old) (NNS data)) (-RRB- ])))
(X (NP (NP (-LRB- [) (NN data) (-RRB- ]))) (. .))
(X (NP (PRN (-LRB- [) (NP (NN data)) (-RRB- ]))) (. .))
(NP (NP (NN a)) (SBAR (-LRB- -LRB-) (S (VP (VB go))) (-RRB- -RRB-)))
(NP (NP (NN a)) (PRN (-LRB- -LRB-) (SBAR (S (VP (VB go)))) (-RRB- -RRB-)))
(NP (-LRB- [) (CD 1) (-RRB- ]) (: -) (-LRB- [) (CD 4) (-RRB- ]))
(NP (PRN (-LRB- [) (CD 1) (-RRB- ])) (: -) (PRN (-LRB- [) (CD 4) (-RRB- ])))
(NP (CD 1) (-LRB- [) (CD 2) (-LRB- -LRB-) (CD 3) (-RRB- -RRB-) (-RRB- ]))
(NP (CD 1) (PRN (-LRB- [) (CD 2) (PRN (-LRB- -LRB-) (CD 3) (-RRB- -RRB-)) (-RRB- ])))
(NP (NN a) (-LRB- -LRB-) (PRN (NP (NN b))) (-RRB- -RRB-))
(NP (NN a) (PRN (-LRB- -LRB-) (NP (NN b)) (-RRB- -RRB-)))
particles
(S (VP (VBD gave) (NP (PRP it)) (ADVP (RP up))))
(S (VP (VBD gave) (NP (PRP it)) (PRT (RP up))))
interjections
(NP (UH Yes))
(INTJ (UH Yes))
(S (UH Please) (VP (VB go)))
(S (INTJ (UH Please)) (VP (VB go)))
hyphens
(NP (DT a) (ADJP (ADVP (RB well) (HYPH -)) (VBN known)) (NN face))
(NP (DT a) (ADJP (RB well) (HYPH -) (VBN known)) (NN face))
(NP (NML (NN hands) (ADVP (HYPH -) (RB on))) (NN work))
(NP (NML (NN hands) (HYPH -) (RB on)) (NN work))
doubled
(S (NP (NP (NP (PRP It)))) (VP (VBZ is)))
(S (NP (PRP It)) (VP (VBZ is)))
wh
(SBAR (NP (WP who)) (S (VP (VBD left))))
(SBAR (WHNP (WP who)) (S (VP (VBD left))))
(SBAR (PP (IN in) (NP (WDT which))) (S (NP (PRP we)) (VP (VBP live))))
(SBAR (WHPP (IN in) (WHNP (WDT which))) (S (NP (PRP we)) (VP (VBP live))))
(SBAR (NP (NP (DT the) (NN end)) (PP (IN of) (NP (WDT which)))) (S (VP (VBZ is))))
(SBAR (WHNP (NP (DT the) (NN end)) (WHPP (IN of) (WHNP (WDT which)))) (S (VP (VBZ is))))
(SBARQ (NP (ADJP (WRB how) (JJ many)) (NNS cats)) (SQ (VBP are)))
(SBARQ (WHNP (WHADJP (WRB how) (JJ many)) (NNS cats)) (SQ (VBP are)))
(SBAR (ADVP (WRB where)) (S (VP (VBZ is))))
(SBAR (WHADVP (WRB where)) (S (VP (VBZ is))))
imperatives
(VP (ADVP (RB Just)) (VB mix) (PP (IN until) (ADJP (JJ smooth))))
(S (VP (ADVP (RB Just)) (VB mix) (PP (IN until) (ADJP (JJ smooth)))))
(VP (VP (VB Stir)) (CC and) (VP (VB serve)) (. .))
(S (VP (VP (VB Stir)) (CC and) (VP (VB serve)) (. .)))
"""


@pytest.mark.parametrize("cases", re.split(r"\n(?=\w)", CASES.strip()))
def test_each_rule_corrects_what_it_is_for_and_is_counted(cases):
    rule, *trees = cases.split("\n")
    for before, after in zip(trees[::2], trees[1::2], strict=True):
        found, counts = corrected(before)
        assert found == after
        assert counts.keys() == {rule}
        assert corrected(after) == (after, {})


@pytest.mark.parametrize(
    "text",
    [
        "(S (EDITED (NP (PRP he)) (: --)) (NP (PRP she)) (VP (VBD left)))",
        "(NP (NP (DT that)) (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBD saw)))))",
        "(SBAR (IN that) (S (NP (WP who)) (VP (VBD left))))",
        "(SBAR (NP (DT the) (NN day)) (S (NP (PRP he)) (VP (VBD left))))",
        "(NP (NP (DT a) (NN man)) (PP (IN of) (NP (NNS words))))",
        "(S (VP (VB go) (ADVP (RB up))))",
        "(VP (VBN Sent) (PP (IN by) (NP (NN mail))))",
        "(VP (VBG Baking) (SBAR (IN as) (S (NP (PRP we)) (VP (VBP do)))))",
        "(INTJ (UH Oh) (, ,) (UH yes))",
        "(NP (NP (NN a)) (PRN (-LRB- -LRB-) (NP (NN b)) (-RRB- -RRB-)))",
        "(S (-LRB- -LRB-) (NP (PRP It)) (VP (VBD rained)) (. .) (-RRB- -RRB-))",
        "(NP (LST (-LRB- -LRB-) (LS a) (-RRB- -RRB-)) (NN cat))",
        "(NP (NP (NN a)) (PP (IN in) (-LRB- [) (NP (CD 4)) (-RRB- ])))",
        "(NP (NP (NN a)) (-LRB- -LRB-) (-RRB- -RRB-))",
        "(S (NP (NN a) (-LRB- [) (NN b)) (VP (-RRB- ]) (VBP are)))",
        "(NP (NP (NN a)) (-RRB- -RRB-))",
        "(NP (NP (NN A)) (NP (NN B)))",
        "(NP (NML (NML (JJ pre) (HYPH -)) (CC and) (JJ postwar)) (NNS years))",
    ],
)
def test_what_is_right_stays(text):
    assert corrected(text) == (text, {})


def test_a_phrase_that_gets_its_parents_label_goes():
    found, _ = corrected("(SBAR (WHNP (NP (WP who))) (S (VP (VBD left))))")
    assert found == "(SBAR (WHNP (WP who)) (S (VP (VBD left))))"


def test_words_go_with_what_held_them_alone():
    tree = parse_tree("(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))")
    found = tree.remove_words([False, True, True, False])
    assert found.brackets() == "(S (NP (DT The)) (. .))"
    assert tree.remove_words([False] * 4) is tree
    assert len(tree.remove_words([True] * 4)) == 0


def test_docs_keep_their_annotations_unless_trees_go(tmp_path, capsys):
    doc = token_doc("It|rains|--", trees=["(S (NP (NP (X It))) (X rains) (, --))"])
    doc[0].lemma_, doc[2].tag_ = "it", ","
    doc.spans["constituents"].attrs["log_probs"] = [-1.0]
    slip = token_doc("a|b", tags="EQUA|NN", trees=["(NP (EQUA a) (NN b))"])
    path = tmp_path / "trees.spacy"
    docbin.write(path, [doc, slip])
    SCRIPT["correct_file"](path, path)
    [kept] = docbin.read(path, doc.vocab)
    assert kept._.parse_strings == ["(S (NP (XX It)) (XX rains) (: --))"]
    assert kept[0].lemma_ == "it"
    # What a parser thought is of its own trees.
    assert "log_probs" not in kept.spans["constituents"].attrs
    shown = capsys.readouterr().out
    assert shown == "Corrected: marks 1\nCorrected: doubled 1\nCorrected: slips 1\n"
