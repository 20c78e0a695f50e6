"""EVALB's parameter files, and parameters that are known by name."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy_gfl.evaluation.parameters import COLLINS, NEW, Parameters, both_ways
from spacy_gfl.languages import all_languages

_BUILT_IN = {"COLLINS": COLLINS, "new": NEW}
# The keywords of parameter files. DEBUG and MAX_ERROR are of no consequence here:
# nothing is traced, and no number of errors stops the scoring.
_LABELS = frozenset({"DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL"})
_PAIRS = frozenset({"EQ_LABEL", "EQ_WORD"})
_NUMBERS = frozenset({"CUTOFF_LEN", "LABELED", "DEBUG", "MAX_ERROR"})


class ParameterError(ValueError):
    """Raised when a parameter file cannot be understood."""


def parse_parameters(lines: Iterable[str], source: str = "<lines>") -> Parameters:
    """Read the lines of a parameter file: a keyword and its value per line.

    Lines that begin with `#` are comments. What the file does not say is as in
    `Parameters`.

    Raises:
        ParameterError: A keyword is unknown or a value does not fit; source and
            line are named. EVALB itself only warns and goes on.
    """
    values_of: defaultdict[str, list[Any]] = defaultdict(list)
    for number, line in enumerate(lines, start=1):
        keyword, *values = line.split() or [""]
        if not keyword or keyword.startswith("#"):
            continue
        try:
            values_of[keyword].append(_read_value(keyword, values))
        except ValueError as error:
            raise ParameterError(f"{source}, line {number}: {error}.") from None
    return Parameters(
        delete=frozenset(values_of["DELETE_LABEL"]),
        delete_for_length=frozenset(values_of["DELETE_LABEL_FOR_LENGTH"]),
        quotes=frozenset(values_of["QUOTE_LABEL"]),
        equal_labels=both_ways(values_of["EQ_LABEL"]),
        equal_words=both_ways(values_of["EQ_WORD"]),
        cutoff=[Parameters.cutoff, *values_of["CUTOFF_LEN"]][-1],
        labelled=[1, *values_of["LABELED"]][-1] != 0,
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
    """The parameters of a name or of a file.

    Args:
        name: "COLLINS" or "new"; a file; or the name that a language has for the
            parameters of its treebank (`Language.evalb_name`), which are COLLINS with
            the tags of that treebank's punctuation.

    Raises:
        ParameterError: The file cannot be read or understood.
    """
    if str(name) in _BUILT_IN:
        return _BUILT_IN[str(name)]
    try:
        with open(name, encoding="utf-8-sig") as file:
            return parse_parameters(file, str(name))
    except UnicodeDecodeError as error:
        raise ParameterError(f"{name} is not a UTF-8 text file.") from error
    except OSError as error:
        known = [*_BUILT_IN]
        # Importing languages ends with the one that has the name.
        for language in all_languages():
            if language.evalb_name == str(name):
                deleted = COLLINS.delete | language.evalb_deleted
                return replace(COLLINS, delete=deleted)
            known.append(language.evalb_name)
        names = ", ".join(dict.fromkeys(known))
        raise ParameterError(
            f"The parameters {name} are neither built in ({names}) nor a file "
            f"that can be read: {error.strerror or error}."
        ) from error
