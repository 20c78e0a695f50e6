"""The gain and the cost of constraints on a parser's trees.

    python benchmarks/constraints.py MODEL --treebank FILE [--share 0.1] [--seed 0]

Parses a treebank's sentences, gold words and boundaries, greedily or as the pipeline
says: knowing nothing; with a random share of the gold constituents as
`doc.spans["constituency_required"]`, without their labels and with them; and with
its names. These stand in for the entities of treebanks that have none: the
constituents NP and NML of two or more words, all nouns, adjectives, numbers, foreign
words and hyphens, without their labels.

Scores are the component's. What is given is found, of course: so the recall of the
gold constituents that were not given is printed too, first as it is without them
being known. Speed is that of the whole component, reading of constraints included,
in sentences a second of processor time, each setting in turn within every round; the
medians.
"""

import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.tokens import Doc, Span
from spacy.training import Example
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.pipe.known_constituents import REQUIRED_KEY

#: Tags of the words of names.
NAMES = {"NN", "NNS", "NNP", "NNPS", "JJ", "CD", "FW", "HYPH", "AFX"}
#: Label and extent of a constituent.
Node = tuple[str, int, int]


def nodes(doc: Doc) -> list[Node]:
    """The constituents of a Doc."""
    return [(s.label_, s.start, s.end) for s in doc.spans["constituents"]]


def names(doc: Doc) -> list[Node]:
    """The constituents that look like names."""
    return [
        (label, start, end)
        for label, start, end in nodes(doc)
        if label in ("NP", "NML")
        and end - start > 1
        and all(token.tag_ in NAMES for token in doc[start:end])
    ]


def tell(example: Example, given: list[Node], labelled: bool) -> Doc:
    """The words of an example, with what is known of their tree."""
    doc = example.predicted.copy()
    if given:
        doc.spans[REQUIRED_KEY] = [
            Span(doc, start, end, label=label if labelled else "")
            for label, start, end in given
        ]
    return doc


def recall(
    golds: list[list[Node]], given: list[list[Node]], docs: list[Doc]
) -> Iterator[tuple[int, int]]:
    """How many of a Doc's constituents that were not given are found, of how many."""
    for gold, known, doc in zip(golds, given, docs, strict=True):
        rest = Counter(gold) - Counter(known)
        found = Counter(nodes(doc)) - Counter(known)
        yield (rest & found).total(), rest.total()


def main(
    model: Annotated[str, typer.Argument(help="Pipeline.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file or brackets.")],
    share: Annotated[float, typer.Option(help="Of the gold constituents.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Of their choice.")] = 0,
    limit: Annotated[int, typer.Option(help="Docs; 0: all.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads of torch.")] = 1,
    rounds: Annotated[int, typer.Option(help="Counted rounds.")] = 3,
) -> None:
    """Parse a treebank with some of its constituents known."""
    torch.set_num_threads(threads)
    nlp = spacy.load(model)
    parser = get_parser(nlp)
    corpus = TreebankCorpus(treebank, limit=limit, gold_sents=True)
    examples = list(corpus(nlp))
    golds = [nodes(example.reference) for example in examples]
    draw = random.Random(seed)
    some = [[node for node in gold if draw.random() < share] for gold in golds]
    named = [names(example.reference) for example in examples]
    kinds: dict[str, tuple[list[list[Node]], bool]] = {
        "nothing": ([[] for _ in golds], False),
        f"{share:.0%} of the constituents": (some, False),
        "the same, labels too": (some, True),
        "names": (named, False),
    }

    def run(given: list[list[Node]], labelled: bool) -> tuple[float, list[Doc]]:
        known = zip(examples, given, strict=True)
        docs = [tell(example, of_doc, labelled) for example, of_doc in known]
        start = time.process_time()
        docs = list(parser.pipe(docs, batch_size=1000))
        return time.process_time() - start, docs

    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    parsed: dict[str, list[Doc]] = {}
    for _ in range(rounds + 1):
        for kind, known in kinds.items():
            seconds, parsed[kind] = run(*known)
            times[kind].append(seconds)
    n_sents = sum(sum(1 for _ in example.reference.sents) for example in examples)
    rows = []
    for kind, (given, _) in kinds.items():
        pairs = zip(parsed[kind], examples, strict=True)
        scores = parser.score([Example(doc, eg.reference) for doc, eg in pairs])

        def rest(docs: list[Doc], given: list[list[Node]] = given) -> str:
            found, all_of_them = map(sum, zip(*recall(golds, given, docs), strict=True))
            return f"{100 * found / all_of_them:.2f}"

        rows.append(
            (
                kind,
                str(sum(map(len, given))),
                *(f"{100 * scores[name]:.2f}" for name in ("con_f", "con_exact")),
                rest(parsed["nothing"]),
                rest(parsed[kind]),
                f"{n_sents / statistics.median(times[kind][1:]):.0f}",
            )
        )
    header = ("known", "extents", "F1", "exact", "rest before", "rest", "sentences/s")
    print(table(rows, header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
