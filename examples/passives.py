"""Which verbs of a text are in the passive, where, and who did it?"""

from pathlib import Path
from typing import Iterator, NamedTuple, Optional

import spacy
import typer
from spacy.tokens import Doc, Span

from spacy_gfl.tools.query.matcher import TreeMatcher

_BE = "__ < i@/^(am|is|are|was|were|be|been|being|'s|'re|'m|get|gets|got|getting)$/"
#: Not "is closing" or "'s been": what a verb phrase must not begin with.
_NO_PARTICIPLE = "!<<, i@/ing$|^(to|been|not|n't)$/"
#: By words and not by tags, which a pipeline need not have.
PATTERNS = {
    # was [closed by the council]
    "passive": [f"VP > (VP < ({_BE})) {_NO_PARTICIPLE}"],
    # a letter [written by hand]
    "reduced": [f"VP > NP {_NO_PARTICIPLE} < (PP <<, by)"],
}


class Passive(NamedTuple):
    """A passive verb phrase without its auxiliary, and its agent, if it names one."""

    phrase: Span
    agent: Optional[Span]


def find_passives(doc: Doc) -> Iterator[Passive]:
    """The passives of a Doc in the order of the text."""
    matcher = TreeMatcher(doc.vocab)
    for kind, patterns in PATTERNS.items():
        matcher.add(kind, patterns)
    for phrase in matcher(doc, as_spans=True):
        inside = [child for child in phrase._.children if "PP" in child._.labels]
        agents = [pp[1:] for pp in inside if pp[0].lower_ == "by" and len(pp) > 1]
        yield Passive(phrase, agents[0] if agents else None)


def main(text: Path, model: str = "en_gfl_sm") -> None:
    """Print each passive with its offsets, and how many sentences have one."""
    doc = spacy.load(model)(text.read_text(encoding="utf-8"))
    found = list(find_passives(doc))
    for phrase, agent in found:
        by = "no agent" if agent is None else f"by: {agent}"
        place = f"{phrase.start_char}-{phrase.end_char}"
        print(place, phrase.label_, " ".join(phrase.text.split()), by, sep="\t")
    passive = {phrase.sent.start for phrase, _ in found}
    n_sents = len(list(doc.sents))
    print(f"{len(found)} passives in {len(passive)} of {n_sents} sentences")


if __name__ == "__main__":
    typer.run(main)
