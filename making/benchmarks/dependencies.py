"""How many of the constituents that gold dependencies ask for a parser finds.

    python making/benchmarks/dependencies.py MODEL... --treebank FILE [--relations]

Treebanks of dependencies have no gold trees, but say what the constituents of most
arguments and modifiers are (`spans_from_dependencies`). So they show how a parser
does on kinds of text of which there are no gold trees. Each pipeline parses gold words
and sentences, without knowing the dependencies, greedily or as it says. The share of
constituents is in per cent, whatever their labels; whole sentences do not count.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl.annotation.dependencies import spans_from_dependencies
from spacy_gfl.annotation.sentence_words import sentences
from spacy_gfl.data.corpus import make_example
from spacy_gfl.pipe.known_constituents import REQUIRED_KEY
from spacy_gfl.tools.treebanks.formats import docbin


def wanted(doc: Doc) -> list[tuple[str, int, int]]:
    """The relation and extent of each constituent that the dependencies ask for."""
    whole = {(sent.start, sent.end) for sent in sentences(doc)}
    return [
        (span.root.dep_.split(":")[0], span.start, span.end)
        for span in spans_from_dependencies(doc)
        if (span.start, span.end) not in whole
    ]


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file with dependencies.")],
    relations: Annotated[bool, typer.Option(help="A row a relation too.")] = False,
    limit: Annotated[int, typer.Option(help="Docs; 0: all.")] = 0,
) -> None:
    """Count the constituents of gold dependencies in the trees of pipelines."""
    asked: Counter[str] = Counter()
    found: dict[str, Counter[str]] = {model: Counter() for model in models}
    for model in models:
        nlp = spacy.load(model)
        golds = list(docbin.read(treebank, nlp.vocab, need_trees=False))
        golds = golds[: limit or None]
        docs = [make_example(doc, gold_sents=True).predicted for doc in golds]
        asked.clear()
        for gold, doc in zip(golds, nlp.pipe(docs), strict=True):
            assert REQUIRED_KEY not in doc.spans, "the pipeline knows dependencies"
            extents = {(span.start, span.end) for span in doc.spans["constituents"]}
            for relation, start, end in wanted(gold):
                names = ("all", relation)
                asked.update(names)
                found[model].update(names if (start, end) in extents else ())
    rows = [
        (name, f"{n:,}", *(f"{100 * found[model][name] / n:.2f}" for model in models))
        for name, n in asked.most_common(None if relations else 1)
    ]
    print(table(rows, header=("relation", "spans", *models), divider=True))


if __name__ == "__main__":
    typer.run(main)
