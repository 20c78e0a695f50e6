"""The head word of every constituent of a tree."""

from spacy_gfl.languages.head_rules import (
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
        rules: "collins", "semantic" (see `spacy_gfl.languages.head_rules`), both of
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
        rules: "collins" or "semantic", both of English; `rules_for` of another
            language; or rules of your own.

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
    labels = [split_label(node.label) for node in tree.constituents]
    # The last is the root, as in `Tree.children`.
    labels.append((ROOT_LABEL, ""))
    (existential, asked), children = _contexts(tree), tree.children()
    heads = [-1] * len(labels)
    # Children come after their parents, so from the last on they are done first.
    for i in [*range(len(labels) - 2, -1, -1), -1]:
        words, candidates = [], []
        for is_word, at in children[i]:
            head = at if is_word else heads[at]
            word, tag = tree.words[head], tree.tags[head]
            name, functions = (tag_of(word, tag), "") if is_word else labels[at]
            words.append(head)
            word = word.lower().replace("’", "'")
            candidates.append(Candidate(name, functions, word, is_word))
        if words:
            phrase = Phrase(labels[i][0], candidates, i in existential, i in asked)
            heads[i] = words[rules.find(phrase)]
    return heads


def _contexts(tree: Tree) -> tuple[set[int], set[int]]:
    """The `Phrase.is_existential` and the `Phrase.is_asked` constituents."""
    existential, asked = set[int](), set[int]()
    with_there, with_wh = set(), set()
    for i, parent in enumerate(tree.parents()):
        label, start, end = tree.constituents[i]
        name, word = split_label(label)[0], tree.words[start].lower()
        if name == "VP" and (parent in with_there or parent in existential):
            existential.add(i)
        # "There has to be": the infinitive has the same subject.
        is_next = parent in existential and start == tree.constituents[parent].start + 1
        if name == "S" and is_next and tree.tags[start] == "TO":
            with_there.add(i)
        is_inner = parent in asked and start > tree.constituents[parent].start
        if (name in ("S", "SQ") and parent in with_wh) or (name == "VP" and is_inner):
            asked.add(i)
        tag = tree.tags[start]
        is_there = tag == "EX" or (tag == MISSING_TAG and word == "there")
        if is_there and end - start == 1:
            with_there.add(parent)
        if name in ("WHNP", "WHADJP", "WHADVP") and word not in ("when", "why"):
            with_wh.add(parent)
    return existential, asked
