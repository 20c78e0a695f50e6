"""The head word of every constituent of a tree."""

import re
from functools import lru_cache
from typing import List, Mapping, Optional, Sequence, Tuple, Union

from spacy_gfl.trees.head_rules import COLLINS_TABLE, Child, HeadRules, Phrase, tag_of
from spacy_gfl.trees.semantic_heads import SEMANTIC_RULES
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABEL, Tree, TreeError

RULES: Mapping[str, HeadRules] = {
    "collins": HeadRules(COLLINS_TABLE),
    "semantic": SEMANTIC_RULES,
}

# A label and its function tags; -LRB- is a label.
_FUNCTIONS = re.compile(r"(-[^-=]+-|.[^-=]*)(.*)", re.DOTALL)


def find_heads(tree: Tree, rules: Union[str, HeadRules] = "collins") -> List[int]:
    """Find the head word of every constituent.

    rules: "collins", "semantic" (see `spacy_gfl.trees.head_rules`), or rules of your
        own.
    Returns for each of `tree.constituents` the index of a word inside it, which
        is also the head of one of its children.
    Raises ValueError for the name of other rules.

    Rules go by tags. A word without tag (XX) counts as punctuation, a
    conjunction, an article, *not* or *to* if it is one, and else as having the
    tag that a rule looks for, so that labels and positions decide.
    """
    return all_heads(tree, rules)[:-1]


def find_head(tree: Tree, rules: Union[str, HeadRules] = "collins") -> int:
    """Find the head word of a sentence, by its index.

    Of several outermost constituents and words, the first that is not
    punctuation has it.
    Raises TreeError for a tree without words, else as `find_heads`.
    """
    if not tree.words:
        raise TreeError("a tree without words has no head")
    return all_heads(tree, rules)[-1]


def all_heads(tree: Tree, rules: Union[str, HeadRules]) -> List[int]:
    """The head of every constituent, and last that of the root; -1 without words."""
    if isinstance(rules, str):
        if rules not in RULES:
            names = '" or "'.join(RULES)
            raise ValueError(f'head rules are "{names}", not {rules!r}')
        rules = RULES[rules]
    parents = tree.parents()
    children = _children(tree, parents)
    existential = _existential(tree, parents)
    labels = [split_label(node.label) for node in tree.constituents]
    heads = [-1] * (len(labels) + 1)
    # Children come after their parents, so from the last on they are done first.
    for i in [*range(len(labels) - 1, -1, -1), -1]:
        if not children[i]:
            continue
        words = [at if is_word else heads[at] for is_word, at in children[i]]
        seen = [
            _child(tree, labels, word, None if is_word else at)
            for word, (is_word, at) in zip(words, children[i], strict=True)
        ]
        label = labels[i][0] if i >= 0 else ROOT_LABEL
        phrase = Phrase(label, seen, i >= 0 and existential[i])
        heads[i] = words[rules.find(phrase)]
    return heads


def _child(
    tree: Tree, labels: Sequence[Tuple[str, str]], head: int, index: Optional[int]
) -> Child:
    word = tree.words[head].lower().replace("’", "'")
    if index is None:
        return Child(tag_of(tree.words[head], tree.tags[head]), "", word, True)
    return Child(*labels[index], word, False)


@lru_cache(maxsize=4096)
def split_label(label: str) -> Tuple[str, str]:
    """A label and its function tags: "NP-SBJ-1" is NP and -SBJ-1."""
    match = _FUNCTIONS.fullmatch(label)
    return (match[1], match[2]) if match else (label, "")


def _children(tree: Tree, parents: Sequence[int]) -> List[List[Tuple[bool, int]]]:
    """Each constituent's children, and last the root's: is it a word, which one."""
    children: List[List[Tuple[bool, int]]] = [[] for _ in range(len(parents) + 1)]
    stack = [-1]
    for kind, at in tree.events():
        if kind == "open":
            children[parents[at]].append((False, at))
            stack.append(at)
        elif kind == "word":
            children[stack[-1]].append((True, at))
        else:
            stack.pop()
    return children


def _existential(tree: Tree, parents: Sequence[int]) -> List[bool]:
    """Whether each constituent is a VP after *there*, or such a VP's own VP."""
    marks: List[bool] = []
    with_there = set()
    for i, (label, start, end) in enumerate(tree.constituents):
        parent = parents[i]
        is_verb_phrase = split_label(label)[0] == "VP"
        in_one = parent >= 0 and marks[parent]
        marks.append(is_verb_phrase and (parent in with_there or in_one))
        if end - start == 1 and _is_there(tree, start):
            with_there.add(parent)
    return marks


def _is_there(tree: Tree, word: int) -> bool:
    tag = tree.tags[word]
    is_word_there = tree.words[word].lower() == "there"
    return tag == "EX" or (tag == MISSING_TAG and is_word_there)
