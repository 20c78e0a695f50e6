"""The head word of every constituent of a tree."""

from collections.abc import Sequence

from spacy_gfl.trees.head_rules import (
    Candidate,
    HeadRules,
    Phrase,
    rules_for,
    tag_of,
)
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABEL, Tree, TreeError


def find_heads(tree: Tree, rules: str | HeadRules = "collins") -> list[int]:
    """Find the head word of every constituent, in time linear in the tree's size.

    Rules go by tags. A word without tag (XX) counts as punctuation, a
    conjunction, an article, *not* or *to* if it is one, and else as having the
    tag that a rule looks for, so that labels and positions decide.

    Args:
        tree: The tree.
        rules: "collins", "semantic" (see `spacy_gfl.trees.head_rules`), both of
            English; `rules_for` of another language; or rules of your own.

    Returns:
        For each of `tree.constituents` the index of a word inside it, which is
        also the head of one of its children.

    Raises:
        ValueError: There are no rules of this name.
    """
    return all_heads(tree, rules)[:-1]


def find_head(tree: Tree, rules: str | HeadRules = "collins") -> int:
    """Find the head word of a sentence.

    Of several outermost constituents and words, the first that is not
    punctuation has the head.

    Args:
        tree: The tree.
        rules: See `find_heads`.

    Returns:
        The index of the word.

    Raises:
        TreeError: The tree has no words.
        ValueError: There are no rules of this name.
    """
    if not tree.words:
        raise TreeError("a tree without words has no head")
    return all_heads(tree, rules)[-1]


def all_heads(tree: Tree, rules: str | HeadRules) -> list[int]:
    """Find the heads of all constituents, and last the root's; -1 without words."""
    if isinstance(rules, str):
        rules = rules_for(rules)
    children = tree.children()
    labels = [split_label(node.label) for node in tree.constituents]
    existential = _existential(tree, [label for label, _ in labels])
    heads = [-1] * (len(labels) + 1)
    # Children come after their parents, so from the last on they are done first.
    for i in [*range(len(labels) - 1, -1, -1), -1]:
        words, candidates = [], []
        for is_word, at in children[i]:
            head = at if is_word else heads[at]
            word, tag = tree.words[head], tree.tags[head]
            name, functions = (tag_of(word, tag), "") if is_word else labels[at]
            words.append(head)
            word = word.lower().replace("’", "'")
            candidates.append(Candidate(name, functions, word, is_word))
        if words:
            label = labels[i][0] if i >= 0 else ROOT_LABEL
            phrase = Phrase(label, candidates, i >= 0 and existential[i])
            heads[i] = words[rules.find(phrase)]
    return heads


def _existential(tree: Tree, labels: Sequence[str]) -> list[bool]:
    """Whether each constituent is a VP after *there*, or such a VP's own VP."""
    marks: list[bool] = []
    with_there = set()
    for node, label, parent in zip(
        tree.constituents, labels, tree.parents(), strict=True
    ):
        in_one = parent >= 0 and marks[parent]
        marks.append(label == "VP" and (parent in with_there or in_one))
        tag, word = tree.tags[node.start], tree.words[node.start].lower()
        is_there = tag == "EX" or (tag == MISSING_TAG and word == "there")
        if is_there and node.end - node.start == 1:
            with_there.add(parent)
    return marks
