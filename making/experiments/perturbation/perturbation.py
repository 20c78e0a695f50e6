"""What does the parser lean on, and how sure is it of where a word goes?

A trained pipeline parses sentences whose words are shuffled outside a window, replaced
by others of their tag, dropped, spelled otherwise, or that stand beside another
sentence. Of the constituents that it finds in the sentences as they are, some survive.
Then the entropy of its pointer by what a word begins.

    python making/experiments/perturbation/perturbation.py
"""

import argparse
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from pathlib import Path
from statistics import mean
from typing import Any

import spacy
from changes import Change, all_changes, inside, prune, same
from entropy import PIPE, by_construction, pointer
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import MarkdownRenderer

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.evaluation import match_brackets
from spacy_gfl.evaluation.summary import Counts, percent
from spacy_gfl.tools.treebanks.inputs import read_treebank
from spacy_gfl.trees.tree import Constituent, Tree

HERE = Path(__file__).resolve().parent


def parse(nlp: Language, sents: Iterable[Sequence[str]]) -> list[list[Constituent]]:
    """The constituents that a pipeline finds in sentences."""
    starts = ((words, [i == 0 for i in range(len(words))]) for words in sents)
    docs = [Doc(nlp.vocab, words=list(w), sent_starts=first) for w, first in starts]
    return [parses[0].constituents for parses in nlp.get_pipe(PIPE).predict(docs)]


class Tally:
    """Brackets of many sentences, before and after these were changed."""

    def __init__(self) -> None:
        self.sentences = 0
        #: By what they are, then by label: "gold"; those of gold that were found
        #: "before", "after", in "both"; "all before" and "all after", right or wrong.
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, gold: list, before: list, after: list) -> None:
        """Add a sentence's brackets: gold, found before the change, and after it."""
        self.sentences += 1
        known, still = (
            Counter(gold) - Counter(match_brackets(gold, found)[1])
            for found in (before, after)
        )
        found = {"before": known, "after": still, "both": known & still}
        found |= {"gold": gold, "all before": before, "all after": after}
        for name, brackets in found.items():
            labels = (bracket.label for bracket in Counter(brackets).elements())
            self.counts[name].update(labels)

    def f1(self, when: str) -> float:
        """F1 in percent, "before" or "after"."""
        names = ("gold", f"all {when}", when, when)
        return Counts(*(self.counts[name].total() for name in names)).scores(100.0)[2]

    def survival(self, label: str | None, fewest: int) -> float:
        """How many of those found before are found after, of a label or all; percent.

        NaN if fewer than `fewest` were found before.
        """
        both, before = (self.counts[name] for name in ("both", "before"))
        n = before.total() if label is None else before[label]
        kept = both.total() if label is None else both[label]
        return percent(kept, n) if n >= fewest else math.nan


def compare(
    nlp: Language, trees: list[Tree], found: list, change: Change, seed: int
) -> Tally:
    """Change sentences and parse them; those that stay as they are do not count."""
    tally, chosen = Tally(), []
    for i, (tree, before) in enumerate(zip(trees, found, strict=True)):
        case = change(tree, random.Random(f"{seed} {i}"))
        if case.words and (case.words != tree.words or change is same):
            chosen.append((tree, before, case))
    parsed = parse(nlp, (case.words for _, _, case in chosen))
    for (tree, before, case), after in zip(chosen, parsed, strict=True):
        tags = tuple(compress(tree.tags, case.kept))
        gold, was = (
            inside(prune(nodes, case.kept), tags, case.start, case.end)
            for nodes in (tree.constituents, before)
        )
        end = case.place + case.end - case.start
        tally.add(gold, was, inside(after, case.tags, case.place, end))
    return tally


def figures(tallies: list[Tally], config: dict[str, Any]) -> dict[str, float]:
    """Of a change under several seeds: F1, and what survives, all and by label."""
    after, fewest = [tally.f1("after") for tally in tallies], config["fewest"]
    labels = {"survive, %": None, **{label: label for label in config["labels"]}}
    return {
        "F1": mean(tally.f1("before") for tally in tallies),
        "F1 after": mean(after),
        "between seeds": max(after) - min(after),
        **{
            name: mean(tally.survival(label, fewest) for tally in tallies)
            for name, label in labels.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dev", type=Path, default=Path("corpus/sm/dev-gum.spacy"))
    parser.add_argument("--model", default="en_gfl_sm", help="The pipeline.")
    parser.add_argument("--small", action="store_true", help="Few changes, for a test.")
    args = parser.parse_args()
    config = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
    config |= config["small"] if args.small else {}
    nlp = spacy.load(args.model)
    trees = [t for doc in read_treebank(args.dev, nlp.vocab) for t in get_trees(doc)]
    before, lines = parse(nlp, [tree.words for tree in trees]), []
    for name, change in {"nothing": same, **all_changes(trees, config)}.items():
        # Chance has no part in these.
        is_sure = name.startswith(("nothing", "drop", "case"))
        seeds = config["seeds"][:1] if is_sure else config["seeds"]
        tallies = [compare(nlp, trees, before, change, seed) for seed in seeds]
        found = figures(tallies, config)
        counts = (tallies[0].sentences, tallies[0].counts["gold"].total())
        cells = (f"{value:.1f}".replace("nan", "") for value in found.values())
        lines.append([name, *(f"{n:,}" for n in counts), *cells])
    header = ["change", "sentences", "constituents", *found]
    print(MarkdownRenderer().table(lines, header))
    points = pointer(nlp, trees, config["batch_words"])
    header = ["a word that begins", "words", "nodes", "bits", "% of most", "wrong, %"]
    print(MarkdownRenderer().table(by_construction(trees, points), header))


if __name__ == "__main__":
    main()
