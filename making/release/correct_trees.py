"""Correct trees by rules, where a treebank is not annotated as everyday text.

    python correct_trees.py trees.spacy corrected.spacy

Each rule is named and counted (`RULES`). They are for treebanks that a parser of
ordinary text learns from; a tree that none applies to stays as it is.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import get_trees, set_trees, trees_to_docs
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.trees.labels import LABELS, TAGS, split_label
from spacy_gfl.trees.tree import Child, Constituent, Tree

#: What each rule does, by its name.
RULES = {
    "tags": "tags lose what belongs to labels (CC-1, RB-TMP), and those of other "
    "guidelines become Penn's; which and that are WDT, not WP; to is IN in a PP",
    "quotes": "straight quotes tagged as such become `` or '' by turns",
    "marks": "dashes, colons, semicolons and dots tagged , or . become :",
    "slips": "trees with a tag or label that Penn's guidelines do not have go",
    "references": "REF, around what refers to a page, figure or source, goes",
    "parts": "CAPTION, HEADING and TITLE around one phrase go; CIT becomes NP, others "
    "FRAG",
    "brackets": "a closing bracket that follows the constituents with its opening one "
    "belongs to them",
    "parentheses": "what stands in brackets inside a sentence becomes PRN, around the "
    "brackets",
    "particles": "a phrase over a particle (RP) alone becomes PRT",
    "interjections": "an interjection (UH) that stands in a clause or is a phrase by "
    "itself becomes INTJ",
    "hyphens": "a constituent of one word and the hyphen (HYPH) that joins it to "
    "another word goes",
    "doubled": "a constituent over nothing but one of its own label goes",
    "wh": "the phrase with a wh-word that opens SBAR or SBARQ becomes WHNP, WHPP, "
    "WHADVP or WHADJP, and so do the phrases in it that lead to the wh-word",
    "imperatives": "a sentence that is a VP, with a finite verb or a base form (VB) "
    "first, becomes S over VP",
}
#: Tags of Switchboard, of MASC's marks (SU) and of square brackets.
_PENN_TAGS = {
    **{"BES": "VBZ", "HVS": "VBZ", "PRO$": "PRP$", "SU": "SYM", "#": "SYM"},
    **{"-LSB-": "-LRB-", "-RSB-": "-RRB-", "-LCB-": "-LRB-", "-RCB-": "-RRB-"},
}
_KNOWN_LABELS = LABELS | {"REF"}
_QUOTES = frozenset({'"', "'", "`", "``", "''"})
_MARKS = frozenset({";", ":", "-", "--", "---", "—", "–", "..", "...", "....", "…"})
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLAUSES = frozenset({"S", "SINV", "SQ", "SBAR", "SBARQ", "FRAG"})
_FINITE_TAGS = frozenset({"VB", "VBP", "VBZ", "VBD", "MD"})
_SEPARATORS = frozenset({"CC", ",", ":", ".", "-LRB-", "-RRB-", "``", "''"})
_WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
_WH_LABELS = {"NP": "WHNP", "PP": "WHPP", "ADVP": "WHADVP", "ADJP": "WHADJP"}


def correct_tree(tree: Tree, counts: Counter[str]) -> Tree | None:
    """Correct a gold tree by `RULES`.

    Args:
        tree: The tree, without traces and function tags.
        counts: Counts of what each rule changed, to be added to.

    Returns:
        The corrected tree; None if it goes.
    """
    tree = _with_penn_tags(tree, counts)
    labels = {node.label for node in tree.constituents}
    if not (TAGS.issuperset(tree.tags) and _KNOWN_LABELS.issuperset(labels)):
        counts["slips"] += 1
        return None
    tree = _without_parts(tree, counts)
    tree = _with_closing_brackets(tree, counts)
    tree = _with_parentheses(tree, counts)
    tree = _without_cut_compounds(tree, counts)
    tree = _with_phrases_of_words(tree, counts)
    tree = _with_wh_phrases(tree, counts)
    nodes = [node for node, _ in groupby(tree.constituents)]
    counts["doubled"] += len(tree.constituents) - len(nodes)
    return _with_imperative_clause(Tree(tree.words, tree.tags, tuple(nodes)), counts)


def correct_doc(doc: Doc, counts: Counter[str]) -> Iterator[Doc]:
    """The Doc with corrected trees, or, if trees of it go, a new one or none.

    A new Doc has trees and tags alone.
    """
    trees = get_trees(doc)
    found = [correct_tree(tree, counts) for tree in trees]
    corrected = [tree for tree in found if tree is not None]
    if len(corrected) < len(trees):
        if corrected:
            yield from trees_to_docs(corrected, doc.vocab, n_sents=0)
        return
    words = [token for token in doc if token.text.strip()]
    tags = [[tag for tree in some for tag in tree.tags] for some in (trees, corrected)]
    for word, before, after in zip(words, *tags, strict=True):
        if before != after:
            word.tag_ = after
    attrs = dict(doc.spans["constituents"].attrs)
    if corrected != trees:
        # A parser's numbers are of the constituents and trees that it found.
        for name in ("probabilities", "log_probs"):
            attrs.pop(name, None)
    set_trees(doc, corrected, attrs=attrs)
    yield doc


def correct_file(source: Path, out: Path) -> None:
    """Correct the trees of a .spacy file, and print how often each rule did so."""
    counts: Counter[str] = Counter()
    docs = docbin.read(source, Vocab())
    found = [new for doc in docs for new in correct_doc(doc, counts)]
    docbin.write(out, found)
    for rule, number in (+counts).items():
        print(f"Corrected: {rule} {number:,}")


def _with_penn_tags(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with tags as Penn's guidelines have them."""
    prepositions = {
        child.at
        for node, children in zip(tree.constituents, tree.children(), strict=False)
        if node.label in ("PP", "WHPP") and len(children) > 1
        for child in children
        if child.is_word
    }
    tags = []
    is_quoted = False
    # Where nothing but punctuation follows, a quotation ends.
    is_mark = [not any(map(str.isalnum, word)) for word in tree.words]
    end = len(tree) - sum(1 for _ in takewhile(bool, reversed(is_mark)))
    for at, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
        new = tag
        if tag in _PENN_TAGS:
            new = _PENN_TAGS[tag]
        elif tag == "WP" and word.lower() in ("which", "that"):
            new = "WDT"
        elif tag == "TO" and at in prepositions:
            new = "IN"
        elif tag not in TAGS and split_label(tag)[0] in TAGS:
            new = split_label(tag)[0]
        counts["tags"] += new != tag
        if tag in ('"', "'") and word in _QUOTES:
            counts["quotes"] += 1
            new = "''" if is_quoted or at >= end > 0 else "``"
        elif tag in (",", ".") and word in _MARKS:
            counts["marks"] += 1
            new = ":"
        if new in ("``", "''") and word != "'":
            is_quoted = new == "``"
        tags.append(new)
    return Tree(tree.words, tuple(tags), tree.constituents)


