"""EVALB's parameters, and the two sets of them that everyone uses."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from spacy_gfl.trees.tree import Constituent

Pairs = frozenset[tuple[str, str]]

# What follows a label proper: function tags and indices. EVALB cuts at the first -
# or = wherever it stands, where `trees.labels.split_label` keeps -LRB- whole.
_FUNCTION = re.compile(r"[-=].*", re.DOTALL)


def both_ways(pairs: Iterable[tuple[str, str]]) -> Pairs:
    """The pairs and their mirror images: equality has no direction."""
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


@dataclass(frozen=True)
class Parameters:
    """The words and brackets that count, and the labels and words that are equal.

    Attributes:
        delete: Tags whose words vanish, and labels whose brackets do (children
            stay).
        delete_for_length: Tags whose words do not count towards a sentence's
            length.
        quotes: Tags that a quotation mark may bear; where they make the number of
            words differ, a deleted quotation mark is put back.
        equal_labels: Pairs of labels that are equal, each in both directions.
        equal_words: Pairs of words that are equal, each in both directions.
        cutoff: The greatest length, in words, of a sentence in the second summary.
        labelled: Whether labels must agree; otherwise extents alone do.
    """

    delete: frozenset[str] = frozenset()
    delete_for_length: frozenset[str] = frozenset()
    quotes: frozenset[str] = frozenset()
    equal_labels: Pairs = frozenset()
    equal_words: Pairs = frozenset()
    cutoff: int = 40
    labelled: bool = True

    def same_label(self, label: str, other: str) -> bool:
        """Whether two labels (or tags) are equal."""
        return label == other or (label, other) in self.equal_labels

    def same_word(self, word: str, other: str) -> bool:
        """Whether two words are equal."""
        return word == other or (word, other) in self.equal_words

    def counted(self, brackets: Iterable[tuple[str, int, int]]) -> list[Constituent]:
        """The brackets that count: not empty, not deleted; `NP-SBJ=2` cut to `NP`."""
        deleted = {*self.delete, *(a for a, b in self.equal_labels if b in self.delete)}
        cut = (
            Constituent(_FUNCTION.sub("", label), start, end)
            for label, start, end in brackets
            if start != end
        )
        return [bracket for bracket in cut if bracket.label not in deleted]


#: The parameters of Collins (1997), those of every published WSJ figure.
COLLINS = Parameters(
    delete=frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."}),
    delete_for_length=frozenset({"-NONE-"}),
    equal_labels=both_ways([("ADVP", "PRT")]),
)

#: EVALB's later parameters: more punctuation, and misread quotes put right.
NEW = Parameters(
    delete=COLLINS.delete | {"S1", "?", "!"},
    delete_for_length=COLLINS.delete_for_length,
    quotes=frozenset({"``", "''", "POS", "NN", "CD", "VBZ", ":"}),
    equal_labels=COLLINS.equal_labels,
)
