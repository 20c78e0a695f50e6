"""What EVALB's parameter files say, with the two that everyone uses built in."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, FrozenSet, Iterable, List, Set, Tuple, Union

Pairs = FrozenSet[Tuple[str, str]]


class ParameterError(ValueError):
    """Raised when a parameter file cannot be understood."""


def both_ways(pairs: Iterable[Tuple[str, str]]) -> Pairs:
    """The pairs and their mirror images: equality has no direction."""
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


@dataclass(frozen=True)
class Parameters:
    """Which words and brackets count, and what is equal to what.

    delete: Tags whose words vanish, and labels whose brackets do (children stay).
    delete_for_length: Tags whose words do not count towards a sentence's length.
    quotes: Tags that a quotation mark may bear; where they make the number of
        words differ, a deleted quotation mark is put back.
    equal_labels, equal_words: Pairs that are equal, each in both directions.
    cutoff: The length in words up to which the second summary counts a sentence.
    labelled: Whether labels must agree; otherwise extents alone do.
    """

    delete: FrozenSet[str] = frozenset()
    delete_for_length: FrozenSet[str] = frozenset()
    quotes: FrozenSet[str] = frozenset()
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

    def deletes_bracket(self, label: str) -> bool:
        """Whether a bracket of this label, already cut, does not count."""
        if label in self.delete:
            return True
        return any(a == label and b in self.delete for a, b in self.equal_labels)


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

BUILT_IN = {"COLLINS": COLLINS, "new": NEW}


@dataclass
class _Collected:
    """The values of a parameter file while it is read."""

    labels: Dict[str, Set[str]] = field(
        default_factory=lambda: {
            "DELETE_LABEL": set(),
            "DELETE_LABEL_FOR_LENGTH": set(),
            "QUOTE_LABEL": set(),
        }
    )
    pairs: Dict[str, List[Tuple[str, str]]] = field(
        default_factory=lambda: {"EQ_LABEL": [], "EQ_WORD": []}
    )
    numbers: Dict[str, int] = field(
        default_factory=lambda: {
            "CUTOFF_LEN": 40,
            "LABELED": 1,
            # Of no consequence here: nothing is traced, and no number of errors
            # stops the scoring.
            "DEBUG": 0,
            "MAX_ERROR": 0,
        }
    )

    def add(self, keyword: str, value: str) -> None:
        """Take one line. Raises ParameterError saying what is wrong with it."""
        if not value:
            raise ParameterError(f"{keyword} has no value")
        if keyword in self.labels:
            self.labels[keyword].add(value)
        elif keyword in self.pairs:
            parts = value.split()
            if len(parts) != 2:
                raise ParameterError(f"{keyword} needs two values, not {value!r}")
            self.pairs[keyword].append((parts[0], parts[1]))
        elif keyword in self.numbers:
            try:
                self.numbers[keyword] = int(value.split()[0])
            except ValueError as error:
                raise ParameterError(f"{keyword} needs a number, not {value!r}") from (
                    error
                )
        else:
            raise ParameterError(f"the keyword {keyword} is unknown")


def parse_parameters(lines: Iterable[str], source: str = "<lines>") -> Parameters:
    """Read the lines of a parameter file: a keyword and its value a line.

    Lines that begin with `#` are comments.
    Raises ParameterError, naming source and line, for an unknown keyword or a
        value that does not fit; EVALB itself only warns and goes on.
    """
    collected = _Collected()
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        keyword, *rest = text.split(None, 1)
        try:
            collected.add(keyword, rest[0] if rest else "")
        except ParameterError as error:
            raise ParameterError(f"{source}, line {number}: {error}.") from error
    return Parameters(
        delete=frozenset(collected.labels["DELETE_LABEL"]),
        delete_for_length=frozenset(collected.labels["DELETE_LABEL_FOR_LENGTH"]),
        quotes=frozenset(collected.labels["QUOTE_LABEL"]),
        equal_labels=both_ways(collected.pairs["EQ_LABEL"]),
        equal_words=both_ways(collected.pairs["EQ_WORD"]),
        cutoff=collected.numbers["CUTOFF_LEN"],
        labelled=collected.numbers["LABELED"] != 0,
    )


def load_parameters(name: Union[str, Path]) -> Parameters:
    """The parameters called COLLINS or new, or those of a file.

    Raises ParameterError if the file cannot be read or understood.
    """
    if str(name) in BUILT_IN:
        return BUILT_IN[str(name)]
    try:
        with open(name, encoding="utf-8") as file:
            return parse_parameters(file, str(name))
    except UnicodeDecodeError as error:
        raise ParameterError(f"{name} is not a UTF-8 text file.") from error
    except OSError as error:
        known = ", ".join(BUILT_IN)
        raise ParameterError(
            f"The parameters {name} are neither built in ({known}) nor a file that "
            f"can be read: {error.strerror or error}."
        ) from error
