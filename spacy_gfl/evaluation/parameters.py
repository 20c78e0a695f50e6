"""EVALB's parameter files; the ones that everyone uses are built in."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spacy_gfl.languages.base import all_languages
from spacy_gfl.trees.tree import Constituent

Pairs = frozenset[tuple[str, str]]

# What follows a label proper: function tags and indices. EVALB cuts at the first -
# or = wherever it stands, where `trees.labels.split_label` keeps -LRB- whole.
_FUNCTION = re.compile(r"[-=].*", re.DOTALL)


class ParameterError(ValueError):
    """Raised when a parameter file cannot be understood."""


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

#: And COLLINS for treebanks of other languages, whose punctuation has other tags.
BUILT_IN = {
    "COLLINS": COLLINS,
    "new": NEW,
    **{
        language.evalb_name: replace(
            COLLINS, delete=COLLINS.delete | language.evalb_deleted
        )
        for language in all_languages()
        if language.evalb_name
    },
}


# The keywords of parameter files. DEBUG and MAX_ERROR are of no consequence here:
# nothing is traced, and no number of errors stops the scoring.
_LABELS = frozenset({"DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL"})
_PAIRS = frozenset({"EQ_LABEL", "EQ_WORD"})
_NUMBERS = frozenset({"CUTOFF_LEN", "LABELED", "DEBUG", "MAX_ERROR"})


def parse_parameters(lines: Iterable[str], source: str = "<lines>") -> Parameters:
    """Read the lines of a parameter file: a keyword and its value per line.

    Lines that begin with `#` are comments. What the file does not say is as in
    `Parameters`.

    Raises:
        ParameterError: A keyword is unknown or a value does not fit; source and
            line are named. EVALB itself only warns and goes on.
    """
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for number, line in enumerate(lines, start=1):
        keyword, *values = line.split() or [""]
        if not keyword or keyword.startswith("#"):
            continue
        try:
            found[keyword].append(_read_value(keyword, values))
        except ValueError as error:
            raise ParameterError(f"{source}, line {number}: {error}.") from None
    return Parameters(
        delete=frozenset(found["DELETE_LABEL"]),
        delete_for_length=frozenset(found["DELETE_LABEL_FOR_LENGTH"]),
        quotes=frozenset(found["QUOTE_LABEL"]),
        equal_labels=both_ways(found["EQ_LABEL"]),
        equal_words=both_ways(found["EQ_WORD"]),
        cutoff=[Parameters.cutoff, *found["CUTOFF_LEN"]][-1],
        labelled=[1, *found["LABELED"]][-1] != 0,
    )


def _read_value(keyword: str, values: list[str]) -> str | tuple[str, str] | int:
    """The value of one line. Raises ValueError saying what is wrong with it."""
    if keyword not in _LABELS | _PAIRS | _NUMBERS:
        raise ValueError(f"the keyword {keyword} is unknown")
    if not values:
        raise ValueError(f"{keyword} has no value")
    text = " ".join(values)
    if keyword in _LABELS:
        return text
    if keyword in _PAIRS:
        if len(values) != 2:
            raise ValueError(f"{keyword} needs two values, not {text!r}")
        return values[0], values[1]
    try:
        return int(values[0])
    except ValueError:
        raise ValueError(f"{keyword} needs a number, not {text!r}") from None


def load_parameters(name: str | Path) -> Parameters:
    """The parameters called by a name in BUILT_IN, or those of a file.

    Raises:
        ParameterError: The file cannot be read or understood.
    """
    if str(name) in BUILT_IN:
        return BUILT_IN[str(name)]
    try:
        with open(name, encoding="utf-8-sig") as file:
            return parse_parameters(file, str(name))
    except UnicodeDecodeError as error:
        raise ParameterError(f"{name} is not a UTF-8 text file.") from error
    except OSError as error:
        known = ", ".join(BUILT_IN)
        raise ParameterError(
            f"The parameters {name} are neither built in ({known}) nor a file that "
            f"can be read: {error.strerror or error}."
        ) from error
