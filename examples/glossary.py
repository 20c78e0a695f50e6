"""What is an article about? Its noun phrases, counted, with their places."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Tuple

import spacy
import typer
from spacy.tokens import Doc, Span

#: A term's places in the text: first character, and the one after the last.
Places = List[Tuple[int, int]]
POSSESSIVE = ("'s", "’s", "'", "’")


def term(phrase: Span) -> Span:
    """The phrase from its first word that is no article, pronoun, number or such."""
    for i, token in enumerate(phrase):
        is_possessor = phrase[i + 1 : i + 2].text in POSSESSIVE
        if token.is_alpha and not token.is_stop and not is_possessor:
            return phrase[i:]
    return phrase[:0]


def glossary(doc: Doc) -> Dict[str, Places]:
    """Terms in lower case and their places; a plural in -s goes with its singular."""
    places: Dict[str, Places] = defaultdict(list)
    for phrase in doc.noun_chunks:
        if found := term(phrase):
            places[found.text.lower()].append((found.start_char, found.end_char))
    for plural in [name for name in places if name.removesuffix("s") != name]:
        if plural[:-1] in places:
            places[plural[:-1]] = sorted(places[plural[:-1]] + places.pop(plural))
    return dict(places)


def main(text: Path, model: str = "en_gfl_sm", min_count: int = 2) -> None:
    """Print the terms of a text that occur often enough, the most frequent first."""
    doc = spacy.load(model)(text.read_text(encoding="utf-8"))
    found = glossary(doc)
    for name, places in sorted(found.items(), key=lambda item: -len(item[1])):
        if len(places) >= min_count:
            print(len(places), name, *(f"{a}-{b}" for a, b in places), sep="\t")
    if all(len(places) < min_count for places in found.values()):
        message = (
            f"None of {len(found)} terms occurs {min_count} times. Lower --min-count:"
        )
        print(f"{message} --min-count 1 prints all terms.", file=sys.stderr)


if __name__ == "__main__":
    typer.run(main)
