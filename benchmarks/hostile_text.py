"""Time and memory of texts that are as large as texts get, each in a new process.

    python benchmarks/hostile_text.py MODEL [--only NAME]

Prints for each text its tokens and sentences, the processor time of the parser, the
most memory that the process has had, before and after, and how many sentences have no
legal tree of exactly their words.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.trees.brackets import parse_tree

HEADER = ("text", "tokens", "sentences", "s", "MB before", "MB", "flat", "bad")
WORDS = ["The", "dog", ",", "which", "(", "they", "say", ")", "barks", "."]


def words(nlp: Language, n_tokens: int, length: int) -> Doc:
    """A Doc of sentences of equal length."""
    tokens = [WORDS[i % len(WORDS)] for i in range(n_tokens)]
    starts = [i % length == 0 for i in range(n_tokens)]
    return Doc(nlp.vocab, words=tokens, sent_starts=starts)


TEXTS: dict[str, Callable[[Language], Doc]] = {
    "10,000 tokens in one sentence": lambda nlp: words(nlp, 10_000, 10_000),
    "the same, searched": lambda nlp: words(nlp, 10_000, 10_000),
    "a token of 100,000 characters": lambda nlp: words_of(nlp, ["x" * 100_000, "."]),
    "100,000 different tokens": lambda nlp: words_of(nlp, map(str, range(100_000))),
    "100,000 tokens in one Doc": lambda nlp: words(nlp, 100_000, 20),
    "1,000,000 tokens in one Doc": lambda nlp: words(nlp, 1_000_000, 20),
}


def words_of(nlp: Language, tokens: "map[str] | list[str]") -> Doc:
    """A Doc of these tokens, 20 to a sentence."""
    tokens = list(tokens)
    starts = [i % 20 == 0 for i in range(len(tokens))]
    return Doc(nlp.vocab, words=tokens, sent_starts=starts)


def memory() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def measure(model: str, name: str) -> tuple[str, ...]:
    """The row of one text."""
    torch.set_num_threads(1)
    nlp = spacy.load(model)
    parser: Any = nlp.get_pipe("constituency_parser")
    if name.endswith("searched"):
        parser.search.max_words = 10**6
    doc = TEXTS[name](nlp)
    before, start = memory(), time.process_time()
    parser(doc)
    seconds, after = time.process_time() - start, memory()
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
            rows[-1] = [
                name,
                f"status {found.returncode}",
                *found.stderr[-200:].split(),
            ]
        print(*rows[-1], flush=True)
    print(table(rows, header=HEADER, divider=True))


if __name__ == "__main__":
    typer.run(main)
