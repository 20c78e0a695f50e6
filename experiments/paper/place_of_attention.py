"""How far the attention of the paper's model is from the word that it writes.

    python experiments/paper/place_of_attention.py MODEL TREES.spacy

For each word of each sentence, the step that writes the word looks most at one word:
the distance between the two, in words, by the length of the sentence. First where the
model writes the gold trees, then where it writes the trees that it finds. A model that
loses its place in long sentences has larger distances there.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.formats import docbin
from spacy_gfl.parser.component import ConstituencyParser
from spacy_gfl.seq2seq.codec import WORD_SYMBOL, Symbols

#: Classes of sentences have so many lengths.
STEP = 10


def distances(
    parser: ConstituencyParser, docs: Iterable[Doc]
) -> dict[int, list[float]]:
    """Of each written word, how far ahead of it attention is, by class of length.

    Raises:
        TypeError: If the model is not the paper's.
    """
    if not isinstance(parser.codec, Symbols):
        raise TypeError("Only the paper's model (Seq2Seq.v1) writes words.")
    word = parser.codec.symbols.index(WORD_SYMBOL)
    found: dict[int, list[float]] = defaultdict(list)
    for doc in docs:
        trees = get_trees(doc, key=parser.spans_key)
        for tree, matrix in zip(trees, parser.attention(doc), strict=True):
            if not len(matrix):
                continue
            steps = parser.codec.encode(tree)
            writes = [i for i, symbol in enumerate(steps) if symbol == word]
            peaks = matrix[writes].argmax(axis=1).tolist()
            by_word = (peak - i for i, peak in enumerate(peaks))
            found[(len(tree.words) - 1) // STEP].extend(by_word)
    return found


def report(found: dict[int, list[float]]) -> None:
    """Print a row for each class of lengths."""
    rows = []
    for length, ahead in sorted(found.items()):
        n = len(ahead)
        near = [sum(abs(x) <= most for x in ahead) / n for most in (0, 1, 3)]
        rows.append(
            [
                f"{STEP * length + 1}-{STEP * (length + 1)}",
                f"{n:,}",
                f"{statistics.median(ahead):.0f}",
                *(f"{100 * share:.1f}" for share in near),
            ]
        )
    header = ["words", "written", "median ahead", "at it %", "within 1 %", "within 3 %"]
    print(table(rows, header=header, divider=True, aligns=("l", *"r" * 5)))


def main(
    model: Annotated[str, typer.Argument(help="A pipeline with the paper's model.")],
    treebank: Annotated[Path, typer.Argument(help="A .spacy file of gold trees.")],
    limit: Annotated[int, typer.Option(help="At most so many Docs; 0: all.")] = 0,
) -> None:
    """Measure on gold trees, then on the trees that the model finds."""
    nlp = spacy.load(model)
    parser = get_parser(nlp)
    docs = list(docbin.read(treebank, nlp.vocab))[: limit or None]
    print("Writing the gold trees")
    report(distances(parser, docs))
    print("Writing the trees found")
    report(distances(parser, parser.pipe(docs)))


if __name__ == "__main__":
    typer.run(main)
