"""How hard texts are to read: depth (Yngve 1960), the phrases to come after a word, on
average; density (Frazier 1985), most phrases that begin within three words, a clause
counting 1.5; and subordinate clauses (SBAR), all by sentence.
"""

from pathlib import Path
from statistics import mean
from typing import List, NamedTuple

import spacy
import typer
from spacy.tokens import Span

import spacy_gfl  # noqa: F401 - adds the attributes `._.`


class Difficulty(NamedTuple):
    """The measures of one sentence."""

    words: int
    depth: float
    density: float
    clauses: int


def measure(sent: Span) -> Difficulty:
    """Measure a sentence."""
    found = sent._.complexity
    n_clauses = len(sent._.phrases("SBAR"))
    return Difficulty(int(found["W"]), found["yngve"], found["frazier"], n_clauses)


def main(texts: List[Path], model: str = "en_gfl_sm", hardest: int = 3) -> None:
    """Print the mean measures of each text, and its hardest sentences with offsets."""
    nlp = spacy.load(model)
    for path in texts:
        doc = nlp(path.read_text(encoding="utf-8"))
        found = [(measure(sent), sent) for sent in doc.sents]
        found = [(row, sent) for row, sent in found if row.words]
        if not found:
            print(path.name, "no sentences", sep="  ")
            continue
        means = Difficulty(*map(mean, zip(*(row for row, _ in found), strict=True)))
        named = (f"{name} {value:.1f}" for name, value in means._asdict().items())
        print(path.name, *named, sep="  ")
        for row, sent in sorted(found, key=lambda item: -item[0].depth)[:hardest]:
            text = " ".join(sent.text.split())
            print(f"  {sent.start_char}-{sent.end_char}  {row.depth:.1f}  {text}")


if __name__ == "__main__":
    typer.run(main)
