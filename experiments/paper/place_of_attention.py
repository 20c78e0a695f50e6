"""Where the attention of the paper's model is when it writes a tree.

    python experiments/paper/place_of_attention.py MODEL TREES.spacy

Each step of the decoder looks most at one word. Counted are the steps that write a word
and, after the first word, the steps that open a constituent: how often they look at the
next word to be written, at the last word written, or near them, by the length of the
sentence. First the model writes the gold trees, then the trees that it finds. A model
that loses its place in long sentences looks elsewhere there.
"""

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
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.seq2seq.codec import Symbols
from spacy_gfl.seq2seq.grammar import OPEN, WORD

#: Classes of sentences have so many lengths.
STEP = 10


def places(
    parser: ConstituencyParser, docs: Iterable[Doc]
) -> dict[tuple[str, int], list[int]]:
    """By kind of step and class of length, how far beyond the next word a step looks.

    0 is the next word to be written, -1 the last word written.

    Raises:
        TypeError: If the model is not the paper's.
    """
    if not isinstance(parser.codec, Symbols):
        raise TypeError("Only the paper's model (Seq2Seq.v1) writes words.")
    kinds = parser.codec.kinds
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for doc in docs:
        trees = get_trees(doc, key=parser.spans_key)
        for tree, matrix in zip(trees, parser.attention(doc), strict=True):
            length, written = (len(tree.words) - 1) // STEP, 0
            steps = parser.codec.encode(tree) if len(matrix) else []
            for symbol, peak in zip(steps, matrix.argmax(axis=1).tolist(), strict=True):
                if kinds[symbol] == WORD:
                    found["words", length].append(peak - written)
                    written += 1
                elif kinds[symbol] == OPEN and written:
                    found["openings", length].append(peak - written)
    return found


def report(found: dict[tuple[str, int], list[int]]) -> None:
    """Print a row for each kind of step and class of length."""
    rows = []
    for (kind, length), ahead in sorted(found.items()):
        seen = [ahead.count(0), ahead.count(-1), sum(-3 <= x <= 2 for x in ahead)]
        shares = [f"{100 * n / len(ahead):.1f}" for n in seen]
        words = f"{STEP * length + 1}-{STEP * (length + 1)}"
        rows.append([kind, words, f"{len(ahead):,}", *shares])
    header = ["steps", "words", "number", "at the next %", "at the last %", "near %"]
    print(table(rows, header=header, divider=True, aligns=("l", "l", *"r" * 4)))


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
    report(places(parser, docs))
    print("Writing the trees found")
    report(places(parser, parser.pipe(docs)))


if __name__ == "__main__":
    typer.run(main)
