"""Make two tables of a clone of the Natural Stories corpus: its texts, and its words.

    git clone --depth 1 https://github.com/languageMIT/naturalstories
    python making/experiments/reading_times/natural_stories.py naturalstories

`stories.csv` has a text per row, for `spacy-gfl predictors`. `words.tsv` has a word per
row, as readers saw it, with the logarithm of its geometric mean reading time, the
logarithm of its frequency in Google Books, and its surprisal by GPT-3 (bits).
"""

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

#: A story and the place of a word in it, from 1.
Key = tuple[int, int]
#: Characters by which two versions of a text may differ.
NEARBY = 20
COLUMNS = ("item", "word_number", "word", "log_rt", "log_freq", "gpt3")


def rows_of(path: Path, delimiter: str = "\t") -> Iterator[dict[str, str]]:
    """The rows of a table whose first line names its columns."""
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter, quoting=quoting)


def read_words(corpus: Path) -> dict[Key, str]:
    """The words of each story, with their punctuation."""
    rows = rows_of(corpus / "naturalstories_RTS/all_stories.tok")
    found = {(int(row["item"]), int(row["zone"])): row["word"] for row in rows}
    return dict(sorted(found.items()))


def read_times(corpus: Path) -> dict[Key, float]:
    """The logarithm of the geometric mean over readers of each word's time (ms)."""
    rows = rows_of(corpus / "naturalstories_RTS/processed_wordinfo.tsv")
    return {
        (int(row["item"]), int(row["zone"])): math.log(float(row["gmeanItemRT"]))
        for row in rows
    }


def read_frequencies(corpus: Path) -> dict[Key, float]:
    """The logarithm of each word's frequency, without its punctuation.

    The table has no names of columns: a code `story.word.part`, the order of the
    n-gram, the word, and how often it occurs.
    """
    [path] = sorted((corpus / "freqs").glob("freqs-1*.tsv"))[-1:]
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        code, _, _, count, *_ = line.split("\t")
        story, place, part = code.split(".")
        if part == "word" and count.isdigit() and int(count):
            found[int(story), int(place)] = math.log(int(count))
    return found


def read_gpt3(corpus: Path, words: dict[Key, str]) -> dict[Key, float]:
    """The surprisal of each word by GPT-3: the sum of that of its tokens (bits).

    A token belongs to the word in which its first character is that is no space. The
    first token of a story has no probability, and counts 0. Where GPT-3 read a word
    otherwise than readers did, the tokens after it are looked for nearby.
    """
    # Of each story its text, and the word of each character.
    texts: dict[int, str] = defaultdict(str)
    of_characters: dict[int, list[Key]] = defaultdict(list)
    for key, word in words.items():
        texts[key[0]] += f"{word} "
        of_characters[key[0]] += [key] * (len(word) + 1)
    found: dict[Key, float] = defaultdict(float)
    shifts: dict[int, int] = defaultdict(int)
    for row in rows_of(corpus / "probs/all_stories_gpt3.csv", ","):
        story, token = int(row["story"]) + 1, row["token"]
        text, at = texts[story], int(row["offset"]) + shifts[story]
        if not text.startswith(token, at):
            near = text.find(token, max(0, at - NEARBY), at + NEARBY + len(token))
            if near >= 0:
                shifts[story] += near - at
                at = near
        first = at + len(token) - len(token.lstrip())
        if token.strip() and 0 <= first < len(text):
            nats = -float(row["logprob"] or 0)
            found[of_characters[story][first]] += nats / math.log(2)
    return dict(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="a clone of the corpus")
    parser.add_argument("--output", type=Path, default=Path("output/reading_times"))
    args = parser.parse_args()
    words = read_words(args.corpus)
    measures = [read_times(args.corpus), read_frequencies(args.corpus)]
    measures.append(read_gpt3(args.corpus, words))
    args.output.mkdir(parents=True, exist_ok=True)
    texts: dict[int, list[str]] = defaultdict(list)
    with (args.output / "words.tsv").open("w", encoding="utf-8") as file:
        print(*COLUMNS, sep="\t", file=file)
        for key, word in words.items():
            texts[key[0]].append(word)
            values = [f"{one[key]:.5f}" if key in one else "" for one in measures]
            print(*key, word, *values, sep="\t", file=file)
    with (args.output / "stories.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "text"])
        writer.writerows((item, " ".join(story)) for item, story in texts.items())
    print(f"{len(texts)} stories, {len(words)} words, in {args.output}")


if __name__ == "__main__":
    main()
