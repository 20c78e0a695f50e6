"""Compare pipelines on all dev parts at once, by their mean.

    python making/benchmarks/dev_parts.py en_gfl_sm training/mine/model-best

F1 of labelled brackets (EVALB, COLLINS.prm) of gold words and sentences, in per cent,
greedy and in single precision; of EWT, the share of the constituents that gold
dependencies ask for (`dependencies.py`). The files are made by `python -m spacy project
run corpora making/release`. Lines of making/treebank/dev.ptb are constructions (1 to
149), text (150 to 723) and kinds that earlier versions got wrong (the others).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from dependencies import wanted
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import table

from spacy_gfl import get_parser, get_trees, read_trees, trees_to_docs
from spacy_gfl.data.corpus import make_example
from spacy_gfl.layers.precision import Precision
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.trees.tree import Tree

MAKING = Path(__file__).resolve().parents[1]
#: Tags of what speech does not have.
PUNCTUATION = {",", ".", ":", "``", "''", "-LRB-", "-RRB-"}
DEPENDENCIES = "EWT, dependencies"


def parts(folder: Path) -> dict[str, Callable[[], list[Tree]]]:
    """The trees of each dev part."""

    def read(name: str) -> list[Tree]:
        docs = docbin.read(folder / f"dev-{name}.spacy", Vocab())
        return [tree for doc in docs for tree in get_trees(doc)]

    def spoken() -> list[Tree]:
        trees = read("masc")
        return [t.remove_words([tag in PUNCTUATION for tag in t.tags]) for t in trees]

    def own(first: int, last: int | None) -> list[Tree]:
        path = MAKING / "treebank" / "dev.ptb"
        return list(read_trees(path.read_text(encoding="utf-8")))[first:last]

    return {
        "MASC": lambda: read("masc"),
        "MASC 2 and 3": lambda: read("masc23"),
        "CRAFT": lambda: read("craft"),
        "GUM": lambda: read("gum"),
        "MASC without punctuation": spoken,
        "constructions": lambda: own(0, 149),
        "our text": lambda: own(149, 723),
        "later kinds": lambda: own(723, None),
    }


def f1(nlp: Language, trees: list[Tree]) -> float:
    """F1 of a pipeline on gold trees, in per cent."""
    docs = trees_to_docs([tree for tree in trees if tree.words], nlp.vocab, n_sents=1)
    scores = nlp.evaluate([make_example(doc, gold_sents=True) for doc in docs])
    return 100 * scores["con_f"]


def share_of_dependencies(nlp: Language, golds: list[Doc]) -> float:
    """How many constituents that dependencies ask for are found, in per cent."""
    docs = [make_example(doc, gold_sents=True).predicted for doc in golds]
    n_wanted = n_found = 0
    for gold, doc in zip(golds, nlp.pipe(docs), strict=True):
        extents = {(span.start, span.end) for span in doc.spans["constituents"]}
        asked = [(start, end) for _, start, end in wanted(gold)]
        n_wanted += len(asked)
        n_found += sum(extent in extents for extent in asked)
    return 100 * n_found / n_wanted


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines.")],
    folder: Annotated[Path, typer.Option(help="Files of sentences.")] = MAKING
    / "release/corpus/sentences",
    only: Annotated[
        list[str] | None, typer.Option(help="Parts, by name; all if not given.")
    ] = None,
    precision: Precision = "fp32",
) -> None:
    """Print the scores of pipelines on dev parts."""
    names = only or [*parts(folder), DEPENDENCIES]
    scores: dict[str, list[float]] = {name: [] for name in names}
    for model in models:
        nlp = spacy.load(model)
        parser = get_parser(nlp)
        parser.search.beam_width = 1
        parser.search.precision = precision
        others = [name for name, pipe in nlp.pipeline if pipe is not parser]
        with nlp.select_pipes(disable=others):
            for name in names:
                if name == DEPENDENCIES:
                    path = folder / "dependencies-dev-ewt.spacy"
                    golds = list(docbin.read(path, nlp.vocab, need_trees=False))
                    scores[name].append(share_of_dependencies(nlp, golds))
                else:
                    scores[name].append(f1(nlp, parts(folder)[name]()))
    rows = [(name, *(f"{score:.2f}" for score in scores[name])) for name in names]
    means = [sum(column) / len(names) for column in zip(*scores.values(), strict=True)]
    rows.append(("mean", *(f"{mean:.2f}" for mean in means)))
    print(table(rows, header=("dev part", *models), divider=True))


if __name__ == "__main__":
    typer.run(main)
