"""How right silver trees would be: what is kept of gold sentences, and its scores.

    python benchmarks/silver.py GOLD... --model A [--model B] [--number 500]

Run it with OMP_NUM_THREADS=1: times are of the processor.

Parses the words of the sentences of each treebank (a fixed random sample; `--number
0`: all) as `spacy-gfl silver` does, and says for each way to choose how many are kept
and how right their trees are: EVALB's scores with COLLINS, and the share of trees
without a mistake. The last rows are of as many trees as agree exactly, chosen by
probability alone.
"""

import random
import time
from pathlib import Path
from typing import Annotated

import typer
from ready_made import doc_of
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.apps.silver import sentence_f1, tree_probability
from spacy_gfl.cli.silver import load_maker
from spacy_gfl.data.inputs import read_treebank
from spacy_gfl.evaluation.scorer import score_doc
from spacy_gfl.evaluation.summary import percent, summarize


def main(
    treebanks: list[Path],
    models: Annotated[list[str], typer.Option("--model", "-m")],
    number: int = 500,
    precision: str = "auto",
) -> None:
    """Print a table for each treebank."""
    makers = [load_maker([name], precision=precision) for name in models]
    for path in treebanks:
        gold = list(read_treebank(path, makers[0].models[0].vocab))
        if number:
            gold = random.Random(0).sample(gold, min(number, len(gold)))
        words = [[token.text for token in doc] for doc in gold]
        found = []
        for name, maker in zip(models, makers, strict=True):
            docs = [doc_of(maker.models[0].vocab, sent) for sent in words]
            began = time.process_time()
            found.append(maker(docs)[0])
            speed = sum(map(len, words)) / (time.process_time() - began)
            print(f"{name}: {speed:,.0f} words/s of one core")
        first = found[0]
        chosen: dict[str, list[bool]] = {"all": [True] * len(gold)}
        if len(found) > 1:
            pairs = list(zip(*found, strict=True))
            chosen["exact"] = [
                len({tuple(get_trees(doc)[0].constituents) for doc in docs}) == 1
                for docs in pairs
            ]
            least = [min(sentence_f1(a, b) for b in others) for a, *others in pairs]
            for bound in (1.0, 0.95, 0.9, 0.8):
                chosen[f"F1 >= {bound}"] = [f1 >= bound for f1 in least]
        scores = [tree_probability(doc) for doc in first]
        for bound in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99):
            chosen[f"probability >= {bound}"] = [score >= bound for score in scores]
        log_probs = [doc.spans[SPANS_KEY].attrs["log_probs"][0] for doc in first]
        if len(found) > 1:
            share = sum(chosen["exact"])
            for name, values in (
                ("so many of mean probability", scores),
                ("so many of probability", log_probs),
            ):
                bound = sorted(values, reverse=True)[share - 1]
                chosen[f"{name} {bound:.3f}"] = [value >= bound for value in values]
            both = zip(least, scores, strict=True)
            chosen["F1 >= 0.9, probability >= 0.95"] = [
                f1 >= 0.9 and score >= 0.95 for f1, score in both
            ]
        rows = [
            (name, *row(gold, first, kept))
            for name, kept in chosen.items()
            if any(kept)
        ]
        header = ("", "kept %", "words %", "length", "P", "R", "F1", "exact %")
        print(f"\n{path} ({len(gold)} sentences)")
        print(table(rows, header=header, divider=True))


def row(gold: list[Doc], found: list[Doc], kept: list[bool]) -> list[str]:
    """Shares kept of sentences and words, words a sentence, and scores."""
    pairs = [(a, b) for a, b, k in zip(gold, found, kept, strict=True) if k]
    total = summarize(score for pair in pairs for score in score_doc(*pair))
    words = sum(len(doc) for doc, _ in pairs)
    figures = [
        percent(len(pairs), len(gold)),
        percent(words, sum(map(len, gold))),
        words / len(pairs),
        *(total.labelled.scores(100.0)[i] for i in (1, 0, 2)),
        percent(total.exact, total.scored),
    ]
    return [f"{figure:.1f}" for figure in figures]


if __name__ == "__main__":
    typer.run(main)
