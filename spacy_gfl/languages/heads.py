"""The head word of every constituent of a tree."""

import unicodedata
from collections.abc import Sequence

from spacy_gfl.languages import annotated_language
from spacy_gfl.languages.base import Language
from spacy_gfl.languages.head_rules import Candidate, HeadRules, Step
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import MISSING_TAG, ROOT_LABEL, Tree


def find_heads(
    tree: Tree, rules: str | HeadRules = "collins", lang: str = "en"
) -> list[int]:
    """Find the head word of every constituent, in time linear in the tree's size.

    Rules go by tags. A word without tag (XX) counts as punctuation, or has the tag
    that its language gives such a word (a conjunction, an article), and else counts as
    having the tag that a rule looks for, so that labels and positions decide.

    Args:
        tree: The tree.
        rules: "collins", "semantic", or rules of your own.
        lang: The language whose rules and tags these are.

    Returns:
        For each of `tree.constituents` the index of a word inside it, which is
        also the head of one of its children.

    Raises:
        ValueError: There are no rules of this name.
    """
    return all_heads(tree, rules, lang)[:-1]


def all_heads(tree: Tree, rules: str | HeadRules, lang: str) -> list[int]:
    """Find the heads of all constituents, and last the root's; -1 without words.

    The first outermost constituent or word that is not punctuation has the root's
    head. The arguments are those of `find_heads`.
    """
    finder = _Finder(tree, rules, annotated_language(tree.tags, lang))
    labels = [split_label(node.label) for node in tree.constituents]
    # The last is the root, as in `Tree.children`.
    labels.append((ROOT_LABEL, ""))
    children = tree.children()
    heads = [-1] * len(labels)
    # Children come after their parents, so from the last on they are done first.
    for i in [*range(len(labels) - 2, -1, -1), -1]:
        words, candidates = [], []
        for is_word, at in children[i]:
            head = at if is_word else heads[at]
            word, tag = tree.words[head].lower().replace("’", "'"), tree.tags[head]
            name, functions = labels[at] if not is_word else (finder.tag(word, tag), "")
            words.append(head)
            candidates.append(Candidate(name, functions, word, is_word))
        if words:
            heads[i] = words[finder.find(i, labels[i][0], candidates)]
    return heads


class _Finder:
    """Finds heads in a tree by the rules of a language."""

    def __init__(self, tree: Tree, rules: str | HeadRules, language: Language) -> None:
        self._language = language
        self._rules = language.rules(rules) if isinstance(rules, str) else rules
        self._choose = self._rules.special(tree) if self._rules.special else None

    def tag(self, word: str, tag: str) -> str:
        """The tag of a word; of one that has none (XX), if the word tells it."""
        if tag != MISSING_TAG:
            return tag
        known = self._language.closed_class.get(word)
        if known is None and all(unicodedata.category(c)[0] == "P" for c in word):
            return ":"
        return known or MISSING_TAG

    def find(self, at: int, label: str, children: Sequence[Candidate]) -> int:
        """The index of the head among the children of a constituent."""
        head = self._choose(at, label, children) if self._choose else None
        if head is None:
            head = self._search(label, children)
        return self._conjunct(children, head)

    def _search(self, label: str, children: Sequence[Candidate]) -> int:
        """The first child that a step finds.

        A word without tag passes for any tag, but in a clause (S).
        """
        tags = self._language.tags.keys()
        steps = self._rules.table.get(label, (Step("left", ()),))
        for step in steps:
            choices = [(x,) for x in step.labels] if step.in_order else [step.labels]
            for labels in choices:
                any_tag = label != "S" and not tags.isdisjoint(labels)
                for i in step.order(children):
                    name = children[i].label
                    if name in labels or (any_tag and name == MISSING_TAG):
                        return i
        order = steps[-1].order(children)
        return next((i for i in order if not self._is_mark(children[i])), order[0])

    def _conjunct(self, children: Sequence[Candidate], head: int) -> int:
        """The head of a coordination, given one that stands in it."""
        conjunctions = self._language.conjunctions
        if head < 2 or children[head - 1].label not in conjunctions:
            return head
        before = self._previous(children, head - 1)
        if before is None:
            return head
        while self._rules.first_conjunct:
            # a, b and c; a and b and c: on to the left while these separate the like.
            further = self._previous(children, before)
            if further is not None and children[further].label in conjunctions:
                further = self._previous(children, further)
            elif further == before - 1:
                return before
            if further is None or (
                children[further].label[:2] != children[before].label[:2]
            ):
                return before
            before = further
        return before

    def _previous(self, children: Sequence[Candidate], index: int) -> int | None:
        """The last child before an index that is not punctuation."""
        before = reversed(range(index))
        return next((i for i in before if not self._is_mark(children[i])), None)

    def _is_mark(self, child: Candidate) -> bool:
        return child.is_word and child.label in self._language.punctuation
