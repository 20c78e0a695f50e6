"""One scheme of trees for all languages.

Treebanks differ in what they call a phrase, and in which words have one. The trees that
`to_common` makes of them have one set of labels (`languages.xx.LABELS`), the tags of
Universal Dependencies, and as much structure as a head and its dependents have:

- a phrase in a phrase of its label with the same head is one with it: auxiliaries stand
  beside the verb, a noun beside all that modifies it
- no constituent has the extent of another: of a unary chain the lowest stays, and of a
  whole sentence S
- one word is a phrase (NP, ADJP, ADVP, VP) where a longer one would be: as an argument,
  adjunct or predicate; not inside a phrase that it heads
"""

from collections.abc import Iterable, Sequence, Set

from spacy_gfl.languages.base import ToCommon
from spacy_gfl.trees.tree import Child, Constituent, Tree, in_pre_order

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_VERBAL = frozenset({"VERB", "AUX"})
#: The phrase of one word by its tag, as an argument, an adjunct or a predicate.
_OF_WORD = {
    **dict.fromkeys(("NOUN", "PROPN", "PRON", "NUM", "DET"), "NP"),
    "ADJ": "ADJP",
    "ADV": "ADVP",
}
_HEADED = frozenset({"NP", "ADJP", "ADVP"})


def to_common(tree: Tree, scheme: ToCommon) -> Tree:
    """Make a tree of the common scheme out of a treebank's.

    Args:
        tree: The tree, without function tags in its labels.
        scheme: What labels and tags of the treebank mean.
    """
    universal = {old: new for new, olds in scheme.tags.items() for old in olds.split()}
    tags = tuple(universal.get(tag, tag) for tag in tree.tags)
    named = [
        node._replace(label=scheme.labels.get(node.label, node.label))
        for node in tree.constituents
    ]
    # What opens a clause may be a phrase of one word: it is looked for before those go.
    tree = _by_what_opens(Tree(tree.words, tags, _labelled(named)))
    alone = _beside_subjects(tree)
    longer = tuple(node for node in tree.constituents if node.end - node.start > 1)
    tree = _over_marks(Tree(tree.words, tree.tags, longer))
    joined = _without_same_heads(tree, govern=scheme.govern)
    return finish(joined, alone)


def finish(tree: Tree, alone: Set[int] = frozenset()) -> Tree:
    """Keep one constituent per extent, and put phrases over single words.

    Args:
        tree: The tree, without phrases of single words.
        alone: Verbs that are a verb phrase in a clause, beside whatever other verbs.
    """
    return _with_words(_without_chains(tree), alone)


def _beside_subjects(tree: Tree) -> set[int]:
    """Verbs that alone are the verb phrase of a clause with a noun phrase."""
    verbs = set[int]()
    for at, children in enumerate(tree.children()[:-1]):
        if tree.constituents[at].label != "S" or not _has_label(tree, children, "NP"):
            continue
        for node in (tree.constituents[c.at] for c in children if not c.is_word):
            if node.label == "VP" and node.end - node.start == 1:
                verbs.add(node.start)
    return verbs


def _labelled(nodes: Iterable[Constituent]) -> tuple[Constituent, ...]:
    return tuple(node for node in nodes if node.label)


def _by_what_opens(tree: Tree) -> Tree:
    """Call SBAR that nothing opens S, and S of an infinitive with its marker VP.

    A preposition or conjunction that opens SBAR is a subordinating conjunction.
    """
    nodes, tags = list(tree.constituents), list(tree.tags)
    for at, children in enumerate(tree.children()[:-1]):
        labels = [nodes[child.at].label for child in children if not child.is_word]
        words = [tree.tags[child.at] for child in children if child.is_word]
        opened = not {"PUNCT"}.issuperset(words) or (
            any(label.startswith("WH") for label in labels)
            or ("S" in labels and len(labels) > 1)
        )
        if nodes[at].label == "SBAR" and not opened:
            nodes[at] = nodes[at]._replace(label="S")
        elif nodes[at].label == "S" and (words, labels) == (["PART"], ["VP"]):
            nodes[at] = nodes[at]._replace(label="VP")
        is_sbar, (is_word, first) = nodes[at].label == "SBAR", children[0]
        if is_sbar and is_word and tags[first] in ("ADP", "CCONJ"):
            tags[first] = "SCONJ"
    return Tree(tree.words, tuple(tags), tuple(nodes))


