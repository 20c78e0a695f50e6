"""How right are the clauses that `doc._.clauses` finds in gold trees?

Prints clauses of a treebank, drawn at random, each in its sentence with all that is
said of it, to be judged by a reader:

    python making/benchmarks/clauses.py corpus/dev-masc.spacy --number 100 --seed 0
"""

import random
from pathlib import Path

import typer
from spacy.vocab import Vocab

from spacy_gfl.tools.treebanks.inputs import read_treebank


def main(treebank: Path, number: int = 100, seed: int = 0) -> None:
    """Print clauses of a file of trees."""
    clauses = [
        clause for doc in read_treebank(treebank, Vocab()) for clause in doc._.clauses
    ]
    print(f"{number} of {len(clauses)} clauses")
    chosen = random.Random(seed).sample(range(len(clauses)), number)
    for count, at in enumerate(sorted(chosen), start=1):
        clause = clauses[at]
        verbs = " ".join(token.text for token in clause.verbs)
        above = clause.depends_on and " ".join(t.text for t in clause.depends_on.verbs)
        print(f"\n{count} {clause.kind}: {clause.span.text}")
        print(f"  in: {clause.span.sent.text}")
        print(f"  subject: {clause.subject}; verbs: {verbs}; depends on: {above}; ")
        print(f"  antecedent: {clause.antecedent}; alone: {clause.as_sentence}")


if __name__ == "__main__":
    typer.run(main)
