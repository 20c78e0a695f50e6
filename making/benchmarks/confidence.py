"""How good a pipeline's probabilities are, and its best F1.

    python making/benchmarks/confidence.py MODEL TREEBANK... [--number 500]

Treebanks are .spacy files or brackets; gold words and sentences are parsed, a fixed
random sample of the sentences of each (`--number 0`: all). Prints, for each treebank:

- EVALB's scores (COLLINS) of greedy search, of a beam, and of the trees of highest
  expected F1 (`search.objective = "max_f1"`);
- how well probabilities of the constituents of greedy trees are calibrated;
- what is left of errors where the surest sentences or constituents are kept.

Times are of the processor, of the whole component, so that other work on the machine
matters little: sentences per second of one core, with OMP_NUM_THREADS=1.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from ready_made import doc_of, seconds_of
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.evaluation.summary import Summary, percent, summarize
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.tools.evalb import score_pair
from spacy_gfl.tools.training.temperature import (
    Judged,
    brier_score,
    judge_probabilities,
)
from spacy_gfl.trees.tree import Tree

#: Shares of sentences, and probabilities of constituents, above which they are kept.
SHARES = (1.0, 0.9, 0.8, 0.5)
THRESHOLDS = (0.0, 0.5, 0.7, 0.9, 0.95, 0.99)


class Parsed(NamedTuple):
    """The Docs of one way to parse, and the seconds that it took."""

    docs: list[Doc]
    seconds: float


def sample(nlp: Language, path: Path, number: int, seed: int) -> list[Tree]:
    """Gold trees, as many, drawn at random but always the same."""
    trees = [
        tree
        for example in TreebankCorpus(path, gold_sents=True)(nlp)
        for tree in get_trees(example.reference)
        if len(tree)
    ]
    is_part = 0 < number < len(trees)
    return random.Random(seed).sample(trees, number) if is_part else trees


def parse(
    parser: ConstituencyParser, gold: Sequence[Tree], **settings: object
) -> Parsed:
    """Parse the words of gold trees with other settings of the search."""
    before = parser.search
    parser.search = {**before.model_dump(), **settings}
    docs = [doc_of(parser.vocab, tree.words) for tree in gold]
    seconds = seconds_of(lambda: list(parser.pipe(docs, batch_size=256)))
    parser.search = before
    return Parsed(docs, seconds)


def summary(gold: Iterable[Tree], found: Iterable[Tree]) -> Summary:
    """EVALB's sums; tags are gold's, so that punctuation is the same in both."""
    scores = []
    for tree, other in zip(gold, found, strict=True):
        tagged = Tree(other.words, tree.tags, other.constituents)
        scores.append(score_pair(tree.brackets("TOP"), tagged.brackets("TOP")))
    return summarize(scores)


def trees_of(docs: Iterable[Doc]) -> list[Tree]:
    """The trees of Docs of one sentence each."""
    return [tree for doc in docs for tree in get_trees(doc)]


def row(
    name: str, gold: Sequence[Tree], trees: Sequence[Tree], seconds: float
) -> tuple:
    """Scores of trees, a row of a table."""
    found = summary(gold, trees)
    recall, precision, f1 = found.labelled.scores(100)
    rate = f"{len(gold) / seconds:.0f}" if seconds else "-"
    exact = f"{percent(found.exact, found.scored):.2f}"
    return name, f"{recall:.2f}", f"{precision:.2f}", f"{f1:.2f}", exact, rate


def judged(gold: Sequence[Doc], docs: Sequence[Doc]) -> list[list[Judged]]:
    """The constituents of each Doc that have a probability."""
    return [judge_probabilities(*pair) for pair in zip(gold, docs, strict=True)]


def by_tenths(judged: Iterable[Judged]) -> list[list[Judged]]:
    """Constituents by their probabilities: [0, 0.1) to [0.9, 1]."""
    bins: list[list[Judged]] = [[] for _ in range(10)]
    for one in judged:
        bins[min(int(one.probability * 10), 9)].append(one)
    return bins


def expected_calibration_error(judged: Sequence[Judged]) -> float:
    """The distance of mean probability and share of right ones, mean over tenths."""
    far = (abs(sum(p - right for p, right in one)) for one in by_tenths(judged))
    return sum(far) / len(judged) if judged else math.nan


def calibration_row(name: str, found: list[list[Judged]], seconds: float) -> tuple:
    """How well probabilities are calibrated, a row of a table."""
    every = [one for of_doc in found for one in of_doc]
    error, brier = expected_calibration_error(every), brier_score(every)
    return name, f"{error:.4f}", f"{brier:.4f}", f"{seconds:.1f}"


def show(header: str, rows: Iterable[tuple]) -> None:
    print(table(rows, header=header.split("|"), divider=True))


def report(
    nlp: Language,
    gold: Sequence[Tree],
    samples: Sequence[int],
    temperatures: Sequence[float],
    beam_width: int,
    fitted: float,
) -> None:
    """Measure on the trees of one treebank, and print."""
    parser = get_parser(nlp)
    parse(parser, gold[:20])  # what is kept of weights is computed
    gold_docs = list(trees_to_docs(gold, nlp.vocab, n_sents=1))
    greedy = parse(parser, gold)
    trees = trees_of(greedy.docs)
    rows = [row("greedy", gold, trees, greedy.seconds)]
    beam = parse(parser, gold, beam_width=beam_width)
    rows.append(row(f"beam {beam_width}", gold, trees_of(beam.docs), beam.seconds))
    drawings = {
        f"{number} drawn, temperature {t}": {"n_samples": number, "temperature": t}
        for number, t in product(samples, temperatures)
    }
    for name, settings in drawings.items():
        risk = parse(parser, gold, objective="max_f1", **settings)
        rows.append(row(f"max_f1, {name}", gold, trees_of(risk.docs), risk.seconds))
    calibration = []
    show("search|recall|precision|F1|exact|sentences/s", rows)
    for name, settings in drawings.items():
        drawn = parse(parser, gold, probabilities=True, **settings)
        found = judged(gold_docs, drawn.docs)
        extra = drawn.seconds - greedy.seconds
        calibration.append(calibration_row(name, found, extra))
    show("probabilities|ECE|Brier|seconds more", calibration)
    drawn = parse(parser, gold, probabilities=True, temperature=fitted)
    print(f"{parser.search.n_samples} drawn, temperature {fitted}:")
    show(
        "probability at least|of all|recall|precision|F1",
        kept_constituents(gold, drawn.docs),
    )
    show(
        "sentences kept by|" + "|".join(f"{s:.0%}" for s in SHARES), surest(gold, drawn)
    )


def kept_constituents(gold: Sequence[Tree], docs: Sequence[Doc]) -> list[tuple]:
    """Scores of the trees of the constituents that the model is sure of."""
    rows = []
    for threshold in THRESHOLDS:
        kept, n_all, n_kept = [], 0, 0
        for doc, tree in zip(docs, trees_of(docs), strict=True):
            known = doc.spans["constituents"].attrs["probabilities"]
            nodes = tuple(
                node
                for node, probability in zip(tree.constituents, known, strict=True)
                if probability >= threshold
            )
            n_all, n_kept = n_all + len(known), n_kept + len(nodes)
            kept.append(Tree(tree.words, tree.tags, nodes))
        found = summary(gold, kept).labelled.scores(100)
        values = (f"{value:.2f}" for value in found)
        rows.append((threshold, f"{100 * n_kept / n_all:.1f} %", *values))
    return rows


def surest(gold: Sequence[Tree], drawn: Parsed) -> list[tuple]:
    """F1 of the sentences that the model is surest of, by what is taken for sure."""
    measures: dict[str, list[float]] = defaultdict(list)
    for doc in drawn.docs:
        log_prob = doc[:]._.log_prob
        known = doc.spans["constituents"].attrs["probabilities"]
        measures["log_prob"].append(log_prob)
        measures["log_prob a word"].append(log_prob / len(doc))
        measures["mean probability"].append(sum(known) / max(1, len(known)))
        measures["expected errors"].append(sum(known) - len(known))
    trees, rows = trees_of(drawn.docs), []
    for name, values in measures.items():
        order = sorted(range(len(gold)), key=lambda i, v=values: -v[i])
        of_shares = []
        for share in SHARES:
            kept = order[: round(share * len(order))]
            found = summary([gold[i] for i in kept], [trees[i] for i in kept])
            of_shares.append(f"{found.labelled.scores(100)[2]:.2f}")
        rows.append((name, *of_shares))
    return rows


def main(
    model: Annotated[str, typer.Argument(help="Pipeline.")],
    treebanks: Annotated[list[Path], typer.Argument(help="Gold trees.")],
    number: Annotated[int, typer.Option(help="Sentences of each; 0: all.")] = 500,
    samples: Annotated[str, typer.Option(help="Trees that are drawn.")] = "10,20,50",
    temperatures: Annotated[str, typer.Option(help="Of drawing.")] = "1,1.25",
    beam_width: Annotated[int, typer.Option(help="Of the beam.")] = 10,
    fitted: Annotated[
        float, typer.Option(help="Temperature of the last tables.")
    ] = 1.25,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
) -> None:
    """Measure how good a pipeline's probabilities are."""
    nlp = spacy.load(model)
    for path in treebanks:
        gold = sample(nlp, path, number, seed)
        print(f"\n{path.name}: {len(gold)} sentences, {sum(map(len, gold))} words")
        report(
            nlp,
            gold,
            [int(n) for n in samples.split(",") if n],
            [float(t) for t in temperatures.split(",")],
            beam_width,
            fitted,
        )


if __name__ == "__main__":
    typer.run(main)
