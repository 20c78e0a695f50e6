"""Syntactic complexity of texts: `doc._.complexity`.

Counts and indices are those of the L2 Syntactic Complexity Analyzer: Lu, *Automatic
analysis of syntactic complexity in second language writing*, International Journal of
Corpus Linguistics 15(4), 2010. Beside them stand measures of the shape of trees.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from spacy.tokens import Doc, Span

from spacy_gfl.annotation.nodes import sentence_nodes
from spacy_gfl.annotation.sentence_words import require_english
from spacy_gfl.languages import en
from spacy_gfl.tools.query.pattern_nodes import rooted_nodes
from spacy_gfl.tools.query.patterns import PatternSet
from spacy_gfl.trees.tree import MISSING_TAG, Tree

#: What several structures are made of. ROOT is the bracket around every sentence.
MACROS = """
@ FINITE MD|VBD|VBP|VBZ;
@ CLAUSE (S|SINV|SQ
    [ > ROOT <, (VP <# VB)
    | <# @FINITE
    | < (VP [<# @FINITE | < CC < (VP <# @FINITE)]) ]);
@ T-UNIT (S|SBARQ|SINV|SQ [> ROOT | $-- S|SBARQ|SINV|SQ !>> SBAR|VP]);
"""
#: The structures of Lu (2010), in the Tregex patterns that his program counts, but for
#: words. Several patterns of one structure are parted by semicolons.
STRUCTURES = {
    # Sentences.
    "S": "ROOT > (TOP !> *)",
    # Verb phrases; the verb of a question that has none, as in "Is he ill?".
    "VP": "VP > S|SINV|SQ; @FINITE > (SQ !< VP)",
    # Clauses: a finite verb, or an imperative; fragments without a clause.
    "C": "@CLAUSE; FRAG > ROOT !<< @CLAUSE",
    # T-units: a main clause with all that depends on it; fragments without one.
    "T": "@T-UNIT; FRAG > ROOT !<< @T-UNIT",
    # Dependent clauses.
    "DC": "SBAR < @CLAUSE",
    # Complex T-units: those with a dependent clause.
    "CT": "@T-UNIT << (SBAR < @CLAUSE)",
    # Coordinate phrases.
    "CP": "ADJP|ADVP|NP|VP < CC",
    # Complex nominals: modified nouns; nominal clauses; gerunds and infinitives as
    # subjects.
    "CN": """
        NP !> NP [<< JJ|POS|PP|S|VBG | << (NP $++ NP !$+ CC)];
        SBAR [<# WHNP | <# (IN < That|that|For|for) | <, S] [$+ VP | > VP];
        S < (VP <# VBG|TO) $+ VP
    """,
}
#: The indices of Lu (2010): numerator and denominator.
INDICES = {
    "MLS": ("W", "S"),
    "MLT": ("W", "T"),
    "MLC": ("W", "C"),
    "C/S": ("C", "S"),
    "VP/T": ("VP", "T"),
    "C/T": ("C", "T"),
    "DC/C": ("DC", "C"),
    "DC/T": ("DC", "T"),
    "T/S": ("T", "S"),
    "CT/T": ("CT", "T"),
    "CP/T": ("CP", "T"),
    "CP/C": ("CP", "C"),
    "CN/T": ("CN", "T"),
    "CN/C": ("CN", "C"),
}
_SHAPES = {
    "depth": ("depth", "S"),
    "branching": ("children", "constituents"),
    "yngve": ("sisters", "tokens"),
    "frazier": ("beginnings", "S"),
}
#: What is written together with the word before: don't, she'll, Ada's.
JOINED = re.compile("n['’]t|['’](?:s|m|d|re|ve|ll|em)?", re.IGNORECASE)
# Reading the patterns takes time, which importing the package shall not.
_patterns = cache(lambda: PatternSet(MACROS, STRUCTURES))


def complexity(doclike: Doc | Span) -> dict[str, float]:
    """`Doc._.complexity`, `Span._.complexity`: measures of the sentences in a text.

    Args:
        doclike: A Doc, or a Span, of which the sentences count that lie in it.

    Returns:
        Counts, ratios and averages by the names that `measure` explains.

    Raises:
        ValueError: The Doc is of another language than English, or has
            no trees, no sentences or no tags.
    """
    span = doclike[:]
    require_english(span, "Measures of complexity")
    inside = [
        node.tree()
        for node in sentence_nodes(span)
        if span.start <= node.sentence.words[0] and node.sentence.words[-1] < span.end
    ]
    return measure(inside)


def measure(trees: Iterable[Tree]) -> dict[str, float]:
    """Measure the complexity of a text.

    Args:
        trees: The trees of its sentences, with tags.

    Returns:
        Counts and means by their names. W (words without punctuation; *don't* is one),
        S, VP, C, T, DC, CT, CP and CN are the counts (`STRUCTURES`), of which there are
        14 ratios (`INDICES`), 0 where nothing is to be divided by. "depth" is the
        labels from the top of a sentence to its deepest word, "branching" the children
        of a constituent, "yngve" the sisters to the right of a word and of what it is
        in, which are still to come when it is read (Yngve 1960), "frazier" the most
        constituents in a sentence that begin with three words in a row, a clause
        counting 1.5 (Frazier 1985); each is an average.

        Punctuation counts nowhere, and nor does a sentence of nothing else.

    Raises:
        ValueError: No word has a tag.
    """
    known = [tree for tree in trees if tree.words]
    if {tag for tree in known for tag in tree.tags} == {MISSING_TAG}:
        raise ValueError(
            "Complexity needs tags, and no word of this text has one. Parse it "
            "with a pipeline that tags words, such as en_gfl_sm."
        )
    total: Counter[str] = Counter()
    # A line of marks is no sentence of no words.
    for tree in (tree for tree in known if not all(map(_is_no_word, tree.tags))):
        heads_of = _patterns().heads(rooted_nodes(tree))
        total.update({name: len(heads) for name, heads in heads_of.items()})
        total.update(_shape(tree))
    measures: dict[str, float] = {name: total[name] for name in ("W", *STRUCTURES)}
    for name, (part, whole) in {**INDICES, **_SHAPES}.items():
        measures[name] = total[part] / total[whole] if total[whole] else 0.0
    # Beginnings are counted in halves.
    measures["frazier"] /= 2
    return measures


def _is_no_word(tag: str) -> bool:
    """Whether a tag is that of punctuation."""
    return not tag[0].isalpha() or tag in en.LANGUAGE.punctuation


def _shape(tree: Tree) -> dict[str, int]:
    """The words and the shape (`_SHAPES`) of a sentence; "beginnings" in halves."""
    tree = tree.remove_words([*map(_is_no_word, tree.tags)])
    # "do" and "n't" are one word to those who count.
    n_joined = sum(bool(JOINED.fullmatch(word)) for word in tree.words[1:])
    *inner, outermost = tree.children()
    sizes = [end - start for _, start, end in tree.constituents]
    n_sisters = sum(
        n_after * (1 if is_word else sizes[at])
        for children in (*inner, outermost)
        for n_after, (is_word, at) in enumerate(reversed(children))
    )
    opening = [0] * len(tree)
    for label, start, _ in tree.constituents:
        opening[start] += 3 if label.startswith("S") else 2
    windows = [sum(opening[i : i + 3]) for i in range(len(tree))]
    return {
        "W": len(tree) - n_joined,
        "tokens": len(tree),
        "depth": max(tree.levels(), default=0),
        "sisters": n_sisters,
        "children": sum(map(len, inner)),
        "constituents": len(inner),
        "beginnings": max(windows, default=0),
    }
