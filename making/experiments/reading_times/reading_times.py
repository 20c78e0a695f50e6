"""How much do columns per word add to what is known of reading times?

    python making/experiments/reading_times/reading_times.py words.tsv predictors.csv

The guide docs/how-to/reading-times.md walks through all of it: `natural_stories.py`
makes `words.tsv`, and `spacy-gfl predictors --words` makes `predictors.csv`.

The figures are log-likelihoods per 1,000 words that a linear model of the logarithm of
times gains, on words that it has not seen (ten-fold), over one of length, frequency and
place. Each predictor counts with that of the word before.
"""

import argparse
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from natural_stories import Key, rows_of

#: Parts into which blocks of so many words go by turns.
FOLDS, BLOCK = 10, 50
#: Columns that are no predictors.
OTHERS = {"head", "known", "sentence", "position", "word_number", "item", "document"}
TOGETHER = ("surprisal", "entropy", "break_after")
Column = dict[Key, float]


class Study(NamedTuple):
    """What is to be explained, and by what.

    Attributes:
        times: The logarithm of each word's time.
        known: Length, frequency and GPT-3's surprisal.
        columns: The parser's columns.
        words: The words.
        in_vocabulary: Whether the parser knows all of a word; empty if it says nothing.
    """

    times: Column
    known: dict[str, Column]
    columns: dict[str, Column]
    words: dict[Key, str]
    in_vocabulary: Column


def read_study(words: Path, predictors: Path) -> Study:
    """Join words and predictors by story and the number of the word.

    Raises:
        ValueError: If they are not of the same words.
    """
    texts: dict[Key, str] = {}
    measured: dict[str, Column] = {"log_rt": {}, "log_freq": {}, "gpt3": {}}
    for row in rows_of(words):
        key = int(row["item"]), int(row["word_number"])
        texts[key] = row["word"]
        for name, column in measured.items():
            if row[name]:
                column[key] = float(row[name])
    columns: dict[str, Column] = {}
    found = set()
    for row in rows_of(predictors, ","):
        key = int(row["item"]), int(row["word_number"])
        found.add(key)
        for name, value in row.items():
            if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value or ""):
                columns.setdefault(name, {})[key] = float(value)
    if found != texts.keys():
        raise ValueError(f"{predictors} is not of the words of {words}.")
    times = measured.pop("log_rt")
    length = {key: float(len(re.sub(r"\W", "", text))) for key, text in texts.items()}
    in_vocabulary = columns.get("known", {})
    columns = {name: c for name, c in columns.items() if name not in OTHERS}
    return Study(times, {"length": length, **measured}, columns, texts, in_vocabulary)


def chosen_words(study: Study, *, only_known: bool = False) -> list[Key]:
    """Words of letters alone, with all measures, that do not begin a sentence.

    Args:
        study: The study.
        only_known: Whether the parser is to know the word and the one before.
    """
    frequency, gpt3 = study.known["log_freq"], study.known["gpt3"]
    found = []
    for key in sorted(study.times):
        story, place = key
        before = story, place - 1
        ends = re.search(r"[.?!]", study.words.get(before, "."))
        measured = key in frequency and key in gpt3 and (story, place - 2) in frequency
        vocabulary = study.in_vocabulary
        known = vocabulary.get(key) == 1 and vocabulary.get(before) == 1
        is_word = study.words[key].isalpha() and not ends
        if is_word and measured and (known or not only_known):
            found.append(key)
    return found


def standardized(values: Sequence[float]) -> np.ndarray:
    """Values with a mean of 0 and a standard deviation of 1."""
    found = np.asarray(values, dtype=float)
    return (found - found.mean()) / (found.std() or 1.0)


def with_spill_over(column: Column, keys: Sequence[Key]) -> list[np.ndarray]:
    """A column's values at words, and at the words before them."""
    return [
        standardized([column.get((story, place - back), 0.0) for story, place in keys])
        for back in (0, 1)
    ]


def log_likelihood(y: np.ndarray, columns: Sequence[np.ndarray]) -> float:
    """The log-likelihood per 1,000 held-out words of a linear model."""
    x = np.stack([np.ones(len(y)), *columns], axis=1)
    fold = np.arange(len(y)) // BLOCK % FOLDS
    total = 0.0
    for k in range(FOLDS):
        seen, held_out = fold != k, fold == k
        weights, *_ = np.linalg.lstsq(x[seen], y[seen], rcond=None)
        variance = np.mean((y[seen] - x[seen] @ weights) ** 2)
        errors = y[held_out] - x[held_out] @ weights
        total -= (np.log(2 * np.pi * variance) + errors**2 / variance).sum() / 2
    return 1000 * total / len(y)


def gains(study: Study, keys: Sequence[Key]) -> dict[str, tuple[float, float]]:
    """What each predictor adds to the base, and to the base with GPT-3's surprisal."""
    y = standardized([study.times[key] for key in keys])
    base = [standardized([place for _, place in keys])]
    for name in ("length", "log_freq"):
        base += with_spill_over(study.known[name], keys)
    gpt3 = with_spill_over(study.known["gpt3"], keys)
    without = log_likelihood(y, base)
    with_gpt3 = log_likelihood(y, base + gpt3)
    of_columns = {
        name: with_spill_over(column, keys) for name, column in study.columns.items()
    }
    together = [name for name in TOGETHER if name in of_columns]
    if len(together) > 1:
        joined = chain.from_iterable(of_columns[name] for name in together)
        of_columns[" + ".join(together)] = list(joined)
    found = {"GPT-3's surprisal": (with_gpt3 - without, 0.0)}
    for name, columns in of_columns.items():
        alone = log_likelihood(y, base + columns) - without
        beyond = log_likelihood(y, base + gpt3 + columns) - with_gpt3
        found[name] = alone, beyond
    return found


def table(study: Study) -> str:
    """The gains in Markdown: of all words, and of those that the parser knows."""
    groups = {"all": chosen_words(study)}
    if study.in_vocabulary:
        groups["known"] = chosen_words(study, only_known=True)
    found = {name: gains(study, keys) for name, keys in groups.items()}
    heads = [f"{name}, {len(keys):,} words" for name, keys in groups.items()]
    cells = [cell for head in heads for cell in (head, "beyond GPT-3's")]
    lines = ["| | " + " | ".join(cells) + " |", "|---" * (len(cells) + 1) + "|"]
    for name in found["all"]:
        numbers = [f"{value:.1f}" for group in found.values() for value in group[name]]
        lines.append(f"| {name} | " + " | ".join(numbers) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", type=Path, help="words.tsv of natural_stories.py")
    parser.add_argument("predictors", type=Path, help="of spacy-gfl predictors --words")
    parser.add_argument("--stories", type=int, nargs="*", help="these alone")
    args = parser.parse_args()
    study = read_study(args.words, args.predictors)
    if args.stories:
        of_stories = {k: t for k, t in study.times.items() if k[0] in args.stories}
        study = study._replace(times=of_stories)
    print(table(study))


if __name__ == "__main__":
    main()