def _over_marks(tree: Tree) -> Tree:
    """Let the only constituent below the root have the words beside it too."""
    nodes = list(tree.constituents)
    if len([child for child in tree.children()[-1] if not child.is_word]) == 1:
        nodes[0] = nodes[0]._replace(start=0, end=len(tree))
    return Tree(tree.words, tree.tags, tuple(nodes))


def _without_same_heads(tree: Tree, *, govern: bool) -> Tree:
    """Take out phrases in phrases of their label that have the same head."""
    nodes, gone = tree.constituents, set[int]()
    for parent, children in enumerate(tree.children()[:-1]):
        label = nodes[parent].label
        same = [c.at for c in children if not c.is_word and nodes[c.at].label == label]
        words = [tree.tags[child.at] for child in children if child.is_word]
        if not same:
            continue
        if (
            len(same) == 1
            and len(words) == len(children) - 1
            and set(words) <= {"PUNCT"}
        ):
            gone.update(same)
        elif "CCONJ" in words or _has_label(tree, children, "CONJP"):
            continue
        elif label in _HEADED and not _NOMINAL & set(words):
            gone.add(same[0])
        elif label == "VP" and len(same) == 1:
            before = [c for c in children if c.at < same[0] or c.is_word]
            before = before[: children.index(Child(False, same[0]))]
            is_close = all(c.is_word or nodes[c.at].label == "ADVP" for c in before)
            # English Penn trees have S over an infinitive.
            is_other = govern or tree.tags[nodes[same[0]].start] == "PART"
            if is_close and not (is_other and "VERB" in words):
                gone.update(same)
    kept = [node for at, node in enumerate(nodes) if at not in gone]
    return Tree(tree.words, tree.tags, tuple(kept))


def _without_chains(tree: Tree) -> Tree:
    """Keep the lowest of each unary chain, and S of a whole sentence above it."""
    kept: dict[tuple[int, int, bool], Constituent] = {}
    for node in tree.constituents:
        is_whole = node.label == "S" and node.end - node.start == len(tree)
        kept[node.start, node.end, is_whole] = node
    return Tree(tree.words, tree.tags, tuple(kept.values()))


def _with_words(tree: Tree, alone: Set[int]) -> Tree:
    """Put phrases over single words."""
    nodes = list(tree.constituents)
    for parent, children in enumerate(tree.children()[:-1]):
        label = nodes[parent].label
        verbs = [c for c in children if c.is_word and tree.tags[c.at] in _VERBAL]
        is_clause = label in ("S", "SBAR")
        if is_clause and len(verbs) == 1 and not _has_label(tree, children, "VP"):
            nodes.append(Constituent("VP", verbs[0].at, verbs[0].at + 1))
        elif is_clause:
            own = [verb.at for verb in verbs if verb.at in alone]
            nodes += [Constituent("VP", at, at + 1) for at in own]
        for child in children if label in ("S", "VP", "PP") else ():
            new = _OF_WORD.get(tree.tags[child.at]) if child.is_word else None
            if new is not None:
                # In short, in general.
                new = "NP" if (label, new) == ("PP", "ADJP") else new
                nodes.append(Constituent(new, child.at, child.at + 1))
    return Tree(tree.words, tree.tags, in_pre_order(nodes))


def _has_label(tree: Tree, children: Sequence[Child], label: str) -> bool:
    return any(
        not c.is_word and tree.constituents[c.at].label == label for c in children
    )
