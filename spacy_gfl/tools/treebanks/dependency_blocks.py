"""Words of dependency trees, and the blocks that they and their dependents make."""

from collections.abc import Sequence
from typing import NamedTuple

from spacy_gfl.trees.tree import TreeError


class Word(NamedTuple):
    """A word of a dependency tree.

    Attributes:
        text: The word.
        tag: Its universal tag.
        relation: Its relation to its head, with the subtype.
        head: The index of its head from 0, its own for the root.
        features: Its morphological features, "VerbForm=Inf|Voice=Act".
    """

    text: str
    tag: str
    relation: str
    head: int
    features: str = ""

    @property
    def base(self) -> str:
        """The universal relation, without its subtype."""
        return self.relation.partition(":")[0]


class DependencyError(TreeError):
    """Raised when heads are no tree over their words.

    Attributes:
        at: The word at fault, from 0.
    """

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det
    discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj
    obl orphan parataxis punct reparandum root vocative xcomp
"""
#: The relations of Universal Dependencies, without subtypes.
RELATIONS = frozenset(_RELATIONS.split())


class Blocks:
    """The words of a sentence with their dependents, each without a gap.

    Attributes:
        order: The words, heads after their dependents.
        parts: For each word, itself and its dependents from left to right.
        start: The first word of each word's block.
        end: The word after the last of it.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        children: list[list[int]] = [[] for _ in words]
        order: list[int] = []
        for at, word in enumerate(words):
            (order if word.head == at else children[word.head]).append(at)
        if len(order) != 1:
            raise DependencyError(
                f"a second word, {words[order[1]].text!r}, has no head (0)"
                if order
                else "no word is the root (head 0)",
                order[1] if order else 0,
            )
        for at in order:  # which grows, heads before their dependents
            order += children[at]
        if len(order) < len(words):
            at = min(set(range(len(words))).difference(order))
            message = f"the heads of {words[at].text!r} go in a circle"
            raise DependencyError(message, at)
        self.order = order[::-1]
        self.start = list(range(len(words)))
        self.end = [at + 1 for at in self.start]
        self.parts = [[at] for at in self.start]
        # Blocks that wait for what is between them and a head, by both of their ends.
        waiting: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        for at in self.order:
            below = [waiting.pop(child) for child in children[at]]
            below.sort(key=lambda ends: len(ends[0]))
            by_start, by_end = below.pop() if below else ({}, {})
            for starts, ends in below:
                by_start |= starts
                by_end |= ends
            for child in children[at]:
                by_start[self.start[child]] = by_end[self.end[child]] = child
            before: list[int] = []
            while (block := by_end.pop(self.start[at], None)) is not None:
                before.append(block)
                self.start[at] = self.start[block]
                del by_start[self.start[block]]
            after: list[int] = []
            while (block := by_start.pop(self.end[at], None)) is not None:
                after.append(block)
                self.end[at] = self.end[block]
                del by_end[self.end[block]]
            self.parts[at] = [*before[::-1], at, *after]
            waiting[at] = (by_start, by_end)