def _without_parts(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree without REF and without labels of parts of a document."""
    nodes = []
    for node, children in zip(tree.constituents, tree.children(), strict=False):
        label = node.label
        if label == "REF":
            counts["references"] += 1
            continue
        if label in ("CAPTION", "HEADING", "TITLE", "CIT"):
            counts["parts"] += 1
            label = "NP" if label == "CIT" else "FRAG"
            if label == "FRAG" and len(children) == 1 and not children[0].is_word:
                continue
        nodes.append(node._replace(label=label))
    return Tree(tree.words, tree.tags, tuple(nodes))


def _with_closing_brackets(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with closing brackets in the constituents of their opening ones."""
    nodes = list(tree.constituents)
    for opening, at in _pairs(tree.words, _CLOSING):
        if any(node.start == at for node in nodes):
            continue  # It opens a constituent, which others may not reach into.
        unclosed = [
            i for i, node in enumerate(nodes) if node.start <= opening < node.end == at
        ]
        counts["brackets"] += bool(unclosed)
        for i in unclosed:
            nodes[i] = nodes[i]._replace(end=at + 1)
    return Tree(tree.words, tree.tags, tuple(nodes))


def _pairs(marks: Sequence[str], closing: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where marks open and close; `closing` has the closing one of each that opens."""
    opened: list[int] = []
    pairs = []
    for at, mark in enumerate(marks):
        if mark in closing:
            opened.append(at)
        elif opened and mark == closing[marks[opened[-1]]]:
            pairs.append((opened.pop(), at))
    return pairs


def _with_parentheses(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with PRN over each pair of brackets that are siblings.

    A sentence in brackets, the number of a list item (LST) and what a preposition has
    for its object, as in [4], stay.
    """
    pairs = _pairs(tree.tags, {"-LRB-": "-RRB-"})
    inside = {("PRN", first + 1, last) for first, last in pairs}
    around = tuple(node for node in tree.constituents if node not in inside)
    tree = Tree(tree.words, tree.tags, around)
    nodes: list[Constituent] = []
    for node, children in zip(tree.constituents, tree.children(), strict=False):
        place = len(nodes)
        nodes.append(node)
        tags = [tree.tags[child.at] if child.is_word else "" for child in children]
        for first, last in _pairs(tags, {"-LRB-": "-RRB-"}):
            outside = {*tags[:first], *tags[last + 1 :]}
            is_sentence = not outside and len(tree) == node.end - node.start
            is_kept = node.label in ("PRN", "LST") or is_sentence or outside == {"IN"}
            if is_kept or last == first + 1:
                continue
            counts["parentheses"] += 1
            start, end = children[first].at, children[last].at + 1
            if outside:
                nodes.append(Constituent("PRN", start, end))
                continue
            nodes[place] = Constituent("PRN", start, end)
            nodes.append(Constituent(node.label, start + 1, end - 1))
    # Stable: constituents of the same words keep their order.
    nodes.sort(key=lambda node: (node.start, -node.end))
    return Tree(tree.words, tree.tags, tuple(nodes))


def _without_cut_compounds(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree without constituents that are part of a compound, such as (ADJP well -).

    In pre- and postnatal, the hyphen joins nothing that follows it.
    """
    cut = set()
    for at in range(1, len(tree) - 1):
        if tree.tags[at] == "HYPH":
            if tree.tags[at + 1] not in _SEPARATORS:
                cut.add((at - 1, at + 1))
            if tree.tags[at - 1] not in _SEPARATORS:
                cut.add((at, at + 2))
    nodes = [node for node in tree.constituents if node[1:] not in cut]
    counts["hyphens"] += len(tree.constituents) - len(nodes)
    return Tree(tree.words, tree.tags, tuple(nodes))


def _with_phrases_of_words(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with PRT over particles and INTJ over interjections."""
    nodes = list(tree.constituents)
    added = []
    for i, children in enumerate(tree.children()[:-1]):
        label, start, end = nodes[i]
        alone = end - start == 1
        for word in (child.at for child in children if child.is_word):
            tag = tree.tags[word]
            if tag == "RP" and alone and label in ("ADVP", "PP", "NP", "ADJP"):
                counts["particles"] += 1
                nodes[i] = Constituent("PRT", start, end)
            elif tag == "UH" and alone and label in ("NP", "PP", "VP", "ADJP"):
                counts["interjections"] += 1
                nodes[i] = Constituent("INTJ", start, end)
            elif tag == "UH" and not alone and label in (*_CLAUSES, "VP"):
                counts["interjections"] += 1
                added.append(Constituent("INTJ", word, word + 1))
    # Stable, so that what is added is innermost.
    nodes = sorted([*nodes, *added], key=lambda node: (node.start, -node.end))
    return Tree(tree.words, tree.tags, tuple(nodes))


def _with_wh_phrases(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with labels such as WHNP in the phrases that open a clause."""
    nodes, children = list(tree.constituents), tree.children()
    for node, inner in zip(tree.constituents, children, strict=False):
        if node.label in ("SBAR", "SBARQ") and len(inner) > 1:
            path = _path_to_wh(tree, children, inner[0])
            counts["wh"] += any(nodes[i].label in _WH_LABELS for i in path)
            for i in path:
                label = nodes[i].label
                nodes[i] = nodes[i]._replace(label=_WH_LABELS.get(label, label))
    return Tree(tree.words, tree.tags, tuple(nodes))


def _with_imperative_clause(tree: Tree, counts: Counter[str]) -> Tree:
    """The tree with S over a VP that is the whole sentence."""
    if tree.constituents[:1] != (Constituent("VP", 0, len(tree)),):
        return tree
    first = next((tag for tag in tree.tags if tag.startswith(("V", "MD"))), None)
    if first not in _FINITE_TAGS:
        return tree
    counts["imperatives"] += 1
    clause = Constituent("S", 0, len(tree))
    return Tree(tree.words, tree.tags, (clause, *tree.constituents))


def _path_to_wh(
    tree: Tree, children: Sequence[Sequence[Child]], child: Child
) -> list[int]:
    """The phrases from a child of a clause down to its wh-word; none without one.

    The wh-word is the first word of its phrase (what, whose house, how long), or of
    the last phrase in it (in which, the cause of which).
    """
    path: list[int] = []
    while not child.is_word:
        label = tree.constituents[child.at].label
        if label not in (*_WH_LABELS, *_WH_LABELS.values()):
            return []
        path.append(child.at)
        first, *others = children[child.at]
        opens = first.is_word and tree.tags[first.at] in _WH_TAGS
        leads_on = others and not opens and not others[-1].is_word
        is_preposition = label in ("PP", "WHPP") or (
            leads_on and tree.constituents[others[-1].at].label in ("PP", "WHPP")
        )
        child = others[-1] if leads_on and is_preposition else first
    return path if tree.tags[child.at] in _WH_TAGS else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    correct_file(**vars(parser.parse_args()))
