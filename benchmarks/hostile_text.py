"""Time and memory of texts that are as large as texts get, each in a new process.

    python benchmarks/hostile_text.py MODEL [--only NAME]

Prints for each text its tokens and sentences, the processor time of the parser, the
most memory that the process has had, before and after, and how many sentences have no
legal tree of exactly their words.
"""

import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Annotated

import spacy
import torch
import typer
from ready_made import doc_of, most_memory, seconds_of
from spacy.util import minibatch
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.trees.brackets import parse_tree

HEADER = ("text", "tokens", "sentences", "s", "MB before", "MB", "flat", "bad")
WORDS = ["The", "dog", ",", "which", "(", "they", "say", ")", "barks", "."]
#: The sentences of each text.
TEXTS: dict[str, Callable[[], Iterable[list[str]]]] = {
    "10,000 tokens in one sentence": lambda: [WORDS * 1000],
    "10,000 tokens, searched": lambda: [WORDS * 1000],
    "a token of 100,000 characters": lambda: [["x" * 100_000, "."]],
    "100,000 different tokens": lambda: minibatch(map(str, range(100_000)), 20),
    "100,000 tokens in one Doc": lambda: [WORDS * 2] * 5000,
    "1,000,000 tokens in one Doc": lambda: [WORDS * 2] * 50_000,
}


def measure(model: str, name: str) -> tuple[str, ...]:
    """The row of one text."""
    torch.set_num_threads(1)
    nlp = spacy.load(model)
    parser = get_parser(nlp)
    if name.endswith("searched"):
        parser.search.max_words = 10**6
    doc = doc_of(nlp.vocab, *TEXTS[name]())
    before = most_memory()
    seconds, after = seconds_of(lambda: parser(doc)), most_memory()
    flags = doc.spans["constituents"].attrs["flags"]
    bad = 0
    for sent, tree in zip(doc.sents, get_trees(doc), strict=True):
        same_words = list(tree.words) == [token.text for token in sent]
        bad += not same_words or parse_tree(tree.brackets()) != tree
    counts = (f"{len(doc):,}", f"{len(flags):,}", f"{seconds:.1f}")
    memories = (f"{before:,}", f"{after:,}")
    return (name, *counts, *memories, str(flags.count("flat")), str(bad))


def main(
    model: Annotated[str, typer.Argument(help="Folder or package of a pipeline.")],
    only: Annotated[str, typer.Option(help="One of the texts.")] = "",
) -> None:
    """Parse each text in a process of its own."""
    if only:
        print("\t".join(measure(model, only)))
        return
    rows = []
    for name in TEXTS:
        command = [sys.executable, __file__, model, "--only", name]
        found = subprocess.run(command, capture_output=True, text=True)
        rows.append(found.stdout.strip().split("\t"))
        if found.returncode:
            status = f"status {found.returncode}"
            rows[-1] = [name, status, *found.stderr[-200:].split()]
        print(*rows[-1], flush=True)
    print(table(rows, header=HEADER, divider=True))


if __name__ == "__main__":
    typer.run(main)
